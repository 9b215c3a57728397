"""What a JSON text can say, as types; and equality that keeps apart what JSON keeps apart."""

from __future__ import annotations

import math
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"


def holdable(text: str) -> bool:
    """Whether a fraction can be held: it is not too large, and none but nought becomes nought.

    >>> [holdable(text) for text in ("2.5", "0e5", "1e999", "1e-999")]
    [True, True, False, False]
    """
    value = float(text)
    return not math.isinf(value) and (value != 0 or not text.lower().partition("e")[0].strip("-0."))


def same(a: Json, b: Json) -> bool:
    """Whether two JSON values are equal and spelled with the same types: `true` is not 1, 1 is not 1.0, and 0.0 is
    not -0.0.

    >>> same([1, {"a": True}], [1, {"a": True}]), same(1, True), same(1, 1.0), same(0.0, -0.0)
    (True, False, False, False)
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(*pair) for pair in zip(a, b, strict=True))
    return a == b and (type(a) is not float or a != 0.0 or str(a) == str(b))


def equal(a: Json, b: Json) -> bool:
    """Whether two JSON values are equal as JSON counts it: 1 is 1.0, and `true` is not 1.

    >>> equal({"a": 1}, {"a": 1.0}), equal([True], [1])
    (True, False)
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(*pair) for pair in zip(a, b, strict=True))
    return type(a) is type(b) and a == b if not _numbers(a, b) else a == b


def _numbers(a: Json, b: Json) -> bool:
    return isinstance(a, (int, float)) and isinstance(b, (int, float))
