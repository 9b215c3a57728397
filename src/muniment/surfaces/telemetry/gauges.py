"""Figures of the tenants a server has open, read at most once in a few seconds however often they are asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from platform import python_version

from muniment.engine import Memory
from muniment.engine.metrics import Figures, figures_of
from muniment.model.errors import MunimentError
from muniment.surfaces.telemetry.instruments import Family, Sample

FRESH_S = 5.0
TENANTS_MAX = 100
"""So many tenants are told of one by one."""

_MEANINGS: Mapping[str, tuple[str, Callable[[Figures, float], float]]] = {
    "muniment_ledger_head": ("Position of the last ledger entry.", lambda one, _: one.head),
    "muniment_receipts": ("Receipts of what was told.", lambda one, _: one.receipts),
    "muniment_conflicts_open": ("Conflicts that are not resolved.", lambda one, _: one.conflicts),
    "muniment_queue_length": ("Proposals that wait for a person.", lambda one, _: one.waiting),
    "muniment_queue_oldest_seconds": (
        "How long the oldest waiting proposal has waited.",
        lambda one, now: max(0.0, now - one.oldest / 1e6) if one.oldest is not None else 0.0,
    ),
    "muniment_vectors_trailing": ("Ledger entries whose vectors are not made yet.", lambda one, _: one.trailing),
    "muniment_vectors_per_second": (
        "Vectors made per second, over the last minute.",
        lambda one, _: one.vectors_per_s,
    ),
    "muniment_vectors_made_total": ("Vectors made since the process began.", lambda one, _: one.vectors_made),
    "muniment_background_restarts_total": (
        "How often background work died and was started again.",
        lambda one, _: one.background_restarts,
    ),
    "muniment_store_bytes": ("Size of the tenant's files.", lambda one, _: one.bytes),
    "muniment_receipts_bytes": ("Bytes that receipts take.", lambda one, _: one.receipts_bytes),
    "muniment_wal_bytes": ("Size of SQLite's write-ahead log.", lambda one, _: one.wal_bytes),
    "muniment_oldest_read_seconds": (
        "Age of the oldest read transaction that is open, 0 when none is.",
        lambda one, _: one.oldest_read_s,
    ),
}


class Gauges:
    """The tenants that are open, and what was last read of each."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._memories: dict[str, Memory] = {}
        self._read: dict[str, Figures] = {}
        self._failed = 0
        self._read_at: float | None = None
        self._lock = threading.Lock()

    def opened(self, tenant: str, memory: Memory) -> None:
        """Tell of this tenant from now on."""
        with self._lock:
            self._memories[tenant] = memory
            self._read_at = None

    def memory(self, tenant: str) -> Memory | None:
        """The memory of an open tenant, as its owner sees it."""
        return self._memories.get(tenant)

    def families(self, tenant: str | None = None) -> tuple[Family, ...]:
        """The figures of every tenant, or of one alone."""
        figures = self._figures()
        shown = {name: one for name, one in figures.items() if tenant in (None, name)}
        now = time.time()
        told = tuple(
            Family(
                name=name,
                kind="counter" if name.endswith("_total") else "gauge",
                meaning=meaning,
                samples=tuple(
                    Sample(labels=(("tenant", whose),), value=read(one, now)) for whose, one in sorted(shown.items())
                ),
            )
            for name, (meaning, read) in _MEANINGS.items()
        )
        return (*told, *self._about())

    def _figures(self) -> dict[str, Figures]:
        with self._lock:
            now = self._clock()
            if self._read_at is None or now - self._read_at >= FRESH_S:
                self._read, self._failed = {}, 0
                for tenant in sorted(self._memories)[:TENANTS_MAX]:
                    self._look(tenant)
                self._read_at = now
            return dict(self._read)

    def _look(self, tenant: str) -> None:
        try:
            self._read[tenant] = figures_of(self._memories[tenant])
        except MunimentError:
            self._failed += 1

    def _about(self) -> tuple[Family, ...]:
        build = (("version", version("muniment")), ("python", python_version()))
        return (
            _one("muniment_tenants_open", "Tenants that are open.", len(self._memories)),
            _one("muniment_tenants_unreadable", "Tenants whose figures could not be read.", self._failed),
            Family(
                name="muniment_build_info",
                kind="gauge",
                meaning="What is running.",
                samples=(Sample(labels=build, value=1),),
            ),
        )


def _one(name: str, meaning: str, value: int) -> Family:
    return Family(name=name, kind="gauge", meaning=meaning, samples=(Sample(labels=(), value=value),))
