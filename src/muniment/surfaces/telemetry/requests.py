"""Watch requests: give each an id, count and time it, and write its one line in the log."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muniment.engine.session import clean
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.telemetry.settings import LogLevel

if TYPE_CHECKING:
    from muniment.surfaces.telemetry.telemetry import Telemetry

REQUEST_ID = b"x-request-id"
UNMATCHED = "unmatched"
_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_QUIET = {"/healthz", "/readyz", "/metrics"}
_DROPPED = 499
_SWITCHED = 101


def _taken(wanted: bytes) -> str | None:
    """The id a caller wants a request to have, if it is one, and not a secret that was put there by mistake."""
    name = wanted.decode() if _ID.fullmatch(wanted) else None
    return name if name is not None and clean(name) == name else None


def is_failure(status: int) -> bool:
    """Whether something went wrong on our side. What is not offered here (501) is a caller's mistake.

    >>> is_failure(500), is_failure(501), is_failure(429)
    (True, False, False)
    """
    return status >= 500 and status != 501


class Watch:
    """The outermost layer of the server. Changes nothing but adds `X-Request-Id` to the answer."""

    def __init__(self, app: ASGIApp, telemetry: Telemetry) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        seen = _Seen(scope, self._telemetry)
        spans = self._telemetry.spans
        headers = _traced(scope) if spans is not None else {}
        meters = self._telemetry.meters
        meters.in_flight.move(by=1)
        with spans.request(seen.method, headers) if spans is not None else nullcontext() as span:
            try:
                await self._app(scope, receive, seen.sending(send))
            finally:
                meters.in_flight.move(by=-1)
                if span is not None:
                    seen.trace_id = span.trace_id
                    span.answered(f"{seen.method} {seen.route}", seen.said(), failed=is_failure(seen.answered))
                seen.done()


class _Seen:
    """What was seen of one request."""

    def __init__(self, scope: Scope, telemetry: Telemetry) -> None:
        self._scope = scope
        self._telemetry = telemetry
        self._since = time.perf_counter()
        self._status: int | None = None
        self._stream = scope["type"] == "websocket"
        self._finished = False
        method = scope.get("method", "WS")
        self.method: str = method if method in _METHODS or self._stream else "OTHER"
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        given = dict(headers)
        wanted = given.get(REQUEST_ID, b"")
        self.request_id = _taken(wanted) or secrets.token_hex(8)
        parent = _TRACEPARENT.fullmatch(given.get(b"traceparent", b""))
        self.trace_id = parent[1].decode() if parent is not None and set(parent[1]) != {ord("0")} else None
        scope.setdefault("state", {})["request_id"] = self.request_id

    def sending(self, send: Send) -> Send:
        async def watched(message: Message) -> None:
            kind = message["type"]
            if kind in ("http.response.start", "websocket.http.response.start"):
                self._status = message["status"]
                headers = message.setdefault("headers", [])
                self._stream = self._stream or any(value.startswith(b"text/event-stream") for _, value in headers)
                message["headers"] = [*headers, (REQUEST_ID, self.request_id.encode())]
            elif kind == "websocket.accept":
                self._status = _SWITCHED
                message["headers"] = [*message.get("headers", []), (REQUEST_ID, self.request_id.encode())]
            await send(message)
            if kind == "http.response.body" and not message.get("more_body", False):
                self._finished = True

        return watched

    @property
    def route(self) -> str:
        """The template of the route that answered, never the path that was sent."""
        path = getattr(self._scope.get("route"), "path", None)
        return path if isinstance(path, str) else UNMATCHED

    @property
    def answered(self) -> int:
        """The status that was sent; one of our own if the caller went away before."""
        return self._status if self._status is not None else _DROPPED

    def who(self) -> dict[str, str]:
        """Who called, as far as it was found out."""
        visitor = self._scope.get("state", {}).get("visitor")
        if not isinstance(visitor, Principal):
            return {}
        said = {"muniment.tenant": visitor.tenant, "muniment.actor": visitor.actor.id}
        return {**said, "muniment.credential": visitor.credential} if visitor.credential is not None else said

    def said(self) -> dict[str, str | int]:
        """What the span of the request says of it."""
        said: dict[str, str | int] = {
            "http.request.method": self.method,
            "http.route": self.route,
            "http.response.status_code": self.answered,
            "muniment.request_id": self.request_id,
        }
        return {**said, **self.who()}

    def done(self) -> None:
        seconds = time.perf_counter() - self._since
        meters, status = self._telemetry.meters, self.answered
        meters.requests.add(self.method, self.route, str(status))
        if not self._stream:
            meters.latency.observe(seconds, self.method, self.route)
        said = self.who()
        code = self._scope.get("state", {}).get("code")
        self._telemetry.log.say(
            self._level(status),
            "request",
            method=self.method,
            route=self.route,
            status=status,
            ms=round(seconds * 1_000, 3),
            tenant=said.get("muniment.tenant"),
            actor=said.get("muniment.actor"),
            credential=said.get("muniment.credential"),
            request_id=self.request_id,
            trace_id=self.trace_id,
            outcome=code if isinstance(code, str) else self._outcome(status),
        )

    def _outcome(self, status: int) -> str:
        if status == _DROPPED or not (self._finished or self._stream):
            return "dropped"
        return "ok" if status < 400 else "failed" if is_failure(status) else "refused"

    def _level(self, status: int) -> LogLevel:
        if is_failure(status):
            return LogLevel.ERROR
        return LogLevel.DEBUG if self.route in _QUIET and status < 400 else LogLevel.INFO


def _traced(scope: Scope) -> dict[str, str]:
    """The headers a caller's trace is named in."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    wanted = (b"traceparent", b"tracestate")
    return {name.decode(): value.decode("latin-1") for name, value in headers if name in wanted}
