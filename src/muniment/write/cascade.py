"""What a change brings with it: conflicts that are over, rivals that are free, and everything that stands on it.

Found and decided before anything is written, and committed with it in one entry. However many records are reached,
all of them are.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from muniment.graph.walk import dependents, supporters
from muniment.model.card import Card, moved, standing_of
from muniment.model.change import ChangeSet
from muniment.model.entry import ConflictChange, StateChange
from muniment.model.record import RecordState, TrustState
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType, Strategy, Support
from muniment.policy.rules import CascadePolicy, Policy
from muniment.ports.store import Snapshot
from muniment.trust.support import Supporter, SupportTerms, support_of
from muniment.write.facts import open_conflicts

_NO_SEQ = 0


class CascadedChange(Value):
    """One record reached by a change: as it is, and as it will be."""

    card: Card
    change: StateChange


class Cascade(Value):
    """Everything that follows from a change, besides the change itself."""

    changes: tuple[StateChange, ...]
    conflicts: tuple[ConflictChange, ...]
    falls: tuple[CascadedChange, ...]


def become(
    card: Card, status: Status | None = None, *, successor: str | None = None, footing: TrustState | None = None
) -> StateChange:
    """A change of one revision's standing; what is not said stays as the card has it."""
    before = standing_of(card)
    return StateChange(
        rid=card.rid,
        status=before.status if status is None else status,
        successor=before.successor if successor is None else successor,
        footing=before.footing if footing is None else footing,
        vigour=before.vigour,
    )


def support_terms(policy: Policy) -> SupportTerms:
    return _terms(policy.cascade, policy.trust.missing_floor)


@lru_cache(maxsize=64)
def _terms(cascade: CascadePolicy, floor: float) -> SupportTerms:
    return SupportTerms(
        floor=floor,
        consequences={
            Status.RETRACTED: cascade.retracted,
            Status.DEPRECATED: cascade.deprecated,
            Status.SUPERSEDED: cascade.superseded,
            Status.EXPIRED: cascade.expired,
            Status.CONTESTED: cascade.contested,
            Status.HELD: cascade.contested,
            Status.ERASED: cascade.erased,
        },
    )


class NewRevision(Value):
    """A revision about to be committed: its card, and what it stands on."""

    card: Card
    pillars: frozenset[str]


def with_cascade(
    snapshot: Snapshot, change: ChangeSet, policy: Policy, *, born: NewRevision | None = None
) -> ChangeSet:
    """The same change set with all that follows from it. What is born is judged by its pillars as they will be."""
    if not change.changes and (born is None or born.card.revision == 1):
        return change
    found = follow(snapshot, change.changes, policy, born=born, opened=change.conflicts)
    settled = {conflict.id for conflict in found.conflicts}
    kept = tuple(conflict for conflict in change.conflicts if conflict.id not in settled)
    judged = {one.rid: one.footing for one in found.changes}
    births = tuple(
        msgspec.structs.replace(birth, footing=judged[birth.rid]) if birth.rid in judged else birth
        for birth in change.births
    )
    new = {birth.rid for birth in births}
    changes = tuple(one for one in found.changes if one.rid not in new)
    return msgspec.structs.replace(change, births=births, changes=changes, conflicts=(*kept, *found.conflicts))


def follow(
    snapshot: Snapshot,
    changes: tuple[StateChange, ...],
    policy: Policy,
    *,
    born: NewRevision | None = None,
    opened: tuple[ConflictChange, ...] = (),
) -> Cascade:
    """Decide what follows. What is deprecated on the way ends its own conflicts, which may free others; so it goes
    round until nothing more ends."""
    cards = snapshot.catalogue.cards([change.rid for change in changes])
    direct = {change.rid: change for change in changes}
    over = [conflict for conflict in opened if conflict.status is ConflictStatus.RESOLVED]
    contested = {side for one in opened if one.contests and one not in over for side in (one.a, one.b)}
    ended = {change.rid for change in changes if change.status not in CURRENT and cards[change.rid].status in CURRENT}
    while True:
        conflicts, freed = _settle(snapshot, ended, over)
        states = dict(direct)
        for card in freed:
            if card.rid not in direct and card.rid not in contested:
                states[card.rid] = become(card, Status.ACTIVE)
        falls = _fall(snapshot, states, support_terms(policy), born)
        more = {fall.card.rid for fall in falls if _ends(fall)} - ended
        if not more:
            break
        ended |= more
    followed = {fall.change.rid: fall.change for fall in falls}
    everything = tuple(change for _, change in sorted({**states, **followed}.items()))
    return Cascade(changes=everything, conflicts=conflicts, falls=falls)


def _ends(fall: CascadedChange) -> bool:
    return fall.change.status not in CURRENT and fall.card.status in CURRENT


def _settle(
    snapshot: Snapshot, ended: set[int], resolved: list[ConflictChange]
) -> tuple[tuple[ConflictChange, ...], list[Card]]:
    """The open conflicts of revisions that no longer speak are over, as are those just resolved; a rival whose last one
    has ended is free."""
    names = {one.id for one in resolved}
    rows = {row.id: row for rid in ended for row in open_conflicts(snapshot, rid) if row.id not in names}
    pairs = [(row.a, row.b) for row in rows.values()] + [(one.a, one.b) for one in resolved]
    others = {side for pair in pairs for side in pair} - ended
    cards = snapshot.catalogue.cards(others).values()
    freed = [card for card in cards if _free(snapshot, card, rows.keys() | names)]
    return tuple(conflict_change(row, ConflictStatus.RESOLVED) for _, row in sorted(rows.items())), freed


def _free(snapshot: Snapshot, card: Card, over: set[str]) -> bool:
    left = [row for row in open_conflicts(snapshot, card.rid) if row.contests and row.id not in over]
    return card.status == Status.CONTESTED and not left


def conflict_change(row: ConflictRow, status: ConflictStatus) -> ConflictChange:
    """A conflict that goes on in another state."""
    return ConflictChange(
        id=row.id,
        type=ConflictType(row.type),
        status=status,
        a=row.a,
        b=row.b,
        why=row.why,
        contests=row.contests,
        opened=row.opened,
        strategy=Strategy(row.strategy) if row.strategy is not None else None,
        winner=row.winner,
        ballots=row.ballots,
    )


def _fall(
    snapshot: Snapshot, states: dict[int, StateChange], terms: SupportTerms, born: NewRevision | None
) -> tuple[CascadedChange, ...]:
    """Judge again everything that stands on what changed, each record after all it stands on."""
    present = _Present(snapshot, states, born)
    above = _below(snapshot, present)
    falls: list[CascadedChange] = []
    for name in _in_order(above):
        card = present.cards[name]
        change = _judged(present, card, terms)
        if change is None:
            continue
        present.put(moved(card, _standing(change)))
        falls.append(CascadedChange(card=present.before[card.rid], change=change))
    return tuple(falls)


def _bearing(card: Card) -> tuple[str, str, float, str | None]:
    """What of a record matters to those that stand on it."""
    return card.status, card.support, card.effective, card.successor


class _Present:
    """The records as they will be: the store's cards with what is already decided laid over them."""

    def __init__(self, snapshot: Snapshot, states: dict[int, StateChange], born: NewRevision | None) -> None:
        self._snapshot = snapshot
        self.born = born
        self.before = snapshot.catalogue.cards(states)
        self.cards: dict[str, Card] = {}
        self.pillars: dict[int, set[str]] = {}
        followed = born.card.id if born is not None else None
        self.changed = {followed} if followed is not None else set()
        for rid, card in self.before.items():
            after = moved(card, _standing(states[rid]))
            if _bearing(after) != _bearing(card):
                self.changed.add(card.id)
            if card.id != followed:
                self.put(after)
        if born is not None:
            self.put(born.card)
            self.before[born.card.rid] = born.card

    def standing_on(self, names: set[str]) -> list[tuple[str, str, int]]:
        """What stands directly on these records, what is being born included: its name, on which, and its number."""
        rows = dependents(self._snapshot, sorted(names))
        cards = self._snapshot.catalogue.cards({row.rid for row in rows})
        found = [(cards[row.rid].id, row.target, row.rid) for row in rows]
        if self.born is not None:
            card = self.born.card
            found += ((card.id, name, card.rid) for name in self.born.pillars & names)
        return sorted(found, key=lambda link: (link[1], link[2]))

    def put(self, card: Card) -> None:
        """A record is what speaks for it: when an earlier revision speaks again, a later one does not hide it."""
        known = self.cards.get(card.id)
        if known is None or known.rid == card.rid or known.status not in CURRENT or card.status in CURRENT:
            self.cards[card.id] = card

    def meet(self, names: set[str]) -> None:
        """Look up records that are not known yet."""
        for name, card in self._snapshot.catalogue.latest(names - self.cards.keys()).items():
            self.cards[name] = card
            self.before[card.rid] = card


def _below(snapshot: Snapshot, present: _Present) -> dict[str, set[str]]:
    """Every record that stands on what changed, and on which of those it does."""
    above: dict[str, set[str]] = {}
    frontier = set(present.changed)
    while frontier:
        following: set[str] = set()
        for name, target, rid in present.standing_on(frontier):
            known = present.cards.get(name)
            if known is not None and known.rid != rid and name in present.changed:
                continue  # the link belongs to a revision that is being replaced
            if name not in above:
                following.add(name)
            above.setdefault(name, set()).add(target)
        present.meet(following)
        frontier = following
    _meet_pillars(snapshot, present, above)
    return above


def _meet_pillars(snapshot: Snapshot, present: _Present, above: dict[str, set[str]]) -> None:
    rids = [present.cards[name].rid for name in above]
    present.pillars = supporters(snapshot, rids)
    if present.born is not None:
        present.pillars[present.born.card.rid] = set(present.born.pillars)
    present.meet({name for names in present.pillars.values() for name in names})


def _in_order(above: dict[str, set[str]]) -> list[str]:
    """Each record after everything in reach that it stands on."""
    waiting = {name: {one for one in names if one in above} for name, names in above.items()}
    carries: dict[str, list[str]] = {}
    for name, names in waiting.items():
        for one in names:
            carries.setdefault(one, []).append(name)
    ready = sorted(name for name, names in waiting.items() if not names)
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for above_it in carries.get(name, ()):
            waiting[above_it].discard(name)
            if not waiting[above_it]:
                ready.append(above_it)
    assert len(order) == len(above), "what stands on what has no cycle"
    return order


def _judged(present: _Present, card: Card, terms: SupportTerms) -> StateChange | None:
    """The record's standing given its pillars as they will be; None if nothing changes."""
    found = [pillar_of(present.cards.get(name), card.rid, card.id) for name in sorted(present.pillars[card.rid])]
    verdict = support_of(card.own, found, terms)
    # What is born on fallen ground is kept back, not ended: only what falls is deprecated.
    falls = verdict.support is Support.DEPRECATED and card.support not in (Support.FALLEN, Support.DEPRECATED)
    born = present.born is not None and card.rid == present.born.card.rid
    status = Status.DEPRECATED if falls and not born and card.status in CURRENT else Status(card.status)
    if (verdict.effective, verdict.support, status) == (card.effective, card.support, card.status):
        return None
    footing = msgspec.structs.replace(standing_of(card).footing, effective=verdict.effective, support=verdict.support)
    return become(card, status, footing=footing)


def pillar_of(card: Card | None, rid: int, record: str) -> Supporter | None:
    """A card as a pillar of the revision `rid` of `record`."""
    if card is None:
        return None
    return Supporter(
        status=Status(card.status),
        support=Support(card.support),
        effective=card.effective,
        moved=card.rid > rid,
        followed=card.successor == record,
    )


def _standing(change: StateChange) -> RecordState:
    return RecordState(
        status=change.status,
        since=_NO_SEQ,
        successor=change.successor,
        footing=change.footing,
        vigour=change.vigour,
    )
