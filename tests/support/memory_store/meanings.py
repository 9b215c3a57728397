"""Vectors in a dictionary, compared one by one: slow, and obviously right."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from tests.support.memory_store.tables import Tables, standing_at

from muniment.model.card import moved
from muniment.model.filter import matches
from muniment.model.receipt import Plan
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow

Vector = npt.NDArray[np.float32]


class MemoryVectors:
    """The vectors of one tenant. They outlive a transaction and are no part of one. `born` tells in which entry a
    revision was."""

    def __init__(self, born: Callable[[int], int]) -> None:
        self._born = born
        self._lock = threading.Lock()
        self._reach = VectorCoverage()
        self.held: dict[int, tuple[VectorRow, ...]] = {}

    def take_over(self, other: MemoryVectors) -> None:
        self._reach, self.held = other._reach, dict(other.held)

    def reach(self) -> VectorCoverage:
        return self._reach

    def claim(self) -> bool:
        return True

    def release(self) -> None:
        return None

    def begin(self, model: str, dimensions: int) -> None:
        with self._lock:
            self.held, self._reach = {}, VectorCoverage(model=model)

    def add(self, rows: Sequence[VectorRow], *, upto: int) -> None:
        with self._lock:
            held = dict(self.held)
            for row in rows:
                held[row.rid] = (*held.get(row.rid, ()), row)
            self.held, self._reach = held, VectorCoverage(model=self._reach.model, upto=upto)

    def forget(self, rids: Iterable[int]) -> None:
        gone = set(rids)
        with self._lock:
            self.held = {rid: rows for rid, rows in self.held.items() if rid not in gone}

    def rows(self, upto: int) -> Iterator[VectorRow]:
        return iter([row for rid in sorted(self.held) if self._born(rid) <= upto for row in self.held[rid]])


class MemoryMeanings:
    def __init__(self, tables: Tables, vectors: MemoryVectors) -> None:
        self._tables = tables
        self._vectors = vectors

    def reach(self) -> VectorCoverage:
        return self._vectors.reach()

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[NearbyText, ...]:
        allowed = [rid for rid in self._vectors.held if self._passes(plan, rid)]
        near = sorted(self.measure(allowed, vector).values(), key=lambda one: (-one.cosine, -one.rid))
        return tuple(near[:keep])

    def _passes(self, plan: Plan, rid: int) -> bool:
        card = self._tables.cards.get(rid)
        if card is None or card.seq > min(plan.as_of, plan.reach.upto):
            return False
        then = moved(card, standing_at(self._tables, card, plan.as_of))
        return matches(plan.visible, then) and all(matches(rule, then) for _, rule in plan.wanted)

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, NearbyText]:
        asked = np.frombuffer(vector, "<f4")
        found = {}
        for rid in rids:
            near = [(float(_short(row.vector) @ asked), row) for row in self._vectors.held.get(rid, ())]
            if near:
                cosine, row = max(near, key=lambda one: (one[0], -one[1].start))
                found[rid] = NearbyText(rid=rid, cosine=cosine, start=row.start, end=row.end)
        return found

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        held = [self._vectors.held.get(rid, ()) for rid in rids]
        firsts = [_short(rows[0].vector) if rows else None for rows in held]
        return tuple(
            tuple(0.0 if one is None or other is None else float(one @ other) for other in firsts) for one in firsts
        )


def _short(vector: bytes) -> Vector:
    """A vector as it is after being kept in 16 bits a number."""
    return np.frombuffer(vector, "<f4").astype(np.float16).astype(np.float32)
