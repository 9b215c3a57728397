"""Spoils documents on purpose: of a valid one it makes others that are wrong in a few places. A seed decides where.

A tree is spoiled before it is spelled, so that what comes out is mostly still a document; what JSON values cannot say
(a key said twice, NaN, half of a surrogate pair, brackets without end) is put in as text. Then bytes are spoiled.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from muniment.contracts.strict.values import Json

CANARY = "zq9 canary ü7f3a"
"""A value that no message may repeat. No id may look like it."""
LONG_KEY = "zq9key" * 400
"""A name that no message may repeat whole."""


class Raw(str):
    """Text that stands in a document as it is."""


class Pairs(list[tuple[str, object]]):
    """An object in which a key may be said more than once."""


Spoilt: TypeAlias = object
"""A JSON value, with text or pairs in places where JSON could not say it."""
_Way = tuple[str | int, ...]

ODD: tuple[Spoilt, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    0.5,
    -0.0,
    1.5,
    1e308,
    5e-324,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    2**64,
    10**25,
    Raw("1e999"),
    Raw("-1e400"),
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("7" * 4_400),
    Raw("-0"),
    Raw("01"),
    Raw("1.0"),
    Raw("1E2"),
    "",
    " ",
    "\0",
    "a\0b",
    "\t\n\r",
    "\x1b[31m",
    "\x7f",
    "\ufeff",
    "\u202e",
    "\u200b",
    "\u2028",
    "e\u0301",
    "İ",
    "\U0010ffff",
    Raw('"\\ud800"'),
    Raw('"\\udc00\\ud800"'),
    Raw('"a\\ud83d"'),
    Raw('"\\u0000"'),
    Raw('"\\x41"'),
    Raw('"open'),
    "null",
    "true",
    "0",
    "-1",
    "1e5",
    "*",
    ".",
    "..",
    "../../etc/passwd",
    "/",
    "//",
    "a/b",
    "@1",
    "rec-1@1",
    "%00",
    "' OR 1=1 --",
    "{}",
    "[]",
    "é" * 300,
    "a" * 300,
    "a" * 5_000,
    "2026-02-30T00:00:00Z",
    "2026-01-01T25:61:61Z",
    "0000-00-00T00:00:00Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999999999-23:59",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2016-12-31T23:59:60Z",
    "10000-01-01T00:00:00Z",
    CANARY,
    CANARY,
    [],
    {},
    [[]],
    [None],
    [CANARY],
    [1, "a", None, {}],
    ["a"] * 300,
    {"": ""},
    {"a": CANARY},
    {"__proto__": 1},
    Raw("[" * 60 + "]" * 60),
    Raw("[" * 150 + "]" * 150),
    Raw('{"a":' * 150 + "1" + "}" * 150),
    Raw("[" * 3_000),
    Raw("[" * 3_000 + "]" * 3_000),
    Raw(""),
    Raw("undefined"),
    Raw("/* a */ 1"),
    Raw('{"a": 1, "a": 2}'),
)
KEYS = (
    "",
    " ",
    "\0",
    "a",
    "id",
    "type",
    "content",
    "__class__",
    "a/b",
    "a~b",
    "$ref",
    "é",
    "\u202e",
    LONG_KEY,
    "0",
    "-",
)
_BYTES = (b"\0", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\xe2\x80", b'"', b"\\")
_MARKS = (b"{", b"}", b"[", b"]", b",", b":", b"\n", b" ", b"null", b"1e999", b"\\u0000", b"\\ud800")


def spelled(value: Spoilt) -> bytes:
    """The document as text, with what it may not hold standing in it as it is."""
    parts: list[str] = []
    _spell(value, parts)
    return "".join(parts).encode("utf-8", "surrogatepass")


def _spell(value: Spoilt, parts: list[str]) -> None:
    if isinstance(value, Raw):
        parts.append(value)
    elif isinstance(value, (dict, Pairs)):
        pairs = list(value.items()) if isinstance(value, dict) else list(value)
        _join(parts, "{}", [(json.dumps(name, ensure_ascii=False) + ":", part) for name, part in pairs])
    elif isinstance(value, list):
        _join(parts, "[]", [("", part) for part in value])
    else:
        parts.append(json.dumps(value, ensure_ascii=False))


def _join(parts: list[str], marks: str, inner: Sequence[tuple[str, Spoilt]]) -> None:
    parts.append(marks[0])
    for number, (lead, part) in enumerate(inner):
        parts.append("," + lead if number else lead)
        _spell(part, parts)
    parts.append(marks[1])


class Spoiler:
    """Everything that is done to documents, by one stream of chance."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def document(self, sample: Json, others: Sequence[Json] = ()) -> bytes:
        """A JSON text made of a valid document, wrong in up to three places, now and then in its bytes too."""
        tree: Spoilt = json.loads(json.dumps(sample))
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            tree = self._spoil(tree, [sample, *others])
        text = spelled(tree)
        return self.spoilt(text) if self.chance.random() < 0.15 else text

    def tree(self, sample: Json, others: Sequence[Json] = ()) -> Json:
        """The same as a value that a JSON parser could have made, for what is read after it was parsed."""
        while True:
            try:
                found: Json = json.loads(self.document(sample, others))
            except (ValueError, RecursionError):
                continue
            return found

    def _spoil(self, tree: Spoilt, samples: Sequence[Json]) -> Spoilt:
        way = self.chance.choice(_ways(tree))
        act: Callable[[Spoilt], Spoilt] = self.chance.choice(
            (self._odd, self._odd, self._odd, self._nudged, self._wrapped, self._inside, self._inside)
        )
        if self.chance.random() < 0.1:
            other = self.chance.choice(samples)
            return _put(tree, way, lambda _: _at(other, self.chance.choice(_ways(other))))
        return _put(tree, way, act)

    def _odd(self, _: Spoilt) -> Spoilt:
        return self.chance.choice(ODD)

    def _wrapped(self, value: Spoilt) -> Spoilt:
        return self.chance.choice(([value], {"a": value}, [value, value], Pairs([("a", value), ("a", value)])))

    def _nudged(self, value: Spoilt) -> Spoilt:
        """A little other than it was."""
        if isinstance(value, bool) or value is None:
            return not value
        if isinstance(value, (int, float)):
            return self.chance.choice((value + 1, -value, value * 1_000_000, str(value), float(value), [value]))
        if isinstance(value, str):
            place = self.chance.randrange(len(value) + 1)
            grain = self.chance.choice(("\0", " ", "\ud800", "x", CANARY, "\u200b", "/", "\n"))
            return self.chance.choice((value[:place] + grain + value[place:], value[:place], value.upper(), value * 40))
        return self._inside(value)

    def _inside(self, value: Spoilt) -> Spoilt:
        """A part more, a part less, a part twice, a part under another name."""
        if isinstance(value, dict) and value:
            name = self.chance.choice(sorted(value))
            other, pairs = self.chance.choice(KEYS), list(value.items())
            less = [pair for pair in pairs if pair[0] != name]
            return Pairs(
                self.chance.choice(
                    (
                        less,
                        [*pairs, (other, self.chance.choice(ODD))],
                        [*pairs, (name, self.chance.choice(ODD))],
                        [*less, (other, value[name])],
                    )
                )
            )
        if isinstance(value, list) and value:
            place = self.chance.randrange(len(value))
            less = value[:place] + value[place + 1 :]
            more = [*value, self.chance.choice(ODD)]
            return list(self.chance.choice((less, more, [*value, value[place]], value[::-1], value * 50)))
        return self.chance.choice(ODD)

    def spoilt(self, text: bytes, marks: Sequence[bytes] = ()) -> bytes:
        """Bytes with something put in, taken out, doubled or turned over."""
        spoilt = bytearray(text)
        for _ in range(self.chance.choice((1, 1, 2, 4))):
            start = self.chance.randrange(len(spoilt) + 1)
            end = min(len(spoilt), start + self.chance.choice((1, 1, 2, 5, 40)))
            match self.chance.randrange(6):
                case 0:
                    del spoilt[start:end]
                case 1:
                    spoilt[start:start] = spoilt[start:end] * self.chance.choice((1, 2, 30))
                case 2:
                    spoilt[start:start] = self.chance.choice((*_BYTES, *_MARKS, *marks))
                case 3:
                    spoilt[start:end] = self.chance.choice((*_MARKS, *marks, *marks)) * self.chance.choice((1, 1, 200))
                case 4:
                    spoilt[start:end] = self.chance.randbytes(end - start)
                case _:
                    del spoilt[start:]
        return bytes(spoilt)

    def spoilt_lines(self, text: bytes, marks: Sequence[bytes] = ()) -> bytes:
        """A text of lines with lines out of place, then with spoilt bytes."""
        found = text.split(b"\n")
        first, second = (self.chance.randrange(len(found)) for _ in "ab")
        match self.chance.randrange(5):
            case 0:
                found[first], found[second] = found[second], found[first]
            case 1:
                found.insert(first, found[second])
            case 2:
                del found[first]
            case 3:
                lead = len(found[first]) - len(found[first].lstrip())
                name, colon, _ = found[first].partition(b":")
                odd = self.chance.choice((*marks, CANARY.encode(), b"[]", b"{}", b"7" * 5_000, b"1e999", b"~"))
                found[first] = name + colon + b" " + odd if colon else b" " * lead + odd
            case _:
                found[first] = b"  " + found[first]
        joined = b"\n".join(found)
        return self.spoilt(joined, marks) if self.chance.random() < 0.6 else joined


def _ways(tree: Spoilt) -> list[_Way]:
    found: list[_Way] = [()]
    if isinstance(tree, dict):
        found += ((name, *way) for name, part in tree.items() for way in _ways(part))
    elif isinstance(tree, list) and not isinstance(tree, Pairs):
        found += ((place, *way) for place, part in enumerate(tree[:20]) for way in _ways(part))
    return found


def _at(tree: Spoilt, way: _Way) -> Spoilt:
    for step in way:
        if isinstance(step, str):
            assert isinstance(tree, dict), "a way leads through what is there"
            tree = tree[step]
        else:
            assert isinstance(tree, list), "a way leads through what is there"
            tree = tree[step]
    return tree


def _put(tree: Spoilt, way: _Way, act: Callable[[Spoilt], Spoilt]) -> Spoilt:
    if not way:
        return act(tree)
    step, rest = way[0], way[1:]
    if isinstance(tree, dict) and isinstance(step, str):
        return {**tree, step: _put(tree[step], rest, act)}
    assert isinstance(tree, list), "a way leads through what is there"
    assert isinstance(step, int)
    return [*tree[:step], _put(tree[step], rest, act), *tree[step + 1 :]]
