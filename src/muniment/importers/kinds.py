"""The kinds of foreign stores: who reads each, and how one is known by its files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from muniment.config.files import open_file
from muniment.importers import sqlite
from muniment.importers.files import items_or_refusal, path_of
from muniment.importers.foreign import PLAIN, Item, Mapping, Reader
from muniment.importers.readers import chatgpt, graphs, langgraph, letta, mem0, notes, openmemory, tables
from muniment.importers.readers.omp import read_omp
from muniment.model.errors import SourceUnreadable


class SourceKind(StrEnum):
    """Which system wrote a source."""

    MEM0 = "mem0"
    LANGGRAPH = "langgraph"
    MCP_MEMORY = "mcp-memory"
    LETTA = "letta"
    GRAPHITI = "graphiti"
    OPENMEMORY = "openmemory"
    CLAUDE_CODE = "claude-code"
    ANTHROPIC_MEMORY = "anthropic-memory"
    CHATGPT = "chatgpt"
    BASIC_MEMORY = "basic-memory"
    OBSIDIAN = "obsidian"
    COGX = "cogx"
    OMP = "omp"
    JSONL = "jsonl"
    CSV = "csv"


READERS: dict[SourceKind, Reader] = {
    SourceKind.MEM0: mem0.read,
    SourceKind.LANGGRAPH: langgraph.read,
    SourceKind.MCP_MEMORY: graphs.read_mcp_memory,
    SourceKind.LETTA: letta.read,
    SourceKind.GRAPHITI: graphs.read_graphiti,
    SourceKind.OPENMEMORY: openmemory.read,
    SourceKind.CLAUDE_CODE: notes.read_claude_code,
    SourceKind.ANTHROPIC_MEMORY: notes.read_anthropic,
    SourceKind.CHATGPT: chatgpt.read,
    SourceKind.BASIC_MEMORY: notes.read_basic_memory,
    SourceKind.OBSIDIAN: notes.read_obsidian,
    SourceKind.COGX: graphs.read_cogx,
    SourceKind.OMP: read_omp,
    SourceKind.JSONL: tables.read_json_lines,
    SourceKind.CSV: tables.read_csv,
}
_HEAD = 65_536


def read_source(kind: SourceKind, source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    """Everything a source holds, in its order."""
    return items_or_refusal(READERS[kind](source, mapping))


def kind_of(source: Path | str) -> SourceKind:
    """Which system wrote a source, by its files. Where that cannot be seen, the caller has to say it."""
    place = str(source)
    if place.startswith(("postgresql://", "postgres://", "sqlite://")):
        return SourceKind.LANGGRAPH
    path = path_of(source)
    found = _of_folder(path) if path.is_dir() else _of_file(path)
    if found is None:
        raise SourceUnreadable(
            path.name,
            "a store whose files show who wrote it",
            hint=f"Say which with --from: {', '.join(SourceKind)}.",
        )
    return found


def _of_file(path: Path) -> SourceKind | None:
    name = path.name.lower()
    if sqlite.is_sqlite(path):
        with sqlite.opened(path) as database:
            if database.columns("history") or database.columns("points"):
                return SourceKind.MEM0
            return SourceKind.LANGGRAPH if "prefix" in database.columns("store") else None
    if name.endswith(".af"):
        return SourceKind.LETTA
    if name.endswith((".cogx.tar.gz", ".cogx.tgz", ".cogx")):
        return SourceKind.COGX
    if name.endswith((".csv", ".tsv")):
        return SourceKind.CSV
    if zipfile.is_zipfile(path):
        return _of_archive(path)
    if name in ("claude.md", "claude.local.md"):
        return SourceKind.CLAUDE_CODE
    if name.endswith((".md", ".markdown")):
        return SourceKind.OBSIDIAN
    return _by_words(path, name)


def _of_archive(path: Path) -> SourceKind | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = {one.rpartition("/")[2] for one in archive.namelist()[:10_000]}
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    if "conversations.json" in names:
        return SourceKind.CHATGPT
    if names & {"memories.json", "memories.jsonl.gz"}:
        return SourceKind.OPENMEMORY
    return SourceKind.COGX if "manifest.json" in names else None


def _by_words(path: Path, name: str) -> SourceKind | None:
    """By what the beginning of a text says. Only names of keys are looked for, nothing is decoded."""
    with open_file(path) as opened:
        head = opened.read(_HEAD)
    if b'"type"' in head and (b'"entityType"' in head or b'"relationType"' in head):
        return SourceKind.MCP_MEMORY
    if b'"format_version"' in head and b'"manifest"' in head:
        return SourceKind.OMP
    if name == "conversations.json" or (b'"mapping"' in head and b'"create_time"' in head):
        return SourceKind.CHATGPT
    if b'"episodes"' in head and (b'"edges"' in head or b'"facts"' in head or b'"entities"' in head):
        return SourceKind.GRAPHITI
    if (b'"agents"' in head and b'"blocks"' in head) or b'"agent_type"' in head:
        return SourceKind.LETTA
    if name.endswith(".json") and b'"memory"' in head:
        return SourceKind.MEM0
    if name.endswith((".jsonl", ".ndjson", ".jsonl.gz", ".json")):
        return SourceKind.JSONL
    return None


def _of_folder(path: Path) -> SourceKind | None:
    if (path / "manifest.json").is_file():
        return SourceKind.COGX
    if any((path / one).exists() for one in ("history.db", "qdrant", "get_all.json", "collection")):
        return SourceKind.MEM0
    if any((path / one).is_file() for one in ("memories.json", "memories.jsonl.gz")):
        return SourceKind.OPENMEMORY
    if (path / "conversations.json").is_file():
        return SourceKind.CHATGPT
    if any((path / one).is_file() for one in ("memory.jsonl",)):
        return SourceKind.MCP_MEMORY
    if any(path.glob("*.af")):
        return SourceKind.LETTA
    if (path / ".obsidian").is_dir():
        return SourceKind.OBSIDIAN
    if (path / "memories").is_dir():
        return SourceKind.ANTHROPIC_MEMORY
    if any((path / one).is_file() for one in notes.RULE_FILES) or (path.name == "memory" and ".claude" in path.parts):
        return SourceKind.CLAUDE_CODE
    return _of_notes(path)


def _of_notes(path: Path) -> SourceKind | None:
    """Which sort of Markdown folder it is, by the first notes in it."""
    index = path / notes.INDEX
    heads = []
    for one in sorted(path.rglob("*.md"))[:50]:
        if one.is_file() and not one.is_symlink():
            with open_file(one) as opened:
                heads.append(opened.read(2_000))
    if any(b"\npermalink:" in head for head in heads):
        return SourceKind.BASIC_MEMORY
    if index.is_file():
        typed = any(b"metadata:" in head and b"type:" in head for head in heads)
        return SourceKind.CLAUDE_CODE if typed else SourceKind.OMP
    if heads:
        return SourceKind.OBSIDIAN
    return SourceKind.LANGGRAPH if any(path.glob("*.sqlite")) or any(path.glob("*.db")) else None
