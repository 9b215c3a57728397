"""The way in: admitted proposals become verdicts. Decide first, touch once.

Each function runs inside a store's transaction (`unit`) and returns what was decided and recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.change import ChangeSet, NewDocument, SeenVersion
from muniment.model.curation import CurationReport, StepOutcome, Verdict
from muniment.model.entry import (
    ConflictChange,
    DocumentRole,
    Entry,
    EntryKind,
    LedgerHead,
    ProposalStateChange,
    StateChange,
)
from muniment.model.errors import IntegrityError, Malformed, Stale, StoreBusy
from muniment.model.proposal import Objection, ReviewDecision
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.model.times import HOUR, Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.model.vocabulary import ActorType, Disposition, Outcome, Step, StepResult
from muniment.policy.decide import NO_RULE
from muniment.policy.rules import DoubtPolicy, Policy, WriteDecision
from muniment.ports.clock_and_ids import Clock, Ids
from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.store import Snapshot, Unit
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.write.admit import Admitted
from muniment.write.cascade import with_cascade
from muniment.write.case import Case, hidden, with_prior
from muniment.write.commit import ConcurrentChange, commit
from muniment.write.corroborate import corroborated, with_lapses
from muniment.write.exposure import exposure
from muniment.write.facts import Facts, FactsRequest, Held, gather, question, with_marked
from muniment.write.plan import PlanMoment, origin_label, plan_curation
from muniment.write.settle import with_settlement
from muniment.write.similarity import Suggestion
from muniment.write.steps import ERASED, STEPS, curate

TRIES = 5
T = TypeVar("T")
Advised = tuple[Admitted, tuple[Suggestion, ...]]
"""A proposal, and what a judge suggests about it."""
Looked = tuple[FactsAsked, FactsFound]
"""What was asked about a proposal, and what was found."""


class Bench(Value):
    """What the curator works with, the same for every decision of one tenant."""

    tenant: str
    policy: Policy
    policy_doc: int
    pepper: bytes
    clock: Clock
    ids: Ids


class Matter(Value):
    """One proposal to be decided; with `waiting`, `ruling` and `reviewer` when a person answers for it, and `marked` if
    they see it disagree with something."""

    admitted: Admitted
    suggestions: tuple[Suggestion, ...] = ()
    objections: tuple[Objection, ...] = ()
    waiting: ProposalRow | None = None
    ruling: ReviewDecision | None = None
    reviewer: Actor | None = None
    marked: tuple[Held, ...] = ()
    operation: Operation = UNWATCHED


def propose(
    unit: Unit,
    admitted: Admitted,
    bench: Bench,
    suggestions: tuple[Suggestion, ...] = (),
    objections: tuple[Objection, ...] = (),
    operation: Operation = UNWATCHED,
) -> Verdict:
    """Curate one proposal and record the decision. The same proposal again gets the same answer and changes nothing."""
    operation.lap("wait")
    matter = Matter(admitted=admitted, suggestions=suggestions, objections=objections, operation=operation)
    wanted = question(asked(admitted, bench.policy), pepper=bench.pepper)
    return _propose(unit, matter, bench, (wanted, next(iter(unit.facts([wanted])))))


def propose_each(unit: Unit, batch: Sequence[Advised], bench: Bench) -> Iterator[Verdict]:
    """Propose what comes in a batch, each with what a judge suggests. The facts of all are asked for as a list, and
    each is decided on what those before it left."""
    wanted = [question(asked(admitted, bench.policy), pepper=bench.pepper) for admitted, _ in batch]
    for (admitted, suggestions), one, found in zip(batch, wanted, unit.facts(wanted), strict=True):
        yield _propose(unit, Matter(admitted=admitted, suggestions=suggestions), bench, (one, found))


def _propose(unit: Unit, matter: Matter, bench: Bench, looked: Looked) -> Verdict:
    filed = looked[1].filed
    if filed is not None:
        return again(unit, filed, matter.admitted.actor.id, matter.admitted.digest)
    first = [looked]  # if it is decided again, it is looked up again
    return decided(lambda: decide_and_commit(unit, matter, bench, first.pop() if first else None))


def again(unit: Unit, filed: ProposalRow, actor: str, digest: str) -> Verdict:
    """The answer that was given before to the same proposal of the same actor."""
    if filed.actor == actor and not filed.digest and _was_erased(unit, filed):
        return _erased(filed)
    if filed.digest != digest or filed.actor != actor:
        raise Malformed("proposal_id", "an id that was not used before for a different proposal")
    conflicts: tuple[str, ...] = ()
    if filed.record is not None:
        births = [card for card in unit.catalogue.revisions(filed.record) if card.revision == filed.revision]
        rows = [row for card in births for row in unit.desk.conflicts_of(card.rid) if row.b == card.rid]
        conflicts = tuple(row.id for row in sorted(rows, key=lambda row: row.a))
    return verdict_of(report_of(unit, filed), filed.seq, filed.record, filed.revision, conflicts)


def _was_erased(unit: Unit, filed: ProposalRow) -> bool:
    """Whether an erasure took what a proposal brought, or the proposal while it waited."""
    return filed.record is None or unit.catalogue.buried(filed.record)


def _erased(filed: ProposalRow) -> Verdict:
    return Verdict(
        decision=Disposition.DISCARD,
        outcome=Outcome.REFUSED,
        proposal_id=filed.id,
        record_id=None,
        revision=None,
        epoch=filed.seq,
        rule=ERASED,
        reason="what this proposal brought was erased, and does not come back by sending it again",
    )


def report_of(snapshot: Snapshot, filed: ProposalRow) -> CurationReport:
    """The curation report a proposal was filed with."""
    document = snapshot.documents.get(filed.report)
    if document is None:
        raise IntegrityError(f"the {DocumentRole.REPORT} on proposal {filed.id} is missing")
    return read_canonical(document.body, CurationReport)


def decided(attempt: Callable[[], T]) -> T:
    """Decide again when what a decision was based on has moved, a bounded number of times."""
    for _ in range(TRIES):
        try:
            return attempt()
        except ConcurrentChange:
            continue
    raise StoreBusy(f"what the decision depends on changed {TRIES} times while it was being made")


def decide_and_commit(unit: Unit, matter: Matter, bench: Bench, looked: Looked | None = None) -> Verdict:
    """Look the facts up, unless that is done already, walk the nine steps, plan, write. One attempt."""
    admitted = matter.admitted
    what = asked(admitted, bench.policy)
    if looked is None:
        wanted = question(what, pepper=bench.pepper)
        looked = wanted, next(iter(unit.facts([wanted])))
    at, head = next_place(unit, bench)
    arrival = admitted.proposal.arrival
    fresh = bench.ids.fresh("rec")
    record_id = arrival.record if arrival is not None and arrival.record is not None else fresh
    facts = with_marked(gather(unit, what, *looked, since=_window(bench.policy, at)), matter.marked)
    matter.operation.lap("gather")
    dismissed = matter.ruling is not None and not matter.ruling.accept
    if not matter.objections and not dismissed:  # a refusal is kept, and touches nothing
        _refuse_stale(admitted, facts, bench.policy)
    case, steps = _walk(matter, facts, bench.policy, at)
    matter.operation.lap("curate")
    names = tuple(bench.ids.fresh("cfl") for _ in case.rivals)
    moment = PlanMoment(
        at=at,
        last_doc=head.last_doc,
        record_id=record_id,
        conflict_ids=names,
        policy=bench.policy_doc,
        position=head.seq,
    )
    planned = with_settlement(unit, plan_curation(admitted, case, steps, moment, waiting=matter.waiting), case)
    raised = corroborated(unit, case, planned.record) if planned.record is not None and case.speaks else ()
    direct = planned.change
    if raised:
        direct = msgspec.structs.replace(direct, changes=_merged(direct.changes, raised))
    change = with_lapses(unit, with_cascade(unit, direct, bench.policy, born=planned.born))
    matter.operation.lap("plan")
    entry = commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    matter.operation.lap("commit")
    committed = planned.report.outcome is Outcome.COMMITTED
    return verdict_of(planned.report, entry.seq, *_record(entry), names if committed else ())


def _crowd(admitted: Admitted, policy: Policy) -> int | None:
    """How many of one actor at once are too many, if the policy asks. What was read from elsewhere comes in batches
    that somebody answers for, so nobody counts it."""
    poison = policy.safety.poison
    counted = admitted.proposal.arrival is None and {poison.burst.low, poison.burst.high} != {DoubtPolicy.IGNORE}
    return poison.burst_count if counted else None


def _window(policy: Policy, now: Instant) -> Instant:
    """Since when something was told lately."""
    return Instant(max(0, now - round(policy.trust.exposure.hours * HOUR)))


def asked(admitted: Admitted, policy: Policy) -> FactsRequest:
    """What is to be decided about a proposal, under a policy."""
    proposal = admitted.proposal
    return FactsRequest(
        claim=proposal.claim,
        actor=admitted.actor.id,
        proposal=proposal.id,
        target=proposal.target,
        promotes=proposal.promotes,
        wanted=proposal.arrival.record if proposal.arrival is not None else None,
        crowd=_crowd(admitted, policy),
        arrives=proposal.arrival is not None,
        listens=admitted.actor.type is not ActorType.PERSON and proposal.arrival is None,
    )


def _merged(changes: tuple[StateChange, ...], raised: tuple[StateChange, ...]) -> tuple[StateChange, ...]:
    """Both, where a record that is raised and changed at once is changed with its raised label."""
    labels = {change.rid: change.footing.label for change in raised}
    known = {change.rid for change in changes}
    kept = tuple(
        msgspec.structs.replace(change, footing=msgspec.structs.replace(change.footing, label=labels[change.rid]))
        if change.rid in labels
        else change
        for change in changes
    )
    return (*kept, *(change for change in raised if change.rid not in known))


def _record(entry: Entry) -> tuple[str | None, int | None]:
    assert entry.filing is not None
    return entry.filing.record, entry.filing.revision


def _walk(matter: Matter, facts: Facts, policy: Policy, now: Instant) -> tuple[Case, tuple[StepOutcome, ...]]:
    admitted, ruling = matter.admitted, matter.ruling
    case = Case(
        claim=admitted.proposal.claim,
        actor=admitted.actor,
        policy=policy,
        facts=facts,
        exposure=exposure(
            admitted.proposal.claim,
            facts,
            admitted.actor,
            seen=lambda held: not hidden(policy, admitted.actor, held),
            alike=frozenset(admitted.alike),
        ),
        now=now,
        target=admitted.proposal.target,
        promotes=admitted.proposal.promotes,
        announces=admitted.proposal.announces,
        arrival=admitted.proposal.arrival,
        draft=admitted.proposal.draft,
        detect=admitted.proposal.detect,
        suggestions=matter.suggestions,
        unheard=admitted.unheard,
        signals=admitted.signals,
        objections=matter.objections,
        redactions=admitted.redactions,
        unsafe_ids=admitted.unsafe_ids,
        noticed=admitted.noticed,
        ruling=ruling,
        reviewer=matter.reviewer.id if matter.reviewer is not None else None,
        rule="ruling" if ruling is not None else "",
    )
    case = with_prior(case, origin_label(case))
    if ruling is None or ruling.accept:
        return curate(case)
    said = {one.step: one for one in reversed(matter.objections)}
    named = next((one.duplicate_of for one in matter.objections if one.duplicate_of is not None), None)
    dismissed = msgspec.structs.replace(case, decision=WriteDecision.REFUSE, reason=ruling.reason, duplicate_of=named)
    return dismissed, (
        *(_objected(step, said.get(step)) for step, _ in STEPS[:-1]),
        StepOutcome(step=Step.DISPOSITION, result=StepResult.REFUSED, note="discarded by a reviewer"),
    )


def _objected(step: Step, objection: Objection | None) -> StepOutcome:
    """A step that nobody walks any more, with what the reviewer says against it there."""
    if objection is None:
        return StepOutcome(step=step, result=StepResult.NOT_RUN)
    return StepOutcome(step=step, result=StepResult.REFUSED, note=objection.reason)


def next_place(unit: Unit, bench: Bench) -> tuple[Instant, LedgerHead]:
    """When the next entry is recorded and what it follows. The ledger's clock never runs back."""
    head = unit.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    return Instant(max(bench.clock.now(), head.at)), head


def _refuse_stale(admitted: Admitted, facts: Facts, policy: Policy) -> None:
    """What was decided against another state than the present one is for its author to look at again: a revision of a
    record that has moved on, or a successor to one that has a successor already."""
    proposal = admitted.proposal
    if proposal.arrival is not None:
        return  # what it replaced where it comes from is its history, not something to be done
    if proposal.expected_revision == 0:
        filled = next((held for held in facts.occupants if not hidden(policy, admitted.actor, held)), None)
        if filled is not None:
            raise Stale(f"record {filled.card.id}", yours="an empty slot", present=f"revision {filled.card.revision}")
    for name in (proposal.target, *proposal.claim.lineage.replaced):
        held = facts.links.get(name) if name is not None else None
        if held is None or hidden(policy, admitted.actor, held):
            continue
        card = held.card
        if name == proposal.target and proposal.expected_revision not in (None, card.revision):
            yours, present = f"revision {proposal.expected_revision}", f"revision {card.revision}"
            raise Stale(f"record {card.id}", yours=yours, present=present)
        if name == proposal.target and proposal.draft and card.status != Status.DRAFT:
            raise Malformed("draft", "no draft of a record that is committed; propose a revision or another record")
        if card.status not in CURRENT and card.status != Status.DRAFT:
            raise Stale(f"record {card.id}", yours="current", present=card.status)


def verdict_of(
    report: CurationReport,
    epoch: int,
    record: str | None,
    revision: int | None = None,
    conflicts: tuple[str, ...] = (),
) -> Verdict:
    """What the caller is told of a decision that was written down at `epoch`."""
    return Verdict(
        decision=report.disposition,
        outcome=report.outcome,
        proposal_id=report.proposal,
        record_id=record,
        revision=revision,
        epoch=epoch,
        rule=report.rule,
        reason=report.reason,
        duplicate_of=report.duplicate_of,
        echoes=report.echoes,
        same_as=report.same_as,
        conflict_ids=conflicts,
        redactions=report.redactions,
        steps=report.steps,
    )


class WriteAction(Value):
    """Something done to a record or a conflict rather than proposed: what sort of entry it is, who did it, on which
    record, what it changes directly, and what it was decided on."""

    kind: EntryKind
    actor: str
    report: CurationReport
    decided_on: tuple[SeenVersion, ...]
    record: Card | None = None
    changes: tuple[StateChange, ...] = ()
    conflicts: tuple[ConflictChange, ...] = ()


def enact(unit: Unit, act: WriteAction, bench: Bench) -> Verdict:
    """Commit an act with its report and everything that follows from it."""
    at, head = next_place(unit, bench)
    done = act.report.outcome is Outcome.COMMITTED
    filing = ProposalStateChange(
        proposal=act.report.proposal,
        outcome=act.report.outcome,
        disposition=act.report.disposition,
        record=act.record.id if done and act.record is not None else None,
        revision=act.record.revision if done and act.record is not None else None,
    )
    change = ChangeSet(
        kind=act.kind,
        actor=act.actor,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=act.decided_on,
        drafts=(NewDocument(doc=head.last_doc + 1, role=DocumentRole.REPORT, value=act.report),),
        changes=act.changes,
        conflicts=act.conflicts,
        filing=filing,
    )
    whole = with_lapses(unit, with_cascade(unit, change, bench.policy))
    entry = commit(unit, whole, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return verdict_of(act.report, entry.seq, *_record(entry), tuple(one.id for one in act.conflicts))


def act_report(
    request: Value,
    actor: str,
    rule_id: str | None,
    *,
    proposal: str,
    what: str,
    reason: str,
    disposition: Disposition = Disposition.UPDATE,
) -> CurationReport:
    """The report on an act: it skips the steps that judge content, and the last one says who allowed or refused it."""
    allowed = rule_id is not None
    skipped = tuple(StepOutcome(step=step, result=StepResult.NOT_RUN) for step, _ in STEPS[:-1])
    note = f"{what} under {rule_id}" if allowed else f"no review rule lets this actor do it: {what}"
    result = StepResult.PASSED if allowed else StepResult.REFUSED
    return CurationReport(
        proposal=proposal,
        digest=hashlib.sha256(canonical(request)).hexdigest(),
        actor=actor,
        disposition=disposition if allowed else Disposition.DISCARD,
        outcome=Outcome.COMMITTED if allowed else Outcome.REFUSED,
        rule=rule_id or NO_RULE,
        reason=reason if allowed else note,
        steps=(*skipped, StepOutcome(step=Step.DISPOSITION, result=result, note=note)),
        reviewer=actor if allowed else None,
    )
