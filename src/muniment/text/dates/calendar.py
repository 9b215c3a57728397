"""The calendar as arithmetic on whole days since 1970-01-01, of any year, without the bounds of a clock's dates."""

from __future__ import annotations

from typing import NamedTuple

WEEK = 7
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH_SHIFT = 719_468
"""Days from the first of March of the year 0 to 1970-01-01."""


class Days(NamedTuple):
    """From the day `first` up to, not including, the day `end`."""

    first: int
    end: int


class Civil(NamedTuple):
    year: int
    month: int
    day: int


def day_number(year: int, month: int, day: int) -> int:
    """How many days after 1970-01-01 a date is. Years are counted from March, so that the odd day comes last."""
    shifted = year - (month <= 2)
    cycle, of_cycle = divmod(shifted, _CYCLE_YEARS)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return cycle * _CYCLE_DAYS + of_cycle * 365 + of_cycle // 4 - of_cycle // 100 + of_year - _EPOCH_SHIFT


def civil(number: int) -> Civil:
    """The date of a day."""
    cycle, of_cycle = divmod(number + _EPOCH_SHIFT, _CYCLE_DAYS)
    year = (of_cycle - of_cycle // 1_460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    day = of_year - (153 * shifted + 2) // 5 + 1
    return Civil(cycle * _CYCLE_YEARS + year + (month <= 2), month, day)


def month_days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _MONTH_DAYS[month - 1]


def exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= month_days(year, month)


def weekday(number: int) -> int:
    """1 for a Monday, 7 for a Sunday."""
    return (number + 3) % WEEK + 1


def a_day(number: int) -> Days:
    return Days(number, number + 1)


def a_month(year: int, month: int) -> Days:
    """A month; months beyond December are of the years that follow."""
    years, left = divmod(month - 1, 12)
    later, next_left = divmod(month, 12)
    return Days(day_number(year + years, left + 1, 1), day_number(year + later, next_left + 1, 1))


def a_year(year: int) -> Days:
    return Days(day_number(year, 1, 1), day_number(year + 1, 1, 1))


def a_week(number: int) -> Days:
    """The week of a day, from Monday to Sunday."""
    monday = number - weekday(number) + 1
    return Days(monday, monday + WEEK)


def months_later(number: int, months: int) -> int:
    """The same day of another month, or its last day where there is no such day."""
    year, month, day = civil(number)
    years, left = divmod(month - 1 + months, 12)
    return day_number(year + years, left + 1, min(day, month_days(year + years, left + 1)))


def nth_weekday(year: int, month: int, wanted: int, nth: int) -> int:
    """The nth such weekday of a month; the last one for an nth of 0."""
    if nth == 0:
        last = a_month(year, month).end - 1
        return last - (weekday(last) - wanted) % WEEK
    first = day_number(year, month, 1)
    return first + (wanted - weekday(first)) % WEEK + WEEK * (nth - 1)


def easter(year: int) -> int:
    """Easter Sunday of the western churches, by the rule of the Gregorian computus."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = (year + year // 4 + moon + 2 - century + century // 4) % WEEK
    offset = moon - sunday
    month = 3 + (offset + 40) // 44
    return day_number(year, month, offset + 28 - 31 * (month // 4))
