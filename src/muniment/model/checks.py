"""Field checks shared by the values. Each names the field it refuses and never repeats what it was given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import NewType, TypeVar

from muniment.model import times
from muniment.model.errors import LimitExceeded, Malformed, Unauthenticated

TenantId = NewType("TenantId", str)
RecordId = NewType("RecordId", str)
ProposalId = NewType("ProposalId", str)
ActorId = NewType("ActorId", str)

CONTENT_BYTES_MAX = 1_048_576
TEXT_BYTES_MAX = 4_096
LIST_LENGTH_MAX = 256

_IDENTIFIER = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
# Tabs and line breaks are text; every other control character, and half of a surrogate pair, is not.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NAMESPACE_PART = re.compile(r"[^/\x00-\x1f\x7f]{1,128}")

_HUGE = 1e308
_E = TypeVar("_E", bound=StrEnum)


def identifier(field: str, value: str) -> None:
    if not isinstance(value, str) or _IDENTIFIER.fullmatch(value) is None:
        hint = "Use plain letters, digits and . _ : - alone: no spaces, accents or slashes."
        raise Malformed(field, "1 to 128 of the characters A-Z a-z 0-9 . _ : -", hint=hint)


def caller(value: object) -> None:
    if value is None or value == "":
        raise Unauthenticated()


def optional_identifier(field: str, value: str | None) -> None:
    if value is not None:
        identifier(field, value)


def text(field: str, value: str, *, limit: int = TEXT_BYTES_MAX) -> None:
    """Printable text that says something, within `limit` bytes of UTF-8."""
    if not isinstance(value, str) or not value or value.isspace():
        raise Malformed(field, "text that is not empty", hint=f"Say something, or leave {field} out.")
    plain_text(field, value, limit=limit)


def plain_text(field: str, value: str, *, limit: int = TEXT_BYTES_MAX) -> None:
    if not isinstance(value, str):
        raise Malformed(field, "text")
    if not value.isprintable() and _UNPRINTABLE.search(value) is not None:
        raise Malformed(field, "text without control characters or lone surrogates")
    if len(value) * 4 > limit:
        sent = len(value.encode())
        if sent > limit:
            raise LimitExceeded(field, limit=limit, unit="bytes", sent=sent)


def optional_text(field: str, value: str | None, *, limit: int = TEXT_BYTES_MAX) -> None:
    if value is not None:
        text(field, value, limit=limit)


def texts(field: str, values: Sequence[str]) -> None:
    if values == ():
        return
    _sequence(field, values)
    for position, value in enumerate(values):
        text(f"{field}[{position}]", value)


def identifiers(field: str, values: Sequence[str]) -> None:
    if values == ():
        return
    _sequence(field, values)
    for position, value in enumerate(values):
        identifier(f"{field}[{position}]", value)


def instances(field: str, values: Sequence[object], kind: type) -> None:
    if values == ():
        return
    _sequence(field, values)
    for position, value in enumerate(values):
        if not isinstance(value, kind):
            raise Malformed(f"{field}[{position}]", f"a {kind.__name__}")


def _sequence(field: str, values: Sequence[object]) -> None:
    if not isinstance(values, tuple):
        raise Malformed(field, "a list")
    if len(values) > LIST_LENGTH_MAX:
        raise LimitExceeded(field, limit=LIST_LENGTH_MAX, unit="items", sent=len(values))


def number(field: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_HUGE < value < _HUGE:
        raise Malformed(field, "a finite number")


def unit_interval(field: str, value: float) -> None:
    """A number from 0 to 1. NaN, infinities and booleans are not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise Malformed(field, "a number from 0 to 1", hint="Write 0.9 for ninety percent.")


def optional_unit_interval(field: str, value: float | None) -> None:
    if value is not None:
        unit_interval(field, value)


def positive(field: str, value: float) -> None:
    number(field, value)
    if value <= 0:
        raise Malformed(field, "a number above 0")


def whole(field: str, value: int, *, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Malformed(field, f"a whole number from {least} to {most}")


def flag(field: str, value: bool) -> None:
    if not isinstance(value, bool):
        raise Malformed(field, "true or false", hint="Give the value itself and not a text of it.")


def instant(field: str, value: int | None) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not times.MIN <= value <= times.MAX:
        hint = "Write it as 2026-03-01T09:30:00Z, or hand over a datetime with a time zone."
        raise Malformed(field, "an instant between the years 1 and 9999", hint=hint)


def word(field: str, value: str | None, vocabulary: type[_E]) -> None:
    """A member of a closed vocabulary; the refusal lists the words there are."""
    if not isinstance(value, vocabulary):
        raise Malformed(field, "one of " + ", ".join(vocabulary), hint=_nearest(value, vocabulary))


def _nearest(said: object, vocabulary: type[StrEnum]) -> str:
    """Which word of a vocabulary was probably meant. What was said is not repeated: it may be anything."""
    word = said.strip().casefold().replace("-", "_").replace(" ", "_") if isinstance(said, str) else ""
    near = get_close_matches(word, [*vocabulary], n=1, cutoff=0.5)
    return f"The nearest is {near[0]}." if near else "Choose one of them."


def read_word(field: str, value: str, vocabulary: type[_E]) -> _E:
    """Turn outside text into a member of a closed vocabulary."""
    if not isinstance(value, str) or value not in {*vocabulary}:
        raise Malformed(field, "one of " + ", ".join(vocabulary), hint=_nearest(value, vocabulary))
    return vocabulary(value)


def namespace(field: str, value: str) -> None:
    """A path of whole parts: `/`, `/a`, `/a/b`. No empty parts, no `.` or `..`, no trailing slash."""
    if value == "/":
        return
    if not isinstance(value, str) or not value.startswith("/") or len(value) > 512:
        raise Malformed(field, "a path such as / or /team/topic, at most 512 characters")
    plain_text(field, value)
    for part in value[1:].split("/"):
        if part in (".", "..") or _NAMESPACE_PART.fullmatch(part) is None or part != part.strip():
            raise Malformed(field, "a path of whole parts, such as /team/topic, with no empty, '.' or '..' part")
