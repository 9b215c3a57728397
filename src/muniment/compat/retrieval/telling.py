"""What a trace tells of a write: the decision with its seven review fields, and the record that came of it. Never the
content, and nothing that looks like a secret."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from muniment.compat.retrieval.policies import Review, WriteVerdict
from muniment.compat.retrieval.records import MemoryCandidate, MemoryRecord
from muniment.compat.retrieval.trace import make_event
from muniment.contracts.retrieval.wire import TraceEvent
from muniment.engine.session import clean

DECISION, PERSISTED, WITHDRAWN = "memory_write_decision", "memory_persisted", "memory_withdrawn"
_RELEASED = {
    "action": "allow",
    "reason": "memory_review_passed",
    "policy_id": "mem_006",
    "quarantine_state": "released",
}
"""What a second decision says of a candidate that somebody let out of quarantine."""


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
        "source": candidate.source,
        "provenance": candidate.provenance,
        "revision_mode": candidate.revision_mode,
        **review.payload(),
        **({"outcome": outcome} if outcome is not None else {}),
    }
    return told(DECISION, trace_id, payload)


def released_event(decision: TraceEvent, *, outcome: str | None = None) -> TraceEvent:
    """The event of a decision that ends the quarantine another began."""
    payload = {**decision.payload, **_RELEASED}
    if outcome is not None:
        payload["outcome"] = outcome
    return make_event(DECISION, decision.trace_id, payload, redacted=tuple(decision.redacted_fields))


def withdrawn_event(decision: TraceEvent, records: Sequence[str], *, reason: str) -> TraceEvent:
    """The event of a write that was taken back."""
    names = ("session_id", "tenant_id", "rollback_ref")
    payload = {name: decision.payload[name] for name in names if name in decision.payload}
    listed = msgspec.json.encode(records).decode()
    return told(WITHDRAWN, decision.trace_id, {**payload, "memory_ids": listed, "reason": reason})


def decided(events: Iterable[TraceEvent], rollback_ref: str) -> TraceEvent | None:
    """The decision on the write of that reference, if these events tell of it."""
    found = (one for one in events if one.event_type == DECISION)
    return next((one for one in found if one.payload.get("rollback_ref") == rollback_ref), None)


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
