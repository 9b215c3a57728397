"""YAML read as strictly as JSON: the same values, the same limits, one meaning per text.

Plain scalars are what JSON would make of them (a number, true, false, null), and text otherwise: no dates, no `yes`, no
octal. Refused: a key said twice, keys that are no text, anchors and aliases, tags, more than one document.
"""

from __future__ import annotations

import re
from typing import NoReturn, Protocol

import yaml

from muniment.contracts.strict.locate import place
from muniment.contracts.strict.pointer import Step, pointer
from muniment.contracts.strict.reader import ReaderLimits
from muniment.contracts.strict.values import Json, holdable
from muniment.model.errors import LimitExceeded, Unreadable


class _Mark(Protocol):
    """Where something stands in the text, counted from nought."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NO_NUMBERS = frozenset({".nan", ".inf", "-.inf", "+.inf", "nan", "inf", "-inf", "infinity", "-infinity"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS_MAX = 4_000


YAML_BYTES_MAX = 16_777_216
YAML_LIMITS = ReaderLimits(bytes=YAML_BYTES_MAX)
"""YAML is read a hundred times more slowly than JSON, so that less of it is taken; a larger file is written as JSON."""


def read_yaml(data: bytes, *, limits: ReaderLimits = YAML_LIMITS) -> Json:
    """Read one YAML document, strictly.

    >>> read_yaml(b"memory:\\n  seed_records: [{memory_id: mem-001, confidence: 0.95, on: 2026-04-07}]")
    {'memory': {'seed_records': [{'memory_id': 'mem-001', 'confidence': 0.95, 'on': '2026-04-07'}]}}
    """
    if len(data) > limits.bytes:
        raise LimitExceeded("document", limit=limits.bytes, unit="bytes", sent=len(data))
    if data.startswith(b"\xef\xbb\xbf"):
        raise Unreadable("/", "text without a byte order mark", line=1, column=1)
    text = _text(data)
    return _Builder(limits.depth).build(_loader(text))


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        line, column = place(good, len(good))
        raise Unreadable("/", "UTF-8 text", line=line, column=column) from None


def _loader(text: str) -> yaml.SafeLoader:
    try:
        return yaml.SafeLoader(text)
    except yaml.reader.ReaderError as error:
        line, column = place(text, error.position)
        raise Unreadable("/", "YAML text without control characters", line=line, column=column) from None


class _Open:
    """A list or an object that is being filled. `key` is the key whose value comes next."""

    def __init__(self, whole: list[Json] | dict[str, Json]) -> None:
        self.whole = whole
        self.key: str | None = None

    @property
    def step(self) -> tuple[Step, ...]:
        if isinstance(self.whole, list):
            return (len(self.whole),)
        return () if self.key is None else (self.key,)

    def put(self, value: Json) -> None:
        if isinstance(self.whole, list):
            self.whole.append(value)
        else:
            assert self.key is not None, "a key comes before its value"
            self.whole[self.key] = value
            self.key = None


class _Builder:
    """Makes one value of the events of one text, and knows at every step where it stands."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._open: list[_Open] = []
        self._documents = 0
        self._value: Json = None

    def build(self, loader: yaml.SafeLoader) -> Json:
        try:
            while loader.check_event():
                self._take(loader.get_event())  # type: ignore[no-untyped-call]  # the stubs leave it out
        except yaml.MarkedYAMLError as error:
            self._refuse(
                error.problem_mark or error.context_mark, f"one YAML document ({error.problem or error.context})"
            )
        except (ValueError, OverflowError):  # the library makes a character of any number an escape gives
            self._refuse(loader.get_mark(), "an escape for a character there is")
        finally:
            loader.dispose()
        return self._value

    def _take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self._refuse(event.start_mark, "one YAML document, not several")
            case yaml.NodeEvent():
                self._take_node(event)
            case yaml.CollectionEndEvent():
                self._put(self._open.pop().whole)

    def _take_node(self, event: yaml.NodeEvent) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            self._refuse(event.start_mark, "a value written out, not an anchor or an alias")
        if getattr(event, "tag", None) is not None:
            self._refuse(event.start_mark, "a value without a tag")
        wants_key = self._wants_key()
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            self._set_key(event, value) if wants_key else self._put(value)
            return
        if wants_key:
            self._refuse_key(event)
        if len(self._open) >= self._depth:
            self._refuse(event.start_mark, f"lists and objects at most {self._depth} deep in each other")
        self._open.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else []))

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].whole, dict) and self._open[-1].key is None

    def _set_key(self, event: yaml.ScalarEvent, key: Json) -> None:
        if not isinstance(key, str):
            self._refuse_key(event)
        here = self._open[-1]
        here.key = key
        if isinstance(here.whole, dict) and key in here.whole:
            self._refuse(event.start_mark, "a key that is said once; it is said twice")

    def _put(self, value: Json) -> None:
        if self._open:
            self._open[-1].put(value)
        else:
            self._value = value

    def _scalar(self, event: yaml.ScalarEvent) -> Json:
        text: str = event.value
        if _SURROGATE.search(text) is not None:
            self._refuse(event.start_mark, "characters, not half of a surrogate pair")
        if not event.implicit[0]:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text.casefold() in _NO_NUMBERS:
            self._refuse(event.start_mark, "a finite number, or text in quotation marks")
        found = _NUMBER.fullmatch(text)
        if found is None:
            return text
        whole = found.group(1) is None and found.group(2) is None
        if len(text) > _DIGITS_MAX if whole else not holdable(text):
            self._refuse(event.start_mark, "a number that is not too large or too small to hold")
        return int(text) if whole else float(text)

    def _refuse_key(self, event: yaml.NodeEvent) -> NoReturn:
        self._refuse(event.start_mark, "a key that is text; put it in quotation marks")

    def _refuse(self, mark: _Mark | None, expected: str) -> NoReturn:
        steps = [step for one in self._open for step in one.step]
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise Unreadable(pointer(steps), expected, line=line, column=column)
