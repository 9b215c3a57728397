"""Where one tenant's vectors are kept. Nobody who makes vectors ever waits for the tenant's turn, nor holds it up."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from muniment.backends.postgres.halfvec import as_halves, read_floats, read_halves
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Transaction
from muniment.model.errors import Malformed, OperationalError, StoreBusy
from muniment.model.rows import VectorCoverage, VectorRow
from muniment.model.value import Value

LEASE_S = 60
"""So long nobody else makes vectors after whoever does was last heard of: twice what a model may take to answer."""
DIMENSIONS_MAX = 16_000
"""How wide a vector may be for the server."""
_HURRIED = "SET LOCAL synchronous_commit = off"
"""A lease that a crash of the server takes back has harmed nobody: whoever lost it is not let add."""


class VectorState(Value):
    """What is kept of a tenant. `indexed` is the width of the vectors that an index of its own finds; 0 without one."""

    model: str | None = None
    dimensions: int = 0
    upto: int = 0
    indexed: int = 0

    @classmethod
    def of(cls, link: Transaction) -> VectorState:
        """Vectors of another ledger, as after a backup was put back, count as none."""
        row = link.row("reach")
        return cls() if row is None else cls(model=row[0], dimensions=row[1], upto=row[2], indexed=row[3])

    @property
    def reach(self) -> VectorCoverage:
        return VectorCoverage(model=self.model, upto=self.upto)


class PostgresVectors:
    """The vectors of one tenant. Who makes them has a lease, written into the tenant's row of `reaches`."""

    def __init__(self, door: TenantScope) -> None:
        self._door = door
        self._name = secrets.token_hex(16)
        self._claimed = False

    @property
    def _maker(self) -> str:
        return f"{self._name}.{os.getpid()}"

    def reach(self) -> VectorCoverage:
        with self._door.reading() as link:
            return VectorState.of(link).reach

    def claim(self) -> bool:
        with self._door.touching() as link:
            link.tell(_HURRIED, ())
            self._claimed = link.row("claim_vectors", self._maker, LEASE_S) is not None
        return self._claimed

    def release(self) -> None:
        if self._claimed:
            self._claimed = False
            with self._door.touching() as link:
                link.tell(_HURRIED, ())
                link.send("release_vectors", self._maker)

    def begin(self, model: str, dimensions: int) -> None:
        if not 0 < dimensions <= DIMENSIONS_MAX:
            raise Malformed("dimensions", f"from 1 to {DIMENSIONS_MAX}, which is what PostgreSQL can keep")
        with self._door.touching() as link:
            if link.row("begin_vectors", self._maker, model, dimensions, LEASE_S) is None:
                raise self._lost()
            link.send("clear_vectors")

    def add(self, rows: Sequence[VectorRow], *, upto: int) -> None:
        """Who erases takes the row of `reaches` before it takes cards away. So a card that is there once we have the
        row stays until we are done, and what has no card any more is not given its vectors back."""
        with self._door.touching() as link:
            found = link.row("advance_reach", self._maker, upto, LEASE_S)
            if found is None:
                raise self._lost()
            vectors = [read_floats(row.vector, found[0]) for row in rows]
            there = {rid for (rid,) in link.rows("carded", [row.rid for row in rows])} if rows else set()
            for row, vector in zip(rows, vectors, strict=True):
                if row.rid in there:
                    link.send("add_vector", row.rid, row.start, row.end, as_halves(vector))

    def forget(self, rids: Iterable[int]) -> None:
        with self._door.touching() as link:
            link.send("hold_reach")
            link.send("forget_vectors", list(rids))

    def rows(self, upto: int) -> Iterator[VectorRow]:
        with self._door.reading() as link:
            for rid, start, end, wire in link.stream("vectors_upto", upto):
                vector = read_halves([wire])[0].astype(np.dtype("<f4")).tobytes()
                yield VectorRow(rid=rid, start=start, end=end, vector=vector)

    def close(self) -> None:
        """Let somebody else make vectors, if that was left undone. If it cannot be said, the lease ends by itself."""
        with suppress(OperationalError):
            self.release()

    def _lost(self) -> StoreBusy:
        return StoreBusy(f"tenant {self._door.tenant}: another process makes its vectors by now")
