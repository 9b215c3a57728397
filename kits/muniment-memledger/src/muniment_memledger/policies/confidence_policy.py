"""The confidence gate: which records pass, which are flagged, which are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from muniment.model import checks
from muniment.model.decoding import convert
from muniment.model.errors import Malformed
from muniment.model.gate import Thresholds, gate_flag
from muniment.model.vocabulary import Support
from muniment_memledger.records import MemoryRecord

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
        return convert(said, ConfidencePolicy, strict=True)
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
