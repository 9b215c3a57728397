"""Search by meaning in the vector index beside a tenant's file, under the same filter as the file itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from muniment.backends.sqlite.catalogue import SqliteCatalogue
from muniment.backends.sqlite.tables import SqliteLedger
from muniment.backends.vectors.index import VectorIndex
from muniment.model.card import moved
from muniment.model.filter import Both, Filter, matches
from muniment.model.receipt import Plan
from muniment.model.rows import Near, Reach, VectorRow

HashAt = Callable[[int], bytes | None]
SAVE_AFTER = 2_000
"""When the index has moved on by so many entries, what it knows of the cards is saved for the next opening."""
_DEEPER = 4


class SqliteVectors:
    """The vectors beside a tenant's file. Those of another ledger, as after a backup was put back, count as none."""

    def __init__(self, index: VectorIndex, hash_at: HashAt) -> None:
        self.index = index
        self._hash_at = hash_at
        self._belongs = (-1, False)
        self._saved = 0
        self._loading = threading.Lock()
        self._loaded = False

    def reach(self) -> Reach:
        found = self.index.reach()
        if self._belongs[0] != found.upto:
            self._belongs = (found.upto, self.index.agrees(self._hash_at))
        return found if self._belongs[1] else Reach()

    def claim(self) -> bool:
        return self.index.try_lock()

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

    def rows(self, upto: int) -> Iterator[VectorRow]:
        return self.index.rows(upto)

    def follow(self, head: int, catalogue: SqliteCatalogue) -> None:
        """Bring what the index knows of the cards to a position."""
        if not self._loaded:
            with self._loading:
                if not self._loaded and self.index.load(self._hash_at):
                    self._saved = self.index.position
                self._loaded = True
        self.index.sync(head, catalogue.since)

    def close(self) -> None:
        """Let go, after saving what took long to gather."""
        found = self._hash_at(self.index.position) if self.index.position - self._saved > SAVE_AFTER else None
        if found is not None:
            self.index.save(found)
        self.index.close()


class SqliteMeanings:
    """What a snapshot can ask of the vectors. Inside a transaction there are none: what is not committed yet has no
    place among them."""

    def __init__(self, vectors: SqliteVectors | None, catalogue: SqliteCatalogue, ledger: SqliteLedger) -> None:
        self._vectors = vectors
        self._catalogue = catalogue
        self._ledger = ledger

    def reach(self) -> Reach:
        return Reach() if self._vectors is None else self._vectors.reach()

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[Near, ...]:
        head = self._ledger.head()
        if self._vectors is None or head is None:
            return ()
        self._vectors.follow(head.seq, self._catalogue)
        index = self._vectors.index
        condition = Both(parts=(plan.visible, *(rule for _, rule in plan.wanted)))
        if plan.at_head and index.position == head.seq:
            return tuple(index.search(condition, vector, as_of=plan.as_of, upto=plan.reach.upto, keep=keep))
        return self._as_of(index, plan, condition, vector, keep)

    def _as_of(self, index: VectorIndex, plan: Plan, condition: Filter, vector: bytes, keep: int) -> tuple[Near, ...]:
        """The index knows the present only. For another moment it is asked without regard to what moves, deeper and
        deeper, and each revision is then judged by what it counted for at that moment."""
        depth = _DEEPER * keep
        while True:
            near = index.search(condition, vector, as_of=plan.as_of, upto=plan.reach.upto, keep=depth, loosely=True)
            passing = [one for one in near if self._passed(one.rid, condition, plan.as_of)]
            if len(passing) >= keep or len(near) < depth:
                return tuple(passing[:keep])
            depth *= _DEEPER

    def _passed(self, rid: int, condition: Filter, as_of: int) -> bool:
        card, standing = self._catalogue.card(rid), self._catalogue.standing_at(rid, as_of)
        return card is not None and standing is not None and matches(condition, moved(card, standing))

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, Near]:
        return {} if self._vectors is None else self._vectors.index.measure(list(rids), vector)

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        return ((0.0,) * len(rids),) * len(rids) if self._vectors is None else self._vectors.index.alike(rids)
