"""memledger's ranking formulas, as published: what use, outcomes, age and importance add to likeness."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Literal

import msgspec

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.trust.quality import QualityFormula, QualityInputs, memory_quality
from muniment_memledger.records import MemoryRecord

_DAY_SECONDS = 86_400.0
OUTCOMES_ENOUGH = 5
ACCESSES_ENOUGH = 3
ACCESSES_FULL = 20
_WEIGHTS = (
    "similarity_weight",
    "policy_weight",
    "success_rate_weight",
    "recency_weight",
    "frequency_weight",
    "importance_weight",
)


class ScoringConfig(msgspec.Struct, kw_only=True, frozen=True):
    """What each reason counts. Weights are shares: each from 0 to 1."""

    similarity_weight: float = 0.5
    policy_weight: float = 0.5
    success_rate_weight: float = 0.3
    recency_weight: float = 0.25
    frequency_weight: float = 0.2
    importance_weight: float = 0.25
    decay_type: Literal["power_law", "exponential"] = "power_law"
    power_law_alpha: float = 0.5
    exponential_half_life_days: float = 14.0
    frequency_max: int = 100

    def __post_init__(self) -> None:
        for name in _WEIGHTS:
            checks.unit_interval(name, getattr(self, name))
        for name in ("power_law_alpha", "exponential_half_life_days", "frequency_max"):
            checks.positive(name, getattr(self, name))
        if self.decay_type not in ("power_law", "exponential"):
            raise Malformed("decay_type", "power_law or exponential")


USUAL = ScoringConfig()


def days_since(moment: datetime, now: datetime | None = None) -> float:
    """How many days ago a moment was; one without a zone is taken as UTC, one that is still to come as now."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, ((now or datetime.now(UTC)) - aware).total_seconds() / _DAY_SECONDS)


def effective_importance(importance: float, *, accesses: int, successes: int, failures: int) -> float:
    """The author's hint, moved by outcomes once there are five, else by use once there are three.

    >>> effective_importance(0.3, accesses=10, successes=10, failures=0)
    0.79
    """
    outcomes = successes + failures
    if outcomes >= OUTCOMES_ENOUGH:
        return round(0.7 * successes / outcomes + 0.3 * importance, 12)
    if accesses >= ACCESSES_ENOUGH:
        return round(0.5 * min(accesses / ACCESSES_FULL, 1.0) + 0.5 * importance, 12)
    return importance


def _recency(last: datetime | None, config: ScoringConfig) -> float:
    if last is None:
        return 0.5
    days = days_since(last)
    if config.decay_type == "exponential":
        return math.exp(-0.693 * days / config.exponential_half_life_days)
    return float(max(1.0, days) ** -config.power_law_alpha)


def compute_policy_score(
    access_count: int = 0,
    success_count: int = 0,
    failure_count: int = 0,
    last_accessed_at: datetime | None = None,
    importance: float = 0.5,
    config: ScoringConfig | None = None,
) -> float:
    """What a record is worth apart from likeness, 0 to 1.

    >>> round(compute_policy_score(), 9)
    0.4
    """
    chosen = config or USUAL
    outcomes = success_count + failure_count
    rate = success_count / outcomes if outcomes else 0.5
    worth = effective_importance(importance, accesses=access_count, successes=success_count, failures=failure_count)
    score = (
        chosen.success_rate_weight * rate
        + chosen.recency_weight * _recency(last_accessed_at, chosen)
        + chosen.frequency_weight * min(access_count / chosen.frequency_max, 1.0)
        + chosen.importance_weight * worth
    )
    return min(1.0, max(0.0, score))


def compute_final_score(
    cosine_score: float,
    access_count: int = 0,
    success_count: int = 0,
    failure_count: int = 0,
    last_accessed_at: datetime | None = None,
    importance: float = 0.5,
    config: ScoringConfig | None = None,
) -> float:
    """Likeness and worth together, 0 to 1."""
    chosen = config or USUAL
    worth = compute_policy_score(access_count, success_count, failure_count, last_accessed_at, importance, chosen)
    return min(1.0, max(0.0, chosen.similarity_weight * cosine_score + chosen.policy_weight * worth))


def compute_confidence(
    created_at: datetime | None = None,
    last_accessed_at: datetime | None = None,
    success_count: int = 0,
    failure_count: int = 0,
    initial_confidence: float = 0.7,
    human_verified: bool = False,
    staleness_days: int = 90,
) -> float:
    """memledger's second confidence, which `get_lineage` shows: from an initial one by outcomes and idle time. Nothing
    here decides by it; effective confidence does."""
    if human_verified:
        return 1.0
    confidence, outcomes = initial_confidence, success_count + failure_count
    if outcomes:
        rate = success_count / outcomes
        if rate >= 0.8:
            confidence = min(0.9, confidence + 0.05 * outcomes)
        elif rate <= 0.3:
            confidence = max(0.3, confidence - 0.1 * (1.0 - rate) * outcomes)
        else:
            confidence = (confidence + rate) / 2.0
    since = last_accessed_at or created_at
    idle = days_since(since) if since is not None else 0.0
    return max(0.1, confidence * staleness_days / idle) if idle > staleness_days else confidence


def compute_mqs(record: MemoryRecord, effective_confidence: float | None = None) -> int:
    """The quality of a record, 0 to 100, by memledger's formula. Confidence 0 counts as 0."""
    effective = record.confidence if effective_confidence is None else effective_confidence
    merits = QualityInputs(
        effective=effective,
        confidence=record.confidence,
        helpful=float(record.success_count),
        misleading=float(record.failure_count),
        accesses=record.access_count,
        conflicts=len(record.conflicts),
        hedged=record.hedged,
    )
    return memory_quality(merits, QualityFormula.MEMLEDGER)
