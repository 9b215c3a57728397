"""What a text names: people, places, ids, dates, quantities, paths, addresses, code."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.value import Value

ENTITIES_MAX = 64
ENTITY_LENGTH_MAX = 200


class EntityKind(StrEnum):
    NAME = "name"
    ID = "id"
    DATE = "date"
    QUANTITY = "quantity"
    PATH = "path"
    URL = "url"
    CODE = "code"
    EMAIL = "email"
    HANDLE = "handle"
    QUOTED = "quoted"


class Entity(Value):
    """Something a text names: `text` as it is written there, `key` as any two mentions of it share it."""

    kind: EntityKind
    text: str
    key: str
