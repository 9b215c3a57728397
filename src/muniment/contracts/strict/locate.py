"""The slow way through a JSON text: a plain reader that knows at every step where it is. It is the definition of
what the strict reader takes, and the only one that says what is wrong and where."""

from __future__ import annotations

import re
from collections.abc import Callable

from muniment.contracts.strict.pointer import Step, pointer
from muniment.contracts.strict.values import holdable
from muniment.model.value import Value

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"[0-9a-fA-F]{4}", re.ASCII)
_DIGITS_MAX = 4_000


class TextFault(Value):
    """What is wrong with a text, and where: the pointer, and the place in the text as a person counts it."""

    path: str
    what: str
    line: int
    column: int


class _Found(Exception):
    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


def locate(data: bytes, *, depth: int, repeated: Callable[[TextFault], None] | None = None) -> TextFault | None:
    """The first thing a strict reader refuses in a text, or None. With `repeated` keys said twice are told to it, and
    are no fault."""
    if data.startswith(b"\xef\xbb\xbf"):
        return TextFault(path="/", what="text without a byte order mark", line=1, column=1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = place(data[: error.start].decode("utf-8"), len(data[: error.start].decode("utf-8")))
        return TextFault(path="/", what="UTF-8 text", line=line, column=column)
    walk = _Walk(text, depth, repeated)
    try:
        walk.document()
    except _Found as found:
        return _fault(text, walk.steps, found.what, found.at)
    return None


def _fault(text: str, steps: list[Step], what: str, at: int) -> TextFault:
    line, column = place(text, at)
    return TextFault(path=pointer(steps), what=what, line=line, column=column)


def place(text: str, at: int) -> tuple[int, int]:
    """The line and the column, as a person counts them, of a place in a text."""
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


class _Walk:
    """One pass over one text. `steps` is the path to where it stands."""

    def __init__(self, text: str, depth: int, repeated: Callable[[TextFault], None] | None) -> None:
        self.steps: list[Step] = []
        self._text = text
        self._at = 0
        self._depth = depth
        self._repeated = repeated

    def document(self) -> None:
        self._value()
        self._space()
        if self._at < len(self._text):
            raise _Found("the end of the text after one JSON value", self._at)

    def _space(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _next(self) -> str:
        self._space()
        return self._text[self._at : self._at + 1]

    def _value(self) -> None:
        match self._next():
            case "{":
                self._object()
            case "[":
                self._list()
            case '"':
                self._string()
            case "":
                raise _Found("a JSON value, not the end of the text", self._at)
            case _:
                self._scalar()

    def _scalar(self) -> None:
        for word in ("true", "false", "null"):
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            raise _Found("a JSON value: an object, a list, text, a finite number, true, false or null", self._at)
        whole = found.group(1) is None and found.group(2) is None
        if len(found.group()) > _DIGITS_MAX if whole else not holdable(found.group()):
            raise _Found("a number that is not too large or too small to hold", self._at)
        self._at = found.end()

    def _string(self) -> str:
        start, parts = self._at, []
        self._at += 1
        while True:
            plain = _PLAIN.match(self._text, self._at)
            assert plain is not None
            parts.append(plain.group())
            self._at = plain.end()
            match self._text[self._at : self._at + 1]:
                case '"':
                    self._at += 1
                    return "".join(parts)
                case "\\":
                    parts.append(self._escape(start))
                case "":
                    raise _Found("text that ends with a quotation mark", start)
                case _:
                    raise _Found("control characters written as escapes", self._at)

    def _escape(self, start: int) -> str:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter in _ESCAPES and letter:
            self._at += 2
            return _ESCAPES[letter]
        unit = self._unit(self._at)
        self._at += 6
        if 0xDC00 <= unit <= 0xDFFF:
            raise _Found("characters, not half of a surrogate pair", start)
        if not 0xD800 <= unit <= 0xDBFF:
            return chr(unit)
        if self._text[self._at : self._at + 2] != "\\u" or not 0xDC00 <= self._unit(self._at) <= 0xDFFF:
            raise _Found("characters, not half of a surrogate pair", start)
        low = self._unit(self._at)
        self._at += 6
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))

    def _unit(self, at: int) -> int:
        found = _HEX.match(self._text, at + 2) if self._text[at : at + 2] == "\\u" else None
        if found is None:
            raise _Found('an escape there is: \\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits', at)
        return int(found.group(), 16)

    def _enter(self) -> None:
        if len(self.steps) >= self._depth:
            raise _Found(f"lists and objects at most {self._depth} deep in each other", self._at)
        self._at += 1

    def _list(self) -> None:
        self._enter()
        if self._next() == "]":
            self._at += 1
            return
        number = 0
        while True:
            self.steps.append(number)
            self._value()
            self.steps.pop()
            number += 1
            if self._goes_on("]"):
                continue
            return

    def _object(self) -> None:
        self._enter()
        seen: set[str] = set()
        if self._next() == "}":
            self._at += 1
            return
        while True:
            if self._next() != '"':
                raise _Found("a key in quotation marks", self._at)
            start, key = self._at, self._string()
            self.steps.append(key)
            if key in seen:
                self._said_twice(start)
            seen.add(key)
            if self._next() != ":":
                raise _Found("a colon after the key", self._at)
            self._at += 1
            self._value()
            self.steps.pop()
            if not self._goes_on("}"):
                return

    def _said_twice(self, at: int) -> None:
        what = "a key that is said once; it is said twice"
        if self._repeated is None:
            raise _Found(what, at)
        self._repeated(_fault(self._text, self.steps, what, at))

    def _goes_on(self, end: str) -> bool:
        sign = self._next()
        self._at += 1
        if sign not in (",", end) or not sign:
            raise _Found(f"a comma or {end}", self._at - 1)
        return sign == ","
