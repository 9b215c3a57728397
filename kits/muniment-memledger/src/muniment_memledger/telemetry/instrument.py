"""Counts of what instances were asked, for those who watch. Nothing is sent anywhere, and nothing fails."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment_memledger.memledger import Memledger
from muniment_memledger.strategies.audit import AuditEntry

M = TypeVar("M", bound=Memledger)


class Counts(msgspec.Struct):
    """What the watched instances were asked, all together."""

    operations: Counter[str] = msgspec.field(default_factory=Counter)
    found: int = 0
    milliseconds: float = 0.0
    succeeded: int = 0

    def take(self, entry: AuditEntry) -> None:
        self.operations[entry.operation] += 1
        if entry.operation == "search":
            taken = entry.details.get("milliseconds")
            self.found += entry.details.get("found") != 0
            self.milliseconds += taken if isinstance(taken, float) else 0.0
        if entry.operation == "outcome":
            self.succeeded += entry.details.get("success") is True


_COUNTS = Counts()


def setup_telemetry(service_name: str = "ml", exporter: str = "console") -> bool:
    """Whether spans will be sent. Not from here: spans of the engine belong to its own surfaces."""
    return False


def instrument(instance: M) -> M:
    """Count what an instance is asked from now on, however often this is said. The instance itself is not changed."""
    if _count not in instance.audit.watchers:
        instance.audit.watchers.append(_count)
    return instance


def _count(entry: AuditEntry) -> None:
    _COUNTS.take(entry)


def reset_metrics() -> None:
    """Begin to count anew."""
    global _COUNTS
    _COUNTS = Counts()


def metrics() -> JsonObject:
    """What the watched instances were asked since they are watched."""
    told = _COUNTS.operations
    searches, outcomes = told["search"], told["outcome"]
    return {
        "total_adds": told["add"],
        "total_searches": searches,
        "search_hit_rate": _COUNTS.found / searches if searches else 0.0,
        "avg_search_latency_ms": round(_COUNTS.milliseconds / searches, 3) if searches else 0.0,
        "total_outcomes": outcomes,
        "outcome_success_rate": _COUNTS.succeeded / outcomes if outcomes else 0.0,
        "total_promotions": told["promote"],
        "total_conflicts": told["conflict_detected"],
    }
