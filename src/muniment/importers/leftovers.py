"""Copies that editors and programs leave beside a file. What they say and the file no longer says is still on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.importers.files import NOTE_MAX, lines, size_of
from muniment.importers.foreign import Residue, Unread

ENDS = (".bak", ".old", ".orig", ".tmp", "~", ".swp", ".backup", ".prev")


def is_leftover(name: str) -> bool:
    return name.endswith(ENDS) or (name.startswith("#") and name.endswith("#"))


def beside(path: Path) -> Iterator[Residue]:
    """The lines of copies of this file; who asks compares them with what the file says."""
    for end in ENDS:
        for name in (f"{path.name}{end}", f".{path.name}{end}", f"{path.stem}{end}"):
            found = path.with_name(name)
            if found.is_file() and not found.is_symlink() and found != path:
                yield from left_in(found)


def left_in(path: Path) -> Iterator[Residue]:
    if size_of(path) > NOTE_MAX:
        return
    for number, line in lines(path):
        if not isinstance(line, Unread) and len(line.split()) > 2:
            yield Residue(place=f"{path.name}:{number}", text=line.strip()[:4_096], why="a copy left beside the file")
