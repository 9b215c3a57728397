"""memledger's two scores of attribution over plain dictionaries, by the formulas of its profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.trust.attribution import (
    PASS_MIN,
    AncestorChain,
    TraceOperation,
    TraceStep,
    attribution_integrity,
    structural_integrity,
)
from muniment.trust.quality import QualityFormula, QualityInputs

NO_MEMORIES = "No retrieved memories to evaluate."
NO_SPANS = "No memory spans found in trace data."
_CHECKS = (
    ("confidence_populated", "confidence_told", 2.0),
    ("confidence_above_threshold", "confidence_firm", 2.0),
    ("source_agent_present", "attributed", 2.0),
    ("chain_depth_bounded", "shallow", 1.0),
    ("no_low_confidence_unhedged", "no_weak_recall", 3.0),
)
"""Their name of a check, ours, and its weight of ten."""


class AttributionIntegrityResult(msgspec.Struct, frozen=True, kw_only=True):
    """How well a decision's memories can be attributed."""

    score: float
    passed: bool
    threshold: float = PASS_MIN
    details: JsonObject = msgspec.field(default_factory=dict)
    explanation: str = ""


class StructuralCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    check_name: str
    passed: bool
    detail: str
    weight: float = 1.0


class StructuralEvalResult(msgspec.Struct, frozen=True, kw_only=True):
    """Five checks over a session's trace."""

    score: float
    passed: bool
    threshold: float = PASS_MIN
    checks: list[StructuralCheckResult] = msgspec.field(default_factory=list)
    explanation: str = ""
    span_count: int = 0

    def to_dict(self) -> JsonObject:
        found: JsonObject = msgspec.to_builtins(self)
        return found


def evaluate_attribution_integrity(
    decision_memory_id: str,
    retrieved_memories: Sequence[Mapping[str, object]],
    chain: Mapping[str, object] | None = None,
    threshold: float = PASS_MIN,
) -> AttributionIntegrityResult:
    """The first tier: what the memories a decision used declare about themselves."""
    if not retrieved_memories:
        details: JsonObject = {"error": "no_retrieved_memories"}
        return AttributionIntegrityResult(
            score=0.0, passed=False, threshold=threshold, details=details, explanation=NO_MEMORIES
        )
    found = attribution_integrity([_merits(one) for one in retrieved_memories], _chain(chain), QualityFormula.MEMLEDGER)
    findings = {finding.what: finding.count for finding in found.findings}
    return AttributionIntegrityResult(
        score=found.score,
        passed=found.score >= threshold,
        threshold=threshold,
        details={"band": found.band.value, "findings": {**findings}, "decision_memory_id": decision_memory_id},
        explanation="; ".join(f"{count} {what}" for what, count in findings.items()) or "nothing to object to",
    )


def _merits(one: Mapping[str, object]) -> QualityInputs:
    confidence = _share(one.get("confidence"), 0.5)
    author = one.get("created_by")
    return QualityInputs(
        effective=confidence,
        confidence=confidence,
        hedged=one.get("hedged") is True,
        attributed=bool(author),
        session=bool(one.get("session_id")),
        actor=str(author or ""),
    )


def _chain(given: Mapping[str, object] | None) -> AncestorChain | None:
    if given is None:
        return None
    return AncestorChain(
        min_effective=_share(given.get("min_confidence"), 1.0), truncated=given.get("truncated") is True
    )


def _share(value: object, default: float) -> float:
    """A confidence. Nothing said is the default; 0 is 0."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(min(1.0, max(0.0, value))) if value == value else 0.0


def evaluate_structural(
    trace_data: Sequence[Mapping[str, object]], threshold: float = PASS_MIN
) -> StructuralEvalResult:
    """The third tier: how the steps of a session were traced. Steps are spans with attributes."""
    steps = [_trace(span) for span in trace_data]
    if not steps:
        return StructuralEvalResult(score=0.0, passed=False, threshold=threshold, explanation=NO_SPANS)
    found = structural_integrity(steps, QualityFormula.MEMLEDGER)
    failed = {finding.what: finding.count for finding in found.findings}
    checks = [
        StructuralCheckResult(
            check_name=theirs,
            passed=ours not in failed,
            detail=f"{failed[ours]} of {len(steps)} steps at fault" if ours in failed else "all well",
            weight=weight,
        )
        for theirs, ours, weight in _CHECKS
    ]
    names = ", ".join(check.check_name for check in checks if not check.passed)
    return StructuralEvalResult(
        score=found.score,
        passed=found.score >= threshold,
        threshold=threshold,
        checks=checks,
        explanation=f"Failed: {names}" if names else "All five checks passed",
        span_count=len(steps),
    )


def evaluate_from_memory_records(
    records: Sequence[Mapping[str, object]], threshold: float = PASS_MIN
) -> StructuralEvalResult:
    """The same of records, each taken as one that was retrieved."""
    return evaluate_structural([{"operation": "search", **record} for record in records], threshold)


def _trace(span: Mapping[str, object]) -> TraceStep:
    attributes = span.get("attributes")
    said = {**span, **attributes} if isinstance(attributes, Mapping) else {**span}

    def value(*names: str) -> object:
        return next((said[key] for name in names for key in (f"memledger.memory.{name}", name) if key in said), None)

    confidence = value("confidence")
    parents = value("parent_ids", "derived_from")
    return TraceStep(
        operation=_operation(str(value("operation") or span.get("name") or "")),
        confidence=None if confidence is None else _share(confidence, 0.5),
        attributed=bool(value("source_agent_id", "created_by", "agent_id")),
        hedged=value("hedged") is True,
        parents=len(parents) if isinstance(parents, (list, tuple)) else 0,
    )


def _operation(word: str) -> TraceOperation:
    last = word.rsplit(".", 1)[-1]
    return TraceOperation(last) if last in {*TraceOperation} else TraceOperation.OTHER
