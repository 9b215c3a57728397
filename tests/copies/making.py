"""Vaults to be copied, and ways to look at what became of them. Knows no expected value."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment import Memory

SECRET = "Quillon Vantaggio keeps zebrafish in Ouagadougou"
"""Words that occur nowhere else, so that a single one of them in a file is a find."""


@contextmanager
def opened(vault: Path, tenant: str = "default") -> Iterator[Memory]:
    with Memory.open(vault, tenant=tenant, embedder=None) as memory:
        yield memory


def remembered(memory: Memory, content: str, **options: object) -> str:
    """Remember something that must be committed; its id."""
    name = memory.remember(content, **options).record_id  # type: ignore[arg-type]  # options are the test's own
    assert name is not None
    return name


def furnish(vault: Path, count: int = 12, tenant: str = "default") -> list[str]:
    """A vault with so many records and one receipt."""
    with opened(vault, tenant) as memory:
        names = [remembered(memory, f"Shelf {number} holds box {number * 7}") for number in range(count)]
        memory.recall("which box is on shelf 3?")
    return names


def state(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its bytes; a place to wait in line holds none."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith(("-turns", "-door"))
    }


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())
