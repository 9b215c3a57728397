"""Find the nearest vectors among those that are allowed: exactly, or by their signs first and exactly after.

The cosine of a vector does not depend on what is scanned with it, to the last bit, so an answer can be had again.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from muniment.backends.vectors.arrays import SLAB, Bools, Counts, Floats, Halves, Ordinals, Signs, signs, widen
from muniment.backends.vectors.blocks import BLOCK, IndexView
from muniment.model.rows import NearbyText

CHUNK = 16_384
"""Rows whose signs are compared at a time: their words stay in the second-level cache."""

_SPARSE = 8
_FAR = np.uint16(0xFFFF)


class _Scratch(threading.local):
    """Room that a thread scans in, kept from one scan to the next: fresh pages cost more than the work done on them."""

    def __init__(self) -> None:
        self.words = np.empty(CHUNK, np.uint64)
        self.counts = np.empty(CHUNK, np.uint8)
        self.apart: Counts = np.empty(0, np.uint16)
        self.slab: Halves = np.empty((0, 0), np.float16)
        self.wide: Floats = np.empty((0, 0), np.float32)

    def fit(self, dimensions: int) -> None:
        if self.wide.shape[1] != dimensions:
            self.slab, self.wide = np.empty((SLAB, dimensions), np.float16), np.empty((SLAB, dimensions), np.float32)

    def distances(self, count: int) -> Counts:
        if len(self.apart) < count:
            self.apart = np.empty(count + count // 4, np.uint16)
        return self.apart[:count]


_scratch = _Scratch()


def cosines(vectors: Floats | Halves, vector: Floats, places: Ordinals | None = None) -> Floats:
    """The cosine of each vector, or of each at one of the places. Vectors are of length one."""
    count = len(vectors) if places is None else len(places)
    found = np.empty(count, np.float32)
    _scratch.fit(len(vector))
    for first in range(0, count, SLAB):
        here = slice(first, min(first + SLAB, count))
        np.vecdot(_slab(vectors, here, places), vector, out=found[here])
    return found


def _slab(vectors: Floats | Halves, here: slice, places: Ordinals | None) -> Floats:
    """Some vectors in full width, in the thread's own room unless they are at hand as they are."""
    wide = vectors.dtype == np.float32
    slab = vectors[here]
    if places is not None:
        room = (_scratch.wide if wide else _scratch.slab)[: here.stop - here.start]
        slab = np.take(vectors, places[here], axis=0, out=room, mode="clip")
    return slab.view(np.float32) if wide else widen(slab.view(np.float16), _scratch.wide)


def nearest(sight: IndexView, floats: Floats | None, places: Ordinals, vector: Floats, keep: int) -> list[NearbyText]:
    """The best `keep` revisions among the rows at `places`, each by its nearest passage; the later of equals first."""
    vectors = sight.halves if floats is None else floats
    whole = floats is not None and 2 * len(places) > len(floats)
    found = cosines(vectors, vector)[places] if whole else cosines(vectors, vector, places)
    return best(sight, places, found, keep)


def best(sight: IndexView, places: Ordinals, found: Floats, keep: int) -> list[NearbyText]:
    """Choose by cosine, then by rising age. `places` rise."""
    if not len(places) or keep <= 0:
        return []
    rids = sight.rids[places]
    starts = np.flatnonzero(np.diff(rids, prepend=rids[0] - 1))
    tops = found if len(starts) == len(rids) else np.maximum.reduceat(found, starts)
    chosen = np.arange(len(starts))
    if keep < len(starts):
        floor = np.partition(tops, len(starts) - keep)[len(starts) - keep]
        chosen = np.flatnonzero(tops >= floor)
    order = chosen[np.lexsort((-rids[starts[chosen]], -tops[chosen]))[:keep]]
    ends = np.append(starts[1:], len(rids))[order]
    at = starts[order] if len(starts) == len(rids) else _tops(found, starts[order], ends)
    shown = np.clip(found[at], -1.0, 1.0).tolist(), rids[at].tolist(), sight.spans[places[at]].tolist()
    return [
        NearbyText(rid=rid, cosine=cosine, start=span[0], end=span[1]) for cosine, rid, span in zip(*shown, strict=True)
    ]


def _tops(found: Floats, firsts: Ordinals, lasts: Ordinals) -> Ordinals:
    """Where in each run of passages the nearest stands, the first of equals."""
    runs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return np.array([first + int(np.argmax(found[first:last])) for first, last in runs], np.intp)


def likely(planes: Signs, allowed: Bools, vector: Floats, keep: int) -> Ordinals:
    """Where the `keep` allowed rows stand whose signs differ least from the vector's, and those that tie with the last
    of them, up to as many again, the latest of them."""
    asked = signs(vector[np.newaxis].astype(np.float16))[0]
    few = np.count_nonzero(allowed) * _SPARSE < len(allowed)
    places = np.flatnonzero(allowed) if few else None
    apart = _apart_at(planes, places, asked) if places is not None else _apart(planes, allowed, asked)
    if keep < len(apart):
        floor = np.partition(apart, keep - 1)[keep - 1]
        chosen = _within(apart, int(floor), 2 * keep)
    else:
        chosen = np.flatnonzero(apart != _FAR)
    return chosen if places is None else places[chosen]


def _within(apart: Counts, floor: int, most: int) -> Ordinals:
    if floor == _FAR:
        return np.flatnonzero(apart != _FAR)
    chosen = np.flatnonzero(apart <= floor)
    if len(chosen) <= most:
        return chosen
    nearer = np.flatnonzero(apart < floor)
    ties = np.flatnonzero(apart == floor)[-(most - len(nearer)) :]
    return np.sort(np.concatenate([nearer, ties]))


def _apart(planes: Signs, allowed: Bools, asked: npt.NDArray[np.uint64]) -> Counts:
    """In how many signs each row differs; what is not allowed differs in more than all."""
    apart, words, counts = _scratch.distances(len(allowed)), _scratch.words, _scratch.counts
    for first in range(0, len(allowed), CHUNK):
        block, row = divmod(first, BLOCK)
        here = apart[first : first + CHUNK]
        here[:] = 0
        for plane, word in zip(planes[block, :, row : row + len(here)], asked, strict=True):
            differ = np.bitwise_xor(plane, word, out=words[: len(here)])
            np.add(here, np.bitwise_count(differ, out=counts[: len(here)]), out=here)
    np.bitwise_or(apart, np.subtract(allowed, 1, dtype=np.uint16), out=apart)
    return apart


def _apart_at(planes: Signs, places: Ordinals, asked: npt.NDArray[np.uint64]) -> Counts:
    apart = np.zeros(len(places), np.uint16)
    blocks, rows = np.divmod(places, BLOCK)
    for number, word in enumerate(asked):
        apart += np.bitwise_count(planes[blocks, number, rows] ^ word)
    return apart
