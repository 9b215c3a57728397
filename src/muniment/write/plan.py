"""Turn a curated case into a change set: which documents, births, changes and conflicts one decision amounts to."""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.change import ChangeSet, Draft, Key, Seen
from muniment.model.curation import Report, Routing, StepOutcome
from muniment.model.entry import Birth, Change, ConflictChange, EntryKind, Filing, Role
from muniment.model.record import Record
from muniment.model.rows import ConflictRow, ProposalRow
from muniment.model.status import Status
from muniment.model.times import DAY, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import (
    LABEL_RANK,
    ActorType,
    ConflictStatus,
    Disposition,
    Kind,
    Label,
    Outcome,
    TrustLevel,
)
from muniment.policy.rules import WriteDecision
from muniment.write.admit import Admitted
from muniment.write.facts import Held
from muniment.write.steps import Case

_BORN_LABEL = {ActorType.PERSON: Label.PERSON, ActorType.AGENT: Label.AGENT, ActorType.SERVICE: Label.SYSTEM}
_SOURCE_LABEL = {"import": Label.IMPORT, "external": Label.EXTERNAL, "web": Label.EXTERNAL, "unknown": Label.UNKNOWN}
_OUTCOME = {
    WriteDecision.COMMIT: Outcome.COMMITTED,
    WriteDecision.HOLD: Outcome.HELD,
    WriteDecision.REFUSE: Outcome.REFUSED,
}


class HeldProposal(Value):
    """What waits for a person: the proposal as it was cleaned, and who made it."""

    admitted: Admitted


class Moment(Value):
    """When and where in the numbering a decision is taken."""

    at: Instant
    last_doc: int
    record_id: str
    conflict_ids: tuple[str, ...]
    policy: int
    position: int


class Settlement(Value):
    """What ending a revision does to its conflicts: which are over, and which rivals are no longer contested."""

    conflicts: tuple[ConflictChange, ...] = ()
    changes: tuple[Change, ...] = ()


def new_record(admitted: Admitted, case: Case, *, record_id: str, revision: int, at: Instant) -> Record:
    """The record a proposal becomes."""
    proposal, actor, claim = admitted.proposal, admitted.actor, case.claim
    return Record(
        id=record_id,
        tenant=proposal.tenant,
        revision=revision,
        claim=claim,
        created_at=at,
        proposal=proposal.id,
        actor=actor.id,
        actor_type=actor.type,
        label=_label(case),
        trust=_trust(actor, claim.belief.score, len(claim.belief.evidence), reviewed=case.reviewer is not None),
        reviewer=case.reviewer,
        next_review_at=claim.handling.next_review_at or _next_review(case, at),
    )


def _next_review(case: Case, at: Instant) -> Instant | None:
    return Instant(at + case.review_days * DAY) if case.review_days is not None else None


def _label(case: Case) -> Label:
    """The lowest of who proposed it, where they had it from, and everything it was derived from."""
    source = (case.claim.origin.source_type or "").casefold()
    labels = [_BORN_LABEL[case.actor.type], _SOURCE_LABEL.get(source, Label.PERSON)]
    parents = (case.facts.links[name] for name in case.claim.lineage.derived_from)
    labels += [parent.record.label for parent in parents if parent is not None]
    return min(labels, key=LABEL_RANK.__getitem__)


def _trust(actor: Actor, confidence: float, evidence: int, *, reviewed: bool) -> TrustLevel:
    if reviewed or actor.type is ActorType.PERSON:
        return TrustLevel.HIGH
    return TrustLevel.MEDIUM if evidence and confidence >= 0.75 else TrustLevel.LOW


def plan_curation(
    admitted: Admitted,
    case: Case,
    steps: tuple[StepOutcome, ...],
    moment: Moment,
    *,
    settled: Settlement,
    waiting: ProposalRow | None,
) -> tuple[ChangeSet, Report]:
    """The change set of a curated case. `waiting` is the queue's row when a person answered for it."""
    report = _report(admitted, case, steps, moment.at)
    drafts = [Draft(doc=moment.last_doc + 1, role=Role.REPORT, value=report)]
    seen = (*case.facts.seen, Seen(key=Key.PROPOSAL, name=admitted.proposal.id, version=waiting.seq if waiting else 0))
    base = ChangeSet(
        kind=EntryKind.CURATED if waiting is None else EntryKind.RULED,
        actor=case.reviewer or admitted.actor.id,
        at=moment.at,
        position=moment.position,
        decided_on=seen,
        policy=moment.policy,
        dropped=(waiting.held,) if waiting is not None and waiting.held is not None else (),
        filing=Filing(proposal=admitted.proposal.id, outcome=report.outcome, disposition=report.disposition),
    )
    if report.outcome is Outcome.REFUSED:
        return msgspec.structs.replace(base, drafts=tuple(drafts)), report
    if report.outcome is Outcome.HELD:
        held = Draft(doc=moment.last_doc + 2, role=Role.HELD, value=HeldProposal(admitted=admitted))
        return msgspec.structs.replace(base, drafts=(*drafts, held)), report
    return _commitment(base, admitted, case, moment, drafts, settled), report


def _commitment(
    base: ChangeSet, admitted: Admitted, case: Case, moment: Moment, drafts: list[Draft], settled: Settlement
) -> ChangeSet:
    target = case.facts.links[case.target] if case.target is not None else None
    record = new_record(
        admitted,
        case,
        record_id=target.card.id if target is not None else moment.record_id,
        revision=target.card.revision + 1 if target is not None else 1,
        at=moment.at,
    )
    rid = moment.last_doc + 2
    contested = bool(case.opponents)
    birth = Birth(
        rid=rid, id=record.id, revision=record.revision, status=Status.CONTESTED if contested else Status.ACTIVE
    )
    rivals = {held.card.rid for held in case.opponents}
    changes = [*_replaced(case, record.id), *(change for change in settled.changes if change.rid not in rivals)]
    changes += (
        Change(rid=held.card.rid, status=Status.CONTESTED)
        for held in case.opponents
        if held.card.status == Status.ACTIVE and all(held.card.rid != change.rid for change in changes)
    )
    conflicts = [
        ConflictChange(id=name, status=ConflictStatus.DETECTED, a=held.card.rid, b=rid, why=_why(case, held))
        for name, held in zip(moment.conflict_ids, case.opponents, strict=True)
    ]
    filing = base.filing
    assert filing is not None
    return msgspec.structs.replace(
        base,
        drafts=(*drafts, Draft(doc=rid, role=Role.RECORD, value=record)),
        births=(birth,),
        changes=tuple(changes),
        filing=msgspec.structs.replace(filing, record=record.id, revision=record.revision),
        conflicts=(*conflicts, *settled.conflicts),
    )


def _replaced(case: Case, successor: str) -> list[Change]:
    """What the new revision takes the place of."""
    changes: list[Change] = []
    for name in (case.target, case.claim.lineage.supersedes):
        held = case.facts.links[name] if name is not None else None
        if held is not None and all(change.rid != held.card.rid for change in changes):
            deprecates = case.claim.nature.kind is Kind.DEPRECATION
            status = Status.DEPRECATED if deprecates else Status.SUPERSEDED
            changes.append(Change(rid=held.card.rid, status=status, successor=successor))
    return changes


def _why(case: Case, held: Held) -> str:
    return "contradicts" if held in case.facts.contradicted else "slot"


def settle(ending: set[int], conflicts: dict[str, ConflictRow], rivals: dict[int, tuple[str, set[str]]]) -> Settlement:
    """End the open `conflicts` of revisions that no longer speak.

    `rivals` tells, for each other side that goes on, its status and the names of its open conflicts. A rival whose last
    one has ended is no longer contested.
    """
    ended = tuple(
        ConflictChange(id=row.id, status=ConflictStatus.RESOLVED, a=row.a, b=row.b, why=row.why, opened=row.opened)
        for row in sorted(conflicts.values(), key=lambda row: row.id)
    )
    freed = tuple(
        Change(rid=rid, status=Status.ACTIVE)
        for rid, (status, names) in sorted(rivals.items())
        if rid not in ending and status == Status.CONTESTED and names <= conflicts.keys()
    )
    return Settlement(conflicts=ended, changes=freed)


def _report(admitted: Admitted, case: Case, steps: tuple[StepOutcome, ...], at: Instant) -> Report:
    claim, original = case.claim, admitted.proposal.claim
    moved = claim.place != original.place or claim.nature != original.nature
    suggested = Routing(kind=original.nature.kind, scope=original.place.scope, scope_id=original.place.scope_id)
    outcome = _OUTCOME[case.decision]
    return Report(
        proposal=admitted.proposal.id,
        digest=admitted.digest,
        actor=admitted.actor.id,
        disposition=case.disposition if outcome is not Outcome.REFUSED else Disposition.DISCARD,
        outcome=outcome,
        rule=case.rule,
        reason=case.reason,
        steps=steps,
        reviewer=case.reviewer,
        next_review_at=_next_review(case, at),
        redactions=case.redactions,
        suggested=suggested if moved else None,
        duplicate_of=case.duplicate_of,
        contradicts=tuple(held.card.id for held in case.opponents),
    )
