"""`.omirb`: the same document in deterministic CBOR (RFC 8949, section 4.2), and back.

One value, optionally behind tag 55799. Keys are text, lengths are definite, every number is as short as it can be, keys
are sorted by their bytes. Whatever is not of that form is refused, so that one document has one spelling.
"""

from __future__ import annotations

import math
import struct

from muniment.contracts.omir.reading import LIMITS
from muniment.contracts.strict.reader import ReaderLimits
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import LimitExceeded, Malformed

SELF_DESCRIBED = b"\xd9\xd9\xf7"
"""Tag 55799: these bytes are CBOR. Written when asked for, passed over when read."""

_INTEGER_MAX = 2**64 - 1
_BIG_BYTES_MAX = 1_661
"""As many bytes as a whole number of 4,000 digits takes, the longest that the reader of text takes."""
_SIMPLE: dict[int, Json] = {20: False, 21: True, 22: None}
_WIDTHS = {24: 1, 25: 2, 26: 4, 27: 8}
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def write_cbor(value: Json, *, described: bool = False) -> bytes:
    """Spell a value. `described` puts the tag in front by which a file shows that it is CBOR.

    >>> write_cbor({"b": [1, 1.5], "a": None}).hex()
    'a26161f661628201f93e00'
    """
    parts: list[bytes] = [SELF_DESCRIBED] if described else []
    _write(value, parts)
    return b"".join(parts)


def _write(value: Json, parts: list[bytes]) -> None:
    if value is None or isinstance(value, bool):
        parts.append({None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value])
    elif isinstance(value, int):
        parts.append(_integer(value))
    elif isinstance(value, float):
        parts.append(_fraction(value))
    elif isinstance(value, str):
        text = value.encode()
        parts += (_head(3, len(text)), text)
    elif isinstance(value, list):
        parts.append(_head(4, len(value)))
        for part in value:
            _write(part, parts)
    else:
        _write_map(value, parts)


def _write_map(value: JsonObject, parts: list[bytes]) -> None:
    parts.append(_head(5, len(value)))
    spelled = sorted((_head(3, len(text)) + text, one) for text, one in ((key.encode(), key) for key in value))
    for key, one in spelled:
        parts.append(key)
        _write(value[one], parts)


def _integer(value: int) -> bytes:
    major, number = (0, value) if value >= 0 else (1, -1 - value)
    if number <= _INTEGER_MAX:
        return _head(major, number)
    digits = number.to_bytes((number.bit_length() + 7) // 8)
    return bytes([0xC2 + major]) + _head(2, len(digits)) + digits


def _fraction(value: float) -> bytes:
    """The shortest float that is the same number. The sign of zero is kept; a fraction never becomes an integer."""
    if not math.isfinite(value):
        raise Malformed("/", "a finite number")
    for lead, form in ((b"\xf9", ">e"), (b"\xfa", ">f")):
        try:
            short = struct.pack(form, value)
        except OverflowError:
            continue
        if struct.unpack(form, short)[0] == value:
            return lead + short
    return b"\xfb" + struct.pack(">d", value)


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    for short, width in _WIDTHS.items():
        if number < 1 << 8 * width:
            return bytes([major << 5 | short]) + number.to_bytes(width)
    raise AssertionError("no head holds that number")


def read_cbor(data: bytes, *, limits: ReaderLimits = LIMITS) -> Json:
    """Read one value. Raises `Malformed`, with the place in bytes, for what is not deterministic CBOR of a JSON value,
    and `LimitExceeded` for what is too large or too deep.

    >>> read_cbor(bytes.fromhex("d9d9f7a26161f661628201f93e00"))
    {'a': None, 'b': [1, 1.5]}
    """
    if len(data) > limits.bytes:
        raise LimitExceeded("document", limit=limits.bytes, unit="bytes", sent=len(data))
    reader = _Reader(data, limits.depth)
    reader.place = len(SELF_DESCRIBED) if data.startswith(SELF_DESCRIBED) else 0
    value = reader.value(0)
    if reader.place != len(data):
        raise reader.wrong("the end of the document")
    return value


class _Reader:
    """Reads values one after the other. A length is believed only as far as there are bytes for it."""

    def __init__(self, data: bytes, depth: int) -> None:
        self.data = data
        self.depth = depth
        self.place = 0

    def wrong(self, expected: str) -> Malformed:
        return Malformed(f"/byte/{self.place}", expected)

    def value(self, depth: int) -> Json:
        first = self._byte()
        major, short = first >> 5, first & 31
        if major == 7:
            return self._simple(short)
        if major == 6:
            return self._big(short)
        if major == 2:
            raise self._back("text: byte strings are not of this format")
        number = self._number(short)
        if major < 2:
            return number if major == 0 else -1 - number
        if major == 3:
            return self._text(number)
        if depth >= self.depth:
            raise LimitExceeded("depth", limit=self.depth, unit="levels", sent=depth + 1)
        return self._list(number, depth) if major == 4 else self._map(number, depth)

    def _back(self, expected: str) -> Malformed:
        self.place -= 1
        return self.wrong(expected)

    def _byte(self) -> int:
        if self.place >= len(self.data):
            raise self.wrong("more: the document ends here")
        self.place += 1
        return self.data[self.place - 1]

    def _take(self, count: int) -> bytes:
        if count > len(self.data) - self.place:
            raise self.wrong(f"{count} bytes: the document ends before")
        self.place += count
        return self.data[self.place - count : self.place]

    def _number(self, short: int) -> int:
        if short < 24:
            return short
        width = _WIDTHS.get(short)
        if width is None:
            raise self._back("a definite length")
        number = int.from_bytes(self._take(width))
        if number < (24 if width == 1 else 1 << 4 * width):
            raise self.wrong("a number in its shortest form")
        return number

    def _text(self, length: int) -> str:
        try:
            return self._take(length).decode()
        except UnicodeDecodeError:
            raise self.wrong("UTF-8 text") from None

    def _list(self, count: int, depth: int) -> list[Json]:
        if count > len(self.data) - self.place:
            raise self.wrong(f"{count} values: there are not that many bytes")
        return [self.value(depth + 1) for _ in range(count)]

    def _map(self, count: int, depth: int) -> JsonObject:
        if 2 * count > len(self.data) - self.place:
            raise self.wrong(f"{count} pairs: there are not that many bytes")
        found: JsonObject = {}
        before = b""
        for _ in range(count):
            start = self.place
            first = self._byte()
            if first >> 5 != 3:
                raise self._back("a key that is text")
            key = self._text(self._number(first & 31))
            spelled = self.data[start : self.place]
            if spelled <= before:
                raise self.wrong("keys in the order of their bytes, each once")
            before = spelled
            found[key] = self.value(depth + 1)
        return found

    def _simple(self, short: int) -> Json:
        form = _FLOATS.get(short)
        if form is not None:
            return self._float(form, short)
        if short not in _SIMPLE:
            raise self._back("true, false, null or a float")
        return _SIMPLE[short]

    def _float(self, form: str, short: int) -> float:
        start = self.place - 1
        value = float(struct.unpack(form, self._take(_WIDTHS[short]))[0])
        if not math.isfinite(value):
            raise self.wrong("a finite number")
        if _fraction(value) != self.data[start : self.place]:
            raise self.wrong("a float in its shortest form")
        return value

    def _big(self, short: int) -> int:
        if short not in (2, 3):
            raise self._back("no tag but that of large whole numbers")
        first = self._byte()
        if first >> 5 != 2:
            raise self._back("the digits of a large whole number")
        length = self._number(first & 31)
        if length > _BIG_BYTES_MAX:
            raise LimitExceeded("number", limit=_BIG_BYTES_MAX, unit="bytes", sent=length)
        digits = self._take(length)
        number = int.from_bytes(digits)
        if number <= _INTEGER_MAX or digits[0] == 0:
            raise self.wrong("a whole number in its shortest form")
        return number if short == 2 else -1 - number
