"""The backup zip of OpenMemory: `memories.json` with users, apps and access rules, and `memories.jsonl.gz`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.contracts.strict.values import Json, JsonObject
from muniment.importers.files import gunzipped, json_lines, path_of, read_document, unpacked
from muniment.importers.foreign import (
    PLAIN,
    ForeignRecord,
    Item,
    Mapping,
    Residue,
    Unread,
    Unsaid,
    extras,
    fits,
    list_of,
    made_id,
    object_of,
    text_of,
    time_of,
)
from muniment.importers.spill import SeenIds
from muniment.model.errors import SourceUnreadable

_KNOWN = frozenset(
    [
        "id",
        "content",
        "metadata",
        "metadata_",
        "created_at",
        "updated_at",
        "state",
        "app",
        "app_id",
        "user_id",
        "categories",
    ]
)


def read(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    if path.is_dir():
        yield from _folder(path)
        return
    with unpacked(path) as folder:
        yield from _folder(folder)


def _folder(folder: Path) -> Iterator[Item]:
    document, compressed = folder / "memories.json", folder / "memories.jsonl.gz"
    if not document.is_file() and not compressed.is_file():
        raise SourceUnreadable(folder.name, "memories.json or memories.jsonl.gz, as OpenMemory's export has them")
    seen = SeenIds()
    try:
        if document.is_file():
            for item in _document(read_document(document)):
                if not isinstance(item, ForeignRecord) or seen.first(item.id):
                    yield item
        if compressed.is_file():
            with gunzipped(compressed) as stream:
                for place, entry in json_lines(compressed, stream):
                    items = [entry] if isinstance(entry, Unread) else list(_record(place, entry, None, (), None))
                    for item in items:
                        if not isinstance(item, ForeignRecord) or seen.first(item.id):
                            yield item
    finally:
        seen.close()


def _document(value: Json) -> Iterator[Item]:
    user = object_of(value, "user")
    person = text_of(user, "user_id", "id", "name")
    apps = {text_of(one, "id"): text_of(one, "name") for one in list_of(value, "apps")}
    names = {text_of(one, "id"): text_of(one, "name") for one in list_of(value, "categories")}
    tags: dict[str, list[str]] = {}
    for link in list_of(value, "memory_categories"):
        memory, category = text_of(link, "memory_id"), names.get(text_of(link, "category_id"))
        if memory is not None and category is not None:
            tags.setdefault(memory, []).append(category)
    for number, entry in enumerate(list_of(value, "memories"), start=1):
        place = f"memories.json: memory {number}"
        if not isinstance(entry, dict):
            yield Unread(place=place, code="no_object", message="an entry that is no object")
            continue
        app = apps.get(text_of(entry, "app_id"))
        yield from _record(place, entry, person, tuple(tags.get(text_of(entry, "id") or "", ())), app)
    rules = list_of(value, "access_controls")
    if rules:
        yield Unsaid(place="memories.json: access_controls", what=f"{len(rules)} access rules; write them as policy")


def _record(
    place: str, entry: JsonObject, person: str | None, tags: tuple[str, ...], app: str | None
) -> Iterator[Item]:
    text = text_of(entry, "content", "memory")
    if text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="an entry without content that can be kept")
        return
    state = text_of(entry, "state") or "active"
    metadata = object_of(entry, "metadata") or object_of(entry, "metadata_")
    name = text_of(entry, "id") or made_id("openmemory", text)
    said = tuple(one for one in list_of(entry, "categories") if isinstance(one, str))
    if state == "deleted":
        yield Residue(place=place, text=text, why="deleted, and kept with its text", id=name)
    yield ForeignRecord(
        id=name,
        text=text,
        place=place,
        author=text_of(entry, "app") or app,
        created=time_of(entry, "created_at"),
        updated=time_of(entry, "updated_at"),
        user=text_of(entry, "user_id") if person is None else person,
        namespace=text_of(entry, "app") or app,
        source=text_of(metadata, "source", "source_app", "url"),
        deleted=state == "deleted",
        archived=state in ("archived", "paused"),
        tags=tags or said,
        metadata=(*extras(entry, _KNOWN), *extras(metadata, frozenset({"source"}))),
    )
