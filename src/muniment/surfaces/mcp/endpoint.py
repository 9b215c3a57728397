"""One message over HTTP: who sends it, how large it may be, and the server that answers it. Keeps nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INVALID_REQUEST, PARSE_ERROR
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from muniment.contracts.strict.reader import ReaderLimits, read_json
from muniment.model.errors import LimitExceeded, Malformed, Unreadable
from muniment.surfaces.http.bodies import JSON, read_body
from muniment.surfaces.http.doors import peer_of
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.mcp.server import Lifespan, build_server
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.tool_profiles import ToolProfile, read_choice
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext

T = TypeVar("T")
_READ = ReaderLimits(depth=64)
SMALL = 16_384
"""Bodies up to so many bytes are read where they arrive; larger ones in a thread, so that nobody waits for them."""


class ServedContext:
    """The desk of a shared server: the visitor is the one whom the doors let in with this very message."""

    def __init__(self, reception: ServerContext) -> None:
        self._reception = reception

    def visitor(self, request: Request | None) -> Principal:
        assert request is not None, "a message over HTTP comes with its request"
        found = request.state.visitor
        assert isinstance(found, Principal), "the doors let nobody in whom they do not know"
        return found

    def seat(self, visitor: Principal) -> McpSession:
        reception = self._reception
        return McpSession(visitor, reception.memory(visitor), lambda: reception.field(visitor.tenant))

    async def run(self, call: Callable[[], T]) -> T:
        return await self._reception.run(call)

    def denied(self, visitor: Principal, request: Request | None, *, what: str, code: str) -> None:
        peer = peer_of(request.scope) if request is not None else "unknown"
        self._reception.denied(visitor, what=what, code=code, peer=peer)


class McpEndpoint:
    """The application at `/mcp`. Only POST is answered: without sessions there is no stream to open and none to end."""

    def __init__(self, reception: ServerContext) -> None:
        desk = ServedContext(reception)
        self._servers: dict[ToolProfile | None, Server[Lifespan]] = {
            choice: build_server(desk, choice) for choice in ToolProfile
        }
        # Who asks for no choice is offered the core, and may go on to call what they knew before there was one.
        self._servers[None] = build_server(desk, callable_=ToolProfile.ALL)
        self._limit = reception.settings.body_bytes_max
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            raise Declined(
                status=405,
                code="method_not_allowed",
                detail="this server keeps no sessions: it answers POST alone",
                hint="Send each message as a POST of its own.",
                headers={"Allow": "POST"},
            )
        body = await read_body(request, self._limit)
        refused = _refused(body) if len(body) <= SMALL else await self._reception.run(_refused, body)
        if refused is not None:
            await refused(scope, receive, send)
            return
        once = StreamableHTTPSessionManager(
            self._servers[_chosen(request)],
            json_response=True,
            stateless=True,
            max_request_body_size=max(1, self._limit),
        )
        async with once.run():
            await once.handle_request(scope, _Again(body, receive), send)


def _refused(body: bytes) -> Response | None:
    """The answer to a body that is no message: strictly read, since a key said twice means two things. The SDK would
    tell what is wrong with it in words that repeat it."""
    try:
        message = read_json(body, limits=_READ)
    except (Unreadable, LimitExceeded) as error:
        return _rpc_error(PARSE_ERROR, str(error))
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return _rpc_error(INVALID_REQUEST, "expected one JSON-RPC 2.0 request or notification")
    named = message.get("id", "")
    if not isinstance(named, (str, int)) or isinstance(named, bool) or not isinstance(message.get("params", {}), dict):
        return _rpc_error(
            INVALID_REQUEST, "expected an id that is text or a whole number, and params that are an object"
        )
    return None


def _rpc_error(code: int, words: str) -> Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}
    return Response(msgspec.json.encode(body), status_code=400, media_type=JSON)


def _chosen(request: Request) -> ToolProfile | None:
    """Which tools the address asks for, if any: `/mcp?tools=memory`."""
    said = request.query_params
    if set(said) - {"tools"}:
        raise Malformed("query", "no parameter but tools")
    return read_choice(said["tools"]) if "tools" in said else None


class _Again:
    """A body that was read already, for somebody who wants to read it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
