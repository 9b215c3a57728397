"""A durable memory record and the memory it is."""

from __future__ import annotations

from muniment.contracts import codec
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm import event as events
from muniment.contracts.matm import parts, words
from muniment.contracts.matm.slot import put_slot, take_slot
from muniment.contracts.matm.usability import missing_for_use, missing_in_charter
from muniment.contracts.names import safe_namespace
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.claim import DEFAULT_SCOPE_ID, Claim, Handling, Nature, Origin, Place
from muniment.model.status import Status
from muniment.model.vocabulary import Kind, Scope, Sensitivity

NAME = "matm"

_READ = {
    "reviewed": Status.ACTIVE,
    "current": Status.ACTIVE,
    "hypothesis": Status.ACTIVE,
    "conflicted": Status.CONTESTED,
    "deprecated": Status.DEPRECATED,
    "quarantined": Status.HELD,
    "review_pending": Status.PROPOSED,
    "discarded": Status.DISCARDED,
}
_WRITTEN = {
    Status.PROPOSED: "review_pending",
    Status.DRAFT: "review_pending",
    Status.HELD: "quarantined",
    Status.CONTESTED: "conflicted",
    Status.SUPERSEDED: "deprecated",
    Status.DEPRECATED: "deprecated",
    Status.RETRACTED: "deprecated",
    Status.EXPIRED: "deprecated",
    Status.ARCHIVED: "deprecated",
    Status.DISCARDED: "discarded",
    Status.ERASED: "discarded",
}
_PLACES = {
    Scope.SESSION: "session_id",
    Scope.PROJECT: "project_id",
    Scope.AGENT_TEAM: "team_id",
    Scope.AGENT_REPO: "agent_id",
    Scope.USER: "user_id",
    Scope.X_USER_IDENTITY: "user_id",
    Scope.X_ORGANIZATION: "organization_id",
    Scope.X_CROSS_ORGANIZATION: "organization_id",
}


class MatmRecordCodec:
    name = NAME

    def read(self, document: JsonObject) -> InterchangeRecord:
        provenance, whose = parts.object_in(document, "provenance"), parts.object_in(document, "scope_ref")
        revision = document.get("revision", 1)
        return InterchangeRecord(
            id=str(document["record_id"]),
            claim=_claim(document, provenance, whose),
            tenant=parts.id_of(whose, "tenant_id"),
            revision=int(revision) if isinstance(revision, (int, float)) else 1,
            status=_READ[str(document["status"])],
            actor=parts.id_of(provenance, "producer"),
            created_at=parts.instant_in(document, "created_at"),
            updated_at=parts.instant_in(document, "updated_at"),
            reviewer=parts.id_of(document, "reviewer"),
            reviewed_at=parts.instant_in(document, "reviewed_at"),
            next_review_at=parts.instant_in(document, "next_review_at"),
            successor=parts.id_of(document, "superseded_by"),
            conflicts=parts.ids_of(document, "conflicts_with"),
            reports=parts.ids_of(document, "curation_report_ids"),
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        sides = list(dict.fromkeys([*memory.conflicts, *parts.contradicted(claim)]))
        document: JsonObject = {
            "schema_version": words.RECORD,
            "record_id": memory.id,
            "kind": events.kind_word(claim, sides=len(sides)),
            "scope": parts.scope_word(claim.place.scope),
            "statement": claim.content,
            "sensitivity": claim.handling.sensitivity.value,
            "confidence": parts.confidence_of(claim.belief),
            "revision": memory.revision,
        }
        _write_review(document, memory)
        _write_rest(document, memory, sides)
        _write_born(document, memory)
        document["status"] = _status(document, memory)
        return document

    def put_slot(self, document: JsonObject, words_: Json) -> JsonObject | None:
        return put_slot(document, words_)

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        return take_slot(document)


def _claim(document: JsonObject, provenance: JsonObject, whose: JsonObject) -> Claim:
    sources, owner = document.get("source_refs"), parts.id_of(document, "owner")
    return Claim(
        content=parts.kept_text(str(document["statement"]), limit=checks.CONTENT_BYTES_MAX),
        slot=parts.slot_of(document),
        nature=Nature(kind=Kind(str(document["kind"]))),
        place=_place(document, provenance, whose),
        origin=Origin(
            source=parts.kept_text(str(sources[0])) if isinstance(sources, list) and sources else None,
            source_type=parts.text_of(provenance, "method"),
            external_id=parts.text_of(document, "artifact_hash"),
        ),
        belief=parts.belief_of(document),
        times=parts.times_of(document, event_time=parts.instant_in(provenance, "captured_at")),
        lineage=parts.lineage_of(document),
        handling=Handling(
            sensitivity=Sensitivity(str(document.get("sensitivity", Sensitivity.INTERNAL))),
            owner=owner or parts.id_of(parts.object_in(document, "charter"), "owner"),
        ),
        charter=parts.charter_of(document),
    )


def _place(document: JsonObject, provenance: JsonObject, whose: JsonObject) -> Place:
    scope, topic = Scope(str(document["scope"])), document.get("topic")
    return Place(
        scope=scope,
        scope_id=parts.id_of(whose, _PLACES[scope]) or DEFAULT_SCOPE_ID,
        namespace=safe_namespace(topic) if isinstance(topic, str) else "/",
        session_id=parts.id_of(whose, "session_id"),
        task_id=parts.id_of(provenance, "task_id"),
    )


def _write_review(document: JsonObject, memory: InterchangeRecord) -> None:
    claim = memory.claim
    parts.put(
        document,
        owner=claim.handling.owner or memory.reviewer or memory.actor,
        reviewer=memory.reviewer,
        reviewed_at=parts.shown(memory.reviewed_at),
        next_review_at=parts.shown(memory.next_review_at or claim.handling.next_review_at),
        curation_report_ids=list(memory.reports),
        created_at=parts.shown(memory.created_at),
        updated_at=parts.shown(memory.updated_at),
        superseded_by=memory.successor,
    )


def _write_rest(document: JsonObject, memory: InterchangeRecord, sides: list[str]) -> None:
    claim = memory.claim
    place, origin = claim.place, claim.origin
    whose: JsonObject = {_PLACES[place.scope]: place.scope_id}
    parts.put(whose, tenant_id=memory.tenant)
    if place.scope is not Scope.SESSION:
        parts.put(whose, session_id=place.session_id)
    source = origin.source or (f"agent:{memory.actor}" if memory.actor is not None else None)
    provenance: JsonObject = {}
    parts.put(
        provenance,
        producer=memory.actor,
        task_id=place.task_id,
        method=origin.source_type,
        captured_at=parts.shown(claim.times.event_time),
    )
    parts.put(
        document,
        scope_ref=whose,
        evidence_refs=[parts.evidence_ref(one) for one in claim.belief.evidence],
        source_refs=[source] if source is not None else None,
        artifact_hash=origin.external_id,
        provenance=provenance,
        effective_from=parts.shown(claim.times.valid_from),
        effective_to=parts.shown(claim.times.valid_until),
        expires_at=parts.shown(claim.times.expires_at),
        supersedes=list(claim.lineage.replaced),
        conflicts_with=[*sides],
        topic=place.namespace if place.namespace != "/" else None,
        claim=parts.claim_part(claim),
        charter=parts.charter_part(claim),
    )


_KEPT_PARTS = ("decision", "procedure", "risk")


def _write_born(document: JsonObject, memory: InterchangeRecord) -> None:
    """What the event a record was made of said about its kind; a decision without it is dated by what we know."""
    if any(one.name == events.NAME for one in memory.claim.extensions):
        born, _ = codec.encode(events.EVENTS, events.as_emitted(memory))
        parts.put(document, **{name: born[name] for name in _KEPT_PARTS if name in born})
    owner, decided = document.get("owner"), memory.claim.times
    date = decided.valid_from or decided.event_time or memory.created_at
    if document["kind"] == "decision" and "decision" not in document and owner is not None and date is not None:
        document["decision"] = {"owner": owner, "decided_at": parts.shown(date)}
        parts.put(parts.object_in(document, "decision"), rationale=memory.claim.belief.reasoning)


def _status(document: JsonObject, memory: InterchangeRecord) -> str:
    """What it counts for. A record in force that lacks what the profile asks of a usable one waits for review."""
    if memory.status not in (Status.ACTIVE, Status.CONTESTED):
        return _WRITTEN[memory.status]
    word = "conflicted" if memory.status is Status.CONTESTED else _in_force(document, memory)
    lacking = missing_for_use({**document, "status": word})
    if not lacking and parts.is_extension(Scope(str(document["scope"]))):
        lacking = missing_in_charter(document)
    return "review_pending" if lacking else word


def _in_force(document: JsonObject, memory: InterchangeRecord) -> str:
    if document["kind"] == "hypothesis":
        return "hypothesis"
    return "reviewed" if memory.reviewer is not None else "current"


RECORDS = MatmRecordCodec()
