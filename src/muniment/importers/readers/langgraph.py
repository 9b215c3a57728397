"""The store of LangGraph and LangMem: the table `store` of a SQLite file or of a PostgreSQL database."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from muniment.contracts.strict.values import Json
from muniment.importers import sqlite
from muniment.importers.files import ELEMENT_MAX, parse, path_of, walk
from muniment.importers.foreign import (
    PLAIN,
    ForeignRecord,
    Item,
    Mapping,
    Residue,
    Unread,
    extras,
    fits,
    instant,
    made_id,
    text_of,
    time_of,
)
from muniment.model.errors import SourceUnreadable
from muniment.model.times import Instant

COLUMNS = ("prefix", "key", "value", "created_at", "updated_at", "expires_at")
_TEXTS = ("content", "text", "memory", "data", "value", "fact", "description", "summary")
_DEPTH_MAX = 8
_SHELVES = frozenset(
    [
        "memories",
        "memory",
        "profile",
        "profiles",
        "preferences",
        "facts",
        "store",
        "semantic",
        "episodic",
        "procedural",
        "docs",
        "documents",
        "data",
    ]
)
_OWNERS = frozenset({"users", "user", "user_id", "customers", "people"})
_KNOWN = frozenset({*_TEXTS, "kind", "created_at", "updated_at", "author", "created_by", "source", "user_id"})


def read(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    place = str(source)
    if place.startswith(("postgresql://", "postgres://")):
        yield from _postgres(place)
        return
    path = path_of(place.removeprefix("sqlite://") if place.startswith("sqlite://") else source)
    files = [path] if path.is_file() else list(walk(path, lambda one: sqlite.is_sqlite(one)))
    found = False
    for one in files:
        with sqlite.opened(one) as database:
            if not {"prefix", "key", "value"} <= database.columns("store"):
                continue
            found = True
            yield from sqlite.residue(one)
            for number, row in database.rows("store", COLUMNS):
                yield from _row(f"{one.name}: store row {number}", row)
    if not found:
        raise SourceUnreadable(path.name, "a SQLite file with LangGraph's table `store` (prefix, key, value)")


def _postgres(place: str) -> Iterator[Item]:
    """The rows of a database, in one transaction that may only read."""
    try:
        import psycopg
    except ImportError:
        hint = '`pip install "muniment[postgres]"`'
        raise SourceUnreadable("the database", "the package psycopg to be installed", hint=hint) from None
    try:
        with psycopg.connect(place, connect_timeout=10) as connection:
            connection.read_only = True
            with connection.cursor("rows") as cursor:
                cursor.itersize = 1_000
                cursor.execute(
                    "SELECT prefix, key, value::text, extract(epoch FROM created_at)::float8,"
                    " extract(epoch FROM updated_at)::float8, extract(epoch FROM expires_at)::float8"
                    " FROM store ORDER BY prefix, key"
                )
                for number, row in enumerate(cursor, start=1):
                    yield from _row(f"store row {number}", list(row))
    except psycopg.Error as error:
        raise SourceUnreadable(
            "the database",
            f"LangGraph's table `store`, and a role that may read it ({type(error).__name__})",
            hint="Write postgresql://USER@HOST/DATABASE; the role needs SELECT on `store`.",
        ) from None


def _row(place: str, row: list[sqlite.Cell]) -> Iterator[Item]:
    prefix, name, value = row[0], row[1], row[2]
    data = value.encode() if isinstance(value, str) else value
    if not isinstance(prefix, str) or not isinstance(name, str) or not isinstance(data, bytes):
        yield Unread(place=place, code="no_item", message="a row without prefix, key and value")
        return
    if len(data) > ELEMENT_MAX:
        yield Unread(place=place, code="too_long", message="a value of over 16 MiB")
        return
    try:
        said = parse(place, data)
    except SourceUnreadable:
        yield Unread(place=place, code="not_json", message="a value that is no JSON")
        return
    text = words_of(said)
    if text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="a value without text that can be kept")
        return
    expires = _time(row[5])
    own = f"{prefix}/{name}"
    if expires is not None and expires < time.time_ns() // 1_000:
        yield Residue(place=place, text=text, why="expired, and not swept away", id=own)
    content = said.get("content") if isinstance(said, dict) else None
    yield ForeignRecord(
        id=own if len(own) <= 128 else made_id("langgraph", prefix, name),
        text=text,
        place=place,
        author=text_of(said, "author", "created_by", "actor"),
        created=_time(row[3]) or time_of(said, "created_at"),
        updated=_time(row[4]),
        user=text_of(said, "user_id") or owner(prefix),
        namespace=prefix.replace(".", "/"),
        source=text_of(said, "source", "url") or text_of(content, "source"),
        expires=expires,
        metadata=extras(said, _KNOWN) if isinstance(said, dict) else (),
    )


def words_of(value: Json, depth: int = 0) -> str | None:
    """What a value says: its text, that of its content, or the whole of it as JSON.

    >>> words_of({"kind": "Memory", "content": {"content": "Ada prefers SI units"}})
    'Ada prefers SI units'
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not value:
        return None
    found = text_of(value, *_TEXTS)
    if found is not None:
        return found
    inner = next((value[name] for name in _TEXTS if isinstance(value.get(name), dict)), None)
    if inner is not None:
        return words_of(inner, depth + 1) if depth < _DEPTH_MAX else None
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return None


def owner(prefix: str) -> str | None:
    """Whose namespace it is: what stands behind `users`, or beside the one shelf it is kept on.

    >>> owner("users.ada"), owner("ada.memories"), owner("memories.ada"), owner("docs")
    ('ada', 'ada', 'ada', None)
    """
    parts = [one for one in prefix.split(".") if one]
    for at, part in enumerate(parts[:-1]):
        if part.lower() in _OWNERS:
            return parts[at + 1]
    others = [one for one in parts if one.lower() not in _SHELVES]
    return others[0] if len(others) == 1 and len(parts) == 2 else None


def _time(value: sqlite.Cell) -> Instant | None:
    return instant(value) if isinstance(value, str | int | float) else None
