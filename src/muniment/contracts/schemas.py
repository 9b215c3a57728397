"""The published JSON Schema (2020-12) of a wire type."""

from __future__ import annotations

import msgspec
from msgspec import inspect

from muniment.contracts.shape import plain_bound
from muniment.contracts.strict.values import Json, JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


def file_of(document: str) -> str:
    """The name of the file in a contract's `schemas` folder that holds the schema of a document."""
    return f"{document}.schema.json"


def schema_of(contract: str, document: str, kind: type) -> JsonObject:
    """The schema of one document of a contract, with everything it refers to inside it."""
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for struct in _structs(inspect.type_info(kind), {}):
        if further := getattr(struct, "EXTENSIONS", None):
            parts[struct.__name__]["patternProperties"] = {further: {}}
    said: JsonObject = {**root, "$defs": dict(sorted(parts.items()))}
    _spell_bounds(said)
    named: JsonObject = {
        "$schema": DIALECT,
        "$id": f"urn:muniment:contract:{contract}:{document}",
        "title": document,
    }
    return {**named, **said}


def _spell_bounds(value: Json) -> None:
    """Give every bound its one spelling, whichever of two equal types was imported first."""
    if isinstance(value, list):
        for part in value:
            _spell_bounds(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key in _BOUNDS and isinstance(part, float):
                value[key] = plain_bound(part)
            _spell_bounds(part)


def _structs(info: inspect.Type, met: dict[type, None]) -> dict[type, None]:
    """Every struct a wire type is made of."""
    below: list[inspect.Type] = []
    match info:
        case inspect.StructType() if info.cls not in met:
            met[info.cls] = None
            below = [field.type for field in info.fields]
        case inspect.UnionType():
            below = [*info.types]
        case inspect.Metadata():
            below = [info.type]
        case inspect.ListType() | inspect.VarTupleType():
            below = [info.item_type]
        case inspect.DictType():
            below = [info.value_type]
    for part in below:
        _structs(part, met)
    return met
