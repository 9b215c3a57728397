"""The HTTP application: every surface's routes on one ground that guards, bounds and answers for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketState

from muniment.model.errors import MunimentError
from muniment.surfaces.http import doors, problem_pages, problems
from muniment.surfaces.reception.server_context import ServerContext
from muniment.surfaces.telemetry.requests import Watch

_SURFACES = (
    ("muniment.surfaces.http.health", "routes"),
    ("muniment.surfaces.http.akashik", "routes"),
    ("muniment.surfaces.http.push", "routes"),
    ("muniment.surfaces.http.api", "routes"),
    ("muniment.surfaces.console", "routes"),
    ("muniment.surfaces.mcp.http", "mount"),
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def build_app(reception: ServerContext, routes: Iterable[BaseRoute] | None = None) -> Starlette:
    """The application of one server. `routes` stands in for the surfaces' own."""
    app = Starlette(
        routes=list(surface_routes(reception) if routes is None else routes),
        middleware=[Middleware(Watch, telemetry=reception.telemetry), Middleware(AppParts, reception=reception)],
        exception_handlers=dict.fromkeys((MunimentError, problems.Declined, HTTPException), _told),
    )
    app.router.redirect_slashes = False
    app.state.reception = reception
    return app


def surface_routes(reception: ServerContext) -> Iterable[BaseRoute]:
    """What every surface answers to, in the order in which they are asked."""
    yield from problem_pages.routes()
    for module, name in _SURFACES:
        made: Callable[[ServerContext], BaseRoute | list[BaseRoute]] = getattr(import_module(module), name)
        found = made(reception)
        yield from found if isinstance(found, list) else (found,)


async def _told(connection: Request | WebSocket, error: Exception) -> Response:
    """The answer to an error that somebody raised on purpose."""
    scope = connection.scope
    if isinstance(error, doors.DENIALS):
        doors.record(scope, doors.reception_of(connection), error.code)
    if isinstance(connection, WebSocket) and connection.application_state is WebSocketState.CONNECTED:
        raise error
    if isinstance(error, HTTPException) and error.status_code == 405 and scope.get("method") == "OPTIONS":
        return Response(status_code=204, headers=error.headers)
    return _response(scope, error)


def _response(scope: Scope, error: Exception) -> Response:
    scope.setdefault("state", {})["code"] = problems.document_of(error).code
    expected = isinstance(error, (MunimentError, problems.Declined, HTTPException))
    if not expected and scope["path"].startswith("/v1/"):
        from muniment.surfaces.http.akashik_answers import broken

        return broken("UNKNOWN")
    return problems.response_of(error)


class AppParts:
    """What every request stands on: hosts and origins are checked, sizes bounded, headers set, failures answered."""

    def __init__(self, app: ASGIApp, reception: ServerContext) -> None:
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        try:
            self._check(scope)
            await self._app(scope, receive, reply)
        except problems.Declined as error:
            doors.record(scope, self._reception, error.code)
            await reply.end(scope, receive, error)
        except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
            self._reception.telemetry.log.failed(scope.get("state", {}).get("request_id"), error)
            await reply.end(scope, receive, error)
        finally:
            doors.leave(scope)

    def _check(self, scope: Scope) -> None:
        settings = self._reception.settings
        raw: bytes = scope.get("raw_path") or b""
        if len(raw) + len(scope["query_string"]) > settings.url_bytes_max:
            raise problems.Declined(status=414, code="limit_exceeded", detail="the address is too long", field="url")
        if b"%2f" in raw.lower():  # a slash that is spelled out parts nothing: who guards paths before us read it so
            scope["path"] = raw.decode("ascii")
        if sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > settings.header_bytes_max:
            raise problems.Declined(
                status=431, code="limit_exceeded", detail="the head of the request is too large", field="headers"
            )
        doors.check_door(scope, settings)


class _Reply:
    """What goes back on one connection: every head gets our headers, and how far the answer is stays known."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._last = ""

    async def __call__(self, message: Message) -> None:
        self._last = message["type"]
        if self._last in ("http.response.start", "websocket.http.response.start"):
            message["headers"] = _secured(list(message.get("headers", ())))
        await self._send(message)

    async def end(self, scope: Scope, receive: Receive, error: Exception) -> None:
        """Answer a failure. An answer that has begun is left unfinished: the server then cuts the connection."""
        if scope["type"] == "websocket" and self._last in ("websocket.accept", "websocket.send"):
            await self({"type": "websocket.close", "code": 1011})
        elif not self._last:
            await _response(scope, error)(scope, receive, self)


def _secured(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Headers that keep a browser from guessing, framing or keeping. What a surface has said itself stands."""
    said = {name.lower() for name, _ in headers}
    return [*headers, *(pair for pair in _HEADERS if pair[0] not in said)]
