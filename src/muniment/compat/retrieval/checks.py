"""The checks of the runtime layer: a wrong type is a TypeError, a wrong value a ValueError; the words are given."""

from __future__ import annotations


def text(value: object, *, must: str, needed: str) -> str:
    """Text without the blanks around it; there must be some."""
    if not isinstance(value, str):
        raise TypeError(must)
    if not (trimmed := value.strip()):
        raise ValueError(needed)
    return trimmed


def fraction(value: object, *, must: str, within: str) -> float:
    """A number from 0 to 1. True is none, and neither NaN nor an infinity lies between the two."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(must)
    if not 0 <= value <= 1:
        raise ValueError(within)
    return float(value)


def whole(value: object, *, least: int, must: str, within: str) -> int:
    """A whole number that is not below `least`. True is none, nor is 1.0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(must)
    if value < least:
        raise ValueError(within)
    return value
