"""The vectors of one tenant on disk: rows, 16-bit vectors, and their signs as bit planes; one appender, many readers.

Rows are written and flushed first and the head after them, so a crash leaves the index as it was before. Vectors are
derived: whatever does not fit together reads as no index, and whoever embeds begins anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from muniment.backends.sealing import TenantKey
from muniment.backends.vectors.arrays import (
    SLAB,
    Floats,
    Growing,
    Halves,
    Longs,
    Ordinals,
    Signs,
    plane_count,
    signs,
    widen,
)
from muniment.backends.vectors.encrypted_file import EncryptedGrowingFile
from muniment.backends.vectors.growing_file import GrowingBytes, GrowingFile, GrowingMemory
from muniment.backends.vectors.index_head import IndexHead, IndexHeadFile, IndexHeadInMemory, head_file
from muniment.backends.vectors.lock import FileLock
from muniment.model.errors import StoreUnavailable

BLOCK = 65_536
"""Rows to a block of planes. Within a block each plane is one run of words, so that a scan reads from end to end."""

EXACT_MAX = 20_000
WARM_MIN, WARM_MAX = 2_000, 40_000
"""From how many rows to how many a wide copy of the vectors is held in memory."""

ROW = np.dtype([("rid", "<i8"), ("start", "<i4"), ("end", "<i4")])
_NO_RIDS: Longs = np.empty(0, np.int64)
_NO_SPANS: npt.NDArray[np.int32] = np.empty((0, 2), np.int32)
_FORGOTTEN = np.array([(0, -1, -1)], ROW)
SUFFIXES = (".rows", ".halves", ".planes")


@dataclass(frozen=True, slots=True)
class IndexView:
    """What one look at the index shows. It keeps showing it while rows are added."""

    head: IndexHead
    rids: Longs
    spans: npt.NDArray[np.int32]
    halves: Halves
    planes: Signs | None


def sheet_of(folder: Path | None, name: str, key: TenantKey | None) -> GrowingBytes:
    """A sheet by its name: in memory, in a file, or in an encrypted one."""
    if folder is None:
        return GrowingMemory()
    return GrowingFile(folder / name) if key is None else EncryptedGrowingFile(folder / name, key.sheet(name))


class _Sheets:
    """The files of one epoch."""

    def __init__(self, folder: Path | None, epoch: int, key: TenantKey | None) -> None:
        self.epoch = epoch
        self.rows, self.halves, self.planes = (sheet_of(folder, f"{epoch}{suffix}", key) for suffix in SUFFIXES)

    def all(self) -> tuple[GrowingBytes, ...]:
        return self.rows, self.halves, self.planes


class Blocks:
    """One tenant's vectors. Looking is safe from any thread; so are adding and forgetting, one after the other."""

    def __init__(self, folder: Path | None, *, planes_from: int = EXACT_MAX, key: TenantKey | None = None) -> None:
        self._folder = folder
        self._key = key
        self._planes_from = planes_from
        self._looking = threading.RLock()
        self._writing = threading.RLock()
        self._made = False
        self._head: IndexHeadFile | IndexHeadInMemory = (
            IndexHeadInMemory() if folder is None else head_file(folder, key)
        )
        self._appender = None if folder is None else FileLock(folder / "appender.lock")
        self._brief = None if folder is None else FileLock(folder / "head.lock")
        self._sheets = _Sheets(folder, 0, key)
        self._sight: IndexView | None = None
        self._seen: IndexHead | None = None
        self._known = (0, 0)
        self._rids, self._spans = Growing(_NO_RIDS), Growing(_NO_SPANS)
        self._warm = ((0, 0), Growing(np.empty((0, 0), np.float32)))

    @property
    def head(self) -> IndexHead | None:
        """What is published and whole."""
        sight = self.look()
        return None if sight is None else sight.head

    def look(self) -> IndexView | None:
        """The index as last published, by whichever process; None when there is none or it is damaged."""
        with self._looking, _told(self._folder):
            head = self._head.read()
            if head is not self._seen or head is None:
                self._sight = None if head is None else self._looked(head)
                self._seen = head
            return self._sight

    def floats(self, sight: IndexView) -> Floats | None:
        """The vectors of a sight in full width, where it pays to hold them in memory."""
        head = sight.head
        if not WARM_MIN <= head.count <= WARM_MAX:
            return None
        with self._looking:
            if self._warm[0] != (head.epoch, head.forgotten):
                empty: Floats = np.empty((0, head.dimensions), np.float32)
                self._warm = ((head.epoch, head.forgotten), Growing(empty))
            wide = self._warm[1]
            if wide.count < head.count:
                wide.extend(widened(sight.halves[wide.count :]))
            return wide.first(head.count)

    def try_lock(self) -> bool:
        """Become the one that adds. False: somebody else embeds, here or in another process."""
        with self._writing, _told(self._folder):
            if self._appender is None or self._appender.held:
                return True
            self._make()
            if not self._appender.take():
                return False
            with self._alone():
                self._sweep()
            return True

    def release(self) -> None:
        """Let somebody else be the one that adds."""
        with self._writing:
            if self._appender is not None:
                self._appender.release()

    def begin(self, model: str, dimensions: int) -> None:
        """Start anew, for this model. What was there is removed."""
        with self._changing():
            seen = self._head.read()
            epoch = max([0, *([seen.epoch] if seen else []), *self._epochs()]) + 1
            turn = seen.turn + 1 if seen else 1
            self._head.write(IndexHead(model=model, dimensions=dimensions, epoch=epoch, turn=turn))
            self._sweep()

    def add(self, rows: npt.NDArray[np.void], vectors: Halves, *, upto: int, hash: bytes) -> None:
        """Add rows, by rising `rid`, and say up to which position there is nothing more to embed."""
        with self._changing():
            sight = self.look()
            assert sight is not None, "vectors are added to an index that was begun"
            head = sight.head
            last = int(sight.rids[-1]) if head.count else 0
            assert not len(rows) or int(rows["rid"][0]) > last, "all passages of a revision come at once"
            assert bool(np.all(np.diff(rows["rid"]) >= 0)), "rows come by rising rid"
            count = head.count + len(rows)
            self._sheets.rows.write(head.count * ROW.itemsize, rows.tobytes())
            self._sheets.halves.write(head.count * 2 * head.dimensions, vectors.tobytes())
            planes = self._plane(head, count)
            for sheet in self._sheets.all():
                sheet.flush()
            self._publish(head, count=count, planes=planes, upto=upto, hash=hash)

    def forget(self, rids: Sequence[int]) -> int:
        """Overwrite the vectors of these revisions, and say how many rows there were. Whoever adds is not asked."""
        with self._changing(appending=False):
            sight = self.look()
            if sight is None:
                return 0
            _, places = passages(sight, np.array(sorted(set(rids)), np.int64))
            if not len(places):
                return 0
            for place in places.tolist():
                self._blank(sight, place)
            for sheet in self._sheets.all():
                sheet.flush()
            self._publish(sight.head, forgotten=sight.head.forgotten + 1)
            return len(places)

    def agrees(self, hash_at: Callable[[int], bytes | None]) -> bool:
        """Whether the ledger still has, at the position we reflect, the entry we saw there."""
        head = self.head
        return head is None or head.upto == 0 or hash_at(head.upto) == head.hash

    def close(self) -> None:
        with self._writing, self._looking:
            self._sight, self._seen = None, None
            self._warm = ((0, 0), Growing(np.empty((0, 0), np.float32)))
            if self._folder is not None:
                for sheet in self._sheets.all():
                    sheet.close()
            self.release()

    def _looked(self, head: IndexHead) -> IndexView | None:
        if head.epoch != self._sheets.epoch:
            for sheet in self._sheets.all():
                sheet.close()
            self._sheets = _Sheets(self._folder, head.epoch, self._key)
        if self._known != (head.epoch, head.forgotten):
            for sheet in self._sheets.all():
                sheet.renew()
        halves = self._sheets.halves.view(head.count * 2 * head.dimensions)
        if halves is None or not self._read_rows(head):
            return None
        wide, blocks = plane_count(head.dimensions), -(-head.planes // BLOCK)
        planes = self._sheets.planes.view(blocks * wide * BLOCK * 8)
        if planes is None or head.planes > head.count:
            return None
        return IndexView(
            head=head,
            rids=self._rids.first(head.count),
            spans=self._spans.first(head.count),
            halves=halves.view(np.float16).reshape(head.count, head.dimensions),
            planes=planes.view(np.uint64).reshape(blocks, wide, BLOCK) if blocks else None,
        )

    def _read_rows(self, head: IndexHead) -> bool:
        """Read the rows of a head, those read before only when some were overwritten. Say whether they are sound."""
        known = (head.epoch, head.forgotten)
        if self._known != known or self._rids.count > head.count:
            self._known, self._rids, self._spans = known, Growing(_NO_RIDS), Growing(_NO_SPANS)
        first = self._rids.count
        found = self._sheets.rows.read(first * ROW.itemsize, (head.count - first) * ROW.itemsize)
        if found is None:
            return False
        rows = np.frombuffer(found, ROW)
        self._rids.extend(rows["rid"])
        self._spans.extend(np.column_stack([rows["start"], rows["end"]]))
        fresh = self._rids.first(head.count)[max(first - 1, 0) :]
        return bool(np.all(np.diff(fresh) >= 0)) and (not len(fresh) or int(fresh[0]) > 0)

    def _plane(self, head: IndexHead, count: int) -> int:
        """Write the signs of rows that have none, once there are enough rows to need them."""
        if count <= self._planes_from:
            return head.planes
        wide = plane_count(head.dimensions)
        self._sheets.planes.reserve(-(-count // BLOCK) * wide * BLOCK * 8)
        for first in range(head.planes - head.planes % BLOCK, count, BLOCK):
            start, end = max(first, head.planes), min(first + BLOCK, count)
            halves = self._sheets.halves.read(start * 2 * head.dimensions, (end - start) * 2 * head.dimensions)
            assert halves is not None, "rows are written before their signs"
            vectors = np.frombuffer(halves, np.float16).reshape(end - start, head.dimensions)
            for number, plane in enumerate(signs(vectors).T):
                self._sheets.planes.write(_plane_at(start, number, wide), plane.tobytes())
        return count

    def _blank(self, sight: IndexView, place: int) -> None:
        wide, row = plane_count(sight.head.dimensions), _FORGOTTEN.copy()
        row["rid"] = sight.rids[place]
        self._sheets.rows.write(place * ROW.itemsize, row.tobytes())
        self._sheets.halves.write(place * 2 * sight.head.dimensions, bytes(2 * sight.head.dimensions))
        if place < sight.head.planes:
            for number in range(wide):
                self._sheets.planes.write(_plane_at(place, number, wide), bytes(8))

    def _publish(self, head: IndexHead, **changes: int | bytes) -> None:
        self._head.write(msgspec.structs.replace(head, turn=head.turn + 1, **changes))
        self.look()

    @contextmanager
    def _changing(self, *, appending: bool = True) -> Iterator[None]:
        with self._writing, _told(self._folder):
            assert not appending or self._appender is None or self._appender.held, "only the appender adds"
            self._make()
            with self._alone():
                yield

    def _alone(self) -> AbstractContextManager[None]:
        return nullcontext() if self._brief is None else self._brief.briefly()

    def _make(self) -> None:
        if self._folder is not None and not self._made:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._made = True

    def _epochs(self) -> set[int]:
        found = [] if self._folder is None or not self._folder.is_dir() else list(self._folder.iterdir())
        return {int(path.stem) for path in found if path.suffix in SUFFIXES and path.stem.isdecimal()}

    def _sweep(self) -> None:
        """Remove what no head speaks of: files of other epochs, and rows that were written and never published."""
        sight = self.look()
        if self._folder is None:
            return
        for epoch in self._epochs() - ({sight.head.epoch} if sight is not None else set()):
            for sheet in _Sheets(self._folder, epoch, self._key).all():
                sheet.remove()
        if sight is None:
            return
        head, wide = sight.head, plane_count(sight.head.dimensions)
        with self._looking:
            self._sheets.rows.cut(head.count * ROW.itemsize)
            self._sheets.halves.cut(head.count * 2 * head.dimensions)
            self._sheets.planes.cut(-(-head.planes // BLOCK) * wide * BLOCK * 8)
        for number in range(wide if head.planes % BLOCK else 0):
            rest = BLOCK - head.planes % BLOCK
            self._sheets.planes.write(_plane_at(head.planes, number, wide), bytes(8 * rest))


def passages(sight: IndexView, rids: Longs) -> tuple[Ordinals, Ordinals]:
    """The rows of these revisions that were not forgotten: which of `rids` each belongs to, and where it stands."""
    first, last = np.searchsorted(sight.rids, rids), np.searchsorted(sight.rids, rids, side="right")
    lengths = last - first
    owners = np.repeat(np.arange(len(rids)), lengths)
    steps = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.repeat(first, lengths) + steps
    alive = sight.spans[places, 1] >= 0
    return owners[alive], places[alive]


def widened(halves: Halves) -> Floats:
    """A copy in full width, made a slab at a time."""
    wide = np.empty(halves.shape, np.float32)
    for first in range(0, len(halves), SLAB):
        widen(halves[first : first + SLAB], wide[first : first + SLAB])
    return wide


def _plane_at(row: int, number: int, wide: int) -> int:
    return ((row // BLOCK * wide + number) * BLOCK + row % BLOCK) * 8


@contextmanager
def _told(folder: Path | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"cannot use the vectors in {folder}: {error.strerror}") from None
