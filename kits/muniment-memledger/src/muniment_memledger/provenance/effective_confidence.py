"""The confidence the gate decides by: what a record declares, capped by its weakest ancestor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from muniment_memledger.provenance.models import MAX_ACTIVE_CHAIN_HOPS
from muniment_memledger.records import MemoryRecord


class UpstreamMinimum(Protocol):
    """What effective confidence asks of a chain store."""

    async def min_confidence_upstream(self, memory_id: str, *, max_hops: int = MAX_ACTIVE_CHAIN_HOPS) -> float: ...


def _declared(record: MemoryRecord) -> float:
    return record.confidence


async def compute_effective_confidence(
    record: MemoryRecord,
    chain_store: UpstreamMinimum,
    *,
    resolve_declared: Callable[[MemoryRecord], float] = _declared,
) -> float:
    """What a record declares, and no more than the weakest of what it stands on. Without parents nothing is walked."""
    declared = resolve_declared(record)
    if not record.derived_from:
        return declared
    return min(declared, await chain_store.min_confidence_upstream(record.id))


async def compute_effective_confidence_map(
    records: Sequence[MemoryRecord],
    chain_store: UpstreamMinimum,
    *,
    resolve_declared: Callable[[MemoryRecord], float] = _declared,
) -> dict[str, float]:
    """The effective confidence of each record by its id."""
    return {
        record.id: await compute_effective_confidence(record, chain_store, resolve_declared=resolve_declared)
        for record in records
    }
