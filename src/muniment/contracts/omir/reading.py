"""The text of a bundle taken apart: its envelope and its entries as they are written, or a refusal that says where.

Everything is read once, strictly, an entry at a time, so that a large file costs little more than its own text.
"""

from __future__ import annotations

import re
from typing import NoReturn

import msgspec
from msgspec import Raw

from muniment.contracts.strict.locate import TextFault, locate
from muniment.contracts.strict.reader import BYTES_MAX, ReaderLimits
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import json_decoder
from muniment.model.errors import LimitExceeded, Unreadable

LIMITS = ReaderLimits(bytes=BYTES_MAX, depth=127)
"""What the reference validator takes: lists and objects up to 127 deep in each other."""
ENTRY_DEPTH = 2
"""How deep an entry stands: in a list, in the bundle."""

_OBJECT = json_decoder(dict[str, Raw])
_LIST = json_decoder(list[Raw])
_ANY = msgspec.json.Decoder()
_LONG_NUMBER = re.compile(rb"[0-9]{309}")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_LARGEST = 1 << 1023


class Opened:
    """A readable text: the fields of its envelope, and its entries if it has a list of them."""

    def __init__(self, data: bytes, limits: ReaderLimits) -> None:
        self.data = data
        self.limits = limits
        self.fields: dict[str, Raw] = {}
        self.is_object = True
        self.entries: list[Raw] | None = None

    def json(self, raw: Raw, depth: int) -> Json:
        """What a part says, read strictly. `depth` is how deep it stands in the bundle."""
        try:
            value: Json = _ANY.decode(raw)
        except (msgspec.MsgspecError, RecursionError):
            self.refuse()
        text = bytes(raw)
        if text.count(b"[") + text.count(b"{") > self.limits.depth - depth and deeper(value, self.limits.depth - depth):
            self.refuse()
        if len(text) > 308 and _LONG_NUMBER.search(text) is not None and _too_large(value):
            self.refuse()
        return value

    def envelope(self) -> JsonObject:
        """The fields of the envelope as JSON; the entries stand in it as they are counted, not as they are."""
        return {name: self.json(raw, 1) for name, raw in self.fields.items() if name != "entry"}

    def refuse(self) -> NoReturn:
        """Say what cannot be read, and where."""
        fault = locate(self.data, depth=self.limits.depth, repeated=_forgive)
        if fault is None:
            raise Unreadable("/", "numbers that are not too large to hold", line=1, column=1)
        raise Unreadable(fault.path, fault.what, line=fault.line, column=fault.column)


def open_bundle(data: bytes, limits: ReaderLimits = LIMITS) -> Opened:
    """Take a text apart, or raise `Unreadable`. Of a key said twice the last one counts."""
    if len(data) > limits.bytes:
        raise LimitExceeded("document", limit=limits.bytes, unit="bytes", sent=len(data))
    opened = Opened(data, limits)
    try:
        data.decode("utf-8")
        opened.fields = _OBJECT.decode(data)
    except msgspec.ValidationError:
        opened.is_object = False
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        opened.refuse()
    if not opened.is_object:
        opened.json(Raw(data), 0)
    elif "entry" in opened.fields:
        opened.entries = _list(opened)
    return opened


def _list(opened: Opened) -> list[Raw] | None:
    try:
        return _LIST.decode(opened.fields["entry"])
    except msgspec.ValidationError:
        opened.json(opened.fields["entry"], 1)
        return None


def deeper(value: Json, limit: int) -> bool:
    """Whether lists and objects stand deeper in each other than `limit`.

    >>> deeper([[1]], 2), deeper([[1]], 1), deeper(1, 0)
    (False, True, False)
    """
    layer: list[Json] = [value] if isinstance(value, (list, dict)) else []
    for _ in range(limit):
        if not layer:
            return False
        layer = [
            part
            for one in layer
            for part in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(part, (list, dict))
        ]
    return bool(layer)


def too_large(number: int) -> bool:
    """Whether no float can hold a number."""
    return number > _LARGEST and number >= 1 << 1024


def _too_large(value: Json) -> bool:
    waiting: list[Json] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, int) and too_large(abs(one)):
            return True
        if isinstance(one, (list, dict)):
            waiting.extend(one.values() if isinstance(one, dict) else one)
    return False


def _forgive(_: TextFault) -> None:
    """A key said twice is readable; it is told apart."""


def tokens(text: bytes) -> int:
    """How many quotation marks of a JSON text open or close a string.

    A key said twice is lost when a text is read, so a text that has more of them than what was read of it, written
    again, says some key twice. That is much cheaper than looking at the keys.

    >>> tokens(b'{"a": "b"}'), tokens(rb'{"a\\\\": "\\"b"}'), tokens(rb'"\\\\"')
    (4, 4, 2)
    """
    marks = text.count(b'"')
    return marks - _ESCAPED.findall(text).count(b'"') if b"\\" in text else marks
