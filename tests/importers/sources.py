"""One small source of every kind: made by the real programs where they are at hand, else written by their formats."""

from __future__ import annotations

import gzip
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from muniment.importers.kinds import SourceKind

DATA = Path(__file__).parent / "data"


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def letta(folder: Path) -> Path:
    agent = {
        "name": "Loop",
        "system": "You remember what people tell you. You never make a big deal of it.",
        "block_ids": ["block-0", "block-1"],
        "messages": [{"role": "user", "content": "hello"}],
        "secrets": {"KEY": "x"},
    }
    blocks = [
        {"id": "block-0", "label": "human", "value": "Ada leads OPS and prefers SI units", "limit": 2000},
        {"id": "block-1", "label": "rules", "value": "You remember what people tell you.\n"},
    ]
    old = {"agent_type": "memgpt", "name": "Old", "core_memory": [{"label": "persona", "value": "I am Sam"}]}
    _write(folder / "old.af", json.dumps(old))
    return _write(
        folder / "loop.af",
        json.dumps({"agents": [agent], "blocks": blocks, "tools": [{}], "created_at": "2026-01-22T02:06:34Z"}),
    ).parent


def graphiti(folder: Path) -> Path:
    fact = {
        "uuid": "edge-1",
        "fact": "Ada works for Acme",
        "source_node_uuid": "node-1",
        "target_node_uuid": "node-2",
        "created_at": "2026-03-01T00:00:00Z",
        "valid_at": "2026-01-01T00:00:00Z",
        "invalid_at": "2026-06-01T00:00:00Z",
        "episodes": ["episode-1"],
    }
    dump = {
        "episodes": [{"uuid": "episode-1", "content": "Ada: I joined Acme", "source_description": "chat"}],
        "entities": [{"uuid": "node-1", "name": "Ada", "summary": "leads OPS"}, {"uuid": "node-2", "name": "Acme"}],
        "edges": [fact],
    }
    return _write(folder / "dump.json", json.dumps(dump))


def openmemory(folder: Path) -> Path:
    memories = {
        "user": {"user_id": "ada"},
        "apps": [{"id": "a1", "name": "cursor"}],
        "memories": [
            {"id": "o1", "content": "Ada prefers SI units", "state": "active", "app_id": "a1"},
            {"id": "o2", "content": "Ada lived in Porto until May", "state": "deleted", "app_id": "a1"},
        ],
        "access_controls": [{"id": "r1"}],
    }
    line = json.dumps({"id": "o3", "content": "Der Prüfstand läuft nachts", "state": "archived", "app": "web"})
    target = folder / "openmemory.zip"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("memories.json", json.dumps(memories))
        archive.writestr("memories.jsonl.gz", gzip.compress((line + "\n").encode()))
    return target


def claude_code(folder: Path) -> Path:
    root = folder / "claude"
    _write(root / "CLAUDE.md", "# Rules\n- Always run the linter before a commit\n- Speak German with Ada\n")
    _write(root / "memory" / "MEMORY.md", "- [units](units.md)\n")
    head = "---\nname: units\ndescription: how Ada measures\nmetadata:\n  type: user\n---\n"
    _write(root / "memory" / "units.md", f"{head}Ada prefers SI units, see [[ada]]\n")
    return root


def chatgpt(folder: Path) -> Path:
    def message(role: str, text: str) -> dict[str, object]:
        said: dict[str, object] = {
            "author": {"role": role},
            "content": {"parts": [text]},
            "create_time": 1_767_225_600.5,
        }
        return {"message": {"id": f"m-{role}", **said}}

    nodes: dict[str, object] = {"1": message("system", "You are ChatGPT"), "2": message("user", "I moved to Lisbon")}
    talk: list[dict[str, object]] = [
        {"title": "moving", "create_time": 1_767_225_600, "mapping": nodes | {"3": message("assistant", "Nice!")}}
    ]
    target = folder / "export.zip"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("conversations.json", json.dumps(talk))
        archive.writestr("memory.json", json.dumps([{"content": "Lives in Lisbon", "enabled": False}]))
    return target


def basic_memory(folder: Path) -> Path:
    text = (
        "---\ntitle: Staging\ntype: note\npermalink: ops/staging\ntags: [ops, db]\n---\n# Staging\n"
        "- [decision] moved to eu-west-2 #ops (ticket OPS-7)\n- owned_by [[Ada]]\n\nRuns PostgreSQL 18.\n"
    )
    return _write(folder / "notes" / "ops" / "staging.md", text).parent.parent


def obsidian(folder: Path) -> Path:
    root = folder / "vault"
    _write(root / ".obsidian" / "app.json", "{}")
    _write(root / ".trash" / "old.md", "The old contract number was lost in Porto\n")
    _write(root / "東京.md", "---\nauthor: ada\ncreated: 2026-02-01\n---\n東京オフィスは閉鎖された #office [[Ada]]\n")
    return root


def cogx(folder: Path) -> Path:
    root = folder / "cogx"
    _write(root / "manifest.json", json.dumps({"cogx_version": "0.1", "source_system": "mem0"}))
    lines: dict[str, list[dict[str, object]]] = {
        "entities": [{"kind": "entity", "external_id": "e1", "name": "Ada"}],
        "facts": [{"external_id": "f1", "subject_ref": "e1", "predicate": "works_for", "object_ref": "Acme"}],
        "memories": [{"external_id": "m1", "content": "Ada prefers SI units", "scope": {"user_id": "ada"}}],
        "memory_blocks": [{"external_id": "b1", "label": "human", "value": "leads OPS"}],
        "nodes": [{"id": "n1"}],
    }
    for name, entries in lines.items():
        _write(root / f"{name}.jsonl", "".join(json.dumps(one) + "\n" for one in entries))
    target = folder / "store.cogx.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for path in sorted(root.iterdir()):
            archive.add(path, arcname=f"store/{path.name}")
    return target


def omp(folder: Path) -> Path:
    root = folder / "omp"
    _write(root / "MEMORY.md", "# Index\n- [people](people/ada.md)\n")
    _write(root / "people" / "MEMORY.md", "# People\n- Ada leads OPS\n")
    _write(root / "people" / "ada.md", "Ada prefers SI units\n")
    return root


def json_lines(folder: Path) -> Path:
    entries: list[object] = [
        {"id": "1", "content": "Ada prefers SI units", "user_id": "ada", "created_at": "2026-02-01", "author": "bot"},
        {"id": "2", "content": "Ada moved to Porto", "deleted": True},
    ]
    return _write(folder / "own.jsonl", "".join(json.dumps(one) + "\n" for one in entries))


def table(folder: Path) -> Path:
    return _write(folder / "own.csv", 'id,text,author\n1,"Ada prefers, always, SI units",bot\n2,Der Prüfstand läuft,\n')


def _data(name: str) -> Callable[[Path], Path]:
    return lambda _: DATA / name


SOURCES: dict[SourceKind, Callable[[Path], Path]] = {
    SourceKind.MEM0: _data("mem0"),
    SourceKind.LANGGRAPH: _data("langgraph-store.sqlite"),
    SourceKind.MCP_MEMORY: _data("memory.jsonl"),
    SourceKind.LETTA: letta,
    SourceKind.GRAPHITI: graphiti,
    SourceKind.OPENMEMORY: openmemory,
    SourceKind.CLAUDE_CODE: claude_code,
    SourceKind.ANTHROPIC_MEMORY: _data("anthropic-memory-tool"),
    SourceKind.CHATGPT: chatgpt,
    SourceKind.BASIC_MEMORY: basic_memory,
    SourceKind.OBSIDIAN: obsidian,
    SourceKind.COGX: cogx,
    SourceKind.OMP: omp,
    SourceKind.JSONL: json_lines,
    SourceKind.CSV: table,
}
