"""How much there is of what the caller may see, counted where the records are."""

from __future__ import annotations

from itertools import islice

from muniment.engine.cached_counts import Tallies
from muniment.engine.metrics import LOOK_MAX, Condition
from muniment.engine.views import conflict_view
from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.filter import EVERYTHING, Both, Either, Filter, OneOf, matches
from muniment.model.query import DEFAULT_PURPOSE
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, PRIVATE, Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus
from muniment.policy.decide import decide_review
from muniment.policy.narrow import narrow
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot

_KEPT_BACK = PRIVATE | {Status.HELD}
"""States in which a record is for its author, and for some others of whom a card says nothing."""


class Stats(Value):
    """Counts of what the caller may see. Everything from `held` on is None for those who may not audit. At most
    `LOOK_MAX` conflicts and waiting proposals are counted: where a count has that value there may be more.

    `oldest_read_s` is the age of the oldest read transaction that this process has open, None when none is open.
    `wal_bytes` is the size of SQLite's write-ahead log. `receipts_bytes` is how much of `bytes` receipts take.
    `vectors_trailing` is how many ledger entries have no vectors yet, `vectors_per_s` how many vectors this process
    made per second in the last minute, and `background_restarts` how often its background embedding died and was
    started again.
    """

    tenant: str
    revisions: dict[str, int]
    current: int
    open_conflicts: int
    held: int | None
    entries: int | None
    receipts: int | None
    bytes: int | None
    oldest_read_s: float | None = None
    wal_bytes: int | None = None
    receipts_bytes: int | None = None
    vectors_trailing: int | None = None
    vectors_per_s: float | None = None
    background_restarts: int | None = None


def stats_of(snapshot: Snapshot, actor: Actor, policy: Policy, *, sums: Tallies, condition: Condition) -> Stats:
    auditor = decide_review(policy, actor, Action.AUDIT, None, None) is not None
    visible, _ = narrow(policy, actor, DEFAULT_PURPOSE)
    revisions = sums.count(snapshot, EVERYTHING if auditor else _shown(visible, actor))
    head = snapshot.ledger.head()
    return Stats(
        tenant=head.tenant if head is not None else "",
        revisions=dict(sorted(revisions.items())),
        current=sum(number for status, number in revisions.items() if status in CURRENT),
        open_conflicts=_open_conflicts(snapshot, actor, policy, visible),
        held=len(snapshot.desk.held(after=None, limit=LOOK_MAX)) if auditor else None,
        entries=head.seq if auditor and head is not None else None,
        receipts=snapshot.receipts.head()[0] if auditor else None,
        bytes=condition.store.total_bytes if auditor else None,
        oldest_read_s=condition.store.oldest_read_s if auditor else None,
        wal_bytes=condition.store.wal_bytes if auditor else None,
        receipts_bytes=condition.store.receipts_bytes if auditor else None,
        vectors_trailing=condition.trailing if auditor else None,
        vectors_per_s=condition.work.per_s if auditor else None,
        background_restarts=condition.work.restarts if auditor else None,
    )


def _shown(visible: Filter, actor: Actor) -> Filter:
    """What the caller may see, and may count."""
    plain = tuple(status.value for status in Status if status not in _KEPT_BACK)
    open_ = Either(parts=(OneOf(field="status", words=plain), OneOf(field="actor", words=(actor.id,))))
    return Both(parts=(visible, open_))


def _open_conflicts(snapshot: Snapshot, actor: Actor, policy: Policy, visible: Filter) -> int:
    """How many disagreements are open whose both sides the caller may see. Cards tell; the records themselves are
    asked only where a state is not for everybody's eyes."""
    open_ = (row for row in snapshot.desk.conflicts() if row.status != ConflictStatus.RESOLVED)
    rows = list(islice(open_, LOOK_MAX))
    cards = snapshot.catalogue.cards({rid for row in rows for rid in (row.a, row.b)})

    def seen(row: ConflictRow) -> bool:
        sides = [cards[rid] for rid in (row.a, row.b) if rid in cards]
        if len(sides) < 2 or not all(matches(visible, card) for card in sides):
            return False
        if all(_plain(card, actor) for card in sides):
            return True
        return conflict_view(snapshot, actor, policy, row) is not None

    return sum(map(seen, rows))


def _plain(card: Card, actor: Actor) -> bool:
    return card.status not in _KEPT_BACK or card.actor == actor.id
