"""The native face of a Field for one agent: it fills in the envelope, the role and the scope."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING
from uuid import uuid4

from muniment.compat.akashik.feed import POSITIONS, NotificationPage
from muniment.compat.akashik.settings import Credential
from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.nouns import VERSION
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import CallerError, Malformed, NotPermitted, Unauthenticated

if TYPE_CHECKING:
    from muniment.compat.akashik.field import Field


class FieldAgentHandle:
    """A registered agent. Each method sends one message and returns the answer as it is, errors included: an answer
    with a `code` is one. `session` is the session it acts in; `at` the latest epoch it has heard of."""

    def __init__(self, field: Field, credential: Credential, id: str, role: str, interests: tuple[str, ...]) -> None:
        self._field = field
        self._credential = credential
        self._numbers = count(1)
        self._prefix = uuid4().hex
        self.id = id
        self.role = role
        self.interests = interests
        self.session_id: str | None = None
        self.at = 0

    @classmethod
    def registered(
        cls,
        field: Field,
        credential: Credential,
        *,
        id: str,
        role: str,
        interests: tuple[str, ...] = (),
        authority_level: int | None = None,
    ) -> FieldAgentHandle:
        """Register and return the handle; what a Field refuses is raised."""
        agent = cls(field, credential, id, role, interests)
        payload: JsonObject = {"id": id, "role": role}
        if interests:
            payload["interests"] = list[Json](interests)
        if authority_level is not None:
            payload["authority_level"] = authority_level
        answer = agent.send(FieldOperation.REGISTER, payload)
        if answer.get("status") != "registered":
            raise _refused(answer)
        return agent

    def send(
        self, operation: FieldOperation | str, payload: JsonObject, *, message_id: str | None = None
    ) -> JsonObject:
        """Send a payload under this agent's name. The same `message_id` again gets the same answer."""
        answer = self._field.send(
            {
                "protocol": "akashik",
                "version": VERSION,
                "id": message_id if message_id is not None else f"{self._prefix}-{next(self._numbers)}",
                "operation": str(operation),
                "agent_id": self.id,
                "session_id": self.session_id,
                "epoch": self.at,
                "payload": payload,
            },
            self._credential,
        )
        epoch = answer.get("epoch")
        if isinstance(epoch, int):
            self.at = max(self.at, epoch)
        return answer

    def record(
        self,
        type: str,
        content: str,
        *,
        purpose: str,
        confidence: float | None = None,
        reasoning: str | None = None,
        evidence: Sequence[str] = (),
        assumptions: Sequence[str] = (),
        task_id: str | None = None,
        question: str | None = None,
        relations: Sequence[JsonObject] = (),
        draft: bool = False,
        message_id: str | None = None,
    ) -> JsonObject:
        """Record a unit."""
        intent: JsonObject = {"purpose": purpose}
        intent |= {"task_id": task_id} if task_id is not None else {}
        intent |= {"question": question} if question is not None else {}
        payload: JsonObject = {"mode": "draft" if draft else "committed", "type": type, "content": content}
        payload["intent"] = intent
        sure: JsonObject = {} if confidence is None else {"score": confidence}
        sure |= {"reasoning": reasoning} if reasoning is not None else {}
        sure |= {"evidence": list[Json](evidence)} if evidence else {}
        sure |= {"assumptions": list[Json](assumptions)} if assumptions else {}
        payload |= {"confidence": sure} if sure else {}
        payload |= {"relations": list[Json](relations)} if relations else {}
        return self.send(FieldOperation.RECORD, payload, message_id=message_id)

    def attune(
        self, max_units: int = 20, *, hint: str | None = None, format: str | None = None, **scope: Json
    ) -> JsonObject:
        """What matters now, to this role and these interests; `scope` holds any further field of a scope."""
        asked: JsonObject = {"role": self.role, "max_units": max_units}
        asked |= {"interests": list[Json](self.interests)} if self.interests else {}
        payload: JsonObject = {"scope": {**asked, **scope}}
        payload |= {"context_hint": hint} if hint is not None else {}
        payload |= {"format": format} if format is not None else {}
        return self.send(FieldOperation.ATTUNE, payload)

    def detect(self, mode: str = "list", *, target: str | None = None, **bounds: Json) -> JsonObject:
        payload: JsonObject = {"mode": mode}
        payload |= {"target_id": target} if target is not None else {}
        payload |= {"filter": bounds} if bounds else {}
        return self.send(FieldOperation.DETECT, payload)

    def merge(
        self,
        conflict: str,
        strategy: str,
        *,
        rationale: str,
        winner: str | None = None,
        synthesis: str | None = None,
        message_id: str | None = None,
    ) -> JsonObject:
        how: JsonObject = {"rationale": rationale}
        how |= {"winner_id": winner} if winner is not None else {}
        how |= {"synthesis": synthesis} if synthesis is not None else {}
        payload: JsonObject = {"conflict_id": conflict, "strategy": strategy, "resolution": how}
        return self.send(FieldOperation.MERGE, payload, message_id=message_id)

    def subscribe(
        self, events: Sequence[str], *, min_relevance: float | None = None, debounce_ms: int | None = None
    ) -> JsonObject:
        wish: JsonObject = {"events": list[Json](events), "min_relevance": min_relevance, "debounce_ms": debounce_ms}
        return self.send(FieldOperation.SUBSCRIBE, {"action": "subscribe", "subscription": wish})

    def unsubscribe(self, subscription: str) -> JsonObject:
        return self.send(FieldOperation.SUBSCRIBE, {"action": "unsubscribe", "subscription": {"id": subscription}})

    def notices(self, after_epoch: int, limit: int = POSITIONS) -> NotificationPage:
        """What happened after an epoch that this agent is to be told."""
        return self._field.notices(self.id, self._credential, after_epoch, limit)

    def replay(self, target_type: str, target: str, *, depth: str = "full_trace") -> JsonObject:
        return self.send(FieldOperation.REPLAY, {"target_type": target_type, "target_id": target, "depth": depth})

    def compact(self, strategy: str, **bounds: Json) -> JsonObject:
        payload: JsonObject = {"strategy": strategy}
        return self.send(FieldOperation.COMPACT, payload | {"filter": bounds} if bounds else payload)

    def coordinate(self, action: str, **task: Json) -> JsonObject:
        payload: JsonObject = {"action": action}
        return self.send(FieldOperation.COORDINATE, payload | {"task": task} if task else payload)

    def handoff(self, action: str, task: str, **more: Json) -> JsonObject:
        return self.send(FieldOperation.HANDOFF, {"action": action, "task_id": task, **more})

    def session(self, action: str, **more: Json) -> JsonObject:
        """Lead, join or leave a session. Who creates or joins one acts in it from then on."""
        answer = self.send(FieldOperation.SESSION, {"action": action, **more})
        found = answer.get("session")
        if isinstance(found, dict) and action in ("create", "join"):
            self.session_id = str(found["id"])
        if action == "leave" and "code" not in answer:
            self.session_id = None
        return answer

    def retract(self, unit: str, *, reason: str) -> JsonObject:
        """Take back what this agent recorded, or discard its draft."""
        return self._field.retract(self._credential, self.id, unit, reason, self.session_id)

    def fail(self, reason: str, *, failed: str | None = None) -> JsonObject:
        """Say that this agent failed, or, with the authority to let others go, that another did. It comes back by
        registering again."""
        return self._field.fail(self._credential, self.id, reason, failed=failed, session=self.session_id)

    def deregister(self) -> JsonObject:
        return self.send(FieldOperation.DEREGISTER, {"agent_id": self.id})


def _refused(answer: JsonObject) -> CallerError:
    """An error document as an error of ours, for a handle that cannot be made."""
    match answer.get("code"):
        case ErrorCode.UNAUTHENTICATED:
            return Unauthenticated("agent_id")
        case ErrorCode.INSUFFICIENT_AUTHORITY:
            return NotPermitted("agent", "claim this much authority")
    return Malformed(
        "id", "an agent that can be registered: " + str(answer.get("message") or answer.get("rejection_reason"))
    )
