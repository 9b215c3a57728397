"""The routes of push: a WebSocket, Server-Sent Events, and tickets for callers that cannot send a header."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed
from muniment.surfaces.http.akashik_answers import Refused, answer
from muniment.surfaces.http.akashik_doors import AkashikRoute, Ask, Nowhere, credential_of, permit
from muniment.surfaces.http.akashik_messages import read_object
from muniment.surfaces.http.bodies import read_body
from muniment.surfaces.http.push_opening import LISTEN
from muniment.surfaces.http.push_sse import Events
from muniment.surfaces.http.push_websocket import Socket
from muniment.surfaces.http.streams import Hub, hub_of
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.server_context import ServerContext

_TICKET_BYTES_MAX = 16_384


def routes(reception: ServerContext) -> list[BaseRoute]:
    """The two streams, the desk for tickets, and last the answer for whatever else is asked for at this level of the
    binding's paths."""
    hub = hub_of(reception)
    return [
        WebSocketRoute("/v1/stream", Socket(hub)),
        Route("/v1/stream", PlainPush()),
        Route("/v1/events", Events(hub)),
        Route("/v1/stream/ticket", AkashikRoute(LISTEN, "POST", _ticket(hub))),
        Route("/v1/{operation}", Nowhere()),
    ]


class PlainPush:
    """The answer to whoever calls the WebSocket without asking for one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        document = error_document(ErrorCode.INVALID_ENVELOPE, LISTEN, "this path is a WebSocket; /v1/events is not")
        response = answer(document, status=426, headers={"upgrade": "websocket", "connection": "upgrade"})
        await response(scope, receive, send)


def _ticket(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        document = read_object(await read_body(request, _TICKET_BYTES_MAX))
        permit(visitor, Grant.READ, "listen")
        agent = document.get("agent_id")
        if document.keys() != {"agent_id"} or not isinstance(agent, str) or not agent:
            raise Malformed("agent_id", "the agent who will listen, and nothing else")
        if not await hub.reception.run(_lends, hub.reception, visitor, agent):
            raise Refused(ErrorCode.UNAUTHENTICATED, "this credential does not speak for that agent")
        return {"ticket": hub.tickets.issue(visitor, agent), "expires_in_seconds": hub.tickets.seconds}

    return ask


def _lends(reception: ServerContext, visitor: Principal, agent: str) -> bool:
    return reception.field(visitor.tenant).lends(credential_of(visitor), agent)
