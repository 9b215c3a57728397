"""What a trace tells of a write: the decision with its seven review fields, and the record that came of it. Never the
content, and nothing that looks like a secret."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.compat.retrieval.policies import Review, WriteVerdict
from muniment.compat.retrieval.records import MemoryCandidate, MemoryRecord
from muniment.compat.retrieval.trace import make_event
from muniment.contracts.retrieval.wire import TraceEvent
from muniment.engine.seat import clean

DECISION, PERSISTED = "memory_write_decision", "memory_persisted"


def decision_event(
    candidate: MemoryCandidate,
    decision: WriteVerdict,
    review: Review,
    *,
    trace_id: str,
    session_id: str,
    outcome: str | None = None,
) -> TraceEvent:
    """The event of a decision on a candidate that was checked; with what became of it, where somebody else decides
    after the policy."""
    payload = {
        "session_id": session_id,
        "tenant_id": candidate.tenant_id,
        "kind": candidate.kind,
        "action": decision.action.value,
        "reason": decision.reason,
        "policy_id": decision.policy_id,
        "memory_class": candidate.memory_class,
        "provenance": candidate.provenance,
        "revision_mode": candidate.revision_mode,
        **review.payload(),
        **({"outcome": outcome} if outcome is not None else {}),
    }
    return told(DECISION, trace_id, payload)


def persisted_event(record: MemoryRecord, *, trace_id: str, session_id: str) -> TraceEvent:
    """The event of a record that was kept."""
    payload = {
        "memory_id": record.memory_id,
        "memory_class": record.memory_class,
        "kind": record.kind,
        "provenance": record.provenance,
        "revision": str(record.revision),
        "session_id": session_id,
        "tenant_id": record.tenant_id,
    }
    return told(PERSISTED, trace_id, payload)


def told(event_type: str, trace_id: str, payload: Mapping[str, str]) -> TraceEvent:
    """An event without secrets; the fields they were taken out of are listed as redacted."""
    safe = {name: clean(value) for name, value in payload.items()}
    return make_event(event_type, trace_id, safe, redacted=[name for name in safe if safe[name] != payload[name]])
