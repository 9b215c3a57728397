"""Akashik over HTTP: one path per operation, the three views, and the extension: a unit is withdrawn, a failure
reported, the board shown.

A message is admitted, read strictly and given to the Field in one hop to a thread; what the Field says is the answer.
Whether a message was there before is the Field's to know, so that a caller whose connection broke may send it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed
from muniment.model.value import Value
from muniment.surfaces.http.akashik_answers import grant_of
from muniment.surfaces.http.akashik_doors import AkashikRoute, Ask, credential_of, permit
from muniment.surfaces.http.akashik_messages import (
    AGENT,
    SESSION,
    query_of,
    read_message,
    read_object,
)
from muniment.surfaces.http.bodies import read_body
from muniment.surfaces.http.push_opening import PUSH_LEVEL
from muniment.surfaces.http.streams import Hub, hub_of
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.server_context import ServerContext

P = ParamSpec("P")
SMALL = 16_384
"""So long a body is read in the loop: faster than a thread is found for it."""
_FILTERS = {"status": "status", "type": "types", "involving_agent": "involving_agents"}
_FREQUENT = frozenset({FieldOperation.RECORD, FieldOperation.ATTUNE})
"""Routes are tried in their order; these stand first."""
_READING = frozenset({FieldOperation.ATTUNE, FieldOperation.REPLAY})
_LOOKING = frozenset({"agent_id", "session_id"})
_RETRACT, _FAIL = "RETRACT", "FAIL"
_RETRACTION = ("agent_id", "memory_unit_id", "reason")


def routes(reception: ServerContext) -> list[BaseRoute]:
    """Every path of the binding but the streams."""
    hub = hub_of(reception)
    found: list[BaseRoute] = [
        Route(f"/v1/{one.value.lower()}", AkashikRoute(one.value, "POST", _operation(hub, one)))
        for one in sorted(FieldOperation, key=_FREQUENT.__contains__, reverse=True)
    ]
    found += [
        Route("/v1/field/status", AkashikRoute("STATUS", "GET", _status(hub))),
        Route("/v1/agents", AkashikRoute("AGENTS", "GET", _agents(hub))),
        Route("/v1/conflicts", AkashikRoute("CONFLICTS", "GET", _conflicts(hub))),
        Route("/v1/x/work", AkashikRoute("WORK", "GET", _work(hub))),
        Route("/v1/x/retract", AkashikRoute(_RETRACT, "POST", _retraction(hub))),
        Route("/v1/x/fail", AkashikRoute(_FAIL, "POST", _failure(hub))),
    ]
    return found


async def _heard(
    hub: Hub, read: Callable[Concatenate[bytes, P], JsonObject], body: bytes, *rest: P.args, **more: P.kwargs
) -> JsonObject:
    """Read a body, beside the loop if it is long: nobody waits for what somebody else sends."""
    if len(body) <= SMALL:
        return read(body, *rest, **more)
    return await hub.reception.run(read, body, *rest, **more)


def _operation(hub: Hub, operation: FieldOperation) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        body = await read_body(request, hub.reception.settings.body_bytes_max)
        message = await _heard(hub, read_message, body, request.headers, operation)
        permit(visitor, grant_of(operation, message.get("payload")), operation.value)
        answer = await hub.reception.run(_send, hub.reception, visitor, message)
        if operation not in _READING:
            hub.nudge(visitor.tenant)
        if operation is FieldOperation.SUBSCRIBE:
            return _with_urls(answer, request, message, hub.reception.settings.level)
        return answer

    return ask


def _send(reception: ServerContext, visitor: Principal, message: JsonObject) -> JsonObject:
    return reception.field(visitor.tenant).send(message, credential_of(visitor))


def _with_urls(answer: JsonObject, request: Request, message: JsonObject, level: int) -> JsonObject:
    """Where a new subscription is heard, beginning with the epoch at which it was made."""
    epoch, agent = answer.get("epoch"), message.get("agent_id")
    if level < PUSH_LEVEL or "subscription" not in answer or not isinstance(agent, str):
        return answer
    query = urlencode({"agent_id": agent} | ({"after": epoch} if isinstance(epoch, int) else {}))
    host, safe = request.url.netloc, request.url.scheme == "https"
    return answer | {
        "stream_url": f"{'wss' if safe else 'ws'}://{host}/v1/stream?{query}",
        "events_url": f"{'https' if safe else 'http'}://{host}/v1/events?{query}",
    }


class Retraction(Value):
    """What withdraws a unit."""

    agent_id: str
    memory_unit_id: str
    reason: str
    session_id: str | None = None


def _retraction(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        body = await read_body(request, hub.reception.settings.body_bytes_max)
        document = await _heard(hub, read_object, body)
        permit(visitor, Grant.WRITE, _RETRACT)
        answer = await hub.reception.run(_retract, hub.reception, visitor, _read_retraction(document, request))
        hub.nudge(visitor.tenant)
        return answer

    return ask


def _retract(reception: ServerContext, visitor: Principal, wish: Retraction) -> JsonObject:
    field = reception.field(visitor.tenant)
    return field.retract(credential_of(visitor), wish.agent_id, wish.memory_unit_id, wish.reason, wish.session_id)


def _read_retraction(document: JsonObject, request: Request) -> Retraction:
    session = document.get("session_id", request.headers.get(SESSION))
    said = [document.get(name) for name in _RETRACTION]
    if not document.keys() <= {*_RETRACTION, "session_id"}:
        raise Malformed("body", f"nothing but {', '.join(_RETRACTION)} and session_id")
    texts = [value for value in said if isinstance(value, str) and value.strip()]
    if len(texts) < len(_RETRACTION) or not isinstance(session, str | None):
        raise Malformed("body", f"{', '.join(_RETRACTION)} as texts that say something")
    return Retraction(agent_id=texts[0], memory_unit_id=texts[1], reason=texts[2], session_id=session)


class Failure(Value):
    """Who reports that an agent failed, why, and which if not itself."""

    agent_id: str
    reason: str
    failed_agent_id: str | None = None
    session_id: str | None = None


def _failure(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        body = await read_body(request, hub.reception.settings.body_bytes_max)
        document = await _heard(hub, read_object, body)
        permit(visitor, Grant.WRITE, _FAIL)
        answer = await hub.reception.run(_fail, hub.reception, visitor, _read_failure(document, request))
        hub.nudge(visitor.tenant)
        return answer

    return ask


def _fail(reception: ServerContext, visitor: Principal, wish: Failure) -> JsonObject:
    field = reception.field(visitor.tenant)
    return field.fail(
        credential_of(visitor), wish.agent_id, wish.reason, failed=wish.failed_agent_id, session=wish.session_id
    )


def _read_failure(document: JsonObject, request: Request) -> Failure:
    agent, reason = document.get("agent_id"), document.get("reason")
    failed, session = document.get("failed_agent_id"), document.get("session_id", request.headers.get(SESSION))
    if not document.keys() <= {"agent_id", "reason", "failed_agent_id", "session_id"}:
        raise Malformed("body", "nothing but agent_id, reason, failed_agent_id and session_id")
    said = isinstance(agent, str) and agent.strip() and isinstance(reason, str) and reason.strip()
    if not said or not isinstance(failed, str | None) or not isinstance(session, str | None):
        raise Malformed("body", "agent_id and reason as texts that say something")
    return Failure(agent_id=str(agent), reason=str(reason), failed_agent_id=failed, session_id=session)


def _status(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        look = _look(request, visitor, query_of(request.url.query, _LOOKING))
        return await hub.reception.run(_see_status, hub.reception, look)

    return ask


def _agents(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        look = _look(request, visitor, query_of(request.url.query, _LOOKING))
        return await hub.reception.run(_see_agents, hub.reception, look)

    return ask


def _work(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        look = _look(request, visitor, query_of(request.url.query, _LOOKING))
        return await hub.reception.run(_see_work, hub.reception, look)

    return ask


def _conflicts(hub: Hub) -> Ask:
    async def ask(request: Request, visitor: Principal) -> JsonObject:
        query = query_of(request.url.query, {*_LOOKING, *_FILTERS}, many=_FILTERS.keys())
        wanted: JsonObject = {_FILTERS[name]: list(query[name]) for name in _FILTERS if name in query}
        return await hub.reception.run(_see_conflicts, hub.reception, _look(request, visitor, query), wanted)

    return ask


class Look(Value):
    """Through whose eyes a view is seen: the agent and the session that the query or the headers name."""

    visitor: Principal
    agent: str | None
    session: str | None


def _look(request: Request, visitor: Principal, query: Mapping[str, tuple[str, ...]]) -> Look:
    permit(visitor, Grant.READ, "look at the field")
    agent, session = (query[name][0] if name in query else None for name in ("agent_id", "session_id"))
    return Look(
        visitor=visitor,
        agent=agent or request.headers.get(AGENT),
        session=session or request.headers.get(SESSION),
    )


def _see_status(reception: ServerContext, look: Look) -> JsonObject:
    field = reception.field(look.visitor.tenant)
    return field.status(credential_of(look.visitor), agent=look.agent, session=look.session)


def _see_agents(reception: ServerContext, look: Look) -> JsonObject:
    field = reception.field(look.visitor.tenant)
    return field.agents(credential_of(look.visitor), agent=look.agent, session=look.session)


def _see_work(reception: ServerContext, look: Look) -> JsonObject:
    field = reception.field(look.visitor.tenant)
    return field.work(credential_of(look.visitor), agent=look.agent, session=look.session)


def _see_conflicts(reception: ServerContext, look: Look, wanted: JsonObject) -> JsonObject:
    field = reception.field(look.visitor.tenant)
    return field.conflicts(credential_of(look.visitor), agent=look.agent, session=look.session, filter=wanted or None)
