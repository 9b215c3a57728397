"""Opening a stream: who listens, as which agent, from which epoch on. All of it is decided before a byte is sent."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import HTTPConnection

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.words import FieldOperation
from muniment.model.errors import Malformed, Unauthenticated
from muniment.surfaces.http.akashik_answers import Refused
from muniment.surfaces.http.akashik_doors import permit
from muniment.surfaces.http.akashik_messages import AGENT, query_of, whole
from muniment.surfaces.http.doors import visitor_of
from muniment.surfaces.http.streams import Hub
from muniment.surfaces.http.streams_flow import Flow, Frame
from muniment.surfaces.reception.principal import Grant, Principal

LISTEN = FieldOperation.SUBSCRIBE.value
"""The operation that errors of a stream are told under."""
PUSH_LEVEL = 2
"""From this level on a Field pushes; below it agents poll."""
_NAMES = frozenset({"agent_id", "after", "ticket", "frames"})
_LAST = "last-event-id"


async def opened(hub: Hub, connection: HTTPConnection) -> tuple[Flow, Frame]:
    """A stream that may begin, and its first frame. Raises whatever stands against it."""
    query = query_of(connection.url.query, _NAMES)
    visitor, agent = await _listening(hub, connection, query)
    permit(visitor, Grant.READ, "listen")
    if hub.reception.settings.level < PUSH_LEVEL:
        raise Refused(ErrorCode.UNSUPPORTED_OPERATION, f"streams are offered from level {PUSH_LEVEL} on")
    present = await hub.reception.run(_present, hub, visitor)
    after = _after(connection, query)
    if after is not None and after > present:
        raise Malformed("after", "an epoch that the field has reached")
    flow = Flow(hub, visitor, agent, present if after is None else after)
    return flow, await flow.look()


def in_frames(connection: HTTPConnection) -> bool:
    """Whether notices come in frames that say up to which epoch they tell everything, instead of one by one."""
    said = query_of(connection.url.query, _NAMES).get("frames", ("false",))[0]
    if said not in ("true", "false"):
        raise Malformed("frames", "true or false")
    return said == "true"


def _present(hub: Hub, visitor: Principal) -> int:
    return hub.reception.field(visitor.tenant).epoch()


async def _listening(
    hub: Hub, connection: HTTPConnection, query: Mapping[str, tuple[str, ...]]
) -> tuple[Principal, str]:
    """Who listens, by credential or by ticket, and as whom. A ticket is for one agent."""
    named = query["agent_id"][0] if "agent_id" in query else connection.headers.get(AGENT)
    if "ticket" not in query:
        visitor = await visitor_of(connection)
        return visitor, named or visitor.actor.id
    ticket = hub.tickets.take(query["ticket"][0])
    if named not in (None, ticket.agent):
        raise Unauthenticated("ticket")
    connection.state.visitor = await hub.reception.run(hub.reception.recheck, ticket.visitor)
    return connection.state.visitor, ticket.agent


def _after(connection: HTTPConnection, query: Mapping[str, tuple[str, ...]]) -> int | None:
    """The cursor. What a client heard last counts for more than the address it was given at first."""
    if _LAST in connection.headers:
        return whole(_LAST, connection.headers[_LAST])
    return whole("after", query["after"][0]) if "after" in query else None
