"""Keep a record back until somebody has looked at it, and let it speak again. What stands on it is judged each time."""

from __future__ import annotations

from itertools import pairwise

from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.curation import Verdict
from muniment.model.entry import ConflictChange, EntryKind
from muniment.model.errors import Stale
from muniment.model.proposal import QuarantineRequest, ReleaseRequest
from muniment.model.status import CURRENT, Status
from muniment.model.vocabulary import ConflictStatus, Disposition
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.write.cascade import become, conflict_change
from muniment.write.detect import unsaid
from muniment.write.facts import Held
from muniment.write.pipeline import Bench, WriteAction, act_report, decided, enact
from muniment.write.plan import opened
from muniment.write.review import refuse_moved, seen, visible
from muniment.write.similarity import Rival


def quarantine(unit: Unit, request: QuarantineRequest, actor: Actor, bench: Bench) -> Verdict:
    """Take a record out of every answer, and flag what stands on it; or record that the policy does not let this actor
    do so. Whoever may take it back may do this, which is less."""
    return decided(lambda: _quarantine(unit, request, actor, bench))


def _quarantine(unit: Unit, request: QuarantineRequest, actor: Actor, bench: Bench) -> Verdict:
    held = visible(unit, request.record, actor, bench)
    refuse_moved(held, request.expected_revision)
    allowed = decide_review(bench.policy, actor, Action.RETRACT, held.record.claim.place, held.record.actor)
    report = act_report(
        request,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what="quarantine",
        reason=request.reason,
        disposition=Disposition.HOLD,
    )
    act = WriteAction(
        kind=EntryKind.QUARANTINED,
        actor=actor.id,
        report=report,
        decided_on=(seen(held),),
        record=held.card,
        changes=(become(held.card, Status.HELD),) if allowed is not None else (),
    )
    return enact(unit, act, bench)


def release(unit: Unit, request: ReleaseRequest, actor: Actor, bench: Bench) -> Verdict:
    """Let a record speak again, or record that the policy does not let this actor do so. Disputes that ended when it
    fell silent go on, and new ones are looked for. Whoever may accept what waits may do this."""
    return decided(lambda: _release(unit, request, actor, bench))


def _release(unit: Unit, request: ReleaseRequest, actor: Actor, bench: Bench) -> Verdict:
    held = visible(unit, request.record, actor, bench)
    if request.expected_revision in (None, held.card.revision) and held.card.status != Status.HELD:
        raise Stale(f"record {held.card.id}", yours="in quarantine", present=held.card.status)
    refuse_moved(held, request.expected_revision, becomes=Status.ACTIVE)
    allowed = decide_review(bench.policy, actor, Action.ACCEPT, held.record.claim.place, held.record.actor)
    report = act_report(
        request,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what="released from quarantine",
        reason=request.reason,
    )
    act = WriteAction(
        kind=EntryKind.RELEASED, actor=actor.id, report=report, decided_on=(seen(held),), record=held.card
    )
    return enact(unit, _speaking(unit, act, held, actor, bench) if allowed is not None else act, bench)


def _speaking(unit: Unit, act: WriteAction, held: Held, actor: Actor, bench: Bench) -> WriteAction:
    """The act with the record in force, and with every dispute it comes back into."""
    again = _again(unit, held.card)
    new = unsaid(unit, held, actor, bench)
    sides = {side for one in again if one.contests for side in (one.a, one.b)} - {held.card.rid}
    rivals = [*unit.catalogue.cards(sides).values(), *(rival.held.card for rival in new if rival.contests)]
    status = Status.CONTESTED if rivals else Status.ACTIVE
    contested = [become(card, Status.CONTESTED) for card in rivals if card.status == Status.ACTIVE]
    return WriteAction(
        kind=act.kind,
        actor=act.actor,
        report=act.report,
        decided_on=act.decided_on,
        record=act.record,
        changes=(become(held.card, status), *contested),
        conflicts=(*again, *_found(new, held.card.rid, bench)),
    )


def _found(new: tuple[Rival, ...], rid: int, bench: Bench) -> list[ConflictChange]:
    return [opened(bench.ids.fresh("cfl"), rival, rid) for rival in new]


def _again(snapshot: Snapshot, card: Card) -> tuple[ConflictChange, ...]:
    """The disputes that ended because the record was put in quarantine, where the other side still speaks."""
    since = _silent_since(snapshot, card)
    rows = [row for row in snapshot.desk.conflicts_of(card.rid) if row.changed == since and row.strategy is None]
    others = snapshot.catalogue.cards({side for row in rows for side in (row.a, row.b)} - {card.rid})
    return tuple(
        conflict_change(row, ConflictStatus.DETECTED)
        for row in sorted(rows, key=lambda row: row.id)
        if any(others[side].status in CURRENT for side in (row.a, row.b) if side in others)
    )


def _silent_since(snapshot: Snapshot, card: Card) -> int:
    """The entry in which a record fell silent."""
    rows = [row.standing for row in snapshot.catalogue.standings(card.rid)]
    falls = [
        after.since for before, after in pairwise(rows) if before.status in CURRENT and after.status is Status.HELD
    ]
    assert falls, "it speaks no more, so it fell silent at some time"
    return falls[-1]
