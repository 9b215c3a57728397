"""Put the times that a text names together: ranges, bounds, thirds of a month, so many weeks before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from muniment.model.times import DAY, MAX, MIN, Instant
from muniment.text.dates import calendar
from muniment.text.dates.shapes import READERS, SHAPES, DateContext, DateReading, count, shifted
from muniment.text.dates.span import TimeSpan
from muniment.text.dates.words import COUNT, UNIT, VAGUE

_AROUND = 64
"""How many characters before and after a time are looked at."""

_YEAR_DAYS = 366
_EVERY = re.compile(r"\b(?:every|each|most|all)(?: single)? $")
_THIRD = re.compile(
    r"(?:\bthe )?\b(?P<part>(?:beginning|start|middle|end|first half|second half)(?= of)|early|mid|late)"
    r"(?: of)?(?: the month of)?[ -]$"
)
_NTH = re.compile(
    r"(?:\bthe )?\b(?P<nth>first|second|third|fourth|last) (?P<unit>day|week|weekend) (?:of|in) "
    r"(?:the (?:month|year) of )?$"
)
_CONTAINING = re.compile(r"(?:\bthe )?\b(?P<unit>week|weekend|month|year) (?:of|containing) (?:the )?$")
_OFFSET = re.compile(
    rf"\b(?:(?P<n>{COUNT})|the) (?P<unit>{UNIT})s? (?:right )?(?P<way>before|prior to|after|following) (?:the )?$"
)
_BOUND = re.compile(
    r"\b(?P<bound>since|before|prior to|after|until|till|up to|up until|by|as of|starting|ever since)"
    r" (?:the |around |about |on )?$"
)
_BETWEEN = re.compile(r"\bbetween (?:the |about )?$")
_FROM = re.compile(r"\bfrom (?:the |about )?$")
_JOIN = re.compile(r"\s*(?P<join>and|to|through|thru|until|till|up to|-|–|—)\s*(?:the )?")
_ANCHOR = re.compile(r",? (?P<way>before|prior to|on) (?:the )?")
_NTHS = {"first": 0, "second": 1, "third": 2, "fourth": 3}


class _Piece(NamedTuple):
    """A time in the text, with the words that belong to it, and the shape it was read by."""

    start: int
    end: int
    reading: DateReading
    shape: str


def spans(written: str, text: str, now: int) -> Iterator[TimeSpan]:
    """Every time that a text speaks about, in order. It comes as it is written, and in lower case to be read."""
    pieces = list(_pieces(text, now))
    at = 0
    while at < len(pieces):
        piece = _narrowed(text, pieces[at])
        joined = _joined(text, now, pieces[at], pieces[at + 1]) if at + 1 < len(pieces) else None
        at += 1 if joined is None else 2
        span = _span(written, joined or _bounded(text, now, _moved(text, piece)))
        if span is not None:
            yield span


def _pieces(text: str, now: int) -> Iterator[_Piece]:
    for found in SHAPES.finditer(text):
        shape = found.lastgroup
        assert shape is not None, "each shape has its name"
        reading = _read(text, now, found.start(), found.end(), shape)
        if reading is not None:
            yield _Piece(found.start(), found.end(), reading, shape)


def _read(text: str, now: int, start: int, end: int, shape: str) -> DateReading | None:
    before = text[max(0, start - _AROUND) : start]
    if _EVERY.search(before) is not None:
        return None
    pattern, reader = READERS[shape]
    words = pattern.fullmatch(text, start, end)
    return reader(words, DateContext(now, before, text[end : end + _AROUND])) if words is not None else None


def _before(text: str, piece: _Piece) -> str:
    return text[max(0, piece.start - _AROUND) : piece.start]


def _narrowed(text: str, piece: _Piece) -> _Piece:
    """The end of May, the first week of May, the week of May 5."""
    before = _before(text, piece)
    if (third := _THIRD.search(before)) is not None:
        return _with(piece, third, *_part(piece.reading, third["part"]), sure=False)
    if (nth := _NTH.search(before)) is not None:
        days = _nth(piece.reading, nth["nth"], nth["unit"])
        return _with(piece, nth, *days) if days is not None else piece
    if (around := _CONTAINING.search(before)) is not None:
        return _with(piece, around, *_containing(piece.reading, around["unit"]))
    return piece


def _with(piece: _Piece, words: re.Match[str], first: int, end: int, *, sure: bool | None = None) -> _Piece:
    """A piece with the words before it taken in."""
    reading = piece.reading._replace(first=first, end=end, sure=piece.reading.sure if sure is None else sure)
    return piece._replace(start=piece.start - (words.end() - words.start()), reading=reading)


def _part(reading: DateReading, part: str) -> tuple[int, int]:
    """The first, the middle or the last third, or a half, in whole days where there are any."""
    half = max(DAY, (reading.end - reading.first) // 2 // DAY * DAY)
    if part == "first half":
        return reading.first, min(reading.end, reading.first + half)
    if part == "second half":
        return min(reading.end - 1, reading.first + half), reading.end
    third = max(DAY, (reading.end - reading.first) // 3 // DAY * DAY)
    if part in ("beginning", "start", "early"):
        return reading.first, min(reading.end, reading.first + third)
    if part in ("end", "late"):
        return max(reading.first, reading.first + 2 * third), reading.end
    return reading.first + third, max(reading.first + third + 1, min(reading.end, reading.first + 2 * third))


def _nth(reading: DateReading, nth: str, unit: str) -> tuple[int, int] | None:
    """The nth stretch of seven days, or the nth day or weekend, of a longer time."""
    step = DAY if unit == "day" else calendar.WEEK * DAY
    if nth == "last":
        first, end = reading.end - step, reading.end
    else:
        first = reading.first + _NTHS[nth] * step
        end = first + step
    if first < reading.first or end > reading.end:
        return None
    if unit != "weekend":
        return first, end
    saturday = first // DAY + (6 - calendar.weekday(first // DAY)) % calendar.WEEK
    return saturday * DAY, (saturday + 2) * DAY


def _containing(reading: DateReading, unit: str) -> tuple[int, int]:
    day = reading.first // DAY
    year, month, _ = calendar.civil(day)
    match unit:
        case "week":
            first, end = calendar.a_week(day)
        case "weekend":
            end = calendar.a_week(day).end
            first = end - 2
        case "month":
            first, end = calendar.a_month(year, month)
        case _:
            first, end = calendar.a_year(year)
    return first * DAY, end * DAY


def _moved(text: str, piece: _Piece) -> _Piece:
    """Two weeks before March 15; the week after Easter."""
    words = _OFFSET.search(_before(text, piece))
    if words is None:
        return piece
    forth = words["way"] in ("after", "following")
    reading, unit = piece.reading, words["unit"]
    if words["n"] is None:
        edge = reading.end if forth else shifted(reading.first, 1, unit)
        return _with(piece, words, edge, shifted(reading.end, -1, unit) if forth else reading.first)
    least, most = count(words["n"])
    sure = reading.sure and words["n"] not in VAGUE
    early, late = (-least, -most) if forth else (most, least)
    first, end = shifted(reading.first, early, unit), shifted(reading.end - 1, late, unit) + 1
    return _with(piece, words, first, end, sure=sure)


def _bounded(text: str, now: int, piece: _Piece) -> _Piece:
    """Since, before, after or until a time. What begins after now has no end we know of."""
    words = _BOUND.search(_before(text, piece))
    if words is None:
        return piece
    first, end = piece.reading.first, piece.reading.end
    match words["bound"]:
        case "since" | "ever since" | "as of" | "starting":
            return _with(piece, words, first, now + 1 if first <= now else MAX + 1)
        case "before" | "prior to":
            return _with(piece, words, MIN, first)
        case "after":
            return _with(piece, words, end, MAX + 1)
        case bound:
            return _with(piece, words, MIN, end, sure=piece.reading.sure and bound != "by")


def _joined(text: str, now: int, one: _Piece, other: _Piece) -> _Piece | None:
    return _range(text, now, one, other) or _anchored(text, one, other)


def _anchored(text: str, one: _Piece, other: _Piece) -> _Piece | None:
    """The Sunday before October 25, 2022; last Friday, on 23 January 2022: what floats is read as of what does not."""
    gap = _ANCHOR.fullmatch(text, one.end, other.start)
    if gap is None or one.shape not in ("weekday", "period") or other.reading.floating:
        return None
    bare = one.shape == "weekday" and not one.reading.sure
    now = other.reading.first - (bare and gap["way"] != "on")
    reading = _read(text, now, one.start, one.end, one.shape)
    return one._replace(end=other.end, reading=reading) if reading is not None else None


def _range(text: str, now: int, one: _Piece, other: _Piece) -> _Piece | None:
    """Between one and the other, from one to the other. Each is read so that the first comes before the second."""
    early, late = _narrowed(text, one), _narrowed(text, other)
    gap = _JOIN.fullmatch(text, early.end, late.start) if early.end <= late.start else None
    if gap is None:
        return None
    lead = (_BETWEEN if gap["join"] == "and" else _FROM).search(_before(text, early))
    if lead is None and gap["join"] == "and":
        return None
    if one.reading.floating:
        early = _again(text, one, late.reading.end - 1) or early
    elif other.reading.floating and other.shape != "day_word":
        late = _again(text, other, early.reading.first + _YEAR_DAYS * DAY) or late
    first, end = min(early.reading.first, late.reading.first), max(early.reading.end, late.reading.end)
    start = early.start - (lead.end() - lead.start() if lead is not None else 0)
    sure = early.reading.sure and late.reading.sure
    return _Piece(start, late.end, DateReading(first, end, sure, False), one.shape)


def _again(text: str, piece: _Piece, now: int) -> _Piece | None:
    """A time read once more, as of another instant. What is said of today stays where it is."""
    if piece.shape in ("day_word", "ago", "period", "last_many", "last_night"):
        return None
    reading = _read(text, now, piece.start, piece.end, piece.shape)
    return _narrowed(text, piece._replace(reading=reading)) if reading is not None else None


def _span(text: str, piece: _Piece) -> TimeSpan | None:
    """A piece as a value, within the years there are."""
    first, last = max(piece.reading.first, MIN), min(piece.reading.end - 1, MAX)
    if first > last:
        return None
    words = text[piece.start : piece.end].strip()
    return TimeSpan(first=Instant(first), last=Instant(last), words=words, sure=piece.reading.sure)
