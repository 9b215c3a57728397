"""How much there is of what the caller may see, counted where the records are."""

from __future__ import annotations

from itertools import islice

from muniment.engine.figures import LOOK_MAX
from muniment.engine.look import conflict_view
from muniment.engine.tallies import Tallies
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
    """Counts of what the caller may see; `held`, `entries`, `receipts` and `bytes` only for those who may audit. Of
    conflicts and of waiting proposals so many thousand are looked at: beyond that there are at least as many."""

    tenant: str
    revisions: dict[str, int]
    current: int
    open_conflicts: int
    held: int | None
    entries: int | None
    receipts: int | None
    bytes: int | None


def stats_of(snapshot: Snapshot, actor: Actor, policy: Policy, *, sums: Tallies, size: int) -> Stats:
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
        bytes=size if auditor else None,
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
