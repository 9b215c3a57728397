"""What a detector is: the sort of thing it finds, where in a text it stands, and how a text without it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from muniment.model.value import Value

Span = tuple[int, int]
Find = Callable[[str], Iterator[Span]]
Check = Callable[[str], bool]

NOT_BEFORE = r"(?<![A-Za-z0-9])"
NOT_AFTER = r"(?![A-Za-z0-9])"
_AROUND = 48
_MARK = re.compile(r"\[redacted: [a-z ]+\]")


class Detector(Value):
    """Finds one sort of thing. It can find nothing in a text in which none of its `needles` (in lower case) occurs,
    nor in one that its `gate` does not match. Both hold for JSON of the text too."""

    sort: str
    find: Find
    needles: tuple[str, ...] = ()
    gate: re.Pattern[str] | None = None


def shaped(pattern: re.Pattern[str], check: Check | None = None) -> Find:
    """Find what a pattern matches: the group called `value` if it has one. What fails the check is not it."""
    group: str | int = "value" if "value" in pattern.groupindex else 0

    def find(text: str) -> Iterator[Span]:
        for hit in pattern.finditer(text):
            if check is None or check(hit[group]):
                yield hit.span(group)

    return find


def near(text: str, span: Span, words: re.Pattern[str]) -> bool:
    """Whether one of the words stands shortly before a span on its line, or right after it."""
    start, end = span
    before = _MARK.sub("", text[max(0, start - 2 * _AROUND) : start]).rpartition("\n")[2][-_AROUND:]
    after = text[end : end + _AROUND // 2].partition("\n")[0]
    return words.search(before) is not None or words.match(after.lstrip(" ([-,;:is")) is not None


def digits_of(text: str) -> str:
    """The digits of a text, and nothing else.

    >>> digits_of("4111-1111")
    '41111111'
    """
    return "".join(char for char in text if "0" <= char <= "9")
