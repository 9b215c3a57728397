"""The published JSON Schema (2020-12) of a wire type."""

from __future__ import annotations

import msgspec
from msgspec import inspect

from muniment.contracts.strict.values import JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_of(document: str) -> str:
    """The name of the file in a contract's `schemas` folder that holds the schema of a document."""
    return f"{document}.schema.json"


def schema_of(contract: str, document: str, kind: type) -> JsonObject:
    """The schema of one document of a contract, with everything it refers to inside it."""
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for struct in _structs(inspect.type_info(kind), {}):
        if further := getattr(struct, "EXTENSIONS", None):
            parts[struct.__name__]["patternProperties"] = {further: {}}
    return {
        "$schema": DIALECT,
        "$id": f"urn:muniment:contract:{contract}:{document}",
        "title": document,
        **root,
        "$defs": dict(sorted(parts.items())),
    }


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
