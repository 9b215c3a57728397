"""Search by meaning in the vector index beside a tenant's file, under the same filter as the file itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from muniment.backends.sealing import TenantKey
from muniment.backends.sqlite.catalogue import SqliteCatalogue
from muniment.backends.sqlite.tables import SqliteLedger
from muniment.model.card import Card, moved
from muniment.model.errors import StoreUnavailable
from muniment.model.filter import Both, Filter, matches
from muniment.model.receipt import Plan
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow
from muniment.ports.store import Snapshot

if TYPE_CHECKING:
    from muniment.backends.vectors.index import VectorIndex

SAVE_AFTER = 2_000
"""When the index has moved on by so many entries, what it knows of the cards is saved for the next opening."""
_DEEPER = 4
_NEVER = 2**62


class SqliteVectors:
    """The vectors beside a tenant's file. Those of another ledger, as after a backup was put back, count as none.

    The index is loaded when it is first needed: who writes without a model has nothing to do with it.
    """

    def __init__(
        self, folder: Path, read: Callable[[], AbstractContextManager[Snapshot]], key: TenantKey | None = None
    ) -> None:
        self._folder = folder
        self._key = key
        self._read = read
        self._loading = threading.Lock()
        self._index: VectorIndex | None = None
        self._belongs = (-1, False)
        self._saved = 0

    @property
    def index(self) -> VectorIndex:
        if self._index is None:
            from muniment.backends.vectors.index import VectorIndex  # brings in numpy

            with self._loading:
                if self._index is None:
                    index = VectorIndex(self._folder, key=self._key)
                    index.load(self._hash_at)
                    self._saved = index.position
                    self._index = index
        return self._index

    def _hash_at(self, seq: int) -> bytes | None:
        with self._read() as snapshot:
            entry = snapshot.ledger.entry(seq)
        return None if entry is None else entry.hash

    def reach(self) -> VectorCoverage:
        if self._index is None and not self._folder.exists():
            return VectorCoverage()
        try:
            found = self.index.reach()
        except StoreUnavailable:  # whoever makes vectors is told; who searches goes on by words
            return VectorCoverage()
        if self._belongs[0] != found.upto:
            self._belongs = (found.upto, self.index.agrees(self._hash_at))
        return found if self._belongs[1] else VectorCoverage()

    def claim(self) -> bool:
        return self.index.try_lock()

    def release(self) -> None:
        if self._index is not None:
            self._index.release()

    def begin(self, model: str, dimensions: int) -> None:
        self.index.begin(model, dimensions)
        self._belongs = (-1, False)

    def add(self, rows: Sequence[VectorRow], *, upto: int) -> None:
        found = self._hash_at(upto)
        assert found is not None, "vectors are made for entries that are there"
        self.index.add(rows, upto=upto, hash=found)
        self._belongs = (upto, True)

    def forget(self, rids: Iterable[int]) -> None:
        self.index.forget(list(rids))

    def scrub(self, gone: Sequence[int]) -> None:
        """Overwrite what is left of these revisions, and what was saved of their cards."""
        if self._index is None and not self._folder.exists():
            return
        self.index.forget(gone)
        self.index.unsave()
        self._saved = _NEVER

    def rows(self, upto: int) -> Iterator[VectorRow]:
        with self._read() as snapshot:
            head = snapshot.ledger.head()
            self.index.sync(head.seq if head is not None else 0, snapshot.catalogue.since)
        return self.index.rows(upto)

    def close(self) -> None:
        """Let go, after saving what took long to gather."""
        if self._index is None:
            return
        moved_on = self._index.position - self._saved > SAVE_AFTER
        found = self._hash_at(self._index.position) if moved_on else None
        if found is not None:
            self._index.save(found)
        self._index.close()


class SqliteVectorSearch:
    """What a snapshot can ask of the vectors. Inside a transaction there are none: what is not committed yet has no
    place among them."""

    def __init__(self, vectors: SqliteVectors | None, catalogue: SqliteCatalogue, ledger: SqliteLedger) -> None:
        self._vectors = vectors
        self._catalogue = catalogue
        self._ledger = ledger

    def reach(self) -> VectorCoverage:
        return VectorCoverage() if self._vectors is None else self._vectors.reach()

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[NearbyText, ...]:
        head = self._ledger.head()
        if self._vectors is None or head is None:
            return ()
        index = self._vectors.index
        if not index.fits(vector):
            return ()
        index.sync(head.seq, self._catalogue.since)
        condition = Both(parts=(plan.visible, *(rule for _, rule in plan.wanted)))
        if plan.at_head:
            near = index.search_at(head.seq, condition, vector, upto=plan.reach.upto, keep=keep)
            if near is not None:
                return tuple(near)
        return self._as_of(index, plan, condition, vector, keep)

    def _as_of(
        self, index: VectorIndex, plan: Plan, condition: Filter, vector: bytes, keep: int
    ) -> tuple[NearbyText, ...]:
        """The index knows the present only. For another moment it is asked without regard to what moves, deeper and
        deeper, and each revision is then judged by what it counted for at that moment."""
        depth = _DEEPER * keep
        while True:
            near = index.search(condition, vector, as_of=plan.as_of, upto=plan.reach.upto, keep=depth, loosely=True)
            cards = self._catalogue.cards([one.rid for one in near])
            passing = [one for one in near if one.rid in cards and self._passed(cards[one.rid], condition, plan.as_of)]
            if len(passing) >= keep or len(near) < depth:
                return tuple(passing[:keep])
            depth *= _DEEPER

    def _passed(self, card: Card, condition: Filter, as_of: int) -> bool:
        if card.since <= as_of:
            return matches(condition, card)
        standing = self._catalogue.standing_at(card.rid, as_of)
        return standing is not None and matches(condition, moved(card, standing))

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, NearbyText]:
        if self._vectors is None or not self._vectors.index.fits(vector):
            return {}
        return self._vectors.index.measure(list(rids), vector)

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        return ((0.0,) * len(rids),) * len(rids) if self._vectors is None else self._vectors.index.alike(rids)
