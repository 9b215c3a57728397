"""Settle a conflict: name a winner by a declared rule, count votes, put one record in the place of both, or hand it up.

A rule that cannot tell the two apart fails and says so; nothing is averaged, and nothing is decided by chance.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from muniment.model.actor import Actor
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.claim import Claim, Lineage, Nature, Relation
from muniment.model.curation import ConflictResolution, ConflictResult, CurationReport
from muniment.model.entry import ConflictChange, EntryKind, Vote
from muniment.model.errors import Malformed, NotFound, NotPermitted, Stale, Undecided
from muniment.model.proposal import Proposal, ResolveRequest
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import (
    ConflictStatus,
    ConflictStrength,
    ConflictType,
    Kind,
    Outcome,
    RelationType,
    Strategy,
)
from muniment.policy.decide import authority_of, decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.admit import admit
from muniment.write.cascade import become, conflict_change
from muniment.write.case import hidden
from muniment.write.facts import Held, fetch
from muniment.write.pipeline import Bench, WriteAction, act_report, decided, enact, propose
from muniment.write.settle import STRATEGIES, judge, side_of, weight

HUMAN_AUTHORITY = 10
"""What it takes to settle a conflict that was handed up."""
PENDING_VOTE = "pending_vote"
REFUSED = "refused"
UNDECIDED = "undecided"
ESTABLISHED = ConflictStrength.ESTABLISHED.value


_ACTIONS = {Strategy.VOTE: Action.VOTE, Strategy.PROMOTE: Action.PROMOTE}


class Sides(Value):
    """A conflict with its two records as they stand."""

    row: ConflictRow
    a: Held
    b: Held

    def named(self, record: str) -> Held:
        for held in (self.a, self.b):
            if held.card.id == record:
                return held
        raise Malformed("winner", f"one of the two sides, {self.a.card.id} or {self.b.card.id}")

    def other(self, held: Held) -> Held:
        return self.b if held.card.rid == self.a.card.rid else self.a


def settle(unit: Unit, request: ResolveRequest, actor: Actor, bench: Bench) -> ConflictResult:
    """Take a conflict up as asked, or record that the policy does not let this actor do so."""
    return decided(lambda: _settle(unit, request, actor, bench))


def _settle(unit: Unit, request: ResolveRequest, actor: Actor, bench: Bench) -> ConflictResult:
    sides = _sides(unit, request.conflict, actor, bench)
    _refuse_closed(sides, request, actor)
    action = _ACTIONS.get(request.strategy, Action.RESOLVE)
    place = sides.b.record.claim.place
    allowed = decide_review(bench.policy, actor, action, place, sides.b.record.actor)
    report = act_report(
        request,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what=f"{request.strategy} on conflict {request.conflict}",
        reason=request.rationale,
    )
    if allowed is None:
        return _recorded(unit, sides, report, actor, bench, REFUSED)
    match request.strategy:
        case Strategy.PROMOTE:
            return _promoted(unit, sides, request, report, actor, bench)
        case Strategy.REOPEN:
            return _reopened(unit, sides, request, report, actor, bench)
        case Strategy.HUMAN_ESCALATION:
            return _concluded(unit, sides, request, report, actor, bench, ConflictStatus.ESCALATED)
        case Strategy.SYNTHESIS:
            return _synthesised(unit, sides, request, report, actor, bench)
        case Strategy.VOTE:
            return _voted(unit, sides, request, report, actor, bench)
        case _:
            winner = _winner(unit, sides, request, actor, bench)
            return _concluded(unit, sides, request, report, actor, bench, ConflictStatus.RESOLVED, winner=winner)


COMPARING = frozenset(STRATEGIES.values())
"""Strategies that decide by what the two sides have to show."""


def settle_all(
    unit: Unit, strategy: Strategy | None, rationale: str, actor: Actor, bench: Bench
) -> tuple[ConflictResult, ...]:
    """Settle every established conflict that is open, the oldest first, by a strategy or by the policy's rules. What
    one settlement ends, the next ones pass over."""
    names = [row.id for row in unit.desk.conflicts() if row.contests and row.status != ConflictStatus.RESOLVED]
    found = (_settled_among(unit, name, strategy, rationale, actor, bench) for name in names)
    return tuple(one for one in found if one is not None)


def _settled_among(
    unit: Unit, name: str, strategy: Strategy | None, rationale: str, actor: Actor, bench: Bench
) -> ConflictResult | None:
    row = unit.desk.conflict(name)
    if row is None or row.status == ConflictStatus.RESOLVED:
        return None
    try:
        sides = _sides(unit, name, actor, bench)
    except NotFound:
        return None
    head = unit.ledger.head()
    epoch = head.seq if head is not None else 0
    left = ConflictResult(
        conflict=name, status=UNDECIDED, epoch=epoch, rule="", reason="no rule tells the two sides apart"
    )
    place, author = sides.b.record.claim.place, sides.b.record.actor
    rule = decide_review(bench.policy, actor, Action.RESOLVE, place, author)
    if rule is None or (row.status == ConflictStatus.ESCALATED and actor.authority < HUMAN_AUTHORITY):
        return msgspec.structs.replace(left, status=REFUSED, reason="this actor may not settle it")
    if strategy is None:
        found = judge(unit, bench.policy, side_of(sides.a), side_of(sides.b))
        if found is None:
            return left
        strategy = found.strategy
    try:
        return settle(unit, ResolveRequest(conflict=name, strategy=strategy, rationale=rationale), actor, bench)
    except Undecided:
        return left


def _sides(unit: Unit, conflict: str, actor: Actor, bench: Bench) -> Sides:
    row = unit.desk.conflict(conflict)
    cards = unit.catalogue.cards([row.a, row.b]) if row is not None else {}
    if row is None or len(cards) < 2:
        raise NotFound("conflict", conflict)
    a, b = fetch(unit, cards[row.a]), fetch(unit, cards[row.b])
    if any(hidden(bench.policy, actor, held) for held in (a, b)):
        raise NotFound("conflict", conflict)
    return Sides(row=row, a=a, b=b)


def _refuse_closed(sides: Sides, request: ResolveRequest, actor: Actor) -> None:
    row = sides.row
    if request.strategy is Strategy.REOPEN:
        if row.status != ConflictStatus.RESOLVED or _settled(sides) is None:
            present = "settled, and moved since" if row.status == ConflictStatus.RESOLVED else row.status
            raise Stale(f"conflict {row.id}", yours="settled, and as it was left", present=present)
        return
    if row.status == ConflictStatus.RESOLVED:
        raise Stale(f"conflict {row.id}", yours="open", present="resolved")
    if row.status == ConflictStatus.ESCALATED and actor.authority < HUMAN_AUTHORITY:
        raise NotPermitted(actor.id, f"settle what was escalated: it takes authority {HUMAN_AUTHORITY}")


def _winner(unit: Unit, sides: Sides, request: ResolveRequest, actor: Actor, bench: Bench) -> Held:
    """The side the strategy favours, or the one named by a caller who may name one."""
    if request.winner is not None:
        chosen = sides.named(request.winner)
        above = max(authority_of(bench.policy, held.record) for held in (sides.a, sides.b))
        if actor.authority <= above and actor.authority < HUMAN_AUTHORITY:
            raise NotPermitted(actor.id, "name the winner: that takes more authority than both authors have")
        return chosen
    mine, theirs = (weight(unit, bench.policy, request.strategy, side_of(held)) for held in (sides.a, sides.b))
    if mine == theirs:
        raise Undecided(f"conflict {sides.row.id}", f"both sides are equal by {request.strategy}")
    return sides.a if mine > theirs else sides.b


def _promoted(
    unit: Unit, sides: Sides, request: ResolveRequest, report: CurationReport, actor: Actor, bench: Bench
) -> ConflictResult:
    """Make a suspicion an established conflict: from now on it contests both sides."""
    row = sides.row
    if row.contests or row.type == ConflictType.DUPLICATE:
        raise Stale(f"conflict {row.id}", yours="a suspicion", present="established" if row.contests else row.type)
    change = msgspec.structs.replace(conflict_change(row, ConflictStatus(row.status)), contests=True)
    resolution = ConflictResolution(conflict=row.id, strategy=request.strategy)
    act = _act(sides, msgspec.structs.replace(report, resolution=resolution), actor, conflicts=(change,))
    active = (held.card for held in (sides.a, sides.b) if held.card.status == Status.ACTIVE)
    changes = tuple(become(card, Status.CONTESTED) for card in active)
    done = enact(unit, msgspec.structs.replace(act, changes=changes), bench)
    return ConflictResult(conflict=row.id, status=ESTABLISHED, epoch=done.epoch, rule=done.rule, reason=done.reason)


def _settled(sides: Sides) -> tuple[Held, Held] | None:
    """The winner and the loser of a conflict that was settled, if both are as the settlement left them."""
    for winner, lost in ((sides.a, sides.b), (sides.b, sides.a)):
        left = lost.card.status == Status.SUPERSEDED and lost.card.since == sides.row.changed
        if left and sides.row.winner == winner.card.id == lost.card.successor and winner.card.status in CURRENT:
            return winner, lost
    return None


def _reopened(
    unit: Unit, sides: Sides, request: ResolveRequest, report: CurationReport, actor: Actor, bench: Bench
) -> ConflictResult:
    """Take a settlement back: both sides speak again, and both are contested."""
    found = _settled(sides)
    assert found is not None, "looked at before"
    row = msgspec.structs.replace(sides.row, strategy=None, winner=None, ballots=())
    change = msgspec.structs.replace(conflict_change(row, ConflictStatus.DETECTED), contests=True)
    resolution = ConflictResolution(conflict=row.id, strategy=request.strategy)
    act = _act(sides, msgspec.structs.replace(report, resolution=resolution), actor, conflicts=(change,))
    again = (become(held.card, Status.CONTESTED) for held in found)
    changes = tuple(msgspec.structs.replace(one, successor=None) for one in again)
    done = enact(unit, msgspec.structs.replace(act, changes=changes), bench)
    return ConflictResult(
        conflict=row.id, status=ConflictStatus.DETECTED.value, epoch=done.epoch, rule=done.rule, reason=done.reason
    )


def _voted(
    unit: Unit, sides: Sides, request: ResolveRequest, report: CurationReport, actor: Actor, bench: Bench
) -> ConflictResult:
    """Count one more voice. A second ballot of the same actor takes the place of the first."""
    if request.winner is None:
        raise Malformed("winner", "the record you vote for")
    chosen = sides.named(request.winner)
    cast = {ballot.actor: ballot.winner for ballot in sides.row.ballots} | {actor.id: chosen.card.id}
    ballots = tuple(Vote(actor=voter, winner=winner) for voter, winner in sorted(cast.items()))
    row = msgspec.structs.replace(sides.row, ballots=ballots, strategy=Strategy.VOTE.value)
    counted = msgspec.structs.replace(sides, row=row)
    if len(ballots) < bench.policy.disputes.quorum:
        return _concluded(unit, counted, request, report, actor, bench, ConflictStatus.RESOLVING)
    (first, most), *others = Counter(cast.values()).most_common()
    if others and others[0][1] == most:
        return _concluded(unit, counted, request, report, actor, bench, ConflictStatus.ESCALATED)
    winner = counted.named(first)
    return _concluded(unit, counted, request, report, actor, bench, ConflictStatus.RESOLVED, winner=winner)


def _synthesised(
    unit: Unit, sides: Sides, request: ResolveRequest, report: CurationReport, actor: Actor, bench: Bench
) -> ConflictResult:
    """One new record in the place of both. It is a proposal like any other: what policy holds back settles nothing."""
    if request.synthesis is None:
        raise Malformed("synthesis", "the text that takes the place of both sides")
    proposal = Proposal(
        id=bench.ids.fresh("prp"), tenant=bench.tenant, claim=_joined(request.synthesis, sides), target=None
    )
    verdict = propose(unit, admit(proposal, actor, bench.policy.safety), bench)
    if verdict.outcome is not Outcome.COMMITTED:
        return ConflictResult(
            conflict=sides.row.id,
            status=verdict.outcome.value,
            epoch=verdict.epoch,
            rule=verdict.rule,
            reason=verdict.reason,
        )
    assert verdict.record_id is not None
    resolution = ConflictResolution(
        conflict=sides.row.id, strategy=request.strategy, winner=verdict.record_id, synthesis=verdict.record_id
    )
    change = msgspec.structs.replace(
        conflict_change(sides.row, ConflictStatus.RESOLVED), strategy=request.strategy, winner=verdict.record_id
    )
    act = _act(sides, msgspec.structs.replace(report, resolution=resolution), actor, conflicts=(change,))
    done = enact(unit, act, bench)
    return ConflictResult(
        conflict=sides.row.id,
        status=ConflictStatus.RESOLVED.value,
        winner=verdict.record_id,
        superseded=tuple(held.card.id for held in (sides.a, sides.b)),
        synthesis=verdict.record_id,
        epoch=done.epoch,
        rule=done.rule,
        reason=done.reason,
    )


def _joined(claim: Claim, sides: Sides) -> Claim:
    names = (sides.a.card.id, sides.b.card.id)
    relations = tuple(Relation(type=RelationType.SUPERSEDES, target=name) for name in names)
    lineage = Lineage(derived_from=names, relations=relations, entities=claim.lineage.entities)
    nature = msgspec.structs.replace(claim.nature, kind=Kind.SYNTHESIS)
    assert isinstance(nature, Nature)
    return msgspec.structs.replace(claim, lineage=lineage, nature=nature)


def _concluded(
    unit: Unit,
    sides: Sides,
    request: ResolveRequest,
    report: CurationReport,
    actor: Actor,
    bench: Bench,
    status: ConflictStatus,
    *,
    winner: Held | None = None,
) -> ConflictResult:
    """Write down where the conflict stands now, and end the side that lost."""
    name = winner.card.id if winner is not None else None
    change = msgspec.structs.replace(conflict_change(sides.row, status), strategy=request.strategy, winner=name)
    lost = sides.other(winner) if winner is not None else None
    ends = lost is not None and lost.card.status in CURRENT
    resolution = ConflictResolution(conflict=sides.row.id, strategy=request.strategy, winner=name)
    act = _act(sides, msgspec.structs.replace(report, resolution=resolution), actor, conflicts=(change,))
    if lost is not None and ends:
        act = msgspec.structs.replace(act, changes=(become(lost.card, Status.SUPERSEDED, successor=name),))
    done = enact(unit, act, bench)
    return ConflictResult(
        conflict=sides.row.id,
        status=PENDING_VOTE if status is ConflictStatus.RESOLVING else status.value,
        winner=name,
        superseded=(lost.card.id,) if lost is not None and ends else (),
        ballots=sides.row.ballots,
        epoch=done.epoch,
        rule=done.rule,
        reason=done.reason,
    )


def _recorded(
    unit: Unit, sides: Sides, report: CurationReport, actor: Actor, bench: Bench, status: str
) -> ConflictResult:
    done = enact(unit, _act(sides, report, actor), bench)
    return ConflictResult(conflict=sides.row.id, status=status, epoch=done.epoch, rule=done.rule, reason=done.reason)


def _act(
    sides: Sides, report: CurationReport, actor: Actor, *, conflicts: tuple[ConflictChange, ...] = ()
) -> WriteAction:
    seen = tuple(
        SeenVersion(key=DependencyKey.RECORD, name=held.card.id, version=held.card.since) for held in (sides.a, sides.b)
    )
    return WriteAction(kind=EntryKind.RESOLVED, actor=actor.id, report=report, decided_on=seen, conflicts=conflicts)
