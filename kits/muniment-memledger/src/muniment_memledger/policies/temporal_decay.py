"""memledger's formula for a confidence that fades with time."""

from __future__ import annotations

from datetime import datetime

import msgspec

from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment_memledger.strategies.scoring import days_since


class TemporalDecayPolicy(msgspec.Struct, frozen=True):
    """How memledger lets a confidence fade with the days nobody asked. A formula to compare with: here fading ranks
    and never decides."""

    decay_rate_per_day: float = 0.01
    staleness_ttl_days: int = 90
    archive_threshold: float = 0.1
    refresh_on_access: bool = True

    def compute_decay(
        self,
        original_confidence: float,
        created_at: datetime | None,
        last_accessed_at: datetime | None = None,
        now: datetime | None = None,
    ) -> JsonObject:
        """The faded confidence and what it is made of."""
        checks.unit_interval("confidence", original_confidence)
        since = (last_accessed_at if self.refresh_on_access else None) or created_at
        days = int(days_since(since, now)) if since is not None else 0
        amount = min(self.decay_rate_per_day * days, 0.8 * original_confidence)
        decayed = round(original_confidence - amount, 9)
        return {
            "original_confidence": original_confidence,
            "decayed_confidence": decayed,
            "decay_amount": round(amount, 9),
            "days_since_access": days,
            "is_stale": days >= self.staleness_ttl_days,
            "should_archive": decayed < self.archive_threshold,
        }
