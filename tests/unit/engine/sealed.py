"""What the tests of encryption share: two keys, words that must not show, an embedder, and looks into files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from muniment.engine.vault import stores_at

KEY = "1f" * 32
NEW = "2e" * 32
TEXT = "Quorvexia Zimbelstrom prefers marzipanettes in Glockenhain"
WORDS = ("Quorvexia", "Zimbelstrom", "marzipanettes", "Glockenhain")
STEMS = ("quorvexia", "zimbelstrom", "marzipanett", "glockenhain")
ACTOR = "tessarine"
DIMENSIONS = 16


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Sixteen numbers that depend on a text alone."""
    return [[number / 256 + 0.001 for number in hashlib.sha256(text.encode()).digest()[:DIMENSIONS]] for text in texts]


def vectors(vault: Path, tenant: str, key: str | None) -> int:
    """How many vectors a tenant has on the disk that this key can read. Nobody makes new ones meanwhile."""
    stores = stores_at(vault, key=key)
    try:
        return stores.open(tenant, create=False).vectors.index.count
    finally:
        stores.close()


def forms() -> dict[str, bytes]:
    """The words, the terms they are indexed by and who wrote them, in every spelling a file could hold."""
    found: dict[str, bytes] = {}
    for word in (*WORDS, *STEMS, ACTOR):
        found |= {
            f"{word} utf-8": word.encode(),
            f"{word} lower": word.lower().encode(),
            f"{word} utf-16": word.encode("utf-16-le"),
        }
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + TEXT.encode())
        found[f"base64 from {shift}"] = whole[4:44]
    return found


def shown(folder: Path) -> set[str]:
    """Which forms of the words stand in which files below a folder, as `file: form`."""
    told: set[str] = set()
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        raw = file.read_bytes()
        told |= {f"{file.name}: {name}" for name, form in forms().items() if form in raw}
    return told
