"""The shapes in which a text names a time, and what each says when it is read on a given day.

A shape is read in lower case. Where it leaves the year open, the nearest past is meant: memory is of what was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from muniment.model.times import DAY, HOUR
from muniment.text.dates import calendar
from muniment.text.dates.calendar import Days
from muniment.text.dates.holidays import HOLIDAY, holiday
from muniment.text.dates.words import (
    ALL_WEEKDAYS,
    COUNT,
    COUNTS,
    DOUBLE_MONTHS,
    FULL_WEEKDAYS,
    MONTH,
    ORDINAL,
    SEASON,
    SEASONS,
    SURE_MONTHS,
    UNIT,
    VAGUE,
    WEEKDAY,
    WHICH,
    YEAR,
)
from muniment.text.word_tables import AUXILIARY, BE, MONTHS, STOP, VERBS

_YEARS = range(1900, 2101)
_PAST = frozenset(("last", "past", "previous", "this past"))
_FUTURE = frozenset(("next", "coming", "this coming"))
_ROLLING = frozenset(("past", "this past"))
_NAMED_AFTER = re.compile(
    r"(?:^|\W)(?:in|during|since|until|till|before|after|by|from|between|of|year|around|throughout|early|mid|late|"
    r"(?P<to>to|and|through|thru|or))[ -](?:the )?(?:(?:month|year) (?:of )?)?$"
)
_ON = re.compile(r"(?:^|\W)(?:on|by|since|until|till|before|after|from|between|of|and|to|dated)[ -](?:the )?$")
_WITHIN = re.compile(r"\b(?:in|over|during|within|for) the $")
_RANGING = re.compile(r"\b(?:from|between|in|during)\b")
_COUNTED = re.compile(r" ([a-z]+s)\b")
_FOLLOWED = re.compile(r" ([a-z]+)")
_MINUTE = HOUR // 60
_HALF = {"week": 3, "month": 15, "year": 183, "decade": 1_826}
"""How many days each side of "a month ago" may still be meant by it."""


class DateContext(NamedTuple):
    """When and among which words a shape is read: `now` in microseconds, what stands before it and after it."""

    now: int
    before: str
    after: str

    @property
    def today(self) -> int:
        return self.now // DAY


class DateReading(NamedTuple):
    """From the microsecond `first` up to, not including, `end`. `floating` when it depends on the day of reading."""

    first: int
    end: int
    sure: bool
    floating: bool


Reader = Callable[[re.Match[str], DateContext], DateReading | None]


def _days(days: Days, *, sure: bool, floating: bool) -> DateReading:
    return DateReading(days.first * DAY, days.end * DAY, sure, floating)


def _fixed(days: Days, *, sure: bool = True) -> DateReading:
    return _days(days, sure=sure, floating=False)


def _year_of(match: re.Match[str]) -> int | None:
    year = match["y"]
    return int(year) if year else None


def _iso(match: re.Match[str], moment: DateContext) -> DateReading | None:
    year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    if year < 1 or not calendar.exists(year, month, day):
        return None
    return _fixed(calendar.a_day(calendar.day_number(year, month, day)))


def _year_month(match: re.Match[str], moment: DateContext) -> DateReading | None:
    return _fixed(calendar.a_month(int(match["y"]), int(match["m"])))


def _numeric(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """3/15/2024 with the month first, 15.3.2024 with the day first, unless it can only be the other way round."""
    one, two, year = int(match["a"]), int(match["b"]), int(match["y"])
    month, day = (two, one) if match["sep"] == "." else (one, two)
    sure = match["sep"] == "." or month == day or month > 12 or day > 12
    if month > 12:
        month, day = day, month
    if year < 100:
        year += 2000
    if not calendar.exists(year, month, day):
        return None
    return _fixed(calendar.a_day(calendar.day_number(year, month, day)), sure=sure)


def _short(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """3/15, where a word says that it is a day."""
    if _ON.search(moment.before) is None:
        return None
    return _nearest_day(int(match["m"]), int(match["d"]), moment)


def _nearest_day(month: int, day: int, moment: DateContext) -> DateReading | None:
    """The last such day that is not after today; for the 29th of February, up to eight years back."""
    this = calendar.civil(moment.today).year
    for year in range(this, this - 9, -1):
        if calendar.exists(year, month, day) and calendar.day_number(year, month, day) <= moment.today:
            number = calendar.day_number(year, month, day)
            return _days(calendar.a_day(number), sure=False, floating=True)
    return None


def _month_day(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """May 5, May 5th, 5 May, the 5th of May, with or without a year."""
    month, day, year = MONTHS[match["month"]], int(match["d"]), _year_of(match)
    marked = match["th"] or year is not None or match["of"] or _ON.search(moment.before) is not None
    if match["month"] in DOUBLE_MONTHS and not marked and _goes_on(moment.after):
        return None
    if year is None:
        return _nearest_day(month, day, moment)
    if not calendar.exists(year, month, day):
        return None
    return _fixed(calendar.a_day(calendar.day_number(year, month, day)))


def _goes_on(after: str) -> bool:
    """Whether a word follows that a number before it may count: may 5 people come."""
    word = _FOLLOWED.match(after)
    return word is not None and (word[1] not in STOP or word[1] in BE or word[1] == "of")


def _month_days(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """March 5-10, with or without a year."""
    month, first, last, year = MONTHS[match["month"]], int(match["d"]), int(match["e"]), _year_of(match)
    if last < first:
        return None
    if year is None:
        found = _nearest_day(month, first, moment)
        if found is None:
            return None
        year = calendar.civil(found.first // DAY).year
    if not calendar.exists(year, month, first) or not calendar.exists(year, month, last):
        return None
    days = Days(calendar.day_number(year, month, first), calendar.day_number(year, month, last) + 1)
    return _days(days, sure=match["y"] is not None, floating=match["y"] is None)


def _month_year(match: re.Match[str], moment: DateContext) -> DateReading | None:
    return _fixed(calendar.a_month(int(match["y"]), MONTHS[match["month"]]))


def _month(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """A month without a year: the nearest past one, if the words around it say that it is a month."""
    word, which = match["month"], match["which"]
    if which is None and not _is_month(word, moment):
        return None
    return _recurring(lambda year: calendar.a_month(year, MONTHS[word]), which, moment)


def _is_month(word: str, moment: DateContext) -> bool:
    named = _NAMED_AFTER.search(moment.before)
    if named is None:
        return word in SURE_MONTHS
    return not (named["to"] and word in DOUBLE_MONTHS) or _RANGING.search(moment.before) is not None


def _recurring(of_year: Callable[[int], Days], which: str | None, moment: DateContext) -> DateReading:
    """What comes every year, in the year that is meant: the nearest that has begun, unless a word says which."""
    this = calendar.civil(moment.today).year
    days = [of_year(year) for year in range(this - 2, this + 3)]
    if which in _PAST:
        chosen = max(day for day in days if day.end <= moment.today)
    elif which in _FUTURE:
        chosen = min(day for day in days if day.first > moment.today)
    elif which in ("this", "current"):
        chosen = next((day for day in days if day.first <= moment.today < day.end), of_year(this))
    else:
        chosen = max(day for day in days if day.first <= moment.today)
    return _days(chosen, sure=which is not None, floating=True)


def _season(match: re.Match[str], moment: DateContext) -> DateReading | None:
    first, year, which = SEASONS[match["season"]], _year_of(match), match["which"]
    if year is not None:
        return _fixed(_three_months(year, first), sure=match["season"] != "winter")
    if which is None and re.search(r"\b(?:in|during|over|since|until|before|after) (?:the )?$", moment.before) is None:
        return None
    return _recurring(lambda of: _three_months(of, first), which, moment)


def _three_months(year: int, first: int) -> Days:
    return Days(calendar.a_month(year, first).first, calendar.a_month(year, first + 2).end)


def _quarter(match: re.Match[str], moment: DateContext) -> DateReading | None:
    return _fixed(_three_months(int(match["y"]), int(match["q"]) * 3 - 2))


def _decade(match: re.Match[str], moment: DateContext) -> DateReading | None:
    year = int(match["y"])
    return _fixed(Days(calendar.a_year(year).first, calendar.a_year(year + 9).end))


def _year(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """A year, if the words around it say that it is no number of anything."""
    year, named = int(match["y"]), _NAMED_AFTER.search(moment.before)
    if year not in _YEARS or named is None or (named["to"] and _RANGING.search(moment.before) is None):
        return None
    counted = _COUNTED.match(moment.after)
    if counted is not None and counted[1] not in STOP | BE | AUXILIARY | VERBS:
        return None
    return _fixed(calendar.a_year(year))


_DAY_WORDS = {
    "the day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0,
    "this evening": 0, "tomorrow": 1, "the day after tomorrow": 2,
}  # fmt: skip


def _day_word(match: re.Match[str], moment: DateContext) -> DateReading | None:
    return _days(calendar.a_day(moment.today + _DAY_WORDS[match["word"]]), sure=True, floating=True)


def _last_night(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """From six in the evening to six in the morning."""
    midnight = moment.today * DAY
    return DateReading(midnight - 6 * HOUR, midnight + 6 * HOUR, True, True)


def _period(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """Last week, this year: of the calendar. The past week, and within the last week: up to now."""
    which, unit = match["which"], match["unit"]
    rolling = which in _ROLLING or (which == "last" and _WITHIN.search(moment.before) is not None)
    if rolling and unit != "weekend":
        return DateReading(_back(moment.today, 1, unit) * DAY, moment.now + 1, True, True)
    step = -1 if which in _PAST else 1 if which in _FUTURE else 0
    return _days(_calendar_period(unit, moment.today, step), sure=True, floating=True)


def _calendar_period(unit: str, today: int, step: int) -> Days:
    year, month, _ = calendar.civil(today)
    match unit:
        case "week":
            return calendar.a_week(today + calendar.WEEK * step)
        case "weekend":
            end = calendar.a_week(today + calendar.WEEK * step).end
            return Days(end - 2, end)
        case "month":
            return calendar.a_month(year, month + step)
        case "quarter":
            return _three_months(year, (month - 1) // 3 * 3 + 1 + 3 * step)
        case _:
            return calendar.a_year(year + step)


def _back(today: int, count: int, unit: str) -> int:
    """The day so many units before a day; after it, for a count below nothing."""
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120}.get(unit)
    if months is not None:
        return calendar.months_later(today, -count * months)
    return today - count * (calendar.WEEK if unit == "week" else 1)


def count(words: str) -> tuple[int, int]:
    """How many are said, at least and at most."""
    return COUNTS[words] if words in COUNTS else (int(words), int(words))


def shifted(first: int, least: int, unit: str) -> int:
    """The microsecond so many units before another."""
    if unit in ("minute", "hour"):
        return first - least * (HOUR if unit == "hour" else _MINUTE)
    day, rest = divmod(first, DAY)
    return _back(day, least, unit) * DAY + rest


def _ago(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """Days ago are days; of longer units, half a unit on each side is meant too."""
    least, most = count(match["n"])
    unit = match["unit"]
    sign = 1 if match["way"] == "ago" else -1
    early, late = sorted((sign * most, sign * least), reverse=True)
    if unit in ("minute", "hour"):
        half = (HOUR if unit == "hour" else _MINUTE) // 2
        return DateReading(shifted(moment.now, early, unit) - half, shifted(moment.now, late, unit) + half, False, True)
    half = _HALF.get(unit, 0)
    days = Days(_back(moment.today, early, unit) - half, _back(moment.today, late, unit) + half + 1)
    return _days(days, sure=unit == "day" and match["n"] not in VAGUE, floating=True)


def _last_many(match: re.Match[str], moment: DateContext) -> DateReading | None:
    """The last ten days end now; the next ten begin now."""
    most, unit = count(match["n"])[1], match["unit"]
    sure = match["n"] not in VAGUE
    if match["which"] in _FUTURE:
        return DateReading(moment.now, shifted(moment.today * DAY, -most, unit) + DAY, sure, True)
    start = moment.now if unit in ("minute", "hour") else moment.today * DAY
    return DateReading(shifted(start, most, unit), moment.now + 1, sure, True)


def _weekday(match: re.Match[str], moment: DateContext) -> DateReading | None:
    word, which, today = match["weekday"], match["which"], moment.today
    if which is None and word not in FULL_WEEKDAYS and not moment.before.endswith("on "):
        return None
    wanted, present = ALL_WEEKDAYS[word], calendar.weekday(today)
    if which in _PAST:
        found = today - ((present - wanted - 1) % 7 + 1)
    elif which in _FUTURE:
        found = today + (wanted - present - 1) % 7 + 1
    elif which is not None:
        found = today - present + wanted
    else:
        found = today - (present - wanted) % 7
    return _days(calendar.a_day(found), sure=which is not None, floating=True)


def _holiday(match: re.Match[str], moment: DateContext) -> DateReading | None:
    name, year = match["name"], _year_of(match)
    if year is not None:
        return _fixed(calendar.a_day(holiday(name, year)))
    return _recurring(lambda of: calendar.a_day(holiday(name, of)), match["which"], moment)


_CLOCK = r"(?:[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?"
_PART = " (?:morning|afternoon|evening|night)"
_Y = rf"(?P<y>{YEAR})"
_M = rf"(?P<month>{MONTH})\b\.?"
_D = rf"(?P<d>[0-9]{{1,2}})(?P<th>{ORDINAL})?"
_W = rf"(?:(?P<which>{WHICH}) )?"
_U = rf"(?P<unit>{UNIT})"
_TABLE: tuple[tuple[str, str, Reader], ...] = (
    ("iso", rf"(?P<y>[0-9]{{4}})[-/](?P<m>[0-9]{{1,2}})[-/](?P<d>[0-9]{{1,2}}){_CLOCK}", _iso),
    ("year_month", rf"{_Y}-(?P<m>0[1-9]|1[0-2])", _year_month),
    ("numeric", r"(?P<a>[0-9]{1,2})(?P<sep>[/.])(?P<b>[0-9]{1,2})[/.](?P<y>[0-9]{4}|[0-9]{2})", _numeric),
    ("short", r"(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})", _short),
    ("month_days", rf"{_M} {_D} ?(?:-|–|to|through|and) ?(?P<e>[0-9]{{1,2}}){ORDINAL}?\b(?:,? {_Y})?", _month_days),
    ("month_day", rf"{_M} (?P<of>the )?{_D}\b(?!:)(?:,? {_Y})?", _month_day),
    ("day_month", rf"{_D} (?P<of>of )?{_M}(?:,? {_Y})?", _month_day),
    ("month_year", rf"{_M}(?: of|,)? {_Y}", _month_year),
    ("month", rf"{_W}{_M}", _month),
    ("season", rf"{_W}(?P<season>{SEASON})(?:(?: of|,)? {_Y})?", _season),
    ("quarter", rf"q(?P<q>[1-4])(?: of|,)? {_Y}", _quarter),
    ("decade", r"(?:the )?(?P<y>[12][0-9]{2}0)['’]?s", _decade),
    ("day_word", rf"(?P<word>{'|'.join(_DAY_WORDS)})(?:{_PART})?", _day_word),
    ("last_night", "last night", _last_night),
    ("last_many", rf"(?P<which>last|past|previous|next|coming) (?P<n>{COUNT}) {_U}s?", _last_many),
    ("ago", rf"(?P<n>{COUNT}) {_U}s? (?P<way>ago|from now)", _ago),
    ("holiday", rf"{_W}(?P<name>{HOLIDAY})(?:,? (?:of |in )?{_Y})?", _holiday),
    ("weekday", rf"{_W}(?P<weekday>{WEEKDAY})\b(?!{_PART}s\b)(?:{_PART})?", _weekday),
    ("period", rf"(?P<which>{WHICH}) (?P<unit>weekend|week|month|quarter|year)(?! (?:of|in) {MONTH}\b)", _period),
    ("year", _Y, _year),
)  # fmt: skip
READERS: dict[str, tuple[re.Pattern[str], Reader]] = {
    name: (re.compile(pattern), reader) for name, pattern, reader in _TABLE
}
SHAPES = re.compile(
    r"(?<![\w/$€£#.])(?<![0-9]-)(?:"
    + "|".join(f"(?P<{name}>{re.sub(r'[(][?]P<[a-z]+>', '(?:', pattern)})" for name, pattern, _ in _TABLE)
    + r")(?![\w/]|[.,][0-9]|-[0-9]|\s?%)"
)
"""Any of the shapes, where it is no part of something longer."""
