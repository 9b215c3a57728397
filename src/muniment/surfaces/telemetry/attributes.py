"""What a span says of an operation: figures, rules and ids. Content only if it is asked for. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from muniment.model.claim import Claim
from muniment.model.curation import StepOutcome, Verdict
from muniment.model.query import Query
from muniment.model.recall import Recall
from muniment.surfaces.telemetry.watcher import Begun, Ended

Attributes = Mapping[str, str | int | float | bool]
CONTENT_MAX = 1_000
EVERY = "*"


def at_begin(begun: Begun, *, content: bool) -> Attributes:
    """What can be said before anything is done."""
    said: dict[str, str | int | float | bool] = {
        "muniment.operation": begun.name,
        "muniment.tenant": begun.tenant,
        "muniment.actor": begun.actor.id,
    }
    if isinstance(begun.about, Claim):
        said |= _of_claim(begun.about, content=content)
    elif isinstance(begun.about, Query):
        said |= _of_query(begun.about, content=content)
    session = session_of(begun)
    return said if session is None else {**said, "session.id": session}


def at_end(ended: Ended) -> Attributes:
    """What came of it."""
    said: dict[str, str | int | float | bool] = {"muniment.outcome": ended.failure or "ok"}
    match ended.answer:
        case Verdict():
            said |= _of_verdict(ended.answer)
        case Recall():
            said |= _of_recall(ended.answer)
        case tuple():
            outcomes = Counter(one.outcome.value for one in ended.answer if isinstance(one, Verdict))
            said |= {f"muniment.outcome.{outcome}": number for outcome, number in outcomes.items()}
    return said


def of_step(step: StepOutcome) -> Attributes:
    """One curation step, as an event. A note is in our words and never quotes the proposal."""
    return {"muniment.step": step.step.value, "muniment.result": step.result.value, "muniment.note": step.note}


def session_of(begun: Begun) -> str | None:
    """The session an operation belongs to: the claim's own, else the one the actor sits in."""
    if isinstance(begun.about, Claim) and begun.about.place.session_id is not None:
        return begun.about.place.session_id
    return next((session for session in begun.actor.sessions if session != EVERY), None)


def _of_claim(claim: Claim, *, content: bool) -> Attributes:
    said: dict[str, str | int | float | bool] = {
        "muniment.kind": claim.nature.kind.value,
        "muniment.scope": claim.place.scope.value,
        "muniment.namespace": claim.place.namespace,
        "muniment.derived_from": len(claim.lineage.derived_from),
    }
    return {**said, "muniment.content": claim.content[:CONTENT_MAX]} if content else said


def _of_query(query: Query, *, content: bool) -> Attributes:
    said: dict[str, str | int | float | bool] = {"muniment.purpose": query.purpose, "muniment.limit": query.limit}
    if query.namespace is not None:
        said["muniment.namespace"] = query.namespace
    if query.budget_tokens is not None:
        said["muniment.budget_tokens"] = query.budget_tokens
    return {**said, "muniment.query": query.text[:CONTENT_MAX]} if content else said


def _of_verdict(verdict: Verdict) -> Attributes:
    said: dict[str, str | int | float | bool] = {
        "muniment.outcome": verdict.outcome.value,
        "muniment.disposition": verdict.decision.value,
        "muniment.rule": verdict.rule,
        "muniment.proposal_id": verdict.proposal_id,
        "muniment.epoch": verdict.epoch,
        "muniment.conflicts": len(verdict.conflict_ids),
        "muniment.redactions": sum(one.count for one in verdict.redactions),
    }
    if verdict.record_id is not None:
        said["muniment.record_id"] = verdict.record_id
    if verdict.revision is not None:
        said["muniment.revision"] = verdict.revision
    return said


def _of_recall(recall: Recall) -> Attributes:
    """The gate's decisions and the exclusions by rule, as counts."""
    said: dict[str, str | int | float | bool] = {
        "muniment.outcome": recall.abstained.value if recall.abstained is not None else "told",
        "muniment.candidates": recall.considered,
        "muniment.told": len(recall.records),
        "muniment.excluded": sum(recall.excluded.values()),
        "muniment.receipt_id": recall.receipt_id,
        "muniment.epoch": recall.epoch,
        "muniment.vectors_trailing": recall.searched.trailing,
    }
    gates = Counter(one.gate.value.lower() for one in recall.records)
    return {
        **said,
        **{f"muniment.gate.{flag}": number for flag, number in gates.items()},
        **{f"muniment.excluded.{rule}": number for rule, number in recall.excluded.items()},
    }
