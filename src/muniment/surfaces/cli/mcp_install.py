"""Write the entry of this server into the configuration of a client, or print it. What else stands there stays."""

from __future__ import annotations

import json
import os
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TypedDict

from rich.console import Group, RenderableType
from rich.text import Text

from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.model.value import Value

NAME = "muniment"
_BYTES_MAX = 4_194_304


class ClientProgram(StrEnum):
    """A client whose configuration is known."""

    CLAUDE = "claude"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


class ServerEntry(TypedDict):
    command: str
    args: list[str]


class McpInstalledShape(TypedDict):
    client: str
    file: str
    changed: bool
    backup: str | None
    configuration: dict[str, object]


class ConfigFile(Value):
    """The file of a client, under which key its servers stand, and whether an entry says how it is spoken to."""

    file: Path
    key: str = "mcpServers"
    typed: bool = False


def where(program: ClientProgram, *, home: Path, here: Path) -> ConfigFile:
    """Where a client reads its servers from. Claude Code and VS Code read them from the folder of the project."""
    match program:
        case ClientProgram.CLAUDE:
            return ConfigFile(file=_desktop(home) / "Claude" / "claude_desktop_config.json")
        case ClientProgram.CLAUDE_CODE:
            return ConfigFile(file=here / ".mcp.json")
        case ClientProgram.CURSOR:
            return ConfigFile(file=home / ".cursor" / "mcp.json")
        case ClientProgram.VSCODE:
            return ConfigFile(file=here / ".vscode" / "mcp.json", key="servers", typed=True)


def _desktop(home: Path) -> Path:
    """Where programs with windows keep what they are told."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return home / "AppData" / "Roaming"
    return home / ".config"


def command_of(words: list[str]) -> ServerEntry:
    """How the server is started from anywhere: a client has no shell and no folder that it could be relied on."""
    found = shutil.which(NAME)
    if found is not None:
        return {"command": str(Path(found).absolute()), "args": ["mcp", *words]}
    return {"command": sys.executable, "args": ["-m", NAME, "mcp", *words]}


def install(program: ClientProgram, place: ConfigFile, entry: ServerEntry, *, write: bool) -> McpInstalledShape:
    """Put the entry where the client reads it. A file that was there is kept beside it as it was."""
    own: dict[str, object] = {"type": "stdio", **entry} if place.typed else {**entry}
    before, plain = _read(place.file)
    servers = plain.get(place.key, {})
    if not isinstance(servers, dict):
        raise _unreadable(place.file, f"{place.key} is no object")
    after = {**plain, place.key: {**servers, NAME: own}}
    same = servers.get(NAME) == own
    kept = None
    if write and not same:
        kept = _write(place.file, before, json.dumps(after, indent=2, ensure_ascii=False) + "\n")
    return {
        "client": program.value,
        "file": str(place.file),
        "changed": write and not same,
        "backup": None if kept is None else str(kept),
        "configuration": {place.key: {NAME: own}},
    }


def _read(file: Path) -> tuple[bytes | None, dict[str, object]]:
    try:
        if not file.exists():
            return None, {}
        if file.stat().st_size > _BYTES_MAX:
            raise _unreadable(file, "it is too large")
        before = file.read_bytes()
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be read: {error.strerror}") from None
    if not before.strip():
        return before, {}
    try:
        plain = json.loads(before)
    except (ValueError, RecursionError):
        raise _unreadable(file, "it is not plain JSON, perhaps because it has comments") from None
    if not isinstance(plain, dict):
        raise _unreadable(file, "it is no JSON object")
    return before, plain


def _unreadable(file: Path, why: str) -> ConfigurationError:
    hint = "Add --print to see the entry, and put it there yourself; the file was left as it is."
    return ConfigurationError("install", f"{file} cannot be changed: {why}", hint=hint)


def _write(file: Path, before: bytes | None, text: str) -> Path | None:
    """Replace the file in one step; return where the old one is kept."""
    target = file.resolve()  # a link to a file that is kept elsewhere stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = None
        if before is not None:
            kept = _free(target)
            shutil.copy2(target, kept)
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        if before is not None:
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be written: {error.strerror}") from None
    return kept


def _free(target: Path) -> Path:
    """A name beside the file that nothing has."""
    names = (target.with_name(f"{target.name}.bak{number or ''}") for number in range(10_000))
    return next(name for name in names if not name.exists())


def show(shape: McpInstalledShape) -> RenderableType:
    lines = []
    if shape["changed"]:
        lines.append(f"wrote {shape['file']}; restart {shape['client']} to let it start the memory")
        if shape["backup"] is not None:
            lines.append(f"the file as it was: {shape['backup']}")
    else:
        lines.append(f"nothing was written; this is what belongs into {shape['file']}:")
    entry = json.dumps(shape["configuration"], indent=2, ensure_ascii=False)
    return Group(*(Text(line) for line in lines), Text(entry))
