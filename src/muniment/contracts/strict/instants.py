"""Times in documents: RFC 3339 as it is written, with leap seconds where there can be one, and our instants of it."""

from __future__ import annotations

import re
from datetime import date, timedelta

from muniment.model import times
from muniment.model.times import Instant

_FORM = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:([Zz])|([+-])(\d{2}):(\d{2}))", re.ASCII
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = date(1970, 1, 1)


def is_instant(text: str) -> bool:
    """Whether a text is an RFC 3339 date-time: the day exists, and second 60 stands only at the end of a UTC day.

    >>> is_instant("2016-12-31T23:59:60Z"), is_instant("2017-01-01T00:59:60+01:00"), is_instant("2026-02-29T00:00:00Z")
    (True, True, False)
    """
    found = _FORM.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month) or hour > 23 or minute > 59 or second > 60:
        return False
    ahead = _ahead(found)
    return ahead is not None and (second < 60 or (hour * 60 + minute - ahead) % 1_440 == 1_439)


def _length(year: int, month: int) -> int:
    leap = month == 2 and ((year % 4 == 0 and year % 100 != 0) or year % 400 == 0)
    return _DAYS[month - 1] + leap


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

    >>> times.show(instant_of("2016-12-31T23:59:60Z")), times.show(instant_of("2026-03-01T10:00:00.5+02:00"))
    ('2016-12-31T23:59:59.999999Z', '2026-03-01T08:00:00.500000Z')
    """
    found = _FORM.fullmatch(text)
    assert found is not None, "checked by is_instant"
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    micros = int((found.group(7) or ".0")[1:7].ljust(6, "0"))
    if second == 60:
        second, micros = 59, 999_999
    ahead = _ahead(found)
    assert ahead is not None, "checked by is_instant"
    if year == 0:
        return times.MIN
    days = (date(year, month, day) - _EPOCH) // timedelta(days=1)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - ahead * 60
    return Instant(min(max(seconds * 1_000_000 + micros, times.MIN), times.MAX))
