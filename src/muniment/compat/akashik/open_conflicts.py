"""Which conflicts are open, known without reading all there ever were: what the ledger says since it was last asked."""

from __future__ import annotations

import threading
from itertools import islice

from muniment.compat.akashik.gated_view import GatedView, VisibleConflict
from muniment.model.entry import Entry
from muniment.model.rows import ConflictRow
from muniment.model.value import read_canonical
from muniment.model.vocabulary import ConflictStatus
from muniment.ports.store import Snapshot

AFAR = 500
"""After so many entries the conflicts themselves are read instead."""
LOOKED_AT, TOLD = 200, 20
"""So many of the open conflicts are looked at for one answer, and so many told beside those of its units."""


class OpenConflicts:
    """The ids of conflicts that are not over, in the order they came up. Shared by all threads of a Field."""

    def __init__(self) -> None:
        self._at: int | None = None
        self._ids: dict[str, None] = {}
        self._lock = threading.Lock()

    def newest(self, snapshot: Snapshot) -> list[ConflictRow]:
        """Those that are open in a moment of the store, the newest first."""
        with self._lock:
            self._catch_up(snapshot)
            names = list(islice(reversed(self._ids), LOOKED_AT))
        rows = (snapshot.desk.conflict(name) for name in names)
        return [row for row in rows if row is not None and row.status != ConflictStatus.RESOLVED]

    def _catch_up(self, snapshot: Snapshot) -> None:
        found = snapshot.ledger.head()
        head = found.seq if found is not None else 0
        if self._at is None or head - self._at > AFAR:
            rows = snapshot.desk.conflicts()
            self._ids = {row.id: None for row in rows if row.status != ConflictStatus.RESOLVED}
        elif head > self._at:
            for stored in snapshot.ledger.entries(self._at + 1, head):
                for change in read_canonical(stored.body, Entry).conflicts:
                    if change.status is ConflictStatus.RESOLVED:
                        self._ids.pop(change.id, None)
                    else:
                        self._ids.setdefault(change.id)
        self._at = head if self._at is None else max(self._at, head)


def relevant(look: GatedView, known: OpenConflicts, told: list[VisibleConflict]) -> list[VisibleConflict]:
    """The open conflicts an agent should know of: those of what it is told, those of its own units, and the newest of
    the others that it may see."""
    names = {one.id for one in told}
    rows = [row for row in known.newest(look.snapshot) if row.id not in names]
    cards = look.snapshot.catalogue.cards({rid for row in rows for rid in (row.a, row.b)})
    seen = {card.rid: card.actor for card in look.cards(cards.values())}
    visible = [row for row in rows if row.a in seen and row.b in seen]
    visible.sort(key=lambda row: look.seat.actor.id not in (seen[row.a], seen[row.b]))
    return [*told, *look.quarrels(visible[:TOLD])]
