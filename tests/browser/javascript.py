"""Read JavaScript far enough to check it: what is code and what is text in it, and how long its functions are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.model.value import Value

_BEFORE_A_PATTERN = frozenset("(,=:[!&|?{};+-*%<>~^\n")
_WORDS_BEFORE_A_PATTERN = ("return", "typeof", "case", "in", "of", "await", "yield")
_OTHER_BRACKETS = ("if", "for", "while", "switch", "catch", "with")


class Function(Value):
    """Where a function begins, and over how many lines it goes."""

    line: int
    lines: int


def code(text: str) -> str:
    """The same text with comments, strings and patterns blanked out, line for line.

    >>> code('go("a { b", `x ${y("z")} w`); // end {')
    'go(       ,    ${y(   )}   );         '
    """
    out: list[str] = []
    _plain(text, 0, out, closing=None)
    return "".join(out)


def functions(text: str) -> Iterator[Function]:
    """Every function with a body in braces, inner ones too."""
    bare = code(text)
    opened: list[int | None] = []
    for place, sign in enumerate(bare):
        if sign == "{":
            opened.append(place if _begins_function(bare, place) else None)
        elif sign == "}" and opened:
            began = opened.pop()
            if began is not None:
                yield Function(line=bare.count("\n", 0, began) + 1, lines=bare.count("\n", began, place) + 1)


def _plain(text: str, place: int, out: list[str], closing: str | None) -> int:
    """Copy code up to `closing`, the brace that ends a place inside a template, or to the end."""
    depth = 0
    while place < len(text):
        sign = text[place]
        if sign == closing and depth == 0:
            return place
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "`":
            place = _template(text, place, out)
            continue
        end = _end_of_text(text, place, "".join(out[-40:]))
        if end is None:
            out.append(sign)
            place += 1
        else:
            out.append(_blank(text[place:end]))
            place = end
    return place


def _template(text: str, place: int, out: list[str]) -> int:
    out.append(" ")
    place += 1
    while place < len(text) and text[place] != "`":
        if text[place] == "\\":
            out.append(_blank(text[place : place + 2]))
            place += 2
        elif text.startswith("${", place):
            out.append("${")
            place = _plain(text, place + 2, out, closing="}")
            out.append("}")
            place += 1
        else:
            out.append(_blank(text[place]))
            place += 1
    out.append(" ")
    return place + 1


def _end_of_text(text: str, place: int, before: str) -> int | None:
    """Where a comment, a string or a pattern that begins here ends; None if none begins here."""
    if text.startswith("//", place):
        end = text.find("\n", place)
        return len(text) if end < 0 else end
    if text.startswith("/*", place):
        return text.index("*/", place) + 2
    quoted = {'"': r'"(?:\\.|[^"\\\n])*"', "'": r"'(?:\\.|[^'\\\n])*'"}.get(text[place])
    if text[place] == "/" and _pattern_may_follow(before):
        quoted = r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*"
    found = re.compile(quoted).match(text, place) if quoted is not None else None
    return found.end() if found is not None else None


def _pattern_may_follow(before: str) -> bool:
    said = before.rstrip(" \t")
    return not said or said[-1] in _BEFORE_A_PATTERN or re.search(r"\w*$", said)[0] in _WORDS_BEFORE_A_PATTERN  # type: ignore[index]  # it always matches


def _begins_function(bare: str, place: int) -> bool:
    before = bare[:place].rstrip()
    if before.endswith("=>"):
        return True
    if not before.endswith(")"):
        return False
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[at], 0)
        if depth == 0:
            word = re.search(r"(\w*)\s*$", before[:at])
            return word is not None and word[1] not in _OTHER_BRACKETS
    return False


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
