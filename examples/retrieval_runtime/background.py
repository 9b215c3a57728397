"""What happens after a run: a summary and what its tools showed are put forward, decided on, kept, and compacted."""

from __future__ import annotations

from muniment.compat.retrieval import messages
from muniment.compat.retrieval.policies import WriteAction, WritePolicy, reference
from muniment.compat.retrieval.records import APPEND, REPLACE, MemoryCandidate, MemoryRecord, checked
from muniment.compat.retrieval.store import MemoryStore
from muniment.compat.retrieval.telling import decision_event, persisted_event, released_event
from muniment.compat.retrieval.trace import said
from muniment.contracts.retrieval.wire import TraceEvent
from muniment.model.value import Value

SUMMARY_CONFIDENCE, FACT_CONFIDENCE = 0.82, 0.9


class Finished(Value):
    """A run that is over, as far as memory is concerned. `tools` are those that succeeded."""

    trace_id: str
    session_id: str
    tenant_id: str
    user_input: str
    output: str
    retrieved: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class Consolidated(Value):
    """What the work after a run came to."""

    persisted: int
    compacted: int
    events: tuple[TraceEvent, ...]


class BackgroundWorker:
    """The only writer of the runtime layer. What its policy quarantines waits here, outside the store, until somebody
    activates it."""

    def __init__(self, store: MemoryStore, policy: WritePolicy) -> None:
        self._store = store
        self._policy = policy
        self._held: dict[str, tuple[MemoryCandidate, TraceEvent]] = {}

    @property
    def quarantined(self) -> dict[str, MemoryCandidate]:
        return {ref: candidate for ref, (candidate, _) in self._held.items()}

    def consolidate(self, run: Finished) -> Consolidated:
        """Put forward what a run leaves behind, keep what the policy allows, and compact the tenant."""
        events: list[TraceEvent] = []
        kept = [self.write(one, run, events) for one in candidates(run)]
        return Consolidated(
            persisted=sum(1 for one in kept if one is not None),
            compacted=self._store.compact(run.tenant_id),
            events=tuple(events),
        )

    def write(self, candidate: MemoryCandidate, run: Finished, events: list[TraceEvent]) -> MemoryRecord | None:
        """Decide on a candidate and tell it; keep it if it is allowed."""
        found = checked(candidate)
        decision = self._policy.decide(found)
        review = self._policy.review(found, decision, rollback_ref=reference(run.trace_id, found))
        event = decision_event(found, decision, review, trace_id=run.trace_id, session_id=run.session_id)
        events.append(event)
        if decision.action is WriteAction.QUARANTINE:
            self._held[review.rollback_ref] = (found, event)
        if decision.action is not WriteAction.ALLOW:
            return None
        record = self._store.persist(found)
        events.append(persisted_event(record, trace_id=run.trace_id, session_id=run.session_id))
        return record

    def activate(self, rollback_ref: str, events: list[TraceEvent] | None = None) -> MemoryRecord:
        """Keep what waits in quarantine, as somebody who looked at it; told in `events`, of the trace it came from."""
        if rollback_ref not in self._held:
            raise ValueError(messages.QUARANTINE_UNKNOWN)
        candidate, decision = self._held.pop(rollback_ref)
        record = self._store.persist(candidate)
        if events is not None:
            session = said(decision, "session_id")
            events.append(released_event(decision))
            events.append(persisted_event(record, trace_id=decision.trace_id, session_id=session))
        return record


def candidates(run: Finished) -> list[MemoryCandidate]:
    """What a run leaves behind: always a summary, derived from what was retrieved, and a fact if a tool succeeded."""
    summary = MemoryCandidate(
        tenant_id=run.tenant_id,
        memory_class="long_term",
        kind="session_summary",
        content=f"Summary of a session: the user asked {run.user_input!r}; the answer was {run.output!r}.",
        source="approved_summarizer",
        confidence=SUMMARY_CONFIDENCE,
        provenance="conversation_summary",
        revision_mode=REPLACE,
        derived_from=run.retrieved,
    )
    if not run.tools:
        return [summary]
    fact = MemoryCandidate(
        tenant_id=run.tenant_id,
        memory_class="long_term",
        kind="validated_fact",
        content=f"Tools that completed in the session: {', '.join(run.tools)}.",
        source="trusted_service",
        confidence=FACT_CONFIDENCE,
        provenance="tool_execution_observation",
        revision_mode=APPEND,
    )
    return [summary, fact]
