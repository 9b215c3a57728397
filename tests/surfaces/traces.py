"""Look for words in files, in every disguise a store or a program may have put them in. Knows no store."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw

_LEAST = 5
"""Shorter pieces are met by chance."""


def terms(text: str) -> set[str]:
    """The terms that a word index keeps of a text: folded, without accents, reduced to their stems."""
    connection = apsw.Connection(":memory:")
    connection.execute("create virtual table t using fts5(x, tokenize='porter unicode61')")
    connection.execute("create virtual table v using fts5vocab(t, row)")
    connection.execute("insert into t values (?)", (text,))
    found = {str(term) for (term,) in connection.execute("select term from v")}
    connection.close()
    return found


def written(text: str) -> Iterator[tuple[str, bytes]]:
    """A text in the spellings of plain files: how each is called, and its bytes."""
    forms = {"as it is": text, "lower case": text.lower(), "upper case": text.upper()}
    forms |= {"folded": text.casefold(), "capitals": text.title()}
    forms |= {"composed": unicodedata.normalize("NFC", text), "taken apart": unicodedata.normalize("NFD", text)}
    forms["escaped"] = text.encode("ascii", "backslashreplace").decode().replace("\\x", "\\u00")
    for name, form in forms.items():
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            yield f"{name}, {encoding}", form.encode(encoding)


def encoded(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Bytes as base64 wherever in a longer text they stood, and as hexadecimal digits."""
    for shift in range(3):
        # What stands before decides the first sign and what follows the last: only those between are certain.
        first, last = (8 * shift + 5) // 6, 8 * (shift + len(body)) // 6
        whole = base64.b64encode(bytes(shift) + body + bytes(3))[first:last]
        yield f"base64, shifted by {shift}", whole
        yield f"base64 for addresses, shifted by {shift}", whole.translate(bytes.maketrans(b"+/", b"-_"))
    yield "hex", body.hex().encode()
    yield "HEX", body.hex().upper().encode()


def disguises(phrases: Iterable[str]) -> dict[bytes, str]:
    """Everything to look for: each phrase, its words and its terms in every spelling, with what to call it."""
    found: dict[bytes, str] = {}
    for phrase in phrases:
        pieces = sorted({*re.findall(r"\w+", phrase), *terms(phrase)})
        for text in (phrase, *(piece for piece in pieces if len(piece) >= _LEAST)):
            for name, body in written(text):
                found.setdefault(body, f"{text}: {name}")
            for spelling in (text, text.lower()):
                for name, body in encoded(spelling.encode()):
                    found.setdefault(body, f"{text}: {name}")
    return {body: name for body, name in found.items() if len(body) >= _LEAST}


def traces(phrases: Iterable[str], *folders: Path) -> list[str]:
    """Where any disguise of the phrases occurs in the files of these folders, or in their names."""
    sought = disguises(phrases)
    pattern = re.compile(b"|".join(re.escape(body) for body in sorted(sought, key=len, reverse=True)))
    found: list[str] = []
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            places = [(str(file).encode(), "its name")]
            if file.is_file():
                places.append((file.read_bytes(), "within"))
            found += (
                f"{file.relative_to(folder)} ({where}): {sought[hit]}"
                for body, where in places
                for hit in sorted(set(pattern.findall(body)))
            )
    return found
