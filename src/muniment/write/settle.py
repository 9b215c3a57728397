"""Settle what the policy says may be settled without a person: an established conflict, in the entry that finds it.

A rule names what decides, in order; a tie asks the next. What no rule decides stays contested.
"""

from __future__ import annotations

import msgspec

from muniment.model.change import NewDocument
from muniment.model.claim import Claim
from muniment.model.curation import Settlement
from muniment.model.entry import ConflictChange, DocumentRole
from muniment.model.filter import covers
from muniment.model.record import Record
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictStrength, Disposition, RelationType, Strategy
from muniment.policy.decide import authority_of, decide_write
from muniment.policy.rules import Policy, SettleBy, SettleRule, WriteDecision
from muniment.ports.store import Snapshot
from muniment.write.cascade import become
from muniment.write.case import Case
from muniment.write.facts import Held
from muniment.write.plan import PlannedChange, newborn
from muniment.write.similarity import Rival

STRATEGIES = {
    SettleBy.AUTHORITY: Strategy.AUTHORITY,
    SettleBy.CONFIDENCE: Strategy.CONFIDENCE_WEIGHTED,
    SettleBy.EVIDENCE: Strategy.EVIDENCE_COUNT,
    SettleBy.LAST_WRITE_WINS: Strategy.LAST_WRITE_WINS,
}
_SAID = {
    Strategy.AUTHORITY: "authority",
    Strategy.CONFIDENCE_WEIGHTED: "confidence",
    Strategy.EVIDENCE_COUNT: "pieces of evidence",
    Strategy.LAST_WRITE_WINS: "place in the order of writing",
}


class Side(Value):
    """One side of a conflict as it is weighed: what it says, how far it is believed, and its number."""

    record: Record
    effective: float
    rid: int


def side_of(held: Held) -> Side:
    return Side(record=held.record, effective=held.card.effective, rid=held.card.rid)


def weight(snapshot: Snapshot, policy: Policy, strategy: Strategy, side: Side) -> float:
    """What a side has to show by a strategy that compares."""
    match strategy:
        case Strategy.CONFIDENCE_WEIGHTED:
            return side.effective
        case Strategy.AUTHORITY:
            return authority_of(policy, side.record)
        case Strategy.EVIDENCE_COUNT:
            return _evidence(snapshot, side.record)
        case _:
            return side.rid  # the later write has the higher number


def _evidence(snapshot: Snapshot, record: Record) -> int:
    """Pieces of evidence, and records that support it and still speak."""
    rows = [row.rid for row in snapshot.links.to([record.id]) if row.type == RelationType.SUPPORTS]
    live = [one for one in snapshot.catalogue.cards(rows).values() if one.status in CURRENT]
    return len(record.claim.belief.evidence) + len(live)


class Judgement(Value):
    """Which side prevails, under which rule and by what."""

    rule: str
    strategy: Strategy
    winner: Side
    reason: str


def judge(snapshot: Snapshot, policy: Policy, one: Side, other: Side) -> Judgement | None:
    """What the policy makes of an established conflict; None if it waits for a person."""
    rule = _rule_for(policy, one.record.claim, other.record.claim)
    if rule is None:
        return None
    for by in rule.by:
        if by is SettleBy.HOLD:
            return None
        strategy = STRATEGIES[by]
        mine, theirs = (weight(snapshot, policy, strategy, side) for side in (one, other))
        if mine != theirs:
            winner = one if mine > theirs else other
            reason = f"{_SAID[strategy]} {max(mine, theirs):g} over {min(mine, theirs):g}"
            return Judgement(rule=rule.id, strategy=strategy, winner=winner, reason=reason)
    return None


def _rule_for(policy: Policy, *claims: Claim) -> SettleRule | None:
    rules = (rule for rule in policy.disputes.settle_rules if rule.strength is ConflictStrength.ESTABLISHED)
    return next((rule for rule in rules if all(_fits(rule, claim) for claim in claims)), None)


def _fits(rule: SettleRule, claim: Claim) -> bool:
    place = claim.place
    return (
        (rule.kinds is None or claim.nature.kind in rule.kinds)
        and (rule.scopes is None or place.scope in rule.scopes)
        and (rule.scope_ids is None or place.scope_id in rule.scope_ids)
        and (rule.namespaces is None or any(covers(space, place.namespace) for space in rule.namespaces))
    )


def with_settlement(snapshot: Snapshot, planned: PlannedChange, case: Case) -> PlannedChange:
    """A planned decision with every conflict settled that the policy settles. Where a person answered for the proposal
    they know of the conflict, and nothing is settled over their head."""
    if planned.record is None or case.ruling is not None or not case.policy.disputes.settle:
        return planned
    disputed = [
        (conflict, rival)
        for conflict, rival in zip(planned.change.conflicts, case.rivals, strict=True)
        if conflict.contests
    ]
    (birth,) = planned.change.births
    new = Side(record=planned.record, effective=birth.footing.effective, rid=birth.rid)
    judged = [(conflict, rival, judge(snapshot, case.policy, new, side_of(rival.held))) for conflict, rival in disputed]
    decided = [(one, rival, found) for one, rival, found in judged if found is not None]
    lost = [(one, rival, found) for one, rival, found in decided if found.winner is not new]
    if lost:
        return planned if case.replaced else _outdone(planned, case, lost)
    all_won = len(decided) == len(disputed) and all(_may_replace(case, rival) for _, rival, _ in decided)
    return _prevailing(planned, decided) if decided and all_won else planned


def _may_replace(case: Case, rival: Rival) -> bool:
    """Whether the author could have put the claim in the place of its rival: a rule that settles lends no rights."""
    return decide_write(case.policy, case.actor, rival.held.record.claim).decision is WriteDecision.COMMIT


_Judged = list[tuple[ConflictChange, Rival, Judgement]]


def _outdone(planned: PlannedChange, case: Case, lost: _Judged) -> PlannedChange:
    """The new claim gives way: it is kept, superseded from the start, and its rivals stay as they are."""
    (birth,) = planned.change.births
    successor = lost[0][1].held.card.id
    rivals = {rival.held.card.rid for rival in case.rivals}
    given = {one.id: found for one, _, found in lost}
    change = msgspec.structs.replace(
        planned.change,
        births=(msgspec.structs.replace(birth, status=Status.SUPERSEDED, successor=successor),),
        changes=tuple(one for one in planned.change.changes if one.rid not in rivals),
        conflicts=tuple(_ended(one, given.get(one.id)) for one in planned.change.conflicts),
    )
    return _told(msgspec.structs.replace(planned, change=change), lost, Disposition.CONFLICT)


def _prevailing(planned: PlannedChange, won: _Judged) -> PlannedChange:
    """The new claim takes the place of all its rivals."""
    (birth,) = planned.change.births
    rivals = {rival.held.card.rid for _, rival, _ in won}
    given = {one.id: found for one, _, found in won}
    ended = tuple(become(rival.held.card, Status.SUPERSEDED, successor=birth.id) for _, rival, _ in won)
    change = msgspec.structs.replace(
        planned.change,
        births=(msgspec.structs.replace(birth, status=Status.ACTIVE),),
        changes=(*(one for one in planned.change.changes if one.rid not in rivals), *ended),
        conflicts=tuple(_ended(one, given[one.id]) if one.id in given else one for one in planned.change.conflicts),
    )
    return _told(msgspec.structs.replace(planned, change=change), won, Disposition.UPDATE)


def _ended(conflict: ConflictChange, found: Judgement | None) -> ConflictChange:
    if found is None:
        return msgspec.structs.replace(conflict, status=ConflictStatus.RESOLVED)
    return msgspec.structs.replace(
        conflict, status=ConflictStatus.RESOLVED, strategy=found.strategy, winner=found.winner.record.id
    )


def _told(planned: PlannedChange, judged: _Judged, disposition: Disposition) -> PlannedChange:
    """The decision with what settled it in its report, and the new revision in its new state."""
    settled = tuple(
        Settlement(
            conflict=conflict.id,
            rule=found.rule,
            strategy=found.strategy,
            winner=found.winner.record.id,
            reason=found.reason,
        )
        for conflict, _, found in judged
    )
    words = "; ".join(f"{one.winner} prevails by {one.reason} (rule {one.rule})" for one in settled)
    report = msgspec.structs.replace(
        planned.report, settled=settled, disposition=disposition, reason=f"{planned.report.reason}; {words}"
    )
    change, record = planned.change, planned.record
    assert record is not None
    assert change.filing is not None
    drafts = tuple(
        NewDocument(doc=draft.doc, role=draft.role, value=report) if draft.role is DocumentRole.REPORT else draft
        for draft in change.drafts
    )
    change = msgspec.structs.replace(
        change, drafts=drafts, filing=msgspec.structs.replace(change.filing, disposition=disposition)
    )
    born = newborn(record, change.births[0], change.position + 1)
    return msgspec.structs.replace(planned, change=change, report=report, born=born)
