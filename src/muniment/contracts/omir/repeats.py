"""Keys that are said twice in one object of a JSON text, with both places."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator

from muniment.contracts.strict.pointer import Step, pointer
from muniment.model.value import Value

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],:]')


class Repeat(Value):
    """A key said again. Both places are counted as a person counts: line and column from 1."""

    path: str
    first: tuple[int, int]
    again: tuple[int, int]


class _Frame:
    """An object or a list that is open: its keys and where they were said, and where in it we are."""

    def __init__(self, *, is_object: bool) -> None:
        self.keys: dict[str, int] | None = {} if is_object else None
        self.step: Step = 0
        self.expects_key = is_object


def repeats(data: bytes) -> Iterator[Repeat]:
    """Every key that is said again, in the order of the text. The text must be JSON.

    >>> [(one.path, one.first, one.again) for one in repeats(b'{"a": {"b": 1,\\n "b": 2}, "c": ["a", {"a": 1}]}')]
    [('/a/b', (1, 8), (2, 2))]
    """
    text = data.decode("utf-8")
    lines = [0, *(found.end() for found in re.finditer("\n", text))]
    frames: list[_Frame] = []
    for token in _TOKEN.finditer(text):
        sign = text[token.start()]
        if sign in "{[":
            frames.append(_Frame(is_object=sign == "{"))
        elif sign in "}]":
            frames.pop()
        elif sign == "," and frames:
            _next(frames[-1])
        elif sign == '"' and frames and frames[-1].expects_key:
            said = _said_before(frames[-1], json.loads(token.group()), token.start())
            if said is not None:
                path = pointer([frame.step for frame in frames])
                yield Repeat(path=path, first=_place(lines, said), again=_place(lines, token.start()))


def _next(frame: _Frame) -> None:
    if isinstance(frame.step, int) and frame.keys is None:
        frame.step += 1
    else:
        frame.expects_key = True


def _said_before(frame: _Frame, key: str, at: int) -> int | None:
    assert frame.keys is not None, "a list expects no keys"
    frame.step, frame.expects_key = key, False
    before = frame.keys.get(key)
    if before is None:
        frame.keys[key] = at
    return before


def _place(lines: list[int], at: int) -> tuple[int, int]:
    line = bisect_right(lines, at)
    return line, at - lines[line - 1] + 1
