"""JSON values, and RFC 3339 times as microseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"
Instant: TypeAlias = int

HOUR = 3_600_000_000
DAY = 24 * HOUR
MIN = Instant(-62_135_596_800_000_000)
MAX = Instant(253_402_300_799_999_999)
_FORM = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:([Zz])|([+-])(\d{2}):(\d{2}))", re.ASCII
)
_EPOCH = date(1970, 1, 1)


class WrongValue(ValueError):
    """A value that a function does not take. `field` names it."""

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: expected {expected}")
        self.field = field


def unit_interval(field: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise WrongValue(field, "a number from 0 to 1")


def show(instant: Instant) -> str:
    """An instant as RFC 3339 text in UTC."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant)).isoformat().replace("+00:00", "Z")


def _ahead(found: re.Match[str]) -> int | None:
    """Minutes ahead of UTC; None if there is no such zone."""
    if found.group(8) is not None:
        return 0
    hours, minutes = int(found.group(10)), int(found.group(11))
    if hours > 23 or minutes > 59:
        return None
    return (-1 if found.group(9) == "-" else 1) * (hours * 60 + minutes)


def instant_of(text: str) -> Instant:
    """The instant a valid RFC 3339 text names, to the microsecond. A leap second is the last moment of its day; what
    lies outside the years we keep is the nearest moment inside.

    >>> show(instant_of("2016-12-31T23:59:60Z")), show(instant_of("2026-03-01T10:00:00.5+02:00"))
    ('2016-12-31T23:59:59.999999Z', '2026-03-01T08:00:00.500000Z')
    """
    found = _FORM.fullmatch(text)
    assert found is not None, "the text is an RFC 3339 date-time"
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    micros = int((found.group(7) or ".0")[1:7].ljust(6, "0"))
    if second == 60:
        second, micros = 59, 999_999
    ahead = _ahead(found)
    assert ahead is not None, "the text is an RFC 3339 date-time"
    if year == 0:
        return MIN
    days = (date(year, month, day) - _EPOCH) // timedelta(days=1)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - ahead * 60
    return Instant(min(max(seconds * 1_000_000 + micros, MIN), MAX))
