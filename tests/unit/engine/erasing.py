"""What the tests of erasure share: records to erase, and a search of every byte of a folder."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import msgspec

from muniment import Memory
from muniment.backends.tokens import terms_of

_SHORT = 4


def kept(memory: Memory, content: str, **options: object) -> str:
    """Remember something that the policy lets in, and return its id."""
    name = memory.remember(content, **options).record_id  # type: ignore[arg-type]  # options are the test's own
    assert name is not None
    return name


def spellings(word: str) -> set[bytes]:
    """A word in every way a store might keep it: as it is, in small letters, stemmed, in wide characters, encoded."""
    plain = {word, word.lower(), *terms_of(word)}
    found: set[bytes] = set()
    for text in plain:
        wide = text.encode("utf-16-le")[:-1]  # without its last byte it stands in either order of the bytes
        for raw in (text.encode(), wide):
            if len(raw) < _SHORT:  # the term of one letter: bytes that stand anywhere by chance
                continue
            found.add(raw)
            found.update(_in_base64(raw))
        found.add(msgspec.json.encode(text)[1:-1])
    return {one for one in found if not any(other in one for other in found - {one})}


def _in_base64(raw: bytes) -> set[bytes]:
    """The middle of its base64, whatever stood before and behind it."""
    middles = (base64.b64encode(b"\x00" * shift + raw) for shift in range(3))
    cut = (middle[(shift * 4 + 2) // 3 : len(middle) - 4] for shift, middle in enumerate(middles))
    return {piece for piece in cut if len(piece) >= 8}


def left(folder: Path, words: tuple[str, ...]) -> list[tuple[str, str, bytes]]:
    """Where any spelling of these words is still to be found: the file, the word, the bytes around it."""
    found = []
    for file in sorted(folder.rglob("*")):
        if not file.is_file():
            continue
        raw = file.read_bytes()
        for word in words:
            for spelling in spellings(word):
                at = raw.find(spelling)
                if at >= 0:
                    found.append((file.name, word, re.sub(rb"[^ -~]", b".", raw[max(0, at - 30) : at + 40])))
    return found
