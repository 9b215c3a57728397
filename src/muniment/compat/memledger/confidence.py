"""The confidence gate and what it decides by: declared confidence, capped by the weakest ancestor; and its fading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from muniment.compat.memledger.models import MemoryRecord
from muniment.compat.memledger.scoring import days_since
from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.gate import Thresholds, gate_flag
from muniment.model.vocabulary import Support

MAX_ACTIVE_CHAIN_HOPS = 5
Flag = Literal["PASS", "FLAG", "FILTER"]
_FLAGS: dict[str, Flag] = {"PASS": "PASS", "FLAG": "FLAG", "FILTER": "FILTER"}


class ConfidencePolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Below `min_threshold` a record is left out, below `flag_threshold` it is told with a warning. Thresholds that
    are crossed or lie outside 0 to 1 are refused."""

    min_threshold: float = 0.4
    flag_threshold: float = 0.6
    include_attribution: bool = True

    def __post_init__(self) -> None:
        for name in ("min_threshold", "flag_threshold"):
            checks.unit_interval(name, getattr(self, name))
        if self.min_threshold > self.flag_threshold:
            raise Malformed(
                "flag_threshold", f"a number that is not below min_threshold, which is {self.min_threshold:g}"
            )

    def evaluate(self, confidence: float) -> Flag:
        """What the gate says of a confidence. What is no number from 0 to 1 is refused and not waved through.

        >>> [ConfidencePolicy().evaluate(sure) for sure in (0.39, 0.4, 0.6)]
        ['FILTER', 'FLAG', 'PASS']
        """
        checks.unit_interval("confidence", confidence)
        limits = Thresholds(min=self.min_threshold, flag=self.flag_threshold)
        return _FLAGS[gate_flag(confidence, Support.STANDING, limits).value]

    def format_signal(self, confidence: float, created_by: str = "unknown") -> str:
        """The verdict in words for a prompt."""
        who = f" from {created_by}" if self.include_attribution else ""
        match self.evaluate(confidence):
            case "PASS":
                return f"High confidence ({confidence:.2f}){who}"
            case "FLAG":
                return f"Low confidence ({confidence:.2f}){who}: hedge what is decided on it"
            case _:
                return f"Left out ({confidence:.2f}): below what is trusted"


def read_policy(given: ConfidencePolicy | Mapping[str, object]) -> ConfidencePolicy:
    """The gate a call asks for; what it does not say, and an empty mapping, are the usual thresholds. One that the
    call is silent about gives way to the other, so that the two are never crossed by mixing."""
    if isinstance(given, ConfidencePolicy):
        return given
    said, usual = dict(given), ConfidencePolicy()
    lowest, flag = said.get("min_threshold"), said.get("flag_threshold")
    if flag is None and isinstance(lowest, (int, float)):
        said["flag_threshold"] = max(lowest, usual.flag_threshold)
    if lowest is None and isinstance(flag, (int, float)):
        said["min_threshold"] = min(flag, usual.min_threshold)
    try:
        return msgspec.convert(said, ConfidencePolicy, strict=True)
    except msgspec.ValidationError as error:
        raise Malformed("confidence_policy", f"min_threshold and flag_threshold ({error})") from None


def apply_confidence_gating(
    records: Sequence[MemoryRecord],
    policy: ConfidencePolicy,
    effective_confidence: Mapping[str, float] | None = None,
) -> tuple[list[MemoryRecord], list[MemoryRecord], list[MemoryRecord]]:
    """Records that pass, that are flagged and that are left out, each marked. A record the map does not name is judged
    by what it declares."""
    known = effective_confidence or {}
    sorted_: dict[Flag, list[MemoryRecord]] = {"PASS": [], "FLAG": [], "FILTER": []}
    for record in records:
        confidence = known.get(record.id, record.confidence)
        record.confidence_flag = policy.evaluate(confidence)
        if record.confidence_flag == "FLAG":
            warn(record, policy, confidence)
        sorted_[record.confidence_flag].append(record)
    return sorted_["PASS"], sorted_["FLAG"], sorted_["FILTER"]


def warn(record: MemoryRecord, policy: ConfidencePolicy, confidence: float) -> None:
    """Put the warning of a flagged record into its metadata."""
    record.metadata = {
        **record.metadata,
        "_confidence_flag": "LOW",
        "_effective_confidence": confidence,
        "_confidence_signal": policy.format_signal(confidence, record.created_by or "unknown"),
    }


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
