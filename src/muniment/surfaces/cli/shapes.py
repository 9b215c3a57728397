"""Records and verdicts as the JSON the command line promises: flat, ordered, instants as ISO 8601. Decides nothing."""

from __future__ import annotations

from typing import TypedDict

from muniment.engine import ConflictView, Event, History, QueueItem, RevisionView, Stats
from muniment.model.curation import Redaction, StepOutcome, Verdict
from muniment.model.query import Disclosure, Recall
from muniment.model.record import Record, Standing
from muniment.model.times import Instant, show


def instant(value: Instant | None) -> str | None:
    return None if value is None else show(value)


class StepShape(TypedDict):
    step: str
    result: str
    note: str


class RedactionShape(TypedDict):
    field: str
    what: str
    count: int


class VerdictShape(TypedDict):
    decision: str
    outcome: str
    proposal_id: str
    record_id: str | None
    revision: int | None
    epoch: int
    reason: str
    rule: str
    duplicate_of: str | None
    conflict_ids: list[str]
    redactions: list[RedactionShape]
    steps: list[StepShape]


def verdict_shape(verdict: Verdict) -> VerdictShape:
    return {
        "decision": verdict.decision.value,
        "outcome": verdict.outcome.value,
        "proposal_id": verdict.proposal_id,
        "record_id": verdict.record_id,
        "revision": verdict.revision,
        "epoch": verdict.epoch,
        "reason": verdict.reason,
        "rule": verdict.rule,
        "duplicate_of": verdict.duplicate_of,
        "conflict_ids": list(verdict.conflict_ids),
        "redactions": [redaction_shape(one) for one in verdict.redactions],
        "steps": [step_shape(one) for one in verdict.steps],
    }


def step_shape(step: StepOutcome) -> StepShape:
    return {"step": step.step.value, "result": step.result.value, "note": step.note}


def redaction_shape(redaction: Redaction) -> RedactionShape:
    return {"field": redaction.field, "what": redaction.what, "count": redaction.count}


class SlotShape(TypedDict):
    subject: str
    key: str
    value: str


class RelationShape(TypedDict):
    type: str
    id: str


class RecordShape(TypedDict):
    id: str
    revision: int
    citation: str
    content: str
    kind: str
    status: str
    since: int
    successor: str | None
    scope: str
    scope_id: str
    namespace: str
    session_id: str | None
    workflow_id: str | None
    task_id: str | None
    memory_class: str
    memory_type: str
    confidence: float
    reasoning: str | None
    evidence: list[str]
    assumptions: list[str]
    hedged: bool
    purpose: str | None
    question: str | None
    source: str | None
    source_type: str | None
    external_id: str | None
    triggered_by: str | None
    slot: SlotShape | None
    derived_from: list[str]
    supersedes: str | None
    relations: list[RelationShape]
    entities: list[str]
    event_time: str | None
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    created_at: str
    sensitivity: str
    owner: str | None
    importance: float
    trust: str
    label: str
    actor: str
    actor_type: str
    reviewer: str | None
    proposal_id: str
    tenant: str


def record_shape(record: Record, standing: Standing) -> RecordShape:
    claim = record.claim
    slot, times, lineage = claim.slot, claim.times, claim.lineage
    return {
        "id": record.id,
        "revision": record.revision,
        "citation": f"{record.id}@{record.revision}",
        "content": record.content,
        "kind": claim.nature.kind.value,
        "status": standing.status.value,
        "since": standing.since,
        "successor": standing.successor,
        "scope": claim.place.scope.value,
        "scope_id": claim.place.scope_id,
        "namespace": claim.place.namespace,
        "session_id": claim.place.session_id,
        "workflow_id": claim.place.workflow_id,
        "task_id": claim.place.task_id,
        "memory_class": claim.nature.memory_class.value,
        "memory_type": claim.nature.memory_type.value,
        "confidence": claim.belief.score,
        "reasoning": claim.belief.reasoning,
        "evidence": list(claim.belief.evidence),
        "assumptions": list(claim.belief.assumptions),
        "hedged": claim.belief.hedged,
        "purpose": claim.intent.purpose,
        "question": claim.intent.question,
        "source": claim.origin.source,
        "source_type": claim.origin.source_type,
        "external_id": claim.origin.external_id,
        "triggered_by": claim.origin.triggered_by,
        "slot": None if slot is None else {"subject": slot.subject, "key": slot.key, "value": slot.value},
        "derived_from": list(lineage.derived_from),
        "supersedes": lineage.supersedes,
        "relations": [{"type": one.type.value, "id": one.target} for one in lineage.relations],
        "entities": list(lineage.entities),
        "event_time": instant(times.event_time),
        "valid_from": instant(times.valid_from),
        "valid_until": instant(times.valid_until),
        "expires_at": instant(times.expires_at),
        "created_at": show(record.created_at),
        "sensitivity": claim.handling.sensitivity.value,
        "owner": record.owner,
        "importance": claim.strength.importance,
        "trust": record.trust.value,
        "label": record.label.value,
        "actor": record.actor,
        "actor_type": record.actor_type.value,
        "reviewer": record.reviewer,
        "proposal_id": record.proposal,
        "tenant": record.tenant,
    }


class DisclosureShape(RecordShape):
    presented: str
    score: float
    reasons: list[str]
    notices: list[str]
    conflicts: list[str]


def disclosure_shape(found: Disclosure) -> DisclosureShape:
    return {
        **record_shape(found.record, found.standing),
        "presented": found.presented.value,
        "score": found.score,
        "reasons": list(found.reasons),
        "notices": list(found.notices),
        "conflicts": list(found.conflicts),
    }


class RecallShape(TypedDict):
    records: list[DisclosureShape]
    excluded: dict[str, int]
    considered: int
    abstained: str | None
    receipt_id: str
    epoch: int
    notices: list[str]


def recall_shape(recall: Recall) -> RecallShape:
    return {
        "records": [disclosure_shape(one) for one in recall.records],
        "excluded": dict(sorted(recall.excluded.items())),
        "considered": recall.considered,
        "abstained": None if recall.abstained is None else recall.abstained.value,
        "receipt_id": recall.receipt_id,
        "epoch": recall.epoch,
        "notices": list(recall.notices),
    }


class EventShape(TypedDict):
    epoch: int
    at: str
    actor: str
    what: str
    reason: str


class RevisionShape(RecordShape):
    events: list[EventShape]


class HistoryShape(TypedDict):
    id: str
    revisions: list[RevisionShape]
    replaced: list[str]
    replaced_by: list[str]


def history_shape(history: History) -> HistoryShape:
    return {
        "id": history.id,
        "revisions": [_revision_shape(one) for one in history.revisions],
        "replaced": list(history.replaced),
        "replaced_by": list(history.replaced_by),
    }


def _revision_shape(view: RevisionView) -> RevisionShape:
    return {**record_shape(view.record, view.standing), "events": [_event_shape(one) for one in view.events]}


def _event_shape(event: Event) -> EventShape:
    return {
        "epoch": event.epoch,
        "at": show(event.at),
        "actor": event.actor,
        "what": event.what,
        "reason": event.reason,
    }


class WaitingShape(TypedDict):
    proposal_id: str
    actor: str
    at: str
    epoch: int
    content: str
    kind: str
    scope: str
    scope_id: str
    namespace: str
    confidence: float
    evidence: list[str]
    target: str | None
    rule: str
    reason: str
    redactions: list[RedactionShape]
    steps: list[StepShape]


class QueueShape(TypedDict):
    proposals: list[WaitingShape]
    next: str | None


def queue_shape(waiting: tuple[QueueItem, ...], *, limit: int) -> QueueShape:
    more = waiting[-1].proposal.id if waiting and len(waiting) == limit else None
    return {"proposals": [_waiting_shape(one) for one in waiting], "next": more}


def _waiting_shape(waiting: QueueItem) -> WaitingShape:
    claim = waiting.proposal.claim
    return {
        "proposal_id": waiting.proposal.id,
        "actor": waiting.actor,
        "at": show(waiting.at),
        "epoch": waiting.epoch,
        "content": claim.content,
        "kind": claim.nature.kind.value,
        "scope": claim.place.scope.value,
        "scope_id": claim.place.scope_id,
        "namespace": claim.place.namespace,
        "confidence": claim.belief.score,
        "evidence": list(claim.belief.evidence),
        "target": waiting.proposal.target,
        "rule": waiting.report.rule,
        "reason": waiting.report.reason,
        "redactions": [redaction_shape(one) for one in waiting.report.redactions],
        "steps": [step_shape(one) for one in waiting.report.steps],
    }


class ConflictShape(TypedDict):
    id: str
    status: str
    why: str
    opened: int
    a: DisclosureShape
    b: DisclosureShape


class ConflictsShape(TypedDict):
    conflicts: list[ConflictShape]


def conflicts_shape(views: tuple[ConflictView, ...]) -> ConflictsShape:
    return {
        "conflicts": [
            {
                "id": view.id,
                "status": view.status.value,
                "why": view.why,
                "opened": view.opened,
                "a": disclosure_shape(view.a),
                "b": disclosure_shape(view.b),
            }
            for view in views
        ]
    }


class StatsShape(TypedDict):
    tenant: str
    revisions: dict[str, int]
    current: int
    open_conflicts: int
    held: int | None
    entries: int | None
    receipts: int | None
    bytes: int | None


def stats_shape(stats: Stats) -> StatsShape:
    return {
        "tenant": stats.tenant,
        "revisions": dict(sorted(stats.revisions.items())),
        "current": stats.current,
        "open_conflicts": stats.open_conflicts,
        "held": stats.held,
        "entries": stats.entries,
        "receipts": stats.receipts,
        "bytes": stats.bytes,
    }


class VaultShape(TypedDict):
    vault: str
    tenant: str
    created: bool
