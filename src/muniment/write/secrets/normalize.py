"""Read a text as its reader would: digits of every script as digits, every dash as a dash, nothing invisible."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    """What one character stands for; nothing for one that cannot be seen."""
    category = unicodedata.category(char)
    if category in ("Cf", "Me") or 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category == "Zs":
        return " "
    if category == "Pd" or char == "\N{MINUS SIGN}":
        return "-"
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() else char


def fold(text: str) -> str:
    """The text with every disguised character plain and every invisible one gone.

    >>> fold("\uff14\u0661\u200b\u06611\u20131")
    '4111-1'
    """
    if text.isascii():
        return text
    table = {ord(char): _folded(char) for char in set(text) if not char.isascii() and _folded(char) != char}
    return text.translate(table) if table else text


def places(text: str, folded: str) -> list[int] | None:
    """Where in the text each folded character stands, and where the text ends; None where nothing moved."""
    if len(text) == len(folded):
        return None
    found = [number for number, char in enumerate(text) if char.isascii() or _folded(char)]
    return [*found, len(text)]
