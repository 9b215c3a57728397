"""The JSON Schema of what a tool takes and answers: one object with everything inside it, for clients of any age."""

from __future__ import annotations

import msgspec

from muniment.contracts.schemas import schema_of as _published
from muniment.contracts.strict.values import Json, JsonObject

_REF = "#/$defs/"
_LEFT_OUT = frozenset({"title", "$schema", "$id", "$ref"})
_NAMED = frozenset({"properties", "patternProperties"})


def schema_of(kind: type) -> JsonObject:
    """The schema of a type, with no reference left in it: many clients read none.

    >>> from muniment.surfaces.mcp.arguments import HistoryArguments
    >>> sorted(schema_of(HistoryArguments))
    ['additionalProperties', 'properties', 'required', 'type']
    """
    whole = _published("mcp", kind.__name__, kind)
    parts = _object(whole.pop("$defs", {}))
    found = _object(_inlined(whole, parts))
    found.pop("description", None)
    closed: JsonObject = {"additionalProperties": False} if issubclass(kind, msgspec.Struct) else {}
    return {"type": "object", "properties": {}, **found, **closed}


def open_schema(kind: type) -> JsonObject:
    """The names an answer has, for answers whose values are too various to be described one by one."""
    names = sorted(kind.__annotations__)
    return {"type": "object", "properties": {name: {} for name in names}, "required": [*names]}


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict), "a schema and its parts are objects"
    return value


def _inlined(value: Json, parts: JsonObject) -> Json:
    if isinstance(value, list):
        return [_inlined(one, parts) for one in value]
    if not isinstance(value, dict):
        return value
    rest: JsonObject = {
        name: {field: _inlined(part, parts) for field, part in _object(one).items()}
        if name in _NAMED
        else _inlined(one, parts)
        for name, one in value.items()
        if name not in _LEFT_OUT
    }
    words = rest.get("enum")
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        rest = {"type": "string", **rest}
    named = value.get("$ref")
    return _object(_inlined(parts[named.removeprefix(_REF)], parts)) | rest if isinstance(named, str) else rest
