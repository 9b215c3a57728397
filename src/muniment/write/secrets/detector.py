"""What a detector is: the sort of thing it finds, where in a text it stands, and how a text without it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from muniment.model.value import Value

Span = tuple[int, int]
Find = Callable[[str], Iterator[Span]]
Check = Callable[[str], bool]

NOT_BEFORE = r"(?<![A-Za-z0-9])"
NOT_AFTER = r"(?![A-Za-z0-9])"
_AROUND = 48
_BETWEEN = " ([-,;:is"
_MARK = re.compile(r"\[redacted: [a-z ]+\]")


class LazyPattern:
    """A pattern that is made ready when it is first asked for: there are many of them, and most texts need none."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    @cached_property
    def _ready(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    @cached_property
    def values(self) -> tuple[str | int, ...]:
        """The groups that are meant, one of which matches: those whose names begin with `value` if there are any, else
        all of it."""
        named = tuple(name for name in self._ready.groupindex if name.startswith("value"))
        return named or (0,)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._ready.finditer(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self._ready.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._ready.match(text, start)


class Detector(Value):
    """Finds one sort of thing. It can find nothing in a text in which none of its `needles` (in lower case) occurs,
    nor in one that its `gate` does not match. Both hold for JSON of the text too."""

    sort: str
    find: Find
    needles: tuple[str, ...] = ()
    gate: re.Pattern[str] | LazyPattern | None = None


def shaped(shape: LazyPattern, check: Check | None = None) -> Find:
    """Find what a shape matches: of it the groups whose names begin with `value`, if any. What fails the check is not
    it."""

    def find(text: str) -> Iterator[Span]:
        for hit in shape.finditer(text):
            group = next(one for one in shape.values if hit[one] is not None)
            if check is None or check(hit[group]):
                yield hit.span(group)

    return find


def near(text: str, span: Span, words: re.Pattern[str] | LazyPattern) -> bool:
    """Whether one of the words stands shortly before a span on its line, or right after it."""
    start, end = span
    before = _MARK.sub("", text[max(0, start - 2 * _AROUND) : start]).rpartition("\n")[2][-_AROUND:]
    after = text[end : end + _AROUND // 2].partition("\n")[0]
    return words.search(before) is not None or words.match(after.lstrip(_BETWEEN)) is not None


def reach_of(text: str, name: int) -> int:
    """The last place where something may begin to which a word that begins here is near."""
    line = text[name : name + 2 * _AROUND].partition("\n")[0]
    marks = sum(len(mark) for mark in _MARK.findall(line)) if "[redacted: " in line else 0
    return name + min(len(line), _AROUND + marks)


def leads_to(text: str, end: int, name: int) -> bool:
    """Whether a word that begins here stands right after what ends there."""
    return name - end <= _AROUND // 2 and not text[end:name].strip(_BETWEEN)


def digits_of(text: str) -> str:
    """The digits of a text, and nothing else.

    >>> digits_of("4111-1111")
    '41111111'
    """
    return "".join(char for char in text if "0" <= char <= "9")
