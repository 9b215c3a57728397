"""What a well-formed resource should not say: times in the wrong order, empty texts, values that cannot be meant.

Nothing of it takes conformance away; every finding is a warning or less.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import UNSET

from muniment.contracts.omir.wire import (
    DRAFT_FIELDS,
    GRADES,
    RESOURCES,
    Confidence,
    Entity,
    Episode,
    Extension,
    MemoryRecord,
    MetaBlock,
    Relationship,
    Resource,
)
from muniment.contracts.strict.instants import instant_of

Doubt = tuple[str, str, str]
"""A code, where in the resource, and what is doubtful there."""

DRAFT = "I510"
"""The code of a draft field of R1.x."""
EVENT_AHEAD_DAYS = 30
CALIBRATED_TOLERANCE = 0.02
PUBLISHED_EXTENSIONS = frozenset(
    {"https://omir.io/spec/R1/extension/spatial-pose", "https://omir.io/spec/R1/extension/pii-class"}
)

_MICROS_PER_DAY = 86_400_000_000
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*", re.ASCII)
_THEIR_HOST = re.compile(r"https?://(?:www\.)?omir\.io(?:[/:?#]|\Z)", re.IGNORECASE)
_PLAIN_LENGTH = 20
_GRADES = {struct: GRADES[kind] for kind, struct in RESOURCES.items()}


@lru_cache(maxsize=4_096)
def _is_snake(word: str) -> bool:
    return _SNAKE.fullmatch(word) is not None


def doubts(one: Resource) -> list[Doubt]:
    """Everything doubtful in one resource, its draft fields among it."""
    found: list[Doubt] = []
    if isinstance(one, MemoryRecord):
        _memory(one, found)
    elif isinstance(one, Relationship):
        _relationship(one, found)
    elif isinstance(one, Entity):
        if not one.name:
            found.append(_empty("name"))
    else:
        _episode(one, found)
    meta = one.meta
    if meta is not UNSET and (meta.last_updated is not UNSET or meta.maturity != _GRADES[type(one)]):
        _meta(meta, one, found)
    if one.extension is not UNSET:
        found.extend(_extensions(one.extension))
    return found


def _drafts(one: Resource, *said: object) -> Iterator[Doubt]:
    for name, value in zip(DRAFT_FIELDS[type(one).__name__], said, strict=True):
        if value is not UNSET:
            yield DRAFT, name, f"{name} is a draft field of R1.x"


def _memory(one: MemoryRecord, found: list[Doubt]) -> None:
    if not one.content:
        found.append(_empty("content"))
    if one.valid_until is not UNSET and earlier(one.valid_until, one.created_at):
        found.append(_reversed("validUntil", "createdAt"))
    if (
        one.event_time is not UNSET
        and one.experience_type != "intention"
        and _far_ahead(one.event_time, one.created_at)
    ):
        found.append(_ahead())
    if one.decay is not UNSET:
        access = one.decay.last_access
        if access is not UNSET and earlier(access, one.created_at):
            found.append(_reversed("decay/lastAccess", "createdAt"))
    if one.confidence is not UNSET:
        _calibrated(one.confidence, found)
    if one.information_content is not UNSET or one.replay_priority is not UNSET or one.interference is not UNSET:
        found.extend(_drafts(one, one.information_content, one.replay_priority, one.interference))


def _relationship(one: Relationship, found: list[Doubt]) -> None:
    word = one.relation_type
    if not word:
        found.append(_empty("relationType"))
    elif not _is_snake(word):
        found.append(("I550", "relationType", f'"{word}" is not lower_snake_case'))
    if one.invalidated_at is not UNSET and one.valid_at is not UNSET and earlier(one.invalidated_at, one.valid_at):
        found.append(_reversed("invalidatedAt", "validAt"))
    if one.reverse_strength is not UNSET or one.normalized_strength is not UNSET or one.normalization is not UNSET:
        found.extend(_drafts(one, one.reverse_strength, one.normalized_strength, one.normalization))


def _episode(one: Episode, found: list[Doubt]) -> None:
    if not one.content:
        found.append(_empty("content"))
    if one.event_time is not UNSET and _far_ahead(one.event_time, one.created_at):
        found.append(_ahead())
    if one.boundary_strength is not UNSET or one.boundary_reason is not UNSET:
        found.extend(_drafts(one, one.boundary_strength, one.boundary_reason))


def _meta(meta: MetaBlock, one: Resource, found: list[Doubt]) -> None:
    if meta.last_updated is not UNSET:
        for name, made in (("meta/createdAt", meta.created_at), ("createdAt", one.created_at)):
            if made is not UNSET and earlier(meta.last_updated, made):
                found.append(_reversed("meta/lastUpdated", name))
    if meta.maturity is not UNSET:
        kind = type(one).__name__
        if meta.maturity != GRADES[kind]:
            what = f"R1 gives a {kind} the maturity {GRADES[kind]}, not {meta.maturity}"
            found.append(("I541", "meta/maturity", what))


def _extensions(extensions: list[Extension]) -> Iterator[Doubt]:
    seen: set[str] = set()
    for number, one in enumerate(extensions):
        values = (one.value_string, one.value_number, one.value_boolean, one.value_json)
        carried = sum(value is not UNSET for value in values)
        if carried != 1:
            yield (
                "W520",
                f"extension/{number}",
                f"an extension should carry one value; this one has {carried or 'none'}",
            )
        if one.url in seen:
            yield "I521", f"extension/{number}/url", "an extension before this one has the same url"
        seen.add(one.url)
        if one.url not in PUBLISHED_EXTENSIONS and _THEIR_HOST.match(one.url) is not None:
            yield "W522", f"extension/{number}/url", "no extension of that name is published under omir.io"


def _calibrated(confidence: Confidence, found: list[Doubt]) -> None:
    alpha, beta, said = confidence.alpha, confidence.beta, confidence.calibrated
    if alpha is UNSET or beta is UNSET or said is UNSET:
        return
    mean = 0.5 if math.isinf(alpha + beta) else alpha / (alpha + beta)
    low, high = (0.5, mean) if mean >= 0.5 else (mean, 0.5)
    if not low - CALIBRATED_TOLERANCE <= said <= high + CALIBRATED_TOLERANCE:
        what = f"expected between 0.5 and {mean:.4g}, the mean of alpha and beta"
        found.append(("W540", "confidence/calibrated", what))


def earlier(one: str, other: str) -> bool:
    """Whether an instant is before another. Both are valid.

    >>> earlier("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    True
    >>> earlier("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z")
    True
    """
    if len(one) == len(other) == _PLAIN_LENGTH and one[-1] == other[-1] == "Z" and one[10] == other[10]:
        return one < other
    return instant_of(one) < instant_of(other)


def _far_ahead(event: str, created: str) -> bool:
    if not earlier(created, event):
        return False
    return instant_of(event) - instant_of(created) > EVENT_AHEAD_DAYS * _MICROS_PER_DAY


def _ahead() -> Doubt:
    return "W531", "eventTime", f"the event lies more than {EVENT_AHEAD_DAYS} days after it was written down"


def _reversed(later: str, before: str) -> Doubt:
    return "W530", later, f"{later} is before {before}"


def _empty(field: str) -> Doubt:
    return "W551", field, f"{field} is empty"
