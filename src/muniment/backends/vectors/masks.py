"""Filters as row masks over columns: the meaning of `muniment.model.filter.matches`, a whole tenant at a time.

A mask that does not depend on the hour is kept and brought up to date row by row; the parts of a filter that move with
the clock are worked out each time, and cost nothing while no row is near its bound.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import assert_never

import numpy as np

from muniment.backends.vectors.arrays import Bools, Ordinals
from muniment.backends.vectors.columns import HIGHEST, LOWEST, TYPES, CardColumns, mark
from muniment.model.card import reader_mark
from muniment.model.filter import (
    EVERYTHING,
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Others,
    Sourced,
    Under,
    ValidAt,
    covers,
    least_believed,
)

Answer = Bools | bool
"""Which rows pass; True for every one of them, False for none."""

Rows = slice | Ordinals
_ALL = slice(None)
_LATER = frozenset({"status", "support", "label", "effective"})
_PASSING = frozenset({"created_at", "seq"})
_FEW = 4


class Masks:
    """The masks of one tenant's columns. As little safe for threads as the columns are."""

    def __init__(self, columns: CardColumns, *, kept: int = 64) -> None:
        self._columns = columns
        self._kept = kept
        self._masks: OrderedDict[Filter, tuple[int, Bools]] = OrderedDict()

    def of(self, condition: Filter) -> Bools:
        """The mask of a filter over all rows. Not to be written to: it may be shared."""
        answer = self._answer(condition)
        if answer is True:
            return self._steady(EVERYTHING)
        return np.zeros(self._columns.count, np.bool_) if answer is False else answer

    def kept(self) -> tuple[Filter, ...]:
        """The filters whose masks are held ready, the one asked for longest ago first."""
        return tuple(self._masks)

    def _answer(self, condition: Filter) -> Answer:
        if steady(condition):
            return self._steady(condition)
        match condition:
            case Both(parts=parts):
                still = tuple(part for part in parts if steady(part))
                answers = [self._answer(part) for part in parts if not steady(part)]
                return every([self._steady(Both(parts=still)), *answers] if still else answers)
            case Either(parts=parts):
                still = tuple(part for part in parts if steady(part))
                answers = [self._answer(part) for part in parts if not steady(part)]
                return some([self._steady(Either(parts=still)), *answers] if still else answers)
            case _:
                return evaluate(self._columns, condition, _ALL)

    def _steady(self, condition: Filter) -> Bools:
        version, mask = self._masks.pop(condition, (0, None))
        if mask is None or version != self._columns.version:
            mask = self._renewed(condition, version, mask)
        self._masks[condition] = (self._columns.version, mask)
        if len(self._masks) > self._kept:
            self._masks.popitem(last=False)
        return mask

    def _renewed(self, condition: Filter, version: int, mask: Bools | None) -> Bools:
        count = self._columns.count
        rows = None if mask is None else self._columns.changed_since(version)
        renewed = np.empty(count, np.bool_)
        if mask is None or rows is None or 2 * len(rows) > count:
            renewed[:] = evaluate(self._columns, condition, _ALL)
        else:
            renewed[: len(mask)] = mask
            renewed[rows] = evaluate(self._columns, condition, rows)
        renewed.flags.writeable = False
        return renewed


def steady(condition: Filter) -> bool:
    """Whether the same filter is likely to be asked again, rather than one with a later instant or position in it."""
    match condition:
        case ValidAt() | LiveAt():
            return False
        case AtLeast(field=field) | AtMost(field=field):
            return field not in _PASSING
        case Both(parts=parts) | Either(parts=parts):
            return all(steady(part) for part in parts)
        case _:
            return True


def loosened(condition: Filter) -> Filter:
    """The filter without what it asks of a revision's standing, which moves after birth. It passes at least as much,
    whatever the standing was: so it can be asked about any position."""
    match condition:
        case OneOf(field=field) | AtLeast(field=field) | AtMost(field=field):
            return EVERYTHING if field in _LATER else condition
        case Believed():
            return EVERYTHING
        case Both(parts=parts):
            return Both(parts=tuple(loosened(part) for part in parts))
        case Either(parts=parts):
            return Either(parts=tuple(loosened(part) for part in parts))
        case _:
            return condition


def every(answers: Iterable[Answer]) -> Answer:
    whole: Answer = True
    for answer in answers:
        if answer is False:
            return False
        if whole is True:
            whole = answer
        elif answer is not True:
            whole = np.logical_and(whole, answer)
    return whole


def some(answers: Iterable[Answer]) -> Answer:
    whole: Answer = False
    for answer in answers:
        if answer is True:
            return True
        if whole is False:
            whole = answer
        elif answer is not False:
            whole = np.logical_or(whole, answer)
    return whole


def evaluate(columns: CardColumns, condition: Filter, rows: Rows) -> Answer:
    """Say which of these rows pass."""
    match condition:
        case OneOf(field="id", words=words):
            return _is_record(columns, words, rows)
        case OneOf(field=field, words=words):
            return _one_of(columns, field, words, rows)
        case AtLeast(field=field, value=value):
            return _at_least(columns, field, value, rows)
        case AtMost(field=field, value=value):
            return _at_most(columns, field, value, rows)
        case Under(namespaces=spaces):
            return _by_word(columns, "namespace", lambda word: any(covers(space, word) for space in spaces), rows)
        case Others(actor=actor):
            return _by_word(columns, "actor", lambda word: word != actor, rows)
        case Sourced():
            return np.not_equal(columns.longs("provenance")[rows], 0)
        case ValidAt(instant=instant):
            return _valid(columns, instant, rows)
        case LiveAt(instant=instant):
            at = _within(instant)
            return at <= columns.first_expiry or columns.longs("expires_at")[rows] >= at
        case Believed():
            return _believed(columns, condition, rows)
        case Chartered(names=names):
            marks = [reader_mark(name) for name in names]
            return _by_word(columns, "readers", lambda word: not word or any(at in word for at in marks), rows)
        case Both(parts=parts):
            return every(evaluate(columns, part, rows) for part in parts)
        case Either(parts=parts):
            return some(evaluate(columns, part, rows) for part in parts)
        case _:
            assert_never(condition)


def _is_record(columns: CardColumns, ids: tuple[str, ...], rows: Rows) -> Answer:
    high, low = columns.longs("id_high")[rows], columns.longs("id_low")[rows]
    wanted = [mark(record) for record in ids]
    found = np.isin(high, np.array([first for first, _ in wanted], np.int64))
    places = np.flatnonzero(found)
    known = set(wanted)
    pairs = zip(high[places].tolist(), low[places].tolist(), strict=True)
    found[places] = [pair in known for pair in pairs]
    return found


def _one_of(columns: CardColumns, field: str, words: tuple[str, ...], rows: Rows) -> Answer:
    known = columns.words[field]
    codes = sorted({known[word] for word in words if word in known})
    if not codes:
        return False
    column = columns.codes(field)[rows]
    if len(codes) <= _FEW:
        return some(column == code for code in codes)
    table = np.zeros(len(known.spelled) + 1, np.bool_)
    table[codes] = True
    return table[column]


def _by_word(columns: CardColumns, field: str, passes: Callable[[str], bool], rows: Rows) -> Answer:
    """Ask of each word once. No code stands for none in the fields that are asked like this."""
    column, spelled = columns.codes(field)[rows], columns.words[field].spelled
    if len(column) >= len(spelled):
        return np.array([passes(word) for word in spelled], np.bool_)[column]
    codes, places = np.unique(column, return_inverse=True)
    return np.array([passes(spelled[code]) for code in codes.tolist()], np.bool_)[places]


def _believed(columns: CardColumns, condition: Believed, rows: Rows) -> Answer:
    effective = columns.fractions("effective")[rows]
    if not condition.namespaces:
        return effective >= condition.least
    column, spelled = columns.codes("namespace")[rows], columns.words["namespace"].spelled
    codes, places = np.unique(column, return_inverse=True) if len(column) < len(spelled) else (None, column)
    asked = spelled if codes is None else [spelled[code] for code in codes.tolist()]
    least = np.array([least_believed(condition, word) for word in asked], np.float64)
    return effective >= least[places]


def _at_least(columns: CardColumns, field: str, value: float, rows: Rows) -> Answer:
    """Whole numbers are compared with whole numbers: as fractions, two late instants may seem the same."""
    if TYPES[field] is np.float64:
        return columns.fractions(field)[rows] >= value
    if math.isnan(value) or value > HIGHEST:
        return False
    return value <= LOWEST or columns.longs(field)[rows] >= math.ceil(value)


def _at_most(columns: CardColumns, field: str, value: float, rows: Rows) -> Answer:
    if TYPES[field] is np.float64:
        return columns.fractions(field)[rows] <= value
    if math.isnan(value) or value < LOWEST:
        return False
    return value >= HIGHEST or columns.longs(field)[rows] <= math.floor(value)


def _valid(columns: CardColumns, instant: int, rows: Rows) -> Answer:
    at = _within(instant)
    started = at >= columns.last_start or columns.longs("valid_from")[rows] <= at
    return every([started, at <= columns.first_end or columns.longs("valid_until")[rows] >= at])


def _within(instant: int) -> int:
    return min(max(instant, LOWEST), HIGHEST)
