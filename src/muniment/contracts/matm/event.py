"""A Memory Event and the memory it proposes."""

from __future__ import annotations

import msgspec

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm import parts, words
from muniment.contracts.matm.slot import put_slot, take_slot
from muniment.contracts.names import safe_id, safe_namespace
from muniment.contracts.strict.instants import instant_of, is_instant
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.claim import DEFAULT_SCOPE_ID, Claim, Handling, Intent, Nature, Origin, Place
from muniment.model.status import Status
from muniment.model.vocabulary import Kind, Scope, Sensitivity

NAME = "matm.event"
"""The name under which a claim keeps what it was as an event. A claim that has it was born as one."""

UNKNOWN = "unknown"
NOT_STATED = "not stated"
_PLACES = frozenset(Scope)
_LONG_AGO = "1970-01-01T00:00:00Z"
"""What stands for the time of emission until what was kept of the event is laid on. It is no time of the claim: the
same thing said again on another day is the same thing."""


class MatmEventCodec:
    name = NAME

    def read(self, document: JsonObject) -> InterchangeRecord:
        agent = _named(document["source_agent"], "agent_id")
        emitted = parts.instant_in(document, "emitted_at")
        return InterchangeRecord(
            id=str(document["event_id"]),
            claim=_claim(document, agent),
            tenant=parts.id_of(document, "tenant_id"),
            status=Status.PROPOSED,
            actor=safe_id(parts.agent_name(agent) or UNKNOWN),
            role=parts.text_of(agent, "role"),
            created_at=emitted,
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        document: JsonObject = {
            "schema_version": words.EVENT,
            "event_id": memory.id,
            "emitted_at": _LONG_AGO,
            "source_agent": _agent(memory),
            "task": _task(claim),
            "provenance": _provenance(claim),
            "artifact": _artifact(claim),
            "memory_kind": kind_word(claim, sides=len(parts.contradicted(claim))),
            "evidence_refs": [parts.evidence_ref(one) for one in claim.belief.evidence],
            "confidence": parts.confidence_of(claim.belief),
            "suggested_scope": parts.scope_word(claim.place.scope),
            "worker_write_mode": words.PROPOSAL_ONLY,
            "sensitivity": claim.handling.sensitivity.value,
            "review_hints": _hints(claim),
            "durable_write_allowed": False,
        }
        if not document["evidence_refs"] and document["memory_kind"] != "hypothesis":
            document["evidence_refs"] = [NOT_STATED]
        _write_rest(document, memory)
        return document

    def put_slot(self, document: JsonObject, words_: Json) -> JsonObject | None:
        return put_slot(document, words_)

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        return take_slot(document)


def as_emitted(memory: InterchangeRecord) -> InterchangeRecord:
    """The memory with the time at which its event was emitted, as far as that was kept, in place of the time at which
    we were told of it."""
    own = next((one.body for one in memory.claim.extensions if one.name == NAME), None)
    if own is None:
        return memory
    kept: Json = msgspec.json.decode(own)
    match kept.get("emitted_at") if isinstance(kept, dict) else None:
        case [[_], [str() as said]] if is_instant(said):
            at = instant_of(said)
            return memory if at == memory.created_at else msgspec.structs.replace(memory, created_at=at)
    return memory


def _named(value: Json, name: str) -> JsonObject:
    """A statement that may be given by its name alone."""
    return value if isinstance(value, dict) else {name: value}


def _claim(document: JsonObject, agent: JsonObject) -> Claim:
    artifact, task = parts.object_in(document, "artifact"), _named(document["task"], "task_id")
    hints = parts.object_in(document, "review_hints")
    said = parts.object_in(document, "claim").get("statement", artifact["summary"])
    owner = document.get("owner", parts.object_in(document, "charter").get("owner"))
    return Claim(
        content=parts.kept_text(str(said), limit=checks.CONTENT_BYTES_MAX),
        slot=parts.slot_of(document),
        nature=Nature(kind=Kind(str(document["memory_kind"]))),
        place=_place(document, agent, task),
        intent=Intent(purpose=parts.text_of(task, "title")),
        origin=_origin(document, artifact),
        belief=parts.belief_of(document),
        times=parts.times_of(document, event_time=None),
        lineage=parts.lineage_of(document, contradicts=parts.ids_of(document, "conflicts_with")),
        handling=Handling(
            sensitivity=Sensitivity(str(document["sensitivity"])),
            owner=safe_id(owner) if isinstance(owner, str) else None,
            next_review_at=parts.instant_in(hints, "next_review_at"),
        ),
        charter=parts.charter_of(document),
    )


def _place(document: JsonObject, agent: JsonObject, task: JsonObject) -> Place:
    """Where it would belong. `discard` is no place, and neither is an extension that is not kept here: what asks for
    one stays in its session until somebody decides."""
    word = str(document["suggested_scope"])
    scope = Scope(word) if word in _PLACES else Scope.SESSION
    session = parts.id_of(document, "session_id") or parts.id_of(task, "session_id")
    topic = document.get("topic")
    return Place(
        scope=scope,
        scope_id=_whose(scope, document, agent, task, session),
        namespace=safe_namespace(topic) if isinstance(topic, str) else "/",
        session_id=session,
        workflow_id=parts.id_of(task, "workflow_id"),
        task_id=safe_id(str(task["task_id"])),
    )


def _whose(scope: Scope, document: JsonObject, agent: JsonObject, task: JsonObject, session: str | None) -> str:
    if scope is Scope.SESSION:
        return session or safe_id(str(task["task_id"]))
    if parts.is_extension(scope):
        charter = parts.object_in(document, "charter")
        found = parts.id_of(document, "owner") or parts.id_of(charter, "owner")
        return found or parts.id_of(document, "tenant_id") or DEFAULT_SCOPE_ID
    return parts.whose(scope, document, agent, task) or DEFAULT_SCOPE_ID


def _origin(document: JsonObject, artifact: JsonObject) -> Origin:
    given = document["provenance"]
    refs = given.get("source_refs") if isinstance(given, dict) else [given]
    return Origin(
        source=parts.kept_text(str(refs[0])) if isinstance(refs, list) and refs else None,
        source_type=parts.text_of(artifact, "artifact_type"),
        external_id=parts.text_of(artifact, "artifact_hash") or parts.text_of(artifact, "hash"),
    )


def _agent(memory: InterchangeRecord) -> JsonObject:
    said: JsonObject = {"agent_id": memory.actor or UNKNOWN}
    parts.put(said, role=memory.role)
    return said


def _task(claim: Claim) -> JsonObject:
    place = claim.place
    said: JsonObject = {"task_id": place.task_id or UNKNOWN}
    parts.put(said, title=claim.intent.purpose, workflow_id=place.workflow_id)
    return said


def _provenance(claim: Claim) -> JsonObject:
    return {"source_refs": [claim.origin.source]} if claim.origin.source is not None else {}


def _artifact(claim: Claim) -> JsonObject:
    said: JsonObject = {"artifact_type": claim.origin.source_type or "statement", "summary": claim.content}
    parts.put(said, artifact_hash=claim.origin.external_id)
    return said


def _hints(claim: Claim) -> JsonObject:
    said: JsonObject = {}
    parts.put(said, next_review_at=parts.shown(claim.handling.next_review_at))
    return said


def _write_rest(document: JsonObject, memory: InterchangeRecord) -> None:
    claim = memory.claim
    parts.put(
        document,
        tenant_id=memory.tenant,
        session_id=claim.place.session_id,
        topic=claim.place.namespace if claim.place.namespace != "/" else None,
        owner=claim.handling.owner,
        supersedes=list(claim.lineage.replaced),
        conflicts_with=[*parts.contradicted(claim)],
        derived_from=list(claim.lineage.derived_from),
        effective_from=parts.shown(claim.times.valid_from),
        effective_to=parts.shown(claim.times.valid_until),
        expires_at=parts.shown(claim.times.expires_at),
        claim=parts.claim_part(claim),
        charter=parts.charter_part(claim),
        **parts.boundary(claim.place),
    )


_NEAREST = {
    Kind.OBSERVATION: "evidence",
    Kind.INTENTION: "decision",
    Kind.ASSUMPTION: "hypothesis",
    Kind.CONSTRAINT: "decision",
    Kind.QUESTION: "hypothesis",
    Kind.SYNTHESIS: "fact",
    Kind.CORRECTION: "fact",
    Kind.DIRECTIVE: "decision",
}
"""Which of the nine kinds comes nearest to one of ours that is none of them."""


def kind_word(claim: Claim, *, sides: int) -> str:
    """The kind as MATM says it. A deprecation that names nothing, and a conflict without sides, cannot be said."""
    kind = claim.nature.kind
    if kind is Kind.DEPRECATION and not claim.lineage.replaced:
        return "fact"
    if kind is Kind.CONFLICT and not sides:
        return "hypothesis"
    return nearest(kind)


def nearest(kind: Kind) -> str:
    """The one of the nine kinds that comes nearest."""
    return _NEAREST.get(kind, kind.value)


EVENTS = MatmEventCodec()
