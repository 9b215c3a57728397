"""Counts of what instances were asked, for those who watch. Nothing is sent anywhere, and nothing fails."""

from __future__ import annotations

from typing import TypeVar
from weakref import WeakSet

from muniment.compat.memledger.face import Memledger
from muniment.contracts.strict.values import JsonObject

M = TypeVar("M", bound=Memledger)
_WATCHED: WeakSet[Memledger] = WeakSet()


def setup_telemetry(service_name: str = "ml", exporter: str = "console") -> bool:
    """Whether spans will be sent. Not from here: spans of the engine belong to its own surfaces."""
    return False


def instrument(instance: M) -> M:
    """Count what an instance is asked from now on. The instance itself is not changed."""
    _WATCHED.add(instance)
    return instance


def reset_metrics() -> None:
    """Forget all instances."""
    _WATCHED.clear()


def metrics() -> JsonObject:
    """What the watched instances were asked, counted from their audit logs."""
    entries = [entry for instance in _WATCHED for entry in instance.audit.recent(len(instance.audit))]
    told = [entry.operation for entry in entries]
    outcomes = [entry.details.get("success") is True for entry in entries if entry.operation == "outcome"]
    hits = [entry.details.get("found") != 0 for entry in entries if entry.operation == "search"]
    return {
        "total_adds": told.count("add"),
        "total_searches": told.count("search"),
        "search_hit_rate": sum(hits) / len(hits) if hits else 0.0,
        "total_outcomes": len(outcomes),
        "outcome_success_rate": sum(outcomes) / len(outcomes) if outcomes else 0.0,
        "total_promotions": told.count("promote"),
        "total_conflicts": told.count("conflict_detected"),
    }


def log_evaluation(
    name: str,
    score: float,
    *,
    label: str | None = None,
    explanation: str | None = None,
    span_id: str | None = None,
    annotator_kind: str = "CODE",
    metadata: JsonObject | None = None,
) -> bool:
    """Whether an evaluation was sent to a Phoenix server. There is no client for one here, so it never is."""
    return False
