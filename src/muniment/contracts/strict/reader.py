"""The strict reader: JSON text that means one thing, or an error that says where it does not.

Refused beside what is no JSON at all: a byte order mark, bytes that are no UTF-8, a key said twice, NaN and
infinities, numbers no float can hold, half of a surrogate pair, nesting and size beyond the limits. The quick
way is the library's scanner; only when something is wrong the slow way in `locate` is gone, to say where.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn

from muniment.contracts.strict.locate import locate
from muniment.contracts.strict.values import Json, holdable
from muniment.model.errors import LimitExceeded, Unreadable
from muniment.model.value import Value

BYTES_MAX = 268_435_456
DEPTH_MAX = 100


class ReaderLimits(Value):
    """How much a reader takes: bytes of text, and how deep lists and objects may stand in each other."""

    bytes: int = BYTES_MAX
    depth: int = DEPTH_MAX


LIMITS = ReaderLimits()
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _Refused(Exception):
    """Something the quick way will not take; the slow way says what and where."""


def read_json(data: bytes, *, limits: ReaderLimits = LIMITS) -> Json:
    """Read one JSON text, strictly.

    >>> read_json(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    """
    if len(data) > limits.bytes:
        raise LimitExceeded("document", limit=limits.bytes, unit="bytes", sent=len(data))
    try:
        text = data.decode("utf-8")
        value: Json = _DECODER.decode(text)
        if _SURROGATE.search(text) is not None:
            json.dumps(value, ensure_ascii=False).encode()
        if text.count("[") + text.count("{") > limits.depth and _deep(value, limits.depth):
            raise _Refused
    except (ValueError, RecursionError, _Refused):
        _explain(data, limits)
    return value


def _explain(data: bytes, limits: ReaderLimits) -> NoReturn:
    fault = locate(data, depth=limits.depth)
    assert fault is not None, "the quick way refused what the slow way takes"
    raise Unreadable(fault.path, fault.what, line=fault.line, column=fault.column)


def _object(pairs: list[tuple[str, Json]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused
    return found


def _fraction(text: str) -> float:
    if not holdable(text):
        raise _Refused
    return float(text)


def _whole(text: str) -> int:
    if len(text) > 4_000:
        raise _Refused
    return int(text)


def _constant(_: str) -> NoReturn:
    raise _Refused


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_fraction, parse_int=_whole, parse_constant=_constant, strict=True
)


def _deep(value: Json, limit: int) -> bool:
    """Whether lists and objects stand deeper in each other than `limit`. Looks at one layer after the other."""
    layer: list[Json] = [value]
    for _ in range(limit):
        layer = [
            part
            for one in layer
            if isinstance(one, (list, dict))
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, (list, dict))
        ]
        if not layer:
            return False
    return True
