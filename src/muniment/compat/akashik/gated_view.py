"""Looking into a memory for a Field: units, conflicts and counts, each as far as one agent may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from muniment.compat.akashik.visibility import Visibility
from muniment.contracts.akashik.decode import NAMESPACE
from muniment.engine.memory import Memory
from muniment.engine.session import window
from muniment.model.card import Card
from muniment.model.curation import CurationReport
from muniment.model.entry import DocumentRole, Entry
from muniment.model.errors import NotFound
from muniment.model.filter import Filter, matches
from muniment.model.query import DEFAULT_PURPOSE, Disclosure
from muniment.model.rows import ConflictRow
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import ConflictStatus, ConflictType, Strategy
from muniment.policy.narrow import narrow
from muniment.ports.store import Snapshot


class VisibleConflict(Value):
    """A conflict with both its sides, as they may be told."""

    id: str
    type: ConflictType
    status: ConflictStatus
    why: str
    a: Disclosure
    b: Disclosure
    strategy: Strategy | None = None
    winner: str | None = None
    rationale: str | None = None
    resolved_by: str | None = None
    epoch_resolved: int | None = None


class GatedView:
    """One moment of the store, seen by one agent: by its seat before the policy, and by its sight before the Field."""

    def __init__(self, snapshot: Snapshot, seat: Memory, sight: Visibility) -> None:
        self.snapshot = snapshot
        self.seat = seat
        self.sight = sight

    def visible(self) -> Filter:
        return narrow(self.seat.insight.policy, self.seat.actor, DEFAULT_PURPOSE)[0]

    def cards(self, cards: Iterable[Card]) -> Iterator[Card]:
        """Those that may be seen."""
        visible = self.visible()
        return (card for card in cards if matches(visible, card) and self.sight.card(card))

    def card(self, unit: str) -> Card | None:
        """The latest revision of a unit, in whatever state, if it may be seen."""
        return next(self.cards(self.snapshot.catalogue.revisions(unit)[-1:]), None)

    def unit(self, name: str) -> Disclosure | None:
        """A unit as it stands, if it is there and may be seen."""
        try:
            found = self.seat.get(name)
        except NotFound:
            return None
        return found if self.sight.unit(found) else None

    def count(self, *, author: str | None = None) -> int:
        """How many units speak for now, of those that may be seen."""
        return sum(
            tally.records
            for tally in self.snapshot.catalogue.survey(self.visible())
            if self.sight.tally(tally) and (author is None or tally.actor == author)
        )

    def quarrel(self, row: ConflictRow | None) -> VisibleConflict | None:
        """A conflict, if both its sides may be seen."""
        if row is None:
            return None
        cards = self.snapshot.catalogue.cards([row.a, row.b])
        if len(cards) < 2:
            return None
        a, b = (self.unit(cards[rid].id) for rid in (row.a, row.b))
        if a is None or b is None:
            return None
        over = row.status == ConflictStatus.RESOLVED
        entry, reason = self._taken_up(row) if row.strategy is not None else (None, None)
        return VisibleConflict(
            id=row.id,
            type=ConflictType(row.type),
            status=ConflictStatus(row.status),
            why=row.why,
            a=a,
            b=b,
            strategy=Strategy(row.strategy) if row.strategy is not None else None,
            winner=row.winner if row.winner is not None and self.unit(row.winner) is not None else None,
            rationale=reason,
            resolved_by=entry.actor if entry is not None and over else None,
            epoch_resolved=row.changed if over else None,
        )

    def open_rows(self) -> list[ConflictRow]:
        """The conflicts that are not over and of which both sides may be seen."""
        rows = [row for row in self.snapshot.desk.conflicts() if row.status != ConflictStatus.RESOLVED]
        cards = self.snapshot.catalogue.cards({rid for row in rows for rid in (row.a, row.b)})
        seen = {card.rid for card in self.cards(cards.values())}
        return [row for row in rows if row.a in seen and row.b in seen]

    def quarrels(self, rows: Iterable[ConflictRow]) -> list[VisibleConflict]:
        return [found for found in map(self.quarrel, rows) if found is not None]

    def _taken_up(self, row: ConflictRow) -> tuple[Entry, str]:
        """The entry in which a conflict was last taken up, and why."""
        stored = self.snapshot.ledger.entry(row.changed)
        assert stored is not None, "the row was made of it"
        entry = read_canonical(stored.body, Entry)
        report = next((ref.doc for ref in entry.documents if ref.role is DocumentRole.REPORT), None)
        document = self.snapshot.documents.get(report) if report is not None else None
        return entry, read_canonical(document.body, CurationReport).reason if document is not None else ""

    def open_of(self, units: Iterable[Disclosure]) -> list[VisibleConflict]:
        """The conflicts that are not over between units of which one is among these."""
        rows: dict[str, ConflictRow] = {}
        for one in units:
            card = self.snapshot.catalogue.current(one.record.id)
            for row in self.snapshot.desk.conflicts_of(card.rid) if card is not None else ():
                if row.status != ConflictStatus.RESOLVED:
                    rows[row.id] = row
        return self.quarrels(rows.values())

    def about(self, name: str, *, keep: int) -> tuple[Card, ...]:
        """The latest revisions that name a task or a session as theirs, oldest first, in any state."""
        head = self.snapshot.ledger.head()
        rows = self.snapshot.names.latest(name, upto=head.last_doc if head is not None else 0, keep=keep)
        cards = self.snapshot.catalogue.cards(row.rid for row in rows)
        own = (cards[rid] for rid in sorted(cards) if cards[rid].namespace == NAMESPACE)
        return tuple(self.cards(own))


@contextmanager
def gated_view(seat: Memory, sight: Visibility) -> Iterator[GatedView]:
    with window(seat) as snapshot:
        yield GatedView(snapshot, seat, sight)
