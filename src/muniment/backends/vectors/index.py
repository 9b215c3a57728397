"""The vector index of one tenant: its cards as columns, its vectors in blocks, and the questions put to both.

The filter becomes a row mask before anything is scored, so what a caller may not see is never compared. Safe for
threads: searches run beside one another and beside whoever adds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from muniment.backends.sealing import TenantKey
from muniment.backends.vectors import columns_file
from muniment.backends.vectors.arrays import Bools, Codes, Floats, Growing, Longs
from muniment.backends.vectors.blocks import EXACT_MAX, ROW, Blocks, IndexView, passages
from muniment.backends.vectors.columns import CardColumns, Changed
from muniment.backends.vectors.masks import Masks, loosened
from muniment.backends.vectors.scan import best, cosines, likely, nearest
from muniment.model.errors import Malformed
from muniment.model.filter import EVERYTHING, Filter
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow

RESCORED, RESCORED_SHARE = 2_000, 250
"""How many rows whose signs are near are compared exactly: so many, or one in so many of those allowed, if that is
more. On sentence vectors this finds 0.999 of the true ten nearest among a million, and 0.993 of the hundred nearest."""

HashAt = Callable[[int], bytes | None]
"""The hash of the ledger entry at a position; None when there is none."""

_NO_PLACES: Codes = np.empty(0, np.int32)
_ROW_MASKS = 16


class VectorIndex:
    """What stands beside a tenant's store, in a folder of its own; without one it is in memory only."""

    def __init__(
        self,
        folder: Path | None,
        *,
        exact_max: int = EXACT_MAX,
        rescored: int = RESCORED,
        key: TenantKey | None = None,
    ) -> None:
        self._folder = folder
        self._key = key
        self._exact_max = exact_max
        self._rescored = rescored
        self._lock = threading.RLock()
        self._blocks = Blocks(folder, planes_from=exact_max, key=key)
        self._columns = CardColumns()
        self._masks = Masks(self._columns)
        self._placed: tuple[int, Growing[np.int32]] = (0, Growing(_NO_PLACES))
        self._strays = False
        self._allowed: OrderedDict[int, tuple[Bools, IndexView, Bools]] = OrderedDict()

    @property
    def position(self) -> int:
        """The ledger position the columns reflect."""
        return self._columns.position

    @property
    def count(self) -> int:
        """How many vectors there are, those that were forgotten included."""
        head = self._blocks.head
        return 0 if head is None else head.count

    def reach(self) -> VectorCoverage:
        head = self._blocks.head
        return VectorCoverage() if head is None else VectorCoverage(model=head.model, upto=head.upto)

    def load(self, hash_at: HashAt) -> bool:
        """Take over the columns that were saved, if the ledger still has the entry they were saved at."""
        found = None if self._folder is None else columns_file.load(self._folder / "columns", self._key)
        if found is None or hash_at(found[0].position) != found[1]:
            return False
        with self._lock:
            if found[0].position > self.position:
                self._columns = found[0]
                self._masks = Masks(self._columns)
                self._placed = (0, Growing(_NO_PLACES))
        return True

    def save(self, hash: bytes) -> None:
        """Write the columns to the folder. `hash` is that of the ledger entry at their position."""
        if self._folder is not None:
            with self._lock:
                columns_file.save(self._columns, self._folder / "columns", hash, self._key)

    def unsave(self) -> None:
        """Take away the columns that were saved: they tell of cards that are gone."""
        if self._folder is not None:
            (self._folder / "columns").unlink(missing_ok=True)

    def sync(self, head: int, changed: Changed) -> None:
        """Take over every card that was born or changed after `position`. Never goes back."""
        with self._lock:
            self._columns.sync(head, changed)

    def agrees(self, hash_at: HashAt) -> bool:
        """Whether the vectors reflect this ledger. If not, they are to be begun anew."""
        return self._blocks.agrees(hash_at)

    def try_lock(self) -> bool:
        """Become the one that adds vectors. False: somebody else embeds, here or in another process."""
        return self._blocks.try_lock()

    def release(self) -> None:
        """Let somebody else be the one that adds. `try_lock` takes it up again."""
        self._blocks.release()

    def begin(self, model: str, dimensions: int) -> None:
        """Drop all vectors and start anew, for this model."""
        self._blocks.begin(model, dimensions)

    def add(self, rows: Sequence[VectorRow], *, upto: int, hash: bytes) -> None:
        """Add the passages of revisions, by rising `rid`, and say up to which position every revision has its own."""
        head = self._blocks.head
        assert head is not None, "vectors are added to an index that was begun"
        vectors = np.stack([_read(row.vector, head.dimensions) for row in rows]) if rows else np.empty(0, np.float32)
        shape = np.array([(row.rid, row.start, row.end) for row in rows], ROW)
        self._blocks.add(shape, vectors.astype(np.float16), upto=upto, hash=hash)

    def rows(self, upto: int) -> Iterator[VectorRow]:
        """Every vector of revisions born by a position, by rising `rid`, as they are kept: in 16 bits a number."""
        sight = self._blocks.look()
        if sight is None:
            return
        allowed = self._allowed_rows(sight, EVERYTHING, upto)
        assert allowed is not None, "no position was asked for"
        for place in np.flatnonzero(allowed).tolist():
            start, end = sight.spans[place].tolist()
            vector = sight.halves[place].astype("<f4").tobytes()
            yield VectorRow(rid=int(sight.rids[place]), start=start, end=end, vector=vector)

    def forget(self, rids: Sequence[int]) -> int:
        """Overwrite the vectors of these revisions, down to the bytes, and say how many there were."""
        return self._blocks.forget(rids)

    def search(
        self, condition: Filter, vector: bytes, *, as_of: int, upto: int, keep: int, loosely: bool = False
    ) -> list[NearbyText]:
        """The revisions nearest to a vector among those that pass and were born by then, the nearest first.

        `loosely` leaves out what the filter asks of a revision's standing, for a question about the past: the caller
        then looks at the standing of that time.
        """
        found = self._searched(loosened(condition) if loosely else condition, vector, min(as_of, upto), keep)
        assert found is not None, "no position was asked for"
        return found

    def search_at(
        self, position: int, condition: Filter, vector: bytes, *, upto: int, keep: int
    ) -> list[NearbyText] | None:
        """The same for the cards as they are at a position; None when the columns are at another by now."""
        return self._searched(condition, vector, min(position, upto), keep, at=position)

    def fits(self, vector: bytes) -> bool:
        """Whether a vector is as wide as those held. One that is not is of a model that took the name of another."""
        head = self._blocks.head
        return head is None or len(vector) == 4 * head.dimensions

    def measure(self, rids: Sequence[int], vector: bytes) -> dict[int, NearbyText]:
        """How near these revisions are to a vector. Those without a vector are left out."""
        sight = self._blocks.look()
        if sight is None or not rids:
            return {}
        asked = _read(vector, sight.head.dimensions)
        _, places = passages(sight, _sorted(rids))
        near = best(sight, places, cosines(sight.halves, asked, places), len(places))
        return {one.rid: one for one in near}

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """The cosine of each revision's first passage with that of each other; 0 where one has no vector."""
        sight = self._blocks.look()
        vectors = np.zeros((len(rids), 1 if sight is None else sight.head.dimensions), np.float32)
        if sight is not None and rids:
            owners, places = passages(sight, np.array(rids, np.int64))
            having, first = np.unique(owners, return_index=True)
            vectors[having] = sight.halves[places[first]].astype(np.float32)
        found = np.clip(np.vecdot(vectors[:, np.newaxis], vectors[np.newaxis]), -1.0, 1.0)
        return tuple(map(tuple, found.tolist()))

    def close(self) -> None:
        """Let go of files and lock. What was added is on disk; columns are only when they were saved."""
        self._blocks.close()

    def _searched(
        self, condition: Filter, vector: bytes, by: int, keep: int, *, at: int | None = None
    ) -> list[NearbyText] | None:
        sight = self._blocks.look()
        if sight is None or not sight.head.count:
            return []
        asked = _read(vector, sight.head.dimensions)
        allowed = self._allowed_rows(sight, condition, by, at=at)
        if allowed is None:
            return None
        count = int(np.count_nonzero(allowed))
        if sight.planes is None or sight.head.planes < len(allowed) or count <= self._exact_max:
            return nearest(sight, self._blocks.floats(sight), np.flatnonzero(allowed), asked, keep)
        places = likely(sight.planes, allowed, asked, max(self._rescored, 4 * keep, count // RESCORED_SHARE))
        return best(sight, places, cosines(sight.halves, asked, places), keep)

    def _allowed_rows(self, sight: IndexView, condition: Filter, by: int, *, at: int | None = None) -> Bools | None:
        """Which rows may be compared: those of revisions that pass, were born by then and were not forgotten. None when
        the columns are not at the position asked for."""
        with self._lock:
            if at is not None and at != self._columns.position:
                return None
            mask, born = self._masks.of(condition), self._columns.born_by(by)
            placed, rids = self._place(sight), self._columns.longs("rid")
        rows = int(np.searchsorted(placed, np.int32(born)))
        kept = self._allowed.get(id(mask))
        if kept is not None and kept[0] is mask and kept[1] is sight:
            return kept[2][:rows]
        allowed = mask[placed]
        if self._strays:
            allowed &= rids[placed] == sight.rids[: len(placed)]
        if sight.head.forgotten:
            allowed &= sight.spans[: len(placed), 1] >= 0
        if not mask.flags.writeable:
            with self._lock:
                self._allowed[id(mask)] = (mask, sight, allowed)
                while len(self._allowed) > _ROW_MASKS:
                    self._allowed.popitem(last=False)
        return allowed[:rows]

    def _place(self, sight: IndexView) -> Codes:
        """Where in the columns the revision of each row stands, or would stand, as far as the columns reach."""
        columns = self._columns
        if self._placed[0] != sight.head.epoch:
            self._placed = (sight.head.epoch, Growing(_NO_PLACES))
        placed = self._placed[1]
        last = int(columns.longs("rid")[-1]) if columns.count else 0
        known = int(np.searchsorted(sight.rids, last, side="right"))
        if placed.count < known:
            rids = sight.rids[placed.count : known]
            places = np.searchsorted(columns.longs("rid"), rids)
            self._strays = self._strays or bool(np.any(columns.longs("rid")[places] != rids))
            placed.extend(places.astype(np.int32))
        return placed.first(known)


def _read(vector: bytes, dimensions: int) -> Floats:
    found = np.frombuffer(vector, "<f4") if len(vector) % 4 == 0 else np.empty(0, np.float32)
    if len(found) != dimensions or not np.all(np.isfinite(found)):
        raise Malformed("vector", f"{dimensions} finite 32-bit floats")
    return found


def _sorted(rids: Sequence[int]) -> Longs:
    return np.array(sorted(set(rids)), np.int64)
