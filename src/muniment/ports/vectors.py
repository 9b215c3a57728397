"""What we ask of whatever keeps vectors beside a store: search by nearness in meaning, and a place to keep them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from muniment.model.receipt import Plan
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow


class VectorSearch(Protocol):
    """Search by nearness in meaning. Vectors are derived and trail the ledger; `reach` says how far they go."""

    def reach(self) -> VectorCoverage: ...

    def search(self, plan: Plan, vector: bytes, *, keep: int) -> tuple[NearbyText, ...]:
        """The nearest to `vector` among what passes `plan.visible` and every bound of `plan.wanted` and has its vectors
        by `plan.reach`, the nearest first. Exact under the filter: what is nearer is never left out for what is not."""

    def measure(self, rids: Iterable[int], vector: bytes) -> dict[int, NearbyText]:
        """How near given revisions are; one that has no vector is left out."""

    def alike(self, rids: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """How near these revisions are to each other, as a square of cosines; 0 where there is no vector."""


class Vectors(Protocol):
    """Where vectors are kept. Not part of a transaction: they can be lost, and are then made again."""

    def reach(self) -> VectorCoverage: ...

    def claim(self) -> bool:
        """Become the one who makes vectors; False while somebody else is."""

    def release(self) -> None:
        """Let somebody else make vectors."""

    def begin(self, model: str, dimensions: int) -> None:
        """Drop what there is and start anew with another model."""

    def add(self, rows: Sequence[VectorRow], *, upto: int) -> None:
        """Keep the vectors of the next revisions; from now on everything up to entry `upto` has its vectors."""

    def forget(self, rids: Iterable[int]) -> None:
        """Overwrite the vectors of these revisions."""

    def rows(self, upto: int) -> Iterator[VectorRow]:
        """Every vector of revisions born up to entry `upto`, by rising `rid`."""
