"""mem0 (open source): the JSON of `get_all`, the history file, and the local Qdrant folder, each alone or together."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from muniment.contracts.strict.values import Json, JsonObject
from muniment.importers import sqlite
from muniment.importers.files import json_entries, path_of, walk
from muniment.importers.foreign import (
    PLAIN,
    ForeignRecord,
    Item,
    Mapping,
    Previous,
    Residue,
    Unread,
    Unsaid,
    extras,
    fits,
    instant,
    made_id,
    object_of,
    text_of,
    time_of,
)
from muniment.importers.pickles import NotData, plain_data
from muniment.importers.spill import SeenIds, Spill
from muniment.model.errors import SourceUnreadable
from muniment.model.times import Instant

LISTS = ("results", "memories", "data")
_KNOWN = frozenset(
    [
        "id",
        "memory",
        "text",
        "data",
        "content",
        "hash",
        "metadata",
        "created_at",
        "updated_at",
        "user_id",
        "agent_id",
        "run_id",
        "actor_id",
        "role",
        "score",
        "categories",
        "expiration_date",
        "text_lemmatized",
        "app_id",
        "session_id",
    ]
)
_HISTORY = ("memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "actor_id")
_GET_ALL = (
    "Export it with the program that wrote it: "
    'json.dump(memory.get_all(filters={"user_id": …}, top_k=100000), open("get_all.json", "w"))'
)


def read(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    documents, histories, points = _parts(path)
    if not documents and not histories and not points:
        raise SourceUnreadable(path.name, "the JSON of get_all, a history.db or a local Qdrant folder", hint=_GET_ALL)
    with ExitStack() as stack:
        history = _History(histories)
        seen = SeenIds()
        stack.callback(history.close)
        stack.callback(seen.close)
        for database in (*histories, *points):
            yield from sqlite.residue(database)
        for document in documents:
            for place, entry in json_entries(document, *LISTS):
                yield from _once(_record(place, entry, history), seen)
        for database in points:
            yield from (one for item in _points(database, history) for one in _once(item, seen))
        yield from history.rest(seen, replay=not documents and not points)


def _once(item: Item, seen: SeenIds) -> Iterator[Item]:
    if not isinstance(item, ForeignRecord) or seen.first(item.id):
        yield item


def _parts(path: Path) -> tuple[list[Path], list[Path], list[Path]]:
    """The JSON documents, history files and files of points of a source."""
    if path.is_file() and not sqlite.is_sqlite(path):
        return [path], [], []
    found = [path] if path.is_file() else list(walk(path, lambda one: one.suffix in (".json", ".db", ".sqlite")))
    documents = [one for one in found if one.suffix == ".json" and one.name != "meta.json"]
    databases = [one for one in found if one not in documents and one.name != "meta.json" and sqlite.is_sqlite(one)]
    points = [one for one in databases if one.name == "storage.sqlite"]
    return documents, [one for one in databases if one not in points], points


def _record(place: str, entry: Json, history: _History) -> Item:
    text = text_of(entry, "memory", "text", "data", "content")
    if not isinstance(entry, dict) or text is None:
        return Unread(place=place, code="no_text", message="an entry without `memory`")
    if not fits(text):
        return Unread(place=place, code="too_long", message="a memory of over a million characters")
    metadata = object_of(entry, "metadata")
    user, agent = text_of(entry, "user_id"), text_of(entry, "agent_id")
    role = text_of(entry, "role")
    name = text_of(entry, "id") or made_id("mem0", user or "", text)
    return ForeignRecord(
        id=name,
        text=text,
        place=place,
        author=text_of(entry, "actor_id") or _speaker(role, user, agent),
        role=role,
        created=time_of(entry, "created_at"),
        updated=time_of(entry, "updated_at"),
        user=user,
        namespace=text_of(entry, "app_id", "agent_id"),
        session=text_of(entry, "run_id", "session_id"),
        source=text_of(metadata, "source", "url", "source_id"),
        expires=time_of(entry, "expiration_date"),
        previous=history.before(name, text),
        by_person=role == "user",
        metadata=(*extras(entry, _KNOWN), *extras(metadata, frozenset({"source"}))),
    )


def _speaker(role: str | None, user: str | None, agent: str | None) -> str | None:
    return agent if role == "assistant" else user if role == "user" else agent


def _points(path: Path, history: _History) -> Iterator[Item]:
    """The points of a local Qdrant collection. They are pickles, which are parsed and never unpickled."""
    with sqlite.opened(path) as database:
        for number, (name, blob) in database.rows("points", ("id", "point")):
            place = f"{path.parent.name}/{path.name}: row {number}"
            try:
                point = plain_data(blob if isinstance(blob, bytes) else b"")
            except NotData:
                yield Unread(place=place, code="not_data", message=f"a point that is no plain data. {_GET_ALL}")
                continue
            payload = object_of(point, "payload")
            own: JsonObject = {**payload, "id": text_of(point, "id") or _point_id(name)}
            rest = {key: said for key, said in payload.items() if key not in _KNOWN}
            yield _record(place, {**own, "metadata": {**object_of(payload, "metadata"), **rest}}, history)


def _point_id(name: sqlite.Cell) -> str:
    """The id of a point as it is kept beside it: a pickle in base64, or the text itself."""
    if not isinstance(name, str):
        return str(name)
    try:
        found = plain_data(base64.b64decode(name, validate=True))
    except (NotData, binascii.Error, ValueError):
        return name
    return str(found)


class _History:
    """What the history files say of each memory, in the order it happened."""

    def __init__(self, paths: list[Path]) -> None:
        self._spill = Spill(
            "CREATE TABLE event (memory TEXT, place TEXT, old TEXT, new TEXT, event TEXT, at INTEGER, actor TEXT)"
        )
        self._unread: list[Item] = []
        self._there = bool(paths)
        for path in paths:
            self._load(path)
        self._spill.execute("CREATE INDEX by_memory ON event (memory)")

    def close(self) -> None:
        self._spill.close()

    def _load(self, path: Path) -> None:
        with sqlite.opened(path) as database:
            if not {"memory_id", "event"} <= database.columns("history"):
                raise SourceUnreadable(path.name, "a history file of mem0 (a table `history`)", hint=_GET_ALL)
            for number, row in database.rows("history", _HISTORY):
                place = f"{path.name}: history row {number}"
                memory, old, new, event = (one if isinstance(one, str) else None for one in row[:4])
                if memory is None or event not in ("ADD", "UPDATE", "DELETE"):
                    self._unread.append(Unread(place=place, code="no_event", message="a row without memory or event"))
                    continue
                at = _moment(row[5]) or _moment(row[4])
                actor = row[7] if isinstance(row[7], str) else None
                self._spill.execute(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", (memory, place, old, new, event, at, actor)
                )
            said = sum(1 for _ in database.rows("messages", ("id",))) if database.columns("messages") else 0
            if said:
                what = f"{said} messages of conversations, which mem0 keeps beside its memories"
                self._unread.append(Unsaid(place=f"{path.name}: messages", what=what))

    def _events(self, memory: str) -> list[tuple[str, str | None, str | None, str, int | None, str | None]]:
        asked = "SELECT place, old, new, event, at, actor FROM event WHERE memory = ? ORDER BY rowid LIMIT 1000"
        return list(self._spill.execute(asked, (memory,)))

    def before(self, memory: str, text: str) -> tuple[Previous, ...]:
        """What a memory said before it said this."""
        if not self._there:
            return ()
        said = [
            Previous(text=new, author=actor, at=_known(at))
            for _, _, new, event, at, actor in self._events(memory)
            if new is not None and event != "DELETE" and fits(new)
        ]
        while said and said[-1].text == text:
            said.pop()
        return tuple(said[-64:])

    def rest(self, seen: SeenIds, *, replay: bool) -> Iterator[Item]:
        """What only the history knows: memories that were deleted, or that are in the store no more. With `replay`
        there is nothing else, so what was not deleted is what stands."""
        yield from self._unread
        for (memory,) in self._spill.execute("SELECT DISTINCT memory FROM event ORDER BY memory"):
            name = str(memory)
            if name in seen:
                continue
            events = self._events(name)
            texts = [(place, new or old) for place, old, new, _, _, _ in events if (new or old)]
            if not texts:
                continue
            place, text = texts[-1]
            last, deleted = events[-1], events[-1][3] == "DELETE"
            if text is None or not fits(text):
                yield Unread(place=place, code="too_long", message="a memory of over a million characters")
                continue
            gone = deleted or not replay
            if gone:
                why = "deleted, and kept in the history" if deleted else "not in the store, and kept in the history"
                yield Residue(place=last[0], text=text, why=why, id=name)
            yield ForeignRecord(
                id=name,
                text=text,
                place=place,
                author=last[5],
                created=_known(events[0][4]),
                updated=_known(last[4]),
                deleted=gone,
                previous=() if gone else self.before(name, text),
            )


def _moment(value: sqlite.Cell) -> Instant | None:
    return instant(value) if isinstance(value, str | int | float) else None


def _known(at: int | None) -> Instant | None:
    return Instant(at) if at is not None else None
