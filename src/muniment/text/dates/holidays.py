"""The days of the year that have a name, and when they are."""

from __future__ import annotations

import re
from collections.abc import Callable

from muniment.text.dates import calendar


def _on(month: int, day: int) -> Callable[[int], int]:
    return lambda year: calendar.day_number(year, month, day)


def _nth(month: int, weekday: int, nth: int, later: int = 0) -> Callable[[int], int]:
    return lambda year: calendar.nth_weekday(year, month, weekday, nth) + later


_DAYS: dict[str, Callable[[int], int]] = {
    "christmas eve": _on(12, 24), "christmas": _on(12, 25), "boxing day": _on(12, 26), "new years eve": _on(12, 31),
    "new years": _on(1, 1), "halloween": _on(10, 31), "valentines": _on(2, 14), "thanksgiving": _nth(11, 4, 4),
    "black friday": _nth(11, 4, 4, 1), "easter": calendar.easter, "good friday": lambda year: calendar.easter(year) - 2,
    "easter monday": lambda year: calendar.easter(year) + 1, "independence day": _on(7, 4), "labor day": _nth(9, 1, 1),
    "memorial day": _nth(5, 1, 0), "st patricks day": _on(3, 17), "mothers day": _nth(5, 7, 2),
    "fathers day": _nth(6, 7, 3),
}  # fmt: skip
HOLIDAY = (
    r"christmas eve|christmas(?: day)?|boxing day|new year['’]?s eve|new year['’]?s(?: day)?|halloween|"
    r"valentine['’]?s(?: day)?|thanksgiving(?: day)?|black friday|easter monday|easter(?: sunday)?|good friday|"
    r"independence day|labor day|memorial day|st\.? patrick['’]?s day|mother['’]?s day|father['’]?s day"
)


def holiday(name: str, year: int) -> int:
    """The day of a named day in a year."""
    plain = re.sub(r"['’.]", "", name).removesuffix(" sunday")
    of_year = _DAYS.get(plain) or _DAYS[plain.removesuffix(" day")]
    return of_year(year)
