"""The contract over a governed memory: reads by the read policy, writes by the write policy, each told in a trace.

What may be written at once is proposed; what must be looked at first waits in the engine's queue; what is withdrawn
is rolled back there, and the traces that had used it are named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from muniment.compat.retrieval.policies import (
    SECRET,
    ReadPolicy,
    Review,
    WriteAction,
    WritePolicy,
    WriteVerdict,
    reference,
)
from muniment.compat.retrieval.reading import retrieve
from muniment.compat.retrieval.records import REPLACE, MemoryCandidate, checked
from muniment.compat.retrieval.results import RETRIEVAL, read_query, retrieval_event, returned
from muniment.compat.retrieval.telling import PERSISTED, decided, decision_event, released_event, withdrawn_event
from muniment.compat.retrieval.trace import make_event
from muniment.contracts.names import safe_namespace, safe_text
from muniment.contracts.retrieval.record import known
from muniment.contracts.retrieval.wire import Retention, RetrievalQuery, RetrievalResult, TraceEvent
from muniment.contracts.retrieval.words import class_of, end_of, kind_of
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.engine.importing import Newcomer
from muniment.model.claim import Belief, Claim, Lineage, Nature, Origin, Place, Relation, Times
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound
from muniment.model.proposal import Objection
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Outcome, RelationType, Step

SOURCE = "muniment"
Now = Callable[[], Instant]


class Written(Value):
    """What became of a candidate: what the write policy says of it, and the engine's verdict. A refusal is kept too."""

    decision: WriteVerdict
    review: Review
    verdict: Verdict


class Withdrawn(Value):
    """What was withdrawn, and the traces whose retrievals had returned any of it."""

    records: tuple[str, ...]
    traces: tuple[str, ...]


def _system_now() -> Instant:
    return Instant(time.time_ns() // 1_000)


class ContractDesk:
    """One governed memory behind the contract's two policies. Keeps the trace of everything it is asked, after the
    `events` of earlier traces it is given."""

    def __init__(
        self,
        memory: Memory,
        *,
        read: ReadPolicy | None = None,
        write: WritePolicy | None = None,
        now: Now = _system_now,
        events: Sequence[TraceEvent] = (),
    ) -> None:
        self._memory = memory
        self._read = read if read is not None else ReadPolicy()
        self._write = write if write is not None else WritePolicy()
        self._now = now
        self._events = list(events)
        self._written: dict[str, Written] = {}

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        return tuple(self._events)

    def retrieve(self, query: RetrievalQuery | JsonObject | bytes, *, memory: Memory | None = None) -> RetrievalResult:
        """Answer a query, as the actor of `memory` if another than the desk's own reads."""
        asked = read_query(query)
        result = retrieve(memory if memory is not None else self._memory, asked, policy=self._read)
        self._events.append(retrieval_event(self._read.narrow(asked), result, source=SOURCE))
        return result

    def write(self, candidate: MemoryCandidate, *, trace_id: str, session_id: str) -> Written:
        """Decide on a candidate, let the engine keep the decision, and tell it. The same candidate in the same trace
        gets the same answer and changes nothing."""
        said = checked(candidate)
        if said.tenant_id != self._memory.tenant:
            raise Malformed("tenant_id", "the tenant of this memory")
        ref = reference(trace_id, said)
        if ref in self._written:
            return self._written[ref]
        decision = self._write.decide(said)
        review = self._write.review(said, decision, rollback_ref=ref)
        verdict = self._hand_over(said, decision, ref)
        written = self._written[ref] = Written(decision=decision, review=review, verdict=verdict)
        outcome = verdict.outcome.value
        event = decision_event(said, decision, review, trace_id=trace_id, session_id=session_id, outcome=outcome)
        self._events.append(event)
        if verdict.committed:
            self._events.append(_kept(event, verdict))
        return written

    def activate(self, rollback_ref: str, *, reason: str) -> tuple[Verdict, ...]:
        """Let what waits in quarantine be remembered, as a reviewer who answers for it. Told in the trace it was
        written in, if the events of that are at hand."""
        verdicts = self._memory.imports.apply(rollback_ref, reason=reason)
        decision = decided(self._events, rollback_ref)
        if decision is not None:
            self._events += [event for one in verdicts for event in _released(decision, one)]
        return verdicts

    def withdraw(self, rollback_ref: str, *, reason: str) -> Withdrawn:
        """Take back what was written under a reference, or dismiss what waits under it."""
        records = self._take_back(rollback_ref, reason)
        decision = decided(self._events, rollback_ref)
        if decision is not None:
            self._events.append(withdrawn_event(decision, records, reason=reason))
        return Withdrawn(records=records, traces=self._users(set(records)))

    def _take_back(self, rollback_ref: str, reason: str) -> tuple[str, ...]:
        """Undo a write as a whole; if it is none that can be, retract the record that came of it."""
        try:
            return self._memory.imports.roll_back(rollback_ref, reason=reason).retracted
        except NotFound:
            written = self._memory.review.report(_proposal(rollback_ref))
            if written.record_id is None or written.report.outcome is not Outcome.COMMITTED:
                raise
            self._memory.review.retract(written.record_id, reason=reason, expected_revision=written.revision)
            return (written.record_id,)

    def _users(self, records: set[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.trace_id for event in self._events if _used(event, records)))

    def _hand_over(self, candidate: MemoryCandidate, decision: WriteVerdict, ref: str) -> Verdict:
        """Let the engine keep the decision: the record, the wait, or the refusal with its rule."""
        present = self._present(_space(candidate)) if candidate.revision_mode == REPLACE else ()
        if decision.action is WriteAction.QUARANTINE:
            claim = self._claim(candidate, replaced=present)
            (held,) = self._memory.imports.take_in(ref, [Newcomer(claim=claim)], contract="retrieval", hold=True)
            return held
        if decision.action is WriteAction.DENY:
            step = Step.SAFETY if decision.policy_id == SECRET else Step.DISPOSITION
            objection = Objection(step=step, rule=decision.policy_id, reason=decision.reason)
            claim = self._claim(candidate, replaced=())
            return self._memory.propose(claim, proposal_id=_proposal(ref), objections=(objection,))
        claim = self._claim(candidate, replaced=present[:-1])
        return self._memory.propose(claim, proposal_id=_proposal(ref), target=present[-1] if present else None)

    def _claim(self, candidate: MemoryCandidate, *, replaced: tuple[str, ...]) -> Claim:
        """A candidate as a claim. Its class and kind are its namespace: what `replace` replaces is what is there."""
        memory_class, grounds = class_of(candidate.memory_class), known(candidate.provenance)
        return Claim(
            content=candidate.content,
            nature=Nature(kind=kind_of(candidate.kind) or Kind.OBSERVATION, memory_class=memory_class),
            place=Place(namespace=_space(candidate)),
            origin=Origin(source=grounds, source_type=safe_text(candidate.source)),
            belief=Belief(score=candidate.confidence, evidence=(grounds,) if grounds is not None else ()),
            times=Times(expires_at=end_of(Retention(memory_class.value), self._now())),
            lineage=Lineage(
                derived_from=candidate.derived_from,
                relations=tuple(Relation(type=RelationType.SUPERSEDES, target=name) for name in replaced),
            ),
        )

    def _present(self, space: str) -> tuple[str, ...]:
        return tuple(one.record.id for one in self._memory.insight.browse(namespace=space))


_TOLD = ("memory_class", "kind", "provenance", "session_id", "tenant_id", "rollback_ref")


def _released(decision: TraceEvent, verdict: Verdict) -> list[TraceEvent]:
    released = released_event(decision, outcome=verdict.outcome.value)
    return [released, _kept(decision, verdict)] if verdict.committed else [released]


def _kept(decision: TraceEvent, verdict: Verdict) -> TraceEvent:
    """The event of the record that came of a candidate, which the decision on it told of."""
    names = {"memory_id": str(verdict.record_id), "revision": str(verdict.revision)}
    payload = {**names, **{name: decision.payload[name] for name in _TOLD if name in decision.payload}}
    redacted = [name for name in decision.redacted_fields if name in payload]
    return make_event(PERSISTED, decision.trace_id, payload, redacted=redacted)


def _proposal(rollback_ref: str) -> str:
    """What a candidate is proposed under: a batch of one."""
    return f"{rollback_ref}.1"


def _space(candidate: MemoryCandidate) -> str:
    return safe_namespace(f"/{candidate.memory_class}/{candidate.kind}")


def _used(event: TraceEvent, records: set[str]) -> bool:
    """Whether a retrieval returned any of these. Where the trace does not say, it may have."""
    if event.event_type != RETRIEVAL or not records:
        return False
    names = returned(event)
    return names is None or not records.isdisjoint(names)
