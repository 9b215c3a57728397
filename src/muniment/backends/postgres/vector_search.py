"""Search by meaning among one tenant's vectors, under the same filter as everything else.

A small tenant is searched exactly: the nearest of all are found by numbers of 16 bits, and when those that may be seen
among them are not surely the nearest that may be, all that may be seen is compared. A large one has a partition and an
index of its own, which is asked first; where the filter leaves too little of what the index finds, the search is exact
again. The last word on how near something is has the same product of the stored numbers and the question's as in every
other store.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from muniment.backends.conditions import translate
from muniment.backends.postgres.halfvec import EncodedVector, as_floats, as_halves, read_floats, read_halves
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.ranking import standing_join
from muniment.backends.postgres.transaction import Row, Transaction, numbered, statements
from muniment.backends.postgres.vectors import VectorState
from muniment.backends.vectors.arrays import Floats
from muniment.backends.vectors.scan import cosines
from muniment.model.filter import Both
from muniment.model.receipt import Plan
from muniment.model.rows import NearbyText, VectorCoverage

WALKS = (400, 1_000)
"""How many of the nearest passages the index is asked for; the last is as many as it can be asked for. Among 100,000
vectors of 384 numbers it finds 0.996 of the hundred nearest."""

_AMPLE = 1.25
"""What passes must be so many times what is wanted: of the farthest that an index gives, some are missing."""
_SPARE = 32
_DEEPER = 4
_SLACK = 1e-4
"""What adding up some thousand products of numbers of 32 bits may be off by, and more."""
_FIRST_BOUND = 5

_Passage = tuple[int, int, bytes]
"""From where to where it reaches, and its vector as the server sends it."""
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

    @property
    def kept(self) -> int:
        """So many revisions are fetched to choose from."""
        return max(self.keep + _SPARE, math.ceil(_AMPLE * self.keep))

    def written(self, name: str, depth: int) -> str:
        """A statement of this search, for so many passages."""
        told = statements()[name].replace("{standing}", self.standing).replace("{conditions}", self.conditions)
        return told.replace("{depth}", str(depth)).replace("{kept}", str(self.kept))

    def doubt(self) -> float:
        """How much nearer something may be than its product with the question in numbers of 16 bits says."""
        rounded = self.asked.astype(np.float16).astype(np.float32)
        return 2 * float(np.linalg.norm(self.asked - rounded)) + _SLACK


class PostgresVectorSearch:
    """What a snapshot can ask of the vectors. It lives as long as its link, and all of that time nothing changes."""

    def __init__(self, link: Transaction) -> None:
        self._link = link
        self._known: VectorState | None = None
        self._read: dict[int, list[_Passage]] = {}
        self._coming: Sequence[int] = ()
        self._walks = 0

    @property
    def _kept(self) -> VectorState:
        if self._known is None:
            self._known = VectorState.of(self._link)
        return self._known

    def reach(self) -> VectorCoverage:
        return self._kept.reach

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[NearbyText, ...]:
        dimensions = self._kept.dimensions
        if keep <= 0 or not dimensions or len(vector) != 4 * dimensions:
            return ()
        question = _Question(plan, read_floats(vector, dimensions), keep)
        if self._kept.indexed == dimensions:
            rids = self._by_index(question)
        elif (found := self._surely(question)) is not None:
            return found
        else:
            rids = None
        if rids is None:
            rids = self._of_all(question)
        return self._nearest(rids, question)

    def _nearest(self, rids: Sequence[int], question: _Question) -> tuple[NearbyText, ...]:
        """The nearest of these revisions."""
        found = sorted(
            self._measured(rids[: question.keep + _SPARE], question.asked), key=lambda one: (-one[0], -one[1])
        )
        return tuple(map(_near, found[: question.keep]))

    def _surely(self, question: _Question) -> tuple[NearbyText, ...] | None:
        """The nearest that pass among the nearest of all; None when something that is not among those may be nearer."""
        depth = _DEEPER * question.keep
        told = question.written("nearest_first", depth)
        rows = self._ask(told, question, as_halves(question.asked))
        rids = self._take_in(rows)
        if not rows:
            return None
        *_, last, pool, farthest = rows[-1]
        found = self._nearest(rids, question)
        if len(rids) < question.kept and pool < depth:
            return found  # those are all there are
        edge = last if len(rids) == question.kept else farthest
        sure = len(found) == question.keep and found[-1].cosine >= question.doubt() - edge
        return found if sure else None

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
        if self._walks != depth:
            self._link.arrange(f"SET LOCAL hnsw.ef_search = {depth}")
            self._walks = depth
        return self._take_in(self._ask(told, question, as_halves(question.asked)))

    def _of_all(self, question: _Question) -> list[int]:
        """The nearest of all that pass. A revision may be there by several passages; when that leaves too few, more are
        fetched."""
        depth = 2 * question.keep
        while True:
            with self._at_once():
                told = question.written("nearest_of_all", depth)
                passages = [rid for (rid,) in self._ask(told, question, as_floats(question.asked))]
            rids = list(dict.fromkeys(passages))
            if len(rids) >= question.keep or len(passages) < depth:
                return rids
            depth *= _DEEPER

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Have cards and vectors read once each and not one for one: who has no index of its own compares most of what
        it has, and the server takes a filter that lets all pass for one that lets nothing pass."""
        if not self._kept.indexed:
            self._link.arrange("SET LOCAL enable_nestloop = off")
        yield
        if not self._kept.indexed:
            self._link.arrange("SET LOCAL enable_nestloop = on")

    def _ask(self, told: str, question: _Question, asked: EncodedVector) -> list[Row]:
        return self._link.ask(told, (self._link.number, asked, *question.positions, *question.bound))

    def _take_in(self, rows: Sequence[Row]) -> list[int]:
        """Remember passages that came along; the revisions they are of, in their order."""
        found: dict[int, list[_Passage]] = {}
        for rid, start, end, wire, *_ in rows:
            found.setdefault(rid, []).append((start, end, wire))
        self._read.update(found)
        return list(found)

    def _passages(self, rids: Sequence[int]) -> list[tuple[int, _Passage]]:
        """The passages of revisions, by rising number and place. What was read once is not read again."""
        if any(rid in self._coming and rid not in self._read for rid in rids):
            self._fetch(self._coming)  # asked ahead
        if missing := [rid for rid in rids if rid not in self._read]:
            self._fetch(missing)
        return [(rid, passage) for rid in sorted(set(rids)) for passage in self._read[rid]]

    def _fetch(self, rids: Sequence[int]) -> None:
        self._coming = rids
        rows = self._link.rows("passages_of", list(rids), self._kept.dimensions)
        self._coming = ()
        self._read.update((rid, []) for rid in rids)
        self._take_in(rows)

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, NearbyText]:
        dimensions = self._kept.dimensions
        if not dimensions or len(vector) != 4 * dimensions:
            return {}
        return {found[1]: _near(found) for found in self._measured(list(rids), read_floats(vector, dimensions))}

    def _measured(self, rids: Sequence[int], asked: Floats) -> list[_Found]:
        """How near each is by its nearest passage, the first of equals."""
        passages = self._passages(rids)
        if not passages:
            return []
        found: dict[int, _Found] = {}
        products = cosines(read_halves([wire for _, (_, _, wire) in passages]), asked).tolist()
        for (rid, (start, end, _)), cosine in zip(passages, products, strict=True):
            if rid not in found or cosine > found[rid][0]:
                found[rid] = (cosine, rid, start, end)
        return list(found.values())

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        dimensions = self._kept.dimensions
        passages = self._passages(rids) if dimensions and rids else []
        if not passages:
            return _unlike(rids)
        firsts: dict[int, int] = {}
        for place, (rid, _) in enumerate(passages):
            firsts.setdefault(rid, place)
        halves = read_halves([wire for _, (_, _, wire) in passages]).astype(np.float32)
        vectors = np.zeros((len(rids), dimensions), np.float32)
        for place, rid in enumerate(rids):
            if rid in firsts:
                vectors[place] = halves[firsts[rid]]
        found = np.clip(np.vecdot(vectors[:, np.newaxis], vectors[np.newaxis]), -1.0, 1.0)
        return tuple(map(tuple, found.tolist()))


class _NoMeanings:
    """What a transaction that writes can ask: what is not committed yet has no place among vectors."""

    def reach(self) -> VectorCoverage:
        return VectorCoverage()

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[NearbyText, ...]:
        return ()

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, NearbyText]:
        return {}

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        return _unlike(rids)


NO_MEANINGS = _NoMeanings()


def _unlike(rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    return ((0.0,) * len(rids),) * len(rids)


def _near(found: _Found) -> NearbyText:
    cosine, rid, start, end = found
    return NearbyText(rid=rid, cosine=min(1.0, max(-1.0, cosine)), start=start, end=end)
