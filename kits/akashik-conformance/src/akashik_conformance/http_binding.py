"""The HTTP binding: messages posted, views fetched, notices pushed over a WebSocket."""

from __future__ import annotations

import json
from collections import deque
from contextlib import AbstractContextManager, ExitStack
from urllib.parse import urlencode

import httpx
import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from akashik_conformance.binding import (
    TRANSPORT_ERROR,
    WAIT_S,
    Answer,
    Json,
    JsonObject,
    RawAnswer,
    Shut,
    Stream,
    View,
    Ways,
)
from akashik_conformance.samples import OPERATIONS
from akashik_conformance.say import parts, read_object

PATHS: dict[View, str] = {"status": "/v1/field/status", "agents": "/v1/agents", "conflicts": "/v1/conflicts"}
RETRACT = "/v1/x/retract"
STREAM = "/v1/stream"


class HttpBinding:
    """One server, reached over HTTP. Safe to use from many threads."""

    way: Ways = "http"

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        self._client = httpx.Client(base_url=self._url, timeout=WAIT_S * 2, limits=limits, trust_env=False)

    def send(self, message: Json, token: str | None) -> Answer:
        operation = message.get("operation") if isinstance(message, dict) else None
        name = operation.lower() if isinstance(operation, str) and operation in OPERATIONS else "record"
        return self._posted(f"/v1/{name}", message, token)

    def view(self, name: View, token: str | None, *, agent: str | None, session: str | None = None) -> Answer:
        asked = {"agent_id": agent, "session_id": session}
        query = urlencode({key: value for key, value in asked.items() if value is not None})
        return self._told("GET", f"{PATHS[name]}?{query}", None, token)

    def retract(self, agent: str, unit: str, reason: str, token: str | None) -> Answer | None:
        answer = self._posted(RETRACT, {"agent_id": agent, "memory_unit_id": unit, "reason": reason}, token)
        return None if answer.document.get("code") == "UNSUPPORTED_OPERATION" else answer

    def follow(self, agent: str, token: str | None, *, after: int) -> Stream:
        address = f"ws{self._url.removeprefix('http')}{STREAM}?{urlencode({'agent_id': agent, 'after': after})}"
        try:
            return Pushed(connect(address, additional_headers=_headers(token), open_timeout=WAIT_S, proxy=None))
        except InvalidHandshake as error:
            raise Shut(str(error)) from error

    def post(self, path: str, body: Json, token: str | None, *, kind: str = "application/json") -> RawAnswer:
        """A bare request, for what only HTTP has."""
        return self._raw("POST", path, json.dumps(body).encode(), {**_headers(token), "Content-Type": kind})

    def get(self, path: str, token: str | None) -> RawAnswer:
        return self._raw("GET", path, None, _headers(token))

    def close(self) -> None:
        self._client.close()

    def _raw(self, verb: str, path: str, body: bytes | None, headers: dict[str, str]) -> RawAnswer:
        try:
            answer = self._client.request(verb, path, content=body, headers=headers)
        except httpx.HTTPError as error:
            raise AssertionError(f"{verb} {path} was not answered: {type(error).__name__}") from error
        kind = answer.headers.get("content-type", "").partition(";")[0].strip()
        return RawAnswer(status=answer.status_code, kind=kind, document=_document(answer))

    def _posted(self, path: str, body: Json, token: str | None) -> Answer:
        return self._told("POST", path, json.dumps(body).encode(), token)

    def _told(self, verb: str, path: str, body: bytes | None, token: str | None) -> Answer:
        headers = _headers(token) if body is None else {**_headers(token), "Content-Type": "application/json"}
        try:
            answer = self._client.request(verb, path, content=body, headers=headers)
        except httpx.HTTPError as error:
            return Answer(document={"code": TRANSPORT_ERROR, "message": f"{type(error).__name__}: {error}"})
        return Answer(document=_document(answer), status=answer.status_code)


def _headers(token: str | None) -> dict[str, str]:
    return {} if not token else {"Authorization": f"Bearer {token}"}


def _document(answer: httpx.Response) -> JsonObject:
    try:
        return read_object(answer.content)
    except (msgspec.DecodeError, AssertionError):
        return {"code": TRANSPORT_ERROR, "message": f"HTTP {answer.status_code} without a JSON object"}


class Pushed:
    """Notices as they are pushed."""

    def __init__(self, calling: AbstractContextManager[ClientConnection]) -> None:
        self._stack = ExitStack()
        self._connection = self._stack.enter_context(calling)
        self._waiting: deque[JsonObject] = deque()

    def next(self, wait_s: float) -> JsonObject | None:
        while not self._waiting:
            try:
                frame = self._connection.recv(timeout=wait_s)
            except TimeoutError:
                return None
            except ConnectionClosed as error:
                raise AssertionError(f"the stream was closed: {error}") from error
            told = read_object(frame)
            self._waiting.extend([told] if "event" in told else parts(told, "notices"))
        return self._waiting.popleft()

    def close(self) -> None:
        self._stack.close()
