"""What time does to records: those whose time is over expire, use is counted, tiers move. Everything else stays.

Looked for without holding the writer, then decided again inside the transaction. At the same instant a second sweep
finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.model.card import Card, standing_of
from muniment.model.change import ChangeSet
from muniment.model.entry import Entry, EntryKind, StateChange
from muniment.model.record import UsageState
from muniment.model.status import CURRENT, Status
from muniment.model.times import HOUR, Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Tier
from muniment.ports.store import Snapshot, Unit
from muniment.trust.memory_tiers import settled_tier
from muniment.write.cascade import become, with_cascade
from muniment.write.commit import commit
from muniment.write.corroborate import with_lapses
from muniment.write.pipeline import Bench, next_place

ENTRY_CHANGES_MAX = 5_000
"""How many records one entry of a sweep tells of, so that no entry grows with the store."""


class UsageCount(Value):
    """How often a revision was told, and when last."""

    count: int
    last: Instant


def uses(snapshot: Snapshot) -> dict[int, UsageCount]:
    """What was told since the beginning, counted from the receipts."""
    found: dict[int, UsageCount] = {}
    for row in snapshot.receipts.all_told():
        if not row.count:
            continue  # it was listed, and never used
        known = found.get(row.rid)
        count, last = (known.count, known.last) if known is not None else (0, row.last)
        found[row.rid] = UsageCount(count=count + row.count, last=Instant(max(last, row.last)))
    return found


def updated_usage(snapshot: Snapshot, now: Instant) -> tuple[int, ...]:
    """The current revisions whose use or tier is no longer what their cards say."""
    told = uses(snapshot)
    return tuple(card.rid for card in snapshot.catalogue.all() if _vigour(card, told.get(card.rid), now) is not None)


def _vigour(card: Card, told: UsageCount | None, now: Instant) -> UsageState | None:
    """How present a revision is now; None if that is what its card says, or if it no longer speaks."""
    if card.status not in CURRENT:
        return None
    before = standing_of(card).vigour
    accesses, last = (told.count, told.last) if told is not None else (before.accesses, before.last_access)
    idle = now - (card.created_at if last is None else max(last, card.created_at))
    tier = settled_tier(
        Tier(card.tier),
        importance=card.importance,
        age_hours=max(0, now - card.created_at) / HOUR,
        idle_hours=max(0, idle) / HOUR,
        accesses=accesses,
        anchored=card.anchored,
    )
    after = UsageState(tier=tier, accesses=accesses, last_access=last)
    return None if after == before else after


def expire(unit: Unit, bench: Bench, actor: str, now: Instant) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """End what is past its time, with all that follows; return what expired and what fell with it."""
    cards = unit.catalogue.expired(now)
    if not cards:
        return (), ()
    changes = tuple(become(card, Status.EXPIRED) for card in cards)
    entry = _enter(unit, bench, actor, changes)
    ended = {card.rid for card in cards}
    others = unit.catalogue.cards([change.rid for change in entry.changes if change.rid not in ended])
    return tuple(card.id for card in cards), tuple(card.id for _, card in sorted(others.items()))


def refresh(unit: Unit, bench: Bench, actor: str, now: Instant, rids: Sequence[int]) -> int:
    """Write down use and tiers of these revisions, as far as they still differ; return how many did."""
    told = uses(unit)
    changes = []
    for _, card in sorted(unit.catalogue.cards(rids).items()):
        vigour = _vigour(card, told.get(card.rid), now)
        if vigour is not None:
            changes.append(msgspec.structs.replace(become(card), vigour=vigour))
    for first in range(0, len(changes), ENTRY_CHANGES_MAX):
        _enter(unit, bench, actor, tuple(changes[first : first + ENTRY_CHANGES_MAX]))
    return len(changes)


def _enter(unit: Unit, bench: Bench, actor: str, changes: tuple[StateChange, ...]) -> Entry:
    at, head = next_place(unit, bench)
    change = ChangeSet(
        kind=EntryKind.SWEPT,
        actor=actor,
        at=at,
        position=head.seq,
        decided_on=(),
        policy=bench.policy_doc,
        changes=changes,
    )
    whole = with_lapses(unit, with_cascade(unit, change, bench.policy))
    return commit(unit, whole, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
