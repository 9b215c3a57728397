"""Filters as SQL conditions on cards, in words every store that speaks SQL understands."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from muniment.model.card import reader_mark
from muniment.model.filter import (
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
)
from muniment.model.receipt import Plan

Bindings = list[str | int | float]
Bound = tuple[str | int | float, ...]

_MOVING = frozenset({"status", "support", "label", "effective"})


@lru_cache(maxsize=512)  # what a caller may see is the same from one question to the next
def translate(condition: Filter, moving: str = "c") -> tuple[str, Bound]:
    """A filter as a SQL condition that is never NULL. Field names come from a closed list, values are bound.

    `moving` is the table that tells what changes after birth: the card itself, or its standing at another position.
    """
    match condition:
        case OneOf(field=field, words=words):
            if not words:
                return "FALSE", ()
            return f"COALESCE({_column(field, moving)}, '') IN ({', '.join('?' * len(words))})", words
        case AtLeast(field=field, value=value):
            return f"{_column(field, moving)} >= ?", (value,)
        case AtMost(field=field, value=value):
            return f"{_column(field, moving)} <= ?", (value,)
        case Under(namespaces=namespaces):
            return _under(namespaces)
        case Sourced():
            return "c.provenance = TRUE", ()
        case ValidAt(instant=instant):
            span = "(c.valid_from IS NULL OR c.valid_from <= ?) AND (c.valid_until IS NULL OR ? <= c.valid_until)"
            return span, (instant, instant)
        case LiveAt(instant=instant):
            return "(c.expires_at IS NULL OR ? <= c.expires_at)", (instant,)
        case Believed():
            return _believed(condition, moving)
        case Chartered(names=names):
            found = "".join(" OR replace(c.readers, ?, '') <> c.readers" for _ in names)
            return f"(c.readers = ''{found})", tuple(reader_mark(name) for name in names)
        case Others(actor=actor):
            return "c.actor <> ?", (actor,)
        case Both(parts=parts):
            return _joined(parts, " AND ", "TRUE", moving)
        case Either(parts=parts):
            return _joined(parts, " OR ", "FALSE", moving)
        case _:
            assert_never(condition)


def standing_at(plan: Plan) -> tuple[str, str, Bindings]:
    """Where a plan finds what changes after birth: the table's name, and the join that brings it in with its values."""
    if plan.at_head:
        return "c", "", []
    join = (
        "LEFT JOIN standings s ON s.rid = c.rid "
        "AND s.since = (SELECT max(since) FROM standings WHERE rid = c.rid AND since <= ?) "
    )
    return "s", join, [plan.as_of]


def _column(field: str, moving: str) -> str:
    return f"{moving}.{field}" if field in _MOVING else f"c.{field}"


def _joined(parts: tuple[Filter, ...], word: str, empty: str, moving: str) -> tuple[str, Bound]:
    pieces = [translate(part, moving) for part in parts]
    sql = word.join(f"({piece})" for piece, _ in pieces) or empty
    return sql, tuple(value for _, values in pieces for value in values)


def _believed(condition: Believed, moving: str) -> tuple[str, Bound]:
    """The nearest namespace above decides, so the longest is asked first."""
    if not condition.namespaces:
        return f"{moving}.effective >= ?", (condition.least,)
    pieces, bindings = [], Bindings()
    for space, least in sorted(condition.namespaces, key=lambda rule: -len(rule[0])):
        here, values = _under((space,))
        pieces.append(f"WHEN {here} THEN ?")
        bindings += [*values, least]
    return f"{moving}.effective >= CASE {' '.join(pieces)} ELSE ? END", (*bindings, condition.least)


def _under(namespaces: tuple[str, ...]) -> tuple[str, Bound]:
    """Whole path parts by comparison, not by pattern: `_` and `%` in a namespace are only themselves."""
    if "/" in namespaces:
        return "TRUE", ()
    pieces, bindings = [], Bindings()
    for space in namespaces:
        pieces.append("c.namespace = ? OR substr(c.namespace, 1, CAST(? AS INTEGER)) = ?")
        bindings += [space, len(space) + 1, space + "/"]
    return " OR ".join(f"({piece})" for piece in pieces) or "FALSE", tuple(bindings)
