"""Verdicts, and the proposals that wait for one, as JSON. Decides nothing."""

from __future__ import annotations

from typing import TypedDict, cast

from muniment.engine import QueueItem
from muniment.model.curation import Redaction, StepOutcome, Verdict


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
    echoes: list[str]
    same_as: list[str]
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
        "echoes": list(verdict.echoes),
        "same_as": list(verdict.same_as),
        "conflict_ids": list(verdict.conflict_ids),
        "redactions": [redaction_shape(one) for one in verdict.redactions],
        "steps": [step_shape(one) for one in verdict.steps],
    }


class RehearsedShape(VerdictShape):
    """What a decision would come to. The ids it would give are not those that will be given."""

    dry_run: bool


def rehearsed_shape(verdict: Verdict) -> RehearsedShape:
    return {**verdict_shape(verdict), "dry_run": True}


def step_shape(step: StepOutcome) -> StepShape:
    return {"step": step.step.value, "result": step.result.value, "note": step.note}


def redaction_shape(redaction: Redaction) -> RedactionShape:
    return {"field": redaction.field, "what": redaction.what, "count": redaction.count}


class WaitingShape(TypedDict):
    proposal_id: str
    actor: str
    actor_type: str
    at: str
    epoch: int
    content: str
    kind: str
    scope: str
    scope_id: str
    namespace: str
    confidence: float
    confidence_stated: bool
    evidence: list[str]
    source: str | None
    source_type: str | None
    target: str | None
    promotes: str | None
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
    return cast(WaitingShape, waiting.to_dict())
