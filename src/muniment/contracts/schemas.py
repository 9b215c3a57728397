"""The published JSON Schema (2020-12) of a wire type."""

from __future__ import annotations

import msgspec

from muniment.contracts.strict.values import JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_of(document: str) -> str:
    """The name of the file in a contract's `schemas` folder that holds the schema of a document."""
    return f"{document}.schema.json"


def schema_of(contract: str, document: str, kind: type) -> JsonObject:
    """The schema of one document of a contract, with everything it refers to inside it."""
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "$id": f"urn:muniment:contract:{contract}:{document}",
        "title": document,
        **root,
        "$defs": dict(sorted(parts.items())),
    }
