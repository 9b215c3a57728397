"""What a reader of a foreign store yields: records, entries it could not read, and deleted text that is still on disk.

Every reader yields the same stream, so that the audit, the import and the preview see the same source in the same way.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import times
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Kind

TEXT_MAX = 1_048_576
"""The longest text of one record, in characters."""


class Previous(Value):
    """An earlier wording of a record: what it said, who wrote it and when, as far as the source says."""

    text: str
    author: str | None = None
    at: Instant | None = None


class ForeignLink(Value):
    """A link from a record to another one of the same source, by its id there."""

    type: str
    target: str


class ForeignRecord(Value):
    """One memory as another system keeps it. `place` says where it stands (file and line, row or block); `deleted`
    means that the source calls it deleted, though its text may still be there. What has no field is in `metadata`."""

    id: str
    text: str
    place: str
    author: str | None = None
    role: str | None = None
    created: Instant | None = None
    updated: Instant | None = None
    user: str | None = None
    namespace: str | None = None
    session: str | None = None
    source: str | None = None
    kind: Kind | None = None
    confidence: float | None = None
    previous: tuple[Previous, ...] = ()
    deleted: bool = False
    archived: bool = False
    by_person: bool = False
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    links: tuple[ForeignLink, ...] = ()
    subject: str | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    expires: Instant | None = None
    metadata: tuple[tuple[str, str], ...] = ()


class Unread(Value):
    """An entry of a source that could not be read: where, a stable code, and what is wrong."""

    place: str
    code: str
    message: str


class Residue(Value):
    """Text that the source deleted and that is still on disk. `id` is the record it was of, if that is known."""

    place: str
    text: str
    why: str
    id: str | None = None


class Prompt(Value):
    """A system prompt that the source keeps beside its memories: memories that repeat it are echoes."""

    place: str
    text: str


class Unsaid(Value):
    """Something of the source that is not taken over and is reported instead, such as access rules or tools."""

    place: str
    what: str


Item: TypeAlias = ForeignRecord | Unread | Residue | Prompt | Unsaid


class Mapping(Value):
    """Which column or key of a plain table holds what. A name that is not given is looked for under its usual names."""

    names: tuple[tuple[str, str], ...] = ()
    split: str = "note"

    def of(self, field: str) -> str | None:
        return dict(self.names).get(field)


PLAIN = Mapping()
Reader: TypeAlias = Callable[["Path | str", Mapping], Iterator[Item]]


_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?", re.ASCII)


def instant(value: Json) -> Instant | None:
    """Read a time as other systems spell it: ISO 8601 with or without its zone (then UTC), or seconds, milliseconds or
    microseconds since 1970. What is no time is None.

    >>> instant("2026-11-16 13:08:49") == instant("2026-11-16T13:08:49Z") == instant(1794834529)
    True
    >>> instant("soon"), instant(True)
    (None, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            return _counted(float(text))
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return _held(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return _counted(float(value)) if isinstance(value, int | float) and abs(value) < 1e18 else None


def _held(moment: datetime) -> Instant | None:
    found = (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    return _within(round(found * 1_000_000))


def _counted(value: float) -> Instant | None:
    if value < 1e8:
        return None
    scale = 1_000_000 if value < 1e11 else 1_000 if value < 1e14 else 1
    return _within(round(value * scale))


def _within(micros: int) -> Instant | None:
    return Instant(micros) if times.MIN <= micros <= times.MAX else None


def text_of(value: Json, *names: str) -> str | None:
    """The first of these keys of an object that holds text which is not blank, or a number as text."""
    if not isinstance(value, dict):
        return None
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
    return None


def object_of(value: Json, name: str) -> JsonObject:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_of(value: Json, name: str) -> list[Json]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def time_of(value: Json, *names: str) -> Instant | None:
    if not isinstance(value, dict):
        return None
    return next((found for name in names if (found := instant(value.get(name))) is not None), None)


def extras(value: JsonObject, known: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """What an object says beside the keys that have a place: names and short texts of their values."""
    found = ((str(key), _spelled(said)) for key, said in value.items() if key not in known)
    return tuple((key[:128], said) for key, said in found if said)[:64]


def _spelled(value: Json) -> str:
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, str):
        return value[:4_000]
    if isinstance(value, list):
        return ", ".join(_spelled(one) for one in value[:64] if not isinstance(one, list | dict))[:4_000]
    if isinstance(value, dict):
        return "; ".join(
            f"{key}={_spelled(one)}" for key, one in list(value.items())[:64] if not isinstance(one, dict)
        )[:4_000]
    return str(value)[:4_000]


def made_id(*parts: str) -> str:
    """An id for a record that has none: the same words in the same place give the same id on every run."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{parts[0]}:{digest[:24]}"


def fits(text: str) -> bool:
    return bool(text.strip()) and len(text) <= TEXT_MAX
