"""The place in a MATM document for what MATM cannot say: the field `x_muniment`, written and read by us alone."""

from __future__ import annotations

from muniment.contracts.json_diff import unspell
from muniment.contracts.strict.values import Json, JsonObject

FIELD = "x_muniment"


def put_slot(document: JsonObject, words: Json) -> JsonObject:
    return {**document, FIELD: words}


def take_slot(document: JsonObject) -> tuple[JsonObject, Json]:
    """Our words, if they are ours. A field of that name which says something else is somebody else's and stays."""
    words = document.get(FIELD)
    if words is None or not _leaves(words) or len(unspell(words)) != _leaves(words):
        return document, None
    return {key: part for key, part in document.items() if key != FIELD}, words


def _leaves(value: Json) -> int:
    """How many places there are at the ends of the objects in a value."""
    return sum(_leaves(part) for part in value.values()) if isinstance(value, dict) else 1
