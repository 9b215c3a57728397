"""Memories kept as graphs: the MCP memory server's file, dumps of Graphiti and Zep, and cognee's COGX archives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from muniment.contracts.strict.values import Json, JsonObject
from muniment.importers.files import json_lines, path_of, read_document, unpacked
from muniment.importers.foreign import (
    PLAIN,
    ForeignLink,
    ForeignRecord,
    Item,
    Mapping,
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
from muniment.importers.leftovers import beside
from muniment.importers.spill import Spill
from muniment.model.errors import SourceUnreadable
from muniment.model.vocabulary import Kind


def read_mcp_memory(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """The file of @modelcontextprotocol/server-memory: each observation is a memory about its entity."""
    path = path_of(source)
    if path.is_dir():
        path = next((path / name for name in ("memory.jsonl", "memory.json") if (path / name).is_file()), path)
    if path.is_dir():
        raise SourceUnreadable(path.name, "memory.jsonl")
    yield from beside(path)
    for place, entry in json_lines(path):
        if isinstance(entry, Unread):
            yield entry
            continue
        name, kind = text_of(entry, "name"), text_of(entry, "entityType")
        if entry.get("type") == "entity" and name is not None:
            yield from _observations(place, entry, name, kind)
        elif entry.get("type") == "relation":
            yield _relation(place, entry)
        else:
            yield Unread(place=place, code="unknown_entry", message="neither an entity with a name nor a relation")


def _observations(place: str, entry: JsonObject, name: str, kind: str | None) -> Iterator[Item]:
    said = list_of(entry, "observations")
    for number, one in enumerate(said, start=1):
        if not isinstance(one, str) or not fits(one):
            yield Unread(place=f"{place}, observation {number}", code="no_text", message="an observation without text")
            continue
        yield ForeignRecord(
            id=made_id("mcp", name, one),
            text=_about(name, one),
            place=f"{place}, observation {number}",
            subject=name,
            entities=(name,),
            namespace=kind,
            metadata=(("entityType", kind),) if kind is not None else (),
        )
    if not said:
        yield Unsaid(place=place, what="an entity of which nothing is observed")


def _about(name: str, observation: str) -> str:
    """An observation as a sentence of its own: "prefers SI units" says nothing without its entity.

    >>> _about("Ada", "prefers SI units"), _about("Ada", "Ada leads OPS")
    ('Ada: prefers SI units', 'Ada leads OPS')
    """
    return observation if name.lower() in observation.lower() else f"{name}: {observation}"


def _relation(place: str, entry: JsonObject) -> Item:
    one, other, kind = text_of(entry, "from"), text_of(entry, "to"), text_of(entry, "relationType")
    if one is None or other is None or kind is None:
        return Unread(place=place, code="no_relation", message="a relation without from, to and relationType")
    return ForeignRecord(
        id=made_id("mcp", one, kind, other),
        text=f"{one} {kind.replace('_', ' ')} {other}",
        place=place,
        subject=one,
        entities=(one, other),
        metadata=(("relationType", kind),),
    )


def read_graphiti(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """A dump of Graphiti or Zep: `{episodes, entities|nodes, facts|edges}`. Facts keep when they held; episodes are
    what they stand on."""
    path = path_of(source)
    if path.is_dir():
        found = sorted(path.glob("*.json"))
        if not found:
            raise SourceUnreadable(path.name, "a JSON dump with episodes, entities and edges")
        path = found[0]
    value = read_document(path)
    if not isinstance(value, dict) or not {"episodes", "entities", "nodes", "facts", "edges"} & value.keys():
        raise SourceUnreadable(path.name, "an object with episodes, entities (or nodes) and edges (or facts)")
    names: dict[str, str] = {}
    entities = [*list_of(value, "entities"), *list_of(value, "nodes")]
    for number, entry in enumerate(list_of(value, "episodes"), start=1):
        yield _episode(f"{path.name}: episode {number}", entry)
    for number, entry in enumerate(entities, start=1):
        place = f"{path.name}: entity {number}"
        own, name = text_of(entry, "uuid", "id"), text_of(entry, "name")
        if own is None or name is None or not isinstance(entry, dict):
            yield Unread(place=place, code="no_entity", message="an entity without uuid and name")
            continue
        names[own] = name
        summary = text_of(entry, "summary")
        if summary is not None and fits(summary):
            yield ForeignRecord(
                id=own,
                text=_about(name, summary),
                place=place,
                created=time_of(entry, "created_at"),
                namespace=text_of(entry, "group_id"),
                subject=name,
                entities=(name,),
                kind=Kind.SYNTHESIS,
                metadata=extras(object_of(entry, "attributes"), frozenset()),
            )
    for number, entry in enumerate([*list_of(value, "facts"), *list_of(value, "edges")], start=1):
        yield _fact(f"{path.name}: fact {number}", entry, names)


def _episode(place: str, entry: Json) -> Item:
    own, text = text_of(entry, "uuid", "id"), text_of(entry, "content", "text", "body")
    if own is None or text is None or not fits(text):
        return Unread(place=place, code="no_text", message="an episode without uuid and content")
    return ForeignRecord(
        id=own,
        text=text,
        place=place,
        created=time_of(entry, "created_at"),
        valid_from=time_of(entry, "valid_at"),
        namespace=text_of(entry, "group_id"),
        source=text_of(entry, "source_description", "source", "name"),
        author=text_of(entry, "author", "speaker"),
        kind=Kind.EVIDENCE,
    )


def _fact(place: str, entry: Json, names: dict[str, str]) -> Item:
    own, text = text_of(entry, "uuid", "id"), text_of(entry, "fact", "text", "content")
    if own is None or text is None or not fits(text):
        return Unread(place=place, code="no_text", message="a fact without uuid and text")
    ends = [text_of(entry, "source_node_uuid", "source_id"), text_of(entry, "target_node_uuid", "target_id")]
    episodes = [one for one in list_of(entry, "episodes") if isinstance(one, str)]
    start, end = time_of(entry, "valid_at", "valid_from"), time_of(entry, "invalid_at", "valid_until")
    return ForeignRecord(
        id=own,
        text=text,
        place=place,
        created=time_of(entry, "created_at"),
        valid_from=start,
        valid_until=end if start is None or end is None or start <= end else None,
        archived=time_of(entry, "expired_at") is not None,
        namespace=text_of(entry, "group_id"),
        entities=tuple(names[one] for one in ends if one is not None and one in names),
        links=tuple(ForeignLink(type="derived_from", target=one) for one in episodes[:64]),
        source=episodes[0] if episodes else None,
        metadata=extras(object_of(entry, "attributes"), frozenset()),
    )


_STREAMS = ("documents", "episodes", "entities", "facts", "memories", "memory_blocks")


def read_cogx(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """A COGX archive of cognee: a folder, or that folder packed, with a manifest and a file of lines a sort."""
    path = path_of(source)
    with ExitStack() as stack:
        folder = path if path.is_dir() else stack.enter_context(unpacked(path))
        if not (folder / "manifest.json").is_file():
            folder = next((one.parent for one in sorted(folder.glob("*/manifest.json"))), folder)
        if not (folder / "manifest.json").is_file():
            raise SourceUnreadable(path.name, "a COGX archive (a manifest.json)")
        manifest = read_document(folder / "manifest.json")
        version = text_of(manifest, "cogx_version")
        if version is None or version.split(".")[0] != "0":
            raise SourceUnreadable("manifest.json", "cogx_version 0.x")
        yield from _streams(folder, text_of(manifest, "source_system"))


def _streams(folder: Path, system: str | None) -> Iterator[Item]:
    names = Spill("CREATE TABLE name (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
    try:
        for stream in _STREAMS:
            path = folder / f"{stream}.jsonl"
            if not path.is_file() or path.is_symlink():
                continue
            for place, entry in json_lines(path):
                if isinstance(entry, Unread):
                    yield entry
                    continue
                own, name = text_of(entry, "external_id", "id"), text_of(entry, "name")
                if stream == "entities" and own is not None and name is not None:
                    names.execute("INSERT OR REPLACE INTO name VALUES (?, ?)", (own, name))
                yield from _cogx(place, stream, entry, system, names)
        for left in ("nodes.jsonl", "permissions.json", "edges.jsonl"):
            if (folder / left).is_file():
                yield Unsaid(place=left, what="kept by cognee for itself; not a memory")
    finally:
        names.close()


def _cogx(place: str, stream: str, entry: JsonObject, system: str | None, names: Spill) -> Iterator[Item]:
    name = text_of(entry, "name", "label", "title")
    ends = [_name(names, one) or one for key in ("subject_ref", "object_ref") if (one := text_of(entry, key))]
    text = _said(stream, entry, ends)
    if text is None and stream == "entities":
        return
    if text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="an entry without text that can be kept")
        return
    if stream in ("entities", "memory_blocks") and name is not None:
        text = _about(name, text)
    start, end = time_of(entry, "valid_at"), time_of(entry, "invalid_at")
    scope, metadata = object_of(entry, "scope"), object_of(entry, "metadata")
    grounds = [one for one in list_of(entry, "provenance") if isinstance(one, str)]
    sure = entry.get("confidence")
    yield ForeignRecord(
        id=text_of(entry, "external_id", "id") or made_id("cogx", stream, text),
        text=text,
        place=place,
        author=text_of(scope, "agent_id") or text_of(metadata, "author", "actor"),
        created=time_of(entry, "created_at"),
        updated=time_of(entry, "updated_at"),
        user=text_of(scope, "user_id"),
        namespace=text_of(metadata, "namespace") or (name if stream == "memory_blocks" else None),
        session=text_of(scope, "session_id", "run_id"),
        source=text_of(metadata, "source", "url") or text_of(entry, "external_system") or system,
        kind=Kind.EVIDENCE if stream in ("documents", "episodes") else None,
        confidence=float(sure) if isinstance(sure, int | float) and 0 <= sure <= 1 else None,
        valid_from=start,
        valid_until=end if start is None or end is None or start <= end else None,
        tags=tuple(one for one in list_of(entry, "categories") if isinstance(one, str))[:64],
        entities=tuple(ends) if stream == "facts" else (name,) if name and stream == "entities" else (),
        links=tuple(ForeignLink(type="derived_from", target=one) for one in grounds[:64]),
        metadata=extras(metadata, frozenset({"author", "actor", "source", "url", "namespace"})),
    )


def _said(stream: str, entry: JsonObject, ends: list[str]) -> str | None:
    if stream == "episodes":
        turns = [(text_of(one, "role") or "?", text_of(one, "content")) for one in list_of(entry, "turns")]
        said = [f"{role}: {text}" for role, text in turns if text is not None]
        return "\n".join(said) if said else text_of(entry, "content")
    if stream == "facts":
        predicate = text_of(entry, "predicate")
        stated = f"{ends[0]} {predicate.replace('_', ' ')} {ends[1]}" if predicate and len(ends) == 2 else None
        return text_of(entry, "fact_text") or stated
    return text_of(entry, "content", "value", "description")


def _name(names: Spill, own: str) -> str | None:
    row = names.execute("SELECT name FROM name WHERE id = ?", (own,)).fetchone()
    return str(row[0]) if row is not None else None
