"""Conditions on cards, as data: policy and request compile to them, each store runs them its own way.

`matches` is the meaning; a store's translation must agree with it, and a test holds it to that.
"""

from __future__ import annotations

from typing import Literal, assert_never

from muniment.model.card import Card, reader_mark
from muniment.model.value import Value

WordField = Literal[
    "kind", "memory_class", "scope", "scope_id", "namespace", "session_id", "status", "actor", "id", "support"
]
NumberField = Literal["sensitivity", "trust", "label", "confidence", "effective", "created_at", "seq"]


class OneOf(Value, tag=True):
    """The field is one of these words. No words: nothing passes."""

    field: WordField
    words: tuple[str, ...]


class AtLeast(Value, tag=True):
    field: NumberField
    value: float


class AtMost(Value, tag=True):
    field: NumberField
    value: float


class Under(Value, tag=True):
    """In this namespace or below it, by whole path parts: `/hr/pay` is not above `/hr/payroll`."""

    namespaces: tuple[str, ...]


class Sourced(Value, tag=True):
    """Something stands behind it: evidence or a named source."""


class ValidAt(Value, tag=True):
    """It holds at this instant. The last instant of its validity still counts."""

    instant: int


class LiveAt(Value, tag=True):
    """It has not expired at this instant."""

    instant: int


class Believed(Value, tag=True):
    """Its effective confidence is at least `least`, or what the nearest namespace above asks for instead."""

    least: float
    namespaces: tuple[tuple[str, float], ...] = ()


class Chartered(Value, tag=True):
    """It is kept under no charter, or its charter lets one of these read it."""

    names: tuple[str, ...]


class Others(Value, tag=True):
    """Somebody else than this actor proposed it."""

    actor: str


class Both(Value, tag=True):
    """Every part passes. No parts: everything passes."""

    parts: tuple[Filter, ...]


class Either(Value, tag=True):
    """Some part passes. No parts: nothing passes."""

    parts: tuple[Filter, ...]


Filter = OneOf | AtLeast | AtMost | Under | Sourced | ValidAt | LiveAt | Believed | Chartered | Others | Both | Either

EVERYTHING: Filter = Both(parts=())
NOTHING: Filter = Either(parts=())


def matches(condition: Filter, card: Card) -> bool:
    """Say whether a card passes.

    >>> from muniment.model.filter import Both, Either
    >>> matches(Both(parts=()), None), matches(Either(parts=()), None)
    (True, False)
    """
    match condition:
        case Both(parts=parts):
            for part in parts:  # noqa: SIM110  a generator for each takes twice as long
                if not matches(part, card):
                    return False
            return True
        case OneOf(field=field, words=words):
            return getattr(card, field) in words
        case Either(parts=parts):
            for part in parts:  # noqa: SIM110  a generator for each takes twice as long
                if matches(part, card):
                    return True
            return False
        case AtLeast(field=field, value=value):
            return bool(getattr(card, field) >= value)
        case AtMost(field=field, value=value):
            return bool(getattr(card, field) <= value)
        case Under(namespaces=namespaces):
            return any(covers(space, card.namespace) for space in namespaces)
        case Sourced():
            return card.provenance
        case ValidAt(instant=instant):
            started = card.valid_from is None or card.valid_from <= instant
            return started and (card.valid_until is None or instant <= card.valid_until)
        case LiveAt(instant=instant):
            return card.expires_at is None or instant <= card.expires_at
        case Believed():
            return card.effective >= least_believed(condition, card.namespace)
        case Chartered(names=names):
            return card.readers == "" or any(reader_mark(name) in card.readers for name in names)
        case Others(actor=actor):
            return card.actor != actor
        case _:
            assert_never(condition)


def least_believed(condition: Believed, namespace: str) -> float:
    """What is asked for in a namespace: the nearest one above decides."""
    over = [(len(space), least) for space, least in condition.namespaces if covers(space, namespace)]
    return max(over)[1] if over else condition.least


def covers(above: str, below: str) -> bool:
    """Whether one namespace is the other or lies above it.

    >>> covers("/hr", "/hr/pay"), covers("/hr/pay", "/hr/payroll"), covers("/", "/hr")
    (True, False, True)
    """
    return above == "/" or below == above or below.startswith(above + "/")
