"""The way in: admitted proposals become verdicts. Decide first, touch once.

Each function runs inside a store's transaction (`unit`) and returns what was decided and recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from muniment.model.actor import Actor
from muniment.model.change import ChangeSet
from muniment.model.curation import Report, StepOutcome, Verdict
from muniment.model.entry import Entry, Head, Role
from muniment.model.errors import IntegrityError, Malformed, Stale, StoreBusy
from muniment.model.proposal import Ruling
from muniment.model.rows import ProposalRow
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import Outcome, Step, StepResult
from muniment.policy.decide import decide_read
from muniment.policy.rules import Policy, WriteDecision
from muniment.ports.store import Snapshot, Unit
from muniment.ports.world import Clock, Ids
from muniment.write.admit import Admitted
from muniment.write.commit import Moved, commit
from muniment.write.facts import Facts, gather, open_conflicts
from muniment.write.plan import Moment, Settlement, plan_curation, settle
from muniment.write.steps import CURATION_PURPOSE, STEPS, Case, curate

TRIES = 5
T = TypeVar("T")


class Bench(Value):
    """What the curator works with, the same for every decision of one tenant."""

    tenant: str
    policy: Policy
    policy_doc: int
    pepper: bytes
    clock: Clock
    ids: Ids


class Matter(Value):
    """One proposal to be decided; with `waiting`, `ruling` and `reviewer` when a person answers for it."""

    admitted: Admitted
    waiting: ProposalRow | None = None
    ruling: Ruling | None = None
    reviewer: Actor | None = None


def propose(unit: Unit, admitted: Admitted, bench: Bench) -> Verdict:
    """Curate one proposal and record the decision. The same proposal again gets the same answer and changes nothing."""
    filed = unit.desk.proposal(admitted.proposal.id)
    if filed is not None:
        return _again(unit, filed, admitted)
    return decided(lambda: decide_and_commit(unit, Matter(admitted=admitted), bench))


def _again(unit: Unit, filed: ProposalRow, admitted: Admitted) -> Verdict:
    if filed.digest != admitted.digest or filed.actor != admitted.actor.id:
        raise Malformed("proposal_id", "an id that was not used before for a different proposal")
    conflicts: tuple[str, ...] = ()
    if filed.record is not None:
        births = [card for card in unit.catalogue.revisions(filed.record) if card.revision == filed.revision]
        rows = [row for card in births for row in unit.desk.conflicts_of(card.rid) if row.b == card.rid]
        conflicts = tuple(row.id for row in sorted(rows, key=lambda row: row.a))
    return _verdict(report_of(unit, filed), filed.seq, filed.record, filed.revision, conflicts)


def report_of(snapshot: Snapshot, filed: ProposalRow) -> Report:
    """The curation report a proposal was filed with."""
    document = snapshot.documents.get(filed.report)
    if document is None:
        raise IntegrityError(f"the {Role.REPORT} on proposal {filed.id} is missing")
    return read_canonical(document.body, Report)


def decided(attempt: Callable[[], T]) -> T:
    """Decide again when what a decision was based on has moved, a bounded number of times."""
    for _ in range(TRIES):
        try:
            return attempt()
        except Moved:
            continue
    raise StoreBusy(f"what the decision depends on changed {TRIES} times while it was being made")


def decide_and_commit(unit: Unit, matter: Matter, bench: Bench) -> Verdict:
    """Look, walk the nine steps, plan, write. One attempt."""
    admitted = matter.admitted
    at, head = next_place(unit, bench)
    record_id = bench.ids.fresh("rec")
    facts = gather(unit, admitted.proposal.claim, target=admitted.proposal.target, pepper=bench.pepper)
    _refuse_stale(admitted, facts, bench.policy)
    case, steps = _walk(matter, facts, bench.policy, at)
    names = tuple(bench.ids.fresh("cfl") for _ in case.opponents)
    moment = Moment(
        at=at,
        last_doc=head.last_doc,
        record_id=record_id,
        conflict_ids=names,
        policy=bench.policy_doc,
        position=head.seq,
    )
    replaced = [facts.links[name] for name in (case.target, case.claim.lineage.supersedes) if name is not None]
    settled = settlement(unit, [held.card.rid for held in replaced if held is not None])
    change, report = plan_curation(admitted, case, steps, moment, settled=settled, waiting=matter.waiting)
    entry = commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return _verdict(report, entry.seq, *_record(entry), names if report.outcome is Outcome.COMMITTED else ())


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
        now=now,
        target=admitted.proposal.target,
        redactions=admitted.redactions,
        unsafe_ids=admitted.unsafe_ids,
        ruling=ruling,
        reviewer=matter.reviewer.id if matter.reviewer is not None else None,
        rule="ruling" if ruling is not None else "",
    )
    if ruling is None or ruling.accept:
        return curate(case)
    dismissed = msgspec.structs.replace(case, decision=WriteDecision.REFUSE, reason=ruling.reason)
    skipped = tuple(StepOutcome(step=step, result=StepResult.NOT_RUN) for step, _ in STEPS[:-1])
    return dismissed, (
        *skipped,
        StepOutcome(step=Step.DISPOSITION, result=StepResult.REFUSED, note="discarded by a reviewer"),
    )


def next_place(unit: Unit, bench: Bench) -> tuple[Instant, Head]:
    """When the next entry is recorded and what it follows. The ledger's clock never runs back."""
    head = unit.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    return Instant(max(bench.clock.now(), head.at)), head


def _refuse_stale(admitted: Admitted, facts: Facts, policy: Policy) -> None:
    """A revision made against another revision than the present one is for its author to look at again."""
    proposal = admitted.proposal
    target = facts.links.get(proposal.target) if proposal.target is not None else None
    if target is None or proposal.expected_revision in (None, target.card.revision):
        return
    if decide_read(policy, admitted.actor, CURATION_PURPOSE, target.record) is not None:
        expected, present = proposal.expected_revision, target.card.revision
        raise Stale(f"record {target.card.id}", yours=f"revision {expected}", present=f"revision {present}")


def settlement(unit: Unit, ending: list[int]) -> Settlement:
    """What becomes of the conflicts of revisions that are about to stop speaking, all of them together."""
    if not ending:
        return Settlement()
    conflicts = {row.id: row for rid in ending for row in open_conflicts(unit, rid)}
    others = {side for row in conflicts.values() for side in (row.a, row.b)} - set(ending)
    rivals = {rid: (_status(unit, rid), {row.id for row in open_conflicts(unit, rid)}) for rid in others}
    return settle(set(ending), conflicts, rivals)


def _status(unit: Unit, rid: int) -> str:
    card = unit.catalogue.card(rid)
    assert card is not None, "a conflict's sides have cards"
    return card.status


def _verdict(
    report: Report, epoch: int, record: str | None, revision: int | None, conflicts: tuple[str, ...]
) -> Verdict:
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
        conflict_ids=conflicts,
        redactions=report.redactions,
        steps=report.steps,
    )


def file_report(unit: Unit, change: ChangeSet, report: Report, bench: Bench) -> Verdict:
    """Commit a decision that was planned elsewhere in this room and say what it was."""
    entry = commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return _verdict(report, entry.seq, *_record(entry), ())
