"""What the contract's words mean in ours: kinds, trust, retention, and tokens that say that nothing is known."""

from __future__ import annotations

from muniment.contracts.retrieval.wire import Retention
from muniment.model import times
from muniment.model.times import DAY, HOUR, Instant
from muniment.model.vocabulary import Kind, MemoryClass, TrustLevel

UNKNOWN = "unknown"
"""The token that stands for a source or a provenance nobody gave."""

UNDATED = Instant(0)
"""What is written where no creation is known, and read back as that."""

LIFETIMES: dict[Retention, int] = {
    Retention.SHORT_TERM: 2 * HOUR,
    Retention.LONG_TERM: 90 * DAY,
    Retention.PROFILE: 365 * DAY,
}
"""How long each class of retention lasts. `permanent` has no end."""

SCORES = {TrustLevel.HIGH: 0.9, TrustLevel.MEDIUM: 0.75, TrustLevel.LOW: 0.5}
"""The confidence a trust level stands for; also the least that earns it."""

_KINDS: dict[str, Kind] = {
    **{kind.value: kind for kind in Kind},
    "validated_fact": Kind.FACT,
    "working_note": Kind.OBSERVATION,
    "session_summary": Kind.SYNTHESIS,
    "language_preference": Kind.PREFERENCE,
    "profile_preference": Kind.PREFERENCE,
}


def kind_of(word: str) -> Kind | None:
    """The kind a word of the runtime layer names, if it names one.

    >>> kind_of("validated_fact"), kind_of("preferred_language")
    (<Kind.FACT: 'fact'>, None)
    """
    return _KINDS.get(word)


def class_of(word: str) -> MemoryClass:
    """The memory class of a word; the runtime layer knows others, which count as long-term here."""
    return next((one for one in MemoryClass if one.value == word), MemoryClass.LONG_TERM)


def trust_of(source: str, confidence: float) -> TrustLevel:
    """The trust a record of the runtime layer earns where none is said.

    >>> trust_of("trusted_service", 0.92).value, trust_of("session_state", 0.95).value, trust_of("x", 0.7).value
    ('high', 'medium', 'low')
    """
    if source.startswith("trusted") and confidence >= SCORES[TrustLevel.HIGH]:
        return TrustLevel.HIGH
    return TrustLevel.MEDIUM if confidence >= SCORES[TrustLevel.MEDIUM] else TrustLevel.LOW


def level_of(score: float) -> TrustLevel:
    """The trust level of a confidence, where nothing is known of its source."""
    for level in (TrustLevel.HIGH, TrustLevel.MEDIUM):
        if score >= SCORES[level]:
            return level
    return TrustLevel.LOW


def end_of(retention: Retention, created_at: Instant) -> Instant | None:
    """The last instant a record is kept at; None: it has no end."""
    lifetime = LIFETIMES.get(retention)
    return None if lifetime is None else Instant(min(created_at + lifetime, times.MAX))


def retention_of(created_at: Instant, expires_at: Instant | None) -> Retention:
    """The shortest class of retention that lasts at least until then."""
    if expires_at is None:
        return Retention.PERMANENT
    lasting = (name for name, lifetime in LIFETIMES.items() if created_at + lifetime >= expires_at)
    return next(lasting, Retention.PROFILE)
