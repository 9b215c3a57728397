"""Letta's agent file (`.af`), of now and of before: memory blocks, archival passages, and the prompt beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.contracts.strict.values import Json
from muniment.importers.files import path_of, read_document, walk
from muniment.importers.foreign import (
    PLAIN,
    ForeignRecord,
    Item,
    Mapping,
    Prompt,
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
from muniment.model.errors import SourceUnreadable

_KNOWN = frozenset(
    [
        "id",
        "label",
        "value",
        "name",
        "metadata",
        "created_at",
        "updated_at",
        "created_by_id",
        "last_updated_by_id",
        "limit",
    ]
)
_LEFT = ("tools", "mcp_servers", "files", "sources", "groups")


def read(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    files = [path] if path.is_file() else list(walk(path, lambda one: one.suffix == ".af"))
    if not files:
        raise SourceUnreadable(path.name, "an agent file (.af)")
    for one in files:
        yield from _file(one)


def _file(path: Path) -> Iterator[Item]:
    value = read_document(path)
    if not isinstance(value, dict) or not {"agents", "blocks", "core_memory", "memory", "agent_type"} & value.keys():
        raise SourceUnreadable(path.name, "an agent file: an object with agents and blocks, or with core_memory")
    agents = list_of(value, "agents") or [value]
    written = time_of(value, "created_at")
    owners: dict[str, str] = {}
    for agent in agents:
        name = text_of(agent, "name") or text_of(agent, "id") or path.stem
        prompt = text_of(agent, "system")
        if prompt is not None:
            yield Prompt(place=f"{path.name}: agent {name}, system", text=prompt)
        for own in list_of(agent, "block_ids"):
            owners.setdefault(str(own), name)
    for number, block in enumerate(list_of(value, "blocks"), start=1):
        owner = owners.get(text_of(block, "id") or "")
        yield from _block(f"{path.name}: block {number}", block, owner, written, path.stem)
    for agent in agents:
        name = text_of(agent, "name") or path.stem
        blocks = [*list_of(agent, "core_memory"), *list_of(agent, "memory_blocks")]
        blocks += list_of(object_of(agent, "memory"), "blocks")
        for number, block in enumerate(blocks, start=1):
            yield from _block(f"{path.name}: agent {name}, block {number}", block, name, written, path.stem)
        passages = [*list_of(agent, "archival_memory"), *list_of(agent, "passages")]
        for number, passage in enumerate(passages, start=1):
            yield from _passage(f"{path.name}: agent {name}, passage {number}", passage, name)
        said = list_of(agent, "messages")
        if said:
            what = f"{len(said)} messages of {name}; an agent file holds the last 50 at most"
            yield Unsaid(place=f"{path.name}: messages", what=what)
        kept = [key for key in ("tool_exec_environment_variables", "secrets") if object_of(agent, key)]
        if kept:
            yield Unsaid(place=f"{path.name}: agent {name}", what=f"{', '.join(kept)}: may hold keys, not read")
    left = [f"{len(found)} {key}" for key in _LEFT if (found := list_of(value, key))]
    if left:
        yield Unsaid(place=path.name, what=f"{', '.join(left)}: no memories")


def _block(place: str, block: Json, owner: str | None, written: int | None, stem: str) -> Iterator[Item]:
    label, value = text_of(block, "label", "name"), text_of(block, "value")
    if value is None:
        if isinstance(block, dict) and isinstance(block.get("value"), str):
            yield Unsaid(place=place, what="an empty memory block")
        else:
            yield Unread(place=place, code="no_text", message="a block without a value")
        return
    if not isinstance(block, dict) or not fits(value):
        yield Unread(place=place, code="too_long", message="a block of over a million characters")
        return
    yield ForeignRecord(
        id=made_id("letta", stem, owner or "", text_of(block, "id") or "", label or ""),
        text=value.strip(),
        place=place,
        author=text_of(block, "last_updated_by_id", "created_by_id") or owner,
        created=time_of(block, "created_at") or time_of({"at": written}, "at"),
        updated=time_of(block, "updated_at"),
        namespace=label,
        subject=label,
        metadata=extras(block, _KNOWN),
    )


def _passage(place: str, passage: Json, owner: str) -> Iterator[Item]:
    text = text_of(passage, "text", "content")
    if not isinstance(passage, dict) or text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="a passage without text")
        return
    yield ForeignRecord(
        id=text_of(passage, "id") or made_id("letta", owner, text),
        text=text,
        place=place,
        author=owner,
        created=time_of(passage, "created_at", "timestamp"),
        source=text_of(passage, "source_id", "file_name"),
        tags=tuple(one for one in list_of(passage, "tags") if isinstance(one, str))[:64],
    )
