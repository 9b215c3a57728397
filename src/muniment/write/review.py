"""What people do to proposals and records: answer for what is held, take back what is committed."""

from __future__ import annotations

import hashlib

import msgspec

from muniment.model.actor import Actor
from muniment.model.change import ChangeSet, Draft, Key, Seen
from muniment.model.claim import Place
from muniment.model.curation import Report, StepOutcome, Verdict
from muniment.model.entry import Change, EntryKind, Filing, Role
from muniment.model.errors import IntegrityError, NotFound, Stale
from muniment.model.proposal import Retraction, Ruling
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status, may_become
from muniment.model.value import canonical, read_canonical
from muniment.model.vocabulary import Disposition, Outcome, Step, StepResult
from muniment.policy.decide import decide_read, decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.write.admit import Admitted
from muniment.write.facts import Held, look_up
from muniment.write.pipeline import Bench, Matter, decide_and_commit, decided, file_report, next_place, settlement
from muniment.write.plan import HeldProposal
from muniment.write.steps import CURATION_PURPOSE, STEPS


def rule(unit: Unit, ruling: Ruling, reviewer: Actor, bench: Bench) -> Verdict:
    """Record a person's answer to a held proposal. Whoever may not answer is told that there is nothing."""
    waiting = unit.desk.proposal(ruling.proposal)
    if waiting is None:
        raise NotFound("proposal", ruling.proposal)
    admitted = held_proposal(unit, waiting)
    action = Action.ACCEPT if ruling.accept else Action.DISCARD
    places = [None] if admitted is None else [admitted.proposal.claim.place, _destination(admitted, ruling)]
    if any(decide_review(bench.policy, reviewer, action, place, waiting.actor) is None for place in places):
        raise NotFound("proposal", ruling.proposal)
    if admitted is None:
        raise Stale(f"proposal {ruling.proposal}", yours="held", present=waiting.outcome)
    matter = Matter(admitted=admitted, waiting=waiting, ruling=ruling, reviewer=reviewer)
    return decided(lambda: decide_and_commit(unit, matter, bench))


def _destination(admitted: Admitted, ruling: Ruling) -> Place:
    """Where an accepted proposal would go; a reviewer needs the right to decide there too."""
    place = admitted.proposal.claim.place
    return msgspec.structs.replace(place, scope=ruling.scope or place.scope, scope_id=ruling.scope_id or place.scope_id)


def held_proposal(snapshot: Snapshot, row: ProposalRow) -> Admitted | None:
    """What waits under a row of the queue; None once it was decided."""
    if row.outcome != Outcome.HELD or row.held is None:
        return None
    document = snapshot.documents.get(row.held)
    if document is None:
        raise IntegrityError(f"the held proposal {row.id} is missing")
    return read_canonical(document.body, HeldProposal).admitted


def retract(unit: Unit, retraction: Retraction, actor: Actor, bench: Bench) -> Verdict:
    """Take a record back, or record that the policy does not let this actor do so."""
    return decided(lambda: _retract(unit, retraction, actor, bench))


def _retract(unit: Unit, retraction: Retraction, actor: Actor, bench: Bench) -> Verdict:
    held = look_up(unit, retraction.record)
    if held is None or decide_read(bench.policy, actor, CURATION_PURPOSE, held.record) is None:
        raise NotFound("record", retraction.record)
    _refuse_stale(held, retraction)
    allowed = decide_review(bench.policy, actor, Action.RETRACT, held.record.claim.place, held.record.actor)
    report = _report(retraction, actor, allowed, proposal=bench.ids.fresh("prp"))
    at, head = next_place(unit, bench)
    settled = settlement(unit, [held.card.rid]) if allowed is not None else None
    ended = (Change(rid=held.card.rid, status=Status.RETRACTED),)
    change = ChangeSet(
        kind=EntryKind.RETRACTED,
        actor=actor.id,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=(Seen(key=Key.RECORD, name=held.card.id, version=held.card.since),),
        drafts=(Draft(doc=head.last_doc + 1, role=Role.REPORT, value=report),),
        changes=(*ended, *settled.changes) if settled is not None else (),
        conflicts=settled.conflicts if settled is not None else (),
        filing=Filing(
            proposal=report.proposal,
            outcome=report.outcome,
            disposition=report.disposition,
            record=held.card.id if allowed is not None else None,
            revision=held.card.revision if allowed is not None else None,
        ),
    )
    return file_report(unit, change, report, bench)


def _refuse_stale(held: Held, retraction: Retraction) -> None:
    revision, status = held.card.revision, Status(held.card.status)
    if retraction.expected_revision not in (None, revision):
        yours = f"revision {retraction.expected_revision}"
        raise Stale(f"record {held.card.id}", yours=yours, present=f"revision {revision}")
    if status not in CURRENT or not may_become(status, Status.RETRACTED):
        raise Stale(f"record {held.card.id}", yours="active", present=status)


def _report(retraction: Retraction, actor: Actor, rule_id: str | None, *, proposal: str) -> Report:
    """A retraction skips the steps that judge content; the audit step says who allowed or refused it."""
    allowed = rule_id is not None
    skipped = tuple(StepOutcome(step=step, result=StepResult.NOT_RUN) for step, _ in STEPS[:-1])
    note = f"retraction under {rule_id}" if allowed else "no review rule lets this actor retract it"
    result = StepResult.PASSED if allowed else StepResult.REFUSED
    return Report(
        proposal=proposal,
        digest=hashlib.sha256(canonical(retraction)).hexdigest(),
        actor=actor.id,
        disposition=Disposition.DEPRECATE if allowed else Disposition.DISCARD,
        outcome=Outcome.COMMITTED if allowed else Outcome.REFUSED,
        rule=rule_id or "no-rule",
        reason=retraction.reason if allowed else note,
        steps=(*skipped, StepOutcome(step=Step.DISPOSITION, result=result, note=note)),
        reviewer=actor.id if allowed else None,
    )
