"""Instants as whole microseconds of UTC, and their one spelling. No clock here; see `ports.clock`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NewType

from muniment.model.errors import Malformed

Instant = NewType("Instant", int)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
MIN = Instant((datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND)
MAX = Instant((datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - _EPOCH) // _MICROSECOND)
HOUR = 3_600_000_000
DAY = 86_400_000_000

_FORM = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?\s?([Zz]|[+-]\d{2}:\d{2}))?",
    re.ASCII,
)


def parse(text: str, *, field: str) -> Instant:
    """Read an ISO 8601 instant. A date alone is its first moment in UTC; a time must name its zone.

    >>> show(parse("2026-03-01", field="valid_at")), show(parse("2026-03-01T10:00:00+02:00", field="valid_at"))
    ('2026-03-01T00:00:00Z', '2026-03-01T08:00:00Z')
    """
    found = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise Malformed(field, "a date or an instant with its zone, such as 2026-03-01 or 2026-03-01T09:30:00Z")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
        naive = (moment - datetime(1970, 1, 1)) // _MICROSECOND
    except ValueError as error:
        raise Malformed(field, f"an instant that exists ({error})") from None
    micros = int((fraction or "0").ljust(6, "0"))
    instant = naive + micros - _offset(zone, field)
    if not MIN <= instant <= MAX:
        raise Malformed(field, "an instant between the years 1 and 9999 in UTC")
    return Instant(instant)


def _offset(zone: str | None, field: str) -> int:
    if zone is None or zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise Malformed(field, "a zone offset between -23:59 and +23:59")
    return (-1 if zone[0] == "-" else 1) * (hours * 60 + minutes) * 60_000_000


def show(instant: Instant) -> str:
    """Spell an instant the one way we spell it: UTC, `Z`, fractions only where there are any."""
    text = (_EPOCH + timedelta(microseconds=instant)).isoformat()
    return text.replace("+00:00", "Z")


def from_datetime(moment: datetime, *, field: str) -> Instant:
    if moment.tzinfo is None:
        raise Malformed(field, "a datetime that knows its zone, such as datetime.now(UTC)")
    return Instant((moment - _EPOCH) // _MICROSECOND)
