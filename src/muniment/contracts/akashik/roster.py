"""The agents of a Field as a value: who is registered, who may join, what the Field tells them it can do."""

from __future__ import annotations

from msgspec import UNSET, structs

from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.nouns import VERSION
from muniment.contracts.akashik.payloads import RegisterRequest
from muniment.contracts.akashik.validation import LEVEL_OF
from muniment.contracts.akashik.words import AgentStatus, FieldOperation, MergeStrategy
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.value import Value

SETTLING: dict[int, tuple[MergeStrategy, ...]] = {
    0: (),
    1: (),
    2: (MergeStrategy.LAST_WRITE_WINS, MergeStrategy.CONFIDENCE_WEIGHTED, MergeStrategy.HUMAN_ESCALATION),
    3: tuple(MergeStrategy),
}
"""Which strategies a Field of each level settles conflicts by."""


_AFTER_FAILURE = frozenset({FieldOperation.REGISTER, FieldOperation.DEREGISTER})
"""What a failed agent can still do."""


class RegisteredAgent(Value):
    """A registered agent. `authority` is what its credential gives it."""

    id: str
    role: str
    interests: tuple[str, ...] = ()
    authority: int = 4
    status: AgentStatus = AgentStatus.IDLE
    task: str | None = None

    @property
    def document(self) -> JsonObject:
        found: JsonObject = {
            "id": self.id,
            "role": self.role,
            "status": self.status.value,
            "authority_level": self.authority,
        }
        if self.interests:
            found["interests"] = list(self.interests)
        if self.task is not None:
            found["current_task_id"] = self.task
        return found


class Roster(Value):
    """Who takes part in a Field of a level, which operations are there, and whether it keeps what it is told."""

    level: int = 3
    operations: tuple[FieldOperation, ...] = tuple(FieldOperation)
    persistence: bool = True
    members: tuple[RegisteredAgent, ...] = ()

    def member(self, agent: str) -> RegisteredAgent | None:
        return next((one for one in self.members if one.id == agent), None)

    @property
    def supported(self) -> tuple[FieldOperation, ...]:
        return tuple(one for one in self.operations if LEVEL_OF[one] <= self.level)

    @property
    def capabilities(self) -> JsonObject:
        return {
            "conformance_level": self.level,
            "supported_operations": [one.value for one in self.supported],
            "protocol_version": VERSION,
            "persistence": self.persistence,
            "conflict_strategies": [one.value for one in SETTLING[self.level]],
        }


def register(roster: Roster, payload: Json, *, authority: int = 4) -> tuple[Roster, JsonObject]:
    """Let an agent join, or say why not. `payload` was found valid; `authority` is what its credential allows."""
    asked = convert(payload, RegisterRequest)
    known = roster.member(asked.id)
    if known is not None and known.status is not AgentStatus.FAILED:
        return roster, error_document(ErrorCode.AGENT_ID_TAKEN, FieldOperation.REGISTER, "an active agent has this id")
    claimed = authority if asked.authority_level is UNSET else asked.authority_level
    if claimed > authority:
        words = f"the credential gives authority {authority} at most"
        return roster, error_document(ErrorCode.INSUFFICIENT_AUTHORITY, FieldOperation.REGISTER, words)
    needed = () if asked.required_operations is UNSET else asked.required_operations
    if missing := [name for name in needed if name not in roster.supported]:
        return roster, _answer(roster, None, "not supported here: " + ", ".join(missing))
    interests = () if asked.interests is UNSET else tuple(asked.interests)
    member = RegisteredAgent(id=asked.id, role=asked.role, interests=interests, authority=claimed)
    others = tuple(one for one in roster.members if one is not known)
    joined = structs.replace(roster, members=(*others, member))
    return joined, _answer(joined, member, None)


def _answer(roster: Roster, member: RegisteredAgent | None, reason: str | None) -> JsonObject:
    return {
        "status": "registered" if member is not None else "rejected",
        "agent": member.document if member is not None else None,
        "field_capabilities": roster.capabilities,
        "rejection_reason": reason,
    }


def unsettled(roster: Roster, strategy: MergeStrategy) -> JsonObject | None:
    """Why a MERGE is not taken up: a Field of this level does not settle by that strategy; None if it does."""
    if strategy in SETTLING[roster.level]:
        return None
    words = f"{strategy} is not supported by a Field of level {roster.level}"
    return error_document(ErrorCode.UNSUPPORTED_STRATEGY, FieldOperation.MERGE, words)


def deregister(roster: Roster, agent: str, *, units: int, tasks: int = 0) -> tuple[Roster, JsonObject]:
    """Let an agent go. What it recorded stays; `units` says how many those are, `tasks` how many wait for another."""
    known = roster.member(agent) is not None
    left = structs.replace(roster, members=tuple(one for one in roster.members if one.id != agent))
    cleanup: JsonObject = {"units_orphaned": units if known else 0, "tasks_reassigned": tasks if known else 0}
    return left, {"status": "ok" if known else "not_found", "cleanup": cleanup}


def unsupported(roster: Roster, operation: FieldOperation) -> JsonObject | None:
    """Why a Field of this level does not know an operation; None if it does."""
    if operation in roster.supported:
        return None
    words = f"{operation} is not supported by a Field of level {roster.level}"
    return error_document(ErrorCode.UNSUPPORTED_OPERATION, operation, words)


def refusal(roster: Roster, operation: FieldOperation, agent: str) -> JsonObject | None:
    """Why an operation is not taken up at all: the Field does not know it, or not the agent; None if it is."""
    if (unknown := unsupported(roster, operation)) is not None:
        return unknown
    found = roster.member(agent)
    if operation is not FieldOperation.REGISTER and found is None:
        return error_document(ErrorCode.AGENT_NOT_REGISTERED, operation, "there is no registered agent of this id")
    if found is not None and found.status is AgentStatus.FAILED and operation not in _AFTER_FAILURE:
        return error_document(ErrorCode.INVALID_TRANSITION, operation, "the agent has failed: REGISTER again")
    return None
