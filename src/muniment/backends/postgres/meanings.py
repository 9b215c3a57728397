"""Search by meaning among one tenant's vectors, under the same filter as everything else.

A small tenant is searched exactly. A large one has a partition and an index of its own, which is asked first; where the
filter leaves too little of what the index finds, the search is exact again. The last word on how near something is has
the same product of the stored numbers and the question's as in every other store.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from muniment.backends.conditions import translate
from muniment.backends.postgres.halves import Sent, as_floats, as_halves, read_floats, read_halves
from muniment.backends.postgres.link import Link, numbered, statements
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.ranking import standing_join
from muniment.backends.postgres.vectors import Kept
from muniment.backends.vectors.arrays import Floats
from muniment.backends.vectors.scan import cosines
from muniment.model.filter import Both
from muniment.model.receipt import Plan
from muniment.model.rows import Near, Reach

WALKS = (400, 1_000)
"""How many of the nearest passages the index is asked for; the last is as many as it can be asked for. Among 100,000
vectors of 384 numbers it finds 0.996 of the hundred nearest."""

_AMPLE = 1.25
"""What passes must be so many times what is wanted: of the farthest that an index gives, some are missing."""
_SPARE = 32
_DEEPER = 4
_FIRST_BOUND = 5

_Found = tuple[float, int, int, int]
"""How near a revision is, which one, and from where to where its nearest passage reaches."""


class _Question:
    """One search: what may be found, near to what, and how much of it."""

    def __init__(self, plan: Plan, asked: Floats, keep: int) -> None:
        moving, self.standing = ("c", "") if plan.at_head else ("s", standing_join("$4"))
        conditions, self.bound = translate(Both(parts=(plan.visible, *(rule for _, rule in plan.wanted))), moving)
        self.conditions = numbered(conditions, _FIRST_BOUND)
        self.positions = (plan.reach.upto, plan.as_of)
        self.asked = asked
        self.keep = keep

    def written(self, name: str, depth: int) -> str:
        """A statement of this search, for so many passages."""
        told = statements()[name].replace("{standing}", self.standing).replace("{conditions}", self.conditions)
        return told.replace("{depth}", str(depth))


class PostgresMeanings:
    """What a snapshot can ask of the vectors. It lives as long as its link, and all of that time nothing changes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._known: Kept | None = None

    @property
    def _kept(self) -> Kept:
        if self._known is None:
            self._known = Kept.of(self._link)
        return self._known

    def reach(self) -> Reach:
        return self._kept.reach

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[Near, ...]:
        dimensions = self._kept.dimensions
        if keep <= 0 or not dimensions or len(vector) != 4 * dimensions:
            return ()
        question = _Question(plan, read_floats(vector, dimensions), keep)
        rids = self._by_index(question) if self._kept.indexed == dimensions else None
        if rids is None:
            rids = self._of_all(question)
        found = sorted(self._measured(rids[: keep + _SPARE], question.asked), key=lambda one: (-one[0], -one[1]))
        return tuple(map(_near, found[:keep]))

    def _by_index(self, question: _Question) -> list[int] | None:
        """The nearest by the tenant's own index; None when what passes is too rare to be found that way."""
        enough = math.ceil(_AMPLE * question.keep)
        wanted = enough
        for depth in WALKS:
            if depth < wanted:
                continue
            rids = self._walked(question, depth)
            if len(rids) >= enough:
                return rids
            wanted = math.ceil(enough * depth / max(1, len(rids)))
        return None

    def _walked(self, question: _Question, depth: int) -> list[int]:
        told = question.written("nearest_by_index", depth).replace("{dimensions}", str(self._kept.dimensions))
        told = told.replace("{own}", partition_of(self._link.number))
        self._link.tell(f"SET LOCAL hnsw.ef_search = {depth}", ())
        return list(dict.fromkeys(self._passages(told, question, as_halves(question.asked))))

    def _of_all(self, question: _Question) -> list[int]:
        """The nearest of all that pass. A revision may be there by several passages; when that leaves too few, more are
        fetched."""
        depth = 2 * question.keep
        while True:
            with self._at_once():
                told = question.written("nearest_of_all", depth)
                passages = self._passages(told, question, as_floats(question.asked))
            rids = list(dict.fromkeys(passages))
            if len(rids) >= question.keep or len(passages) < depth:
                return rids
            depth *= _DEEPER

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Have cards and vectors read once each and not one for one: who has no index of its own compares most of what
        it has, and the server takes a filter that lets all pass for one that lets nothing pass."""
        if not self._kept.indexed:
            self._link.tell("SET LOCAL enable_nestloop = off", ())
        yield
        if not self._kept.indexed:
            self._link.tell("SET LOCAL enable_nestloop = on", ())

    def _passages(self, told: str, question: _Question, asked: Sent) -> list[int]:
        values = (self._link.number, asked, *question.positions, *question.bound)
        return [rid for (rid,) in self._link.ask(told, values)]

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, Near]:
        dimensions = self._kept.dimensions
        if not dimensions or len(vector) != 4 * dimensions:
            return {}
        return {found[1]: _near(found) for found in self._measured(list(rids), read_floats(vector, dimensions))}

    def _measured(self, rids: Sequence[int], asked: Floats) -> list[_Found]:
        """How near each is by its nearest passage, the first of equals."""
        rows = self._link.rows("passages_of", rids, len(asked)) if rids else []
        if not rows:
            return []
        found: dict[int, _Found] = {}
        products = cosines(read_halves([row[3] for row in rows]), asked).tolist()
        for (rid, start, end, _), cosine in zip(rows, products, strict=True):
            if rid not in found or cosine > found[rid][0]:
                found[rid] = (cosine, rid, start, end)
        return list(found.values())

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        dimensions = self._kept.dimensions
        rows = self._link.rows("passages_of", list(rids), dimensions) if dimensions and rids else []
        if not rows:
            return _unlike(rids)
        firsts: dict[int, int] = {}
        for place, row in enumerate(rows):
            firsts.setdefault(row[0], place)
        halves = read_halves([row[3] for row in rows]).astype(np.float32)
        vectors = np.zeros((len(rids), dimensions), np.float32)
        for place, rid in enumerate(rids):
            if rid in firsts:
                vectors[place] = halves[firsts[rid]]
        found = np.clip(np.vecdot(vectors[:, np.newaxis], vectors[np.newaxis]), -1.0, 1.0)
        return tuple(map(tuple, found.tolist()))


class _NoMeanings:
    """What a transaction that writes can ask: what is not committed yet has no place among vectors."""

    def reach(self) -> Reach:
        return Reach()

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[Near, ...]:
        return ()

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, Near]:
        return {}

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        return _unlike(rids)


NO_MEANINGS = _NoMeanings()


def _unlike(rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    return ((0.0,) * len(rids),) * len(rids)


def _near(found: _Found) -> Near:
    cosine, rid, start, end = found
    return Near(rid=rid, cosine=min(1.0, max(-1.0, cosine)), start=start, end=end)
