"""Memories in and out by any of the five contracts: check a file, turn it into another, take it in, give it out."""

from muniment.compat.exchange.files import (
    CheckedDocument,
    DocumentResult,
    Exported,
    Fate,
    Imported,
    as_file,
    as_json,
    convert,
    encoded_as,
    read_in,
    rivals_of,
    validate,
    write_out,
)

__all__ = [
    "CheckedDocument",
    "DocumentResult",
    "Exported",
    "Fate",
    "Imported",
    "as_file",
    "as_json",
    "convert",
    "encoded_as",
    "read_in",
    "rivals_of",
    "validate",
    "write_out",
]
