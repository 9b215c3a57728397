"""Turn a tenant or a scope back to how it was after an entry, by a new entry.

Nothing is deleted: what came since is taken back, what ended since speaks again. What was erased stays erased, and what
an erasure has touched stays as it left it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from muniment.graph.walk import supporters
from muniment.model.actor import Actor
from muniment.model.card import Card, moved, standing_of
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.claim import Place
from muniment.model.curation import AffectedReceipt, RewindResult
from muniment.model.entry import ConflictChange, Entry, EntryKind, StateChange
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.packed_receipt import receipt_summary
from muniment.model.proposal import RewindRequest
from muniment.model.receipt import ReceiptEntry
from muniment.model.record import RecordState
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, PRIVATE, Status
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import ConflictStatus, Disposition, Support
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot, Unit
from muniment.trust.support import support_of
from muniment.write.batch_rollback import last_state
from muniment.write.cascade import become, conflict_change, pillar_of, support_terms
from muniment.write.case import hidden
from muniment.write.facts import fetch
from muniment.write.pipeline import Bench, WriteAction, act_report, decided, enact

_LAST = 2**63 - 1
RECEIPTS_MAX = 1_000
"""So many of the receipts that tell of what is turned back are named, the latest."""


class _Turn(Value):
    """What is turned back: the changes, the cards they are of, the conflicts, and what an erasure keeps as it is."""

    changes: tuple[StateChange, ...]
    cards: dict[int, Card]
    conflicts: tuple[ConflictChange, ...]
    kept: tuple[Card, ...]
    erased: int


def rewind(unit: Unit, request: RewindRequest, actor: Actor, bench: Bench) -> RewindResult:
    """Turn back, in one entry. Where nothing differs, nothing is written."""
    return decided(lambda: _rewind(unit, request, actor, bench))


def _rewind(unit: Unit, request: RewindRequest, actor: Actor, bench: Bench) -> RewindResult:
    rule = may_rewind(request, actor, bench)
    head = unit.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    if request.to > head.seq:
        raise Malformed("to", f"an entry of the ledger, which ends at {head.seq}")
    turn = _turned(unit, request, bench)
    if not turn.changes and not turn.conflicts:
        return _told(unit, request, turn, head.seq, actor, bench)
    where = f"{request.scope} {request.scope_id or ''}".strip() if request.scope is not None else "everything"
    report = act_report(
        request,
        actor.id,
        rule,
        proposal=bench.ids.fresh("prp"),
        what=f"{where} turned back to entry {request.to}",
        reason=request.reason,
        disposition=Disposition.UPDATE,
    )
    seen = tuple(
        SeenVersion(key=DependencyKey.RECORD, name=card.id, version=card.since) for card in turn.cards.values()
    )
    act = WriteAction(
        kind=EntryKind.REWOUND,
        actor=actor.id,
        report=report,
        decided_on=seen,
        changes=turn.changes,
        conflicts=turn.conflicts,
    )
    told = _told(unit, request, turn, head.seq + 1, actor, bench)
    enact(unit, act, bench)
    return told


def may_rewind(request: RewindRequest, actor: Actor, bench: Bench) -> str:
    """The rule under which an actor may turn this back. A whole sort of scope is asked for like everything."""
    place = None
    if request.scope is not None and request.scope_id is not None:
        place = Place(scope=request.scope, scope_id=request.scope_id)
    rule = decide_review(bench.policy, actor, Action.REWIND, place, None)
    if rule is None:
        raise NotPermitted(actor.id, "turn this back")
    return rule


def _turned(snapshot: Snapshot, request: RewindRequest, bench: Bench) -> _Turn:
    touched, erased = _touched_by_erasure(snapshot, request.to)
    cards = [card for card in snapshot.catalogue.since(request.to) if _within(request, card)]
    kept = tuple(card for card in cards if card.rid in touched)
    then = {card.rid: snapshot.catalogue.standing_at(card.rid, request.to) for card in cards}
    changes: dict[int, StateChange] = {}
    free = {card.rid: card for card in cards if card.rid not in touched}
    again = {card.id for rid, card in free.items() if (was := then[rid]) is not None and was.status in CURRENT}
    for rid, card in free.items():
        was = then[rid]
        change = _unborn(card, again) if was is None else _as_it_was(card, was)
        if change is not None:
            changes[rid] = change
    moving = {rid: free[rid] for rid in changes}
    judged = _judged(snapshot, changes, moving, bench.policy)
    return _Turn(
        changes=tuple(judged[rid] for rid in sorted(judged)),
        cards=moving,
        conflicts=tuple(_conflicts(snapshot, request.to, judged, {card.rid for card in cards})),
        kept=kept,
        erased=erased,
    )


def _within(request: RewindRequest, card: Card) -> bool:
    return (request.scope is None or card.scope == request.scope) and (
        request.scope_id is None or card.scope_id == request.scope_id
    )


def _touched_by_erasure(snapshot: Snapshot, to: int) -> tuple[set[int], int]:
    """The revisions that erasures since have changed, brought or amended, and how many they took."""
    touched: set[int] = set()
    erased = 0
    for stored in snapshot.ledger.entries(to + 1, _LAST):
        entry = read_canonical(stored.body, Entry)
        if entry.kind is EntryKind.FORGOTTEN:
            touched |= {change.rid for change in entry.changes} | {birth.rid for birth in entry.births}
            touched |= {amended.doc for amended in entry.amended}
            erased += len(entry.erased)
    return touched, erased


def _unborn(card: Card, again: set[str]) -> StateChange | None:
    """What becomes of a revision that was not there then. One whose record goes on in an earlier revision is followed
    by that one."""
    status = Status(card.status)
    if card.id in again:
        change = become(card, Status.SUPERSEDED, successor=card.id)
        return None if (status, card.successor) == (Status.SUPERSEDED, card.id) else change
    return become(card, Status.RETRACTED) if status in CURRENT or status is Status.HELD else None


def _as_it_was(card: Card, was: RecordState) -> StateChange | None:
    """The standing it had. How much it was used since is no part of what is turned back; nor is a draft."""
    now = standing_of(card)
    same = (now.status, now.successor, now.footing) == (was.status, was.successor, was.footing)
    if same or was.status in PRIVATE:
        return None
    return StateChange(rid=card.rid, status=was.status, successor=was.successor, footing=was.footing, vigour=now.vigour)


def _judged(
    snapshot: Snapshot, changes: Mapping[int, StateChange], cards: Mapping[int, Card], policy: Policy
) -> dict[int, StateChange]:
    """The changes with each record that speaks again judged by what it stands on as that will be: a pillar may be gone
    since, or be no part of what is turned back."""
    found = dict(changes)
    speaking = [rid for rid, change in changes.items() if change.status in CURRENT]
    grounds = supporters(snapshot, speaking)
    names = {name for some in grounds.values() for name in some}
    present = dict(snapshot.catalogue.latest(names))
    for rid in sorted(changes):
        card = moved(cards[rid], _standing(changes[rid]))
        if card.id in names and (card.status in CURRENT or card.id not in present):
            present[card.id] = card
    terms, left = support_terms(policy), True
    while left:  # each round reaches one step further up
        left = False
        for rid in sorted(grounds):
            change, card = found[rid], cards[rid]
            verdict = support_of(
                change.footing.own, [pillar_of(present.get(name), rid, card.id) for name in sorted(grounds[rid])], terms
            )
            support = Support.FALLEN if verdict.support is Support.DEPRECATED else verdict.support
            footing = msgspec.structs.replace(change.footing, effective=verdict.effective, support=support)
            if footing != change.footing:
                found[rid] = msgspec.structs.replace(change, footing=footing)
                left = True
                if card.id in present and present[card.id].rid == rid:
                    present[card.id] = moved(card, _standing(found[rid]))
    return found


def _standing(change: StateChange) -> RecordState:
    return RecordState(
        status=change.status, since=0, footing=change.footing, successor=change.successor, vigour=change.vigour
    )


def _conflicts(
    snapshot: Snapshot, to: int, changes: Mapping[int, StateChange], within: set[int]
) -> Iterator[ConflictChange]:
    """The conflicts of what is turned back, each in the state it had. One whose sides do not both speak is over."""
    rows = [row for row in snapshot.desk.conflicts() if row.changed > to and {row.a, row.b} & within]
    cards = snapshot.catalogue.cards({side for row in rows for side in (row.a, row.b)})
    for row in rows:
        if row.a not in cards or row.b not in cards:
            continue
        if row.opened > to:
            if row.status != ConflictStatus.RESOLVED:
                yield conflict_change(row, ConflictStatus.RESOLVED)
            continue
        was = last_state(snapshot, row.id, row.opened, to)
        speak = all(_speaks(cards[side], changes) for side in (row.a, row.b))
        if not _same(row, was) and (was.status is ConflictStatus.RESOLVED or speak):
            yield was


def _speaks(card: Card, changes: Mapping[int, StateChange]) -> bool:
    change = changes.get(card.rid)
    return (change.status if change is not None else card.status) in CURRENT


def _same(row: ConflictRow, was: ConflictChange) -> bool:
    return (row.status, row.contests, row.strategy, row.winner, row.ballots) == (
        was.status,
        was.contests,
        was.strategy,
        was.winner,
        was.ballots,
    )


def _told(
    snapshot: Snapshot, request: RewindRequest, turn: _Turn, epoch: int, actor: Actor, bench: Bench
) -> RewindResult:
    """What was turned back, as far as the actor may know of it."""
    seen = {rid for rid, card in turn.cards.items() if not hidden(bench.policy, actor, fetch(snapshot, card))}
    spoke = {rid for rid, card in turn.cards.items() if card.status in CURRENT}
    speak = {one.rid for one in turn.changes if one.status in CURRENT}

    def names(rids: Iterable[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn.cards[rid].id for rid in sorted(rids) if rid in seen))

    kept = tuple(dict.fromkeys(card.id for card in turn.kept if not hidden(bench.policy, actor, fetch(snapshot, card))))
    return RewindResult(
        to=request.to,
        epoch=epoch,
        changed=len(turn.changes),
        restored=names(speak - spoke),
        withdrawn=names(spoke - speak),
        judged=names(speak & spoke),
        conflicts=tuple(one.id for one in turn.conflicts if {one.a, one.b} & turn.cards.keys() <= seen),
        kept=kept,
        erased=turn.erased,
    )


def affected(snapshot: Snapshot, rewound: RewindResult, actor: Actor, bench: Bench) -> tuple[AffectedReceipt, ...]:
    """The receipts since by which any of it was told, the latest of them: to those who may audit; to others their own.
    Reads the log from its beginning, so it is not for a transaction."""
    names = {*rewound.restored, *rewound.withdrawn, *rewound.judged}
    if not names:
        return ()
    all_of_them = decide_review(bench.policy, actor, Action.AUDIT, None, None) is not None
    found: deque[AffectedReceipt] = deque(maxlen=RECEIPTS_MAX)
    for stored in snapshot.receipts.all():
        entry = read_canonical(stored.body, ReceiptEntry)
        if entry.epoch <= rewound.to:
            continue
        gist = receipt_summary(stored.account)
        told = tuple(dict.fromkeys(one.id for one in gist.told() if one.id in names))
        if told and (all_of_them or gist.actor.id == actor.id):
            used = AffectedReceipt(
                receipt=stored.id, at=entry.at, actor=gist.actor.id, purpose=gist.query.purpose, records=told
            )
            found.append(used)
    return tuple(found)
