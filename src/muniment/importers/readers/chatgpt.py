"""The export of ChatGPT: conversations.json, and memory.json where there is one (what it holds is not documented)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from muniment.contracts.strict.values import Json
from muniment.importers.files import json_entries, path_of, unpacked
from muniment.importers.foreign import (
    PLAIN,
    ForeignRecord,
    Item,
    Mapping,
    Prompt,
    Unread,
    Unsaid,
    fits,
    instant,
    list_of,
    made_id,
    object_of,
    text_of,
    time_of,
)
from muniment.model.errors import SourceUnreadable
from muniment.model.vocabulary import Kind


def read(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """What the person said in each conversation, message by message, and the saved memories if the export has them.
    The model's answers are not the person's memories; they are counted and left."""
    path = path_of(source)
    with ExitStack() as stack:
        folder = path
        if path.is_file() and path.suffix != ".json":
            folder = stack.enter_context(unpacked(path))
        names = {"conversations.json": _conversation, "memory.json": _saved, "memories.json": _saved}
        if folder.is_file():
            found = [(folder, _saved if folder.name.startswith("memor") else _conversation)]
        else:
            found = [(one, names[one.name]) for one in sorted(folder.rglob("*.json")) if one.name in names]
        if not found:
            raise SourceUnreadable(path.name, "ChatGPT's export: conversations.json")
        for one, read_entry in found:
            for place, entry in json_entries(one, "memories", "conversations"):
                yield from read_entry(place, entry)


def _saved(place: str, entry: Json) -> Iterator[Item]:
    said: Json = {"content": entry} if isinstance(entry, str) else entry
    text = text_of(said, "content", "text", "memory")
    if text is None or not fits(text):
        yield Unread(place=place, code="no_text", message="a saved memory without content")
        return
    yield ForeignRecord(
        id=text_of(said, "id") or made_id("chatgpt", text),
        text=text,
        place=place,
        created=time_of(said, "created_at", "create_time", "timestamp"),
        updated=time_of(said, "updated_at", "update_time"),
        author="ChatGPT",
        archived=isinstance(said, dict) and said.get("enabled") is False,
        kind=Kind.PREFERENCE,
    )


def _conversation(place: str, entry: Json) -> Iterator[Item]:
    nodes = object_of(entry, "mapping")
    if not isinstance(entry, dict) or not nodes:
        yield Unread(place=place, code="no_conversation", message="an entry without messages (`mapping`)")
        return
    title, own = text_of(entry, "title"), text_of(entry, "conversation_id", "id") or made_id("chatgpt", place)
    answers = 0
    for key, node in nodes.items():
        message = object_of(node, "message")
        role = text_of(object_of(message, "author"), "role")
        parts = list_of(object_of(message, "content"), "parts")
        text = "\n".join(one for one in parts if isinstance(one, str)).strip()
        hidden = object_of(message, "metadata").get("is_visually_hidden_from_conversation") is True
        if role == "system" and text:
            yield Prompt(place=place, text=text)
        if role == "assistant" and text:
            answers += 1
        if role != "user" or hidden or not text:
            continue
        if not fits(text):
            yield Unread(place=f"{place}, message {key[:64]}", code="too_long", message="over a million characters")
            continue
        yield ForeignRecord(
            id=text_of(message, "id") or key,
            text=text,
            place=f"{place}, message {key[:64]}",
            author="user",
            role="user",
            by_person=True,
            created=instant(message.get("create_time")) or time_of(entry, "create_time"),
            session=own,
            source=title,
        )
    if answers:
        yield Unsaid(place=place, what=f"{answers} answers of the model")
