"""Plain JSON lines and CSV, with a mapping of their columns where the usual names do not fit."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from muniment.contracts.strict.values import Json, JsonObject
from muniment.importers.files import ELEMENT_MAX, gunzipped, json_entries, json_lines, lines, path_of
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
)
from muniment.importers.leftovers import beside
from muniment.model.errors import SourceUnreadable
from muniment.model.vocabulary import Kind

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "uuid", "key", "memory_id", "record_id"),
    "text": ("text", "content", "memory", "fact", "observation", "value", "note", "message", "body"),
    "author": ("author", "actor", "created_by", "agent", "agent_id", "writer"),
    "role": ("role",),
    "created": ("created_at", "created", "timestamp", "time", "date", "ts"),
    "updated": ("updated_at", "updated", "modified"),
    "user": ("user", "user_id", "owner", "customer"),
    "namespace": ("namespace", "scope", "collection", "category", "app"),
    "session": ("session", "session_id", "thread_id", "conversation_id", "run_id"),
    "source": ("source", "source_id", "url", "evidence", "origin"),
    "deleted": ("deleted", "is_deleted", "deleted_at", "state", "status"),
    "subject": ("subject", "entity"),
    "kind": ("kind", "type"),
    "valid_from": ("valid_from", "valid_at"),
    "valid_until": ("valid_until", "invalid_at"),
    "expires": ("expires_at", "expires"),
}
"""The fields of a memory, and the names they usually have. `--map FIELD=NAME` says another one."""
_GONE = frozenset({"deleted", "true", "1", "yes", "removed"})
_KINDS = {kind.value: kind for kind in Kind}


def read_json_lines(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    if path.is_dir():
        raise SourceUnreadable(path.name, "a file of JSON lines")
    yield from beside(path)
    with ExitStack() as stack:
        stream: BinaryIO | None = stack.enter_context(gunzipped(path)) if path.suffix == ".gz" else None
        entries: Iterator[tuple[str, Json | Unread]]
        if path.suffix == ".json":
            entries = json_entries(path, "memories", "results", "records", "data", "items", opened=stream)
        else:
            entries = json_lines(path, stream)
        for place, entry in entries:
            if isinstance(entry, Unread):
                yield entry
            elif isinstance(entry, dict):
                yield from _record(place, entry, mapping, "jsonl")
            else:
                yield Unread(place=place, code="no_object", message="an entry that is no object")


def read_csv(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    if path.is_dir():
        raise SourceUnreadable(path.name, "a CSV file")
    csv.field_size_limit(min(ELEMENT_MAX, sys.maxsize))
    unread: list[Unread] = []

    def texts() -> Iterator[str]:
        for _, line in lines(path):
            if isinstance(line, Unread):
                unread.append(line)
            else:
                yield line.replace("\0", "")

    try:
        first = next(texts(), "")
        delimiter = max(",;\t|", key=first.count) if first else ","
        rows = csv.reader(texts(), delimiter=delimiter)
        head = next(rows, [])
        if len(set(head)) < len(head) or not any(head):
            raise SourceUnreadable(f"{path.name}:1", "a first line that names each column once")
        for row in rows:
            yield from unread
            unread.clear()
            place = f"{path.name}:{rows.line_num}"
            if not any(row):
                continue
            if len(row) != len(head):
                message = f"{len(row)} columns where the first line names {len(head)}"
                yield Unread(place=place, code="wrong_columns", message=message)
                continue
            yield from _record(place, dict(zip(head, row, strict=True)), mapping, "csv")
        yield from unread
    except csv.Error as error:
        raise SourceUnreadable(path.name, f"CSV ({error})") from None


def _record(place: str, entry: JsonObject, mapping: Mapping, prefix: str) -> Iterator[Item]:
    """A record of a row. A field is what its mapped name says, else what the first of its usual names says."""

    def said(field: str) -> str | None:
        name = mapping.of(field)
        return text_of(entry, *((name,) if name is not None else FIELDS[field]))

    def moment(field: str) -> int | None:
        return instant(said(field))

    text = said("text")
    if text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="an entry without text, or with more than can be kept")
        return
    own = said("id") or made_id(prefix, said("user") or "", text)
    gone = _is_gone(entry, mapping)
    if gone:
        yield Residue(place=place, text=text, why="marked as deleted, and kept with its text", id=own)
    names = frozenset(mapping.of(field) or name for field, usual in FIELDS.items() for name in usual)
    start, end = moment("valid_from"), moment("valid_until")
    word = (said("kind") or "").lower()
    yield ForeignRecord(
        id=own,
        text=text,
        place=place,
        author=said("author"),
        role=said("role"),
        created=instant(said("created")),
        updated=instant(said("updated")),
        user=said("user"),
        namespace=said("namespace"),
        session=said("session"),
        source=said("source"),
        subject=said("subject"),
        kind=_KINDS.get(word),
        deleted=gone,
        valid_from=instant(said("valid_from")),
        valid_until=instant(said("valid_until")) if start is None or end is None or start <= end else None,
        expires=instant(said("expires")),
        metadata=extras(entry, names),
    )


def _is_gone(entry: JsonObject, mapping: Mapping) -> bool:
    named = mapping.of("deleted")
    names = (named,) if named is not None else FIELDS["deleted"]
    for name in names:
        value = entry.get(name)
        if value is True or (name == "deleted_at" and isinstance(value, str) and value.strip()):
            return True
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).lower() in _GONE:
            return True
    return False
