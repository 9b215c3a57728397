"""YAML read as strictly as JSON: the same values, the same limits, one meaning per text.

Plain scalars are what JSON would make of them (a number, true, false, null), and text otherwise: no dates, no `yes`, no
octal. Refused: a key said twice, keys that are no text, anchors and aliases, tags, more than one document.
"""

from __future__ import annotations

import math
import re
from typing import Protocol

import yaml

from muniment.contracts.strict.pointer import Step, pointer
from muniment.contracts.strict.reader import LIMITS, Limits
from muniment.contracts.strict.values import Json
from muniment.model.errors import LimitExceeded, Unreadable


class _Mark(Protocol):
    """Where something stands in the text; both of the library's readers have one."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NO_NUMBERS = frozenset({".nan", ".inf", "-.inf", "+.inf", "nan", "inf", "-inf", "infinity", "-infinity"})
_UNPRINTABLE = re.compile("[\ud800-\udfff]")


def read_yaml(data: bytes, *, limits: Limits = LIMITS) -> Json:
    """Read one YAML document, strictly.

    >>> read_yaml(b"memory:\\n  seed_records: [{memory_id: mem-001, confidence: 0.95, on: 2026-04-07}]")
    {'memory': {'seed_records': [{'memory_id': 'mem-001', 'confidence': 0.95, 'on': '2026-04-07'}]}}
    """
    if len(data) > limits.bytes:
        raise LimitExceeded("document", limit=limits.bytes, unit="bytes", sent=len(data))
    if data.startswith(b"\xef\xbb\xbf"):
        raise Unreadable("/", "text without a byte order mark", line=1, column=1)
    try:
        text = data.decode("utf-8")
        _refuse_sharing(text, limits.depth)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        raise Unreadable("/", "UTF-8 text", line=1, column=1) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise Unreadable(
            "/", f"one YAML document ({error.problem or error.context})", line=line, column=column
        ) from None
    except yaml.YAMLError:
        raise Unreadable("/", "YAML text without control characters", line=1, column=1) from None
    return _value(node, []) if node is not None else None


def _refuse_sharing(text: str, depth: int) -> None:
    """Refuse anchors, aliases and what stands too deep before anything is built of them."""
    level = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _wrong(event.start_mark, [], "a value written out, not an anchor or an alias")
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            level += 1
            if level > depth:
                raise _wrong(event.start_mark, [], f"lists and objects at most {depth} deep in each other")
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            level -= 1


def _wrong(mark: _Mark | None, steps: list[Step], expected: str) -> Unreadable:
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return Unreadable(pointer(steps), expected, line=line, column=column)


def _value(node: yaml.Node, steps: list[Step]) -> Json:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, steps)
    if isinstance(node, yaml.SequenceNode):
        return [_value(part, [*steps, number]) for number, part in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node, steps)


def _mapping(node: yaml.MappingNode, steps: list[Step]) -> Json:
    found: dict[str, Json] = {}
    for key, part in node.value:
        name = _scalar(key, steps) if isinstance(key, yaml.ScalarNode) else None
        if not isinstance(name, str):
            raise _wrong(key.start_mark, steps, "a key that is text; put it in quotation marks")
        if name in found:
            raise _wrong(key.start_mark, [*steps, name], "a key that is said once; it is said twice")
        found[name] = _value(part, [*steps, name])
    return found


def _scalar(node: yaml.ScalarNode, steps: list[Step]) -> Json:
    text = str(node.value)
    if _UNPRINTABLE.search(text) is not None:
        raise _wrong(node.start_mark, steps, "characters, not half of a surrogate pair")
    if node.style is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text.casefold() in _NO_NUMBERS:
        raise _wrong(node.start_mark, steps, "a finite number, or text in quotation marks")
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    whole = found.group(1) is None and found.group(2) is None
    if len(text) > 4_000 if whole else math.isinf(float(text)):
        raise _wrong(node.start_mark, steps, "a number that is not too large to hold")
    return int(text) if whole else float(text)
