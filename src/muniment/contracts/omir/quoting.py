"""Quote a word of somebody's document in a message: short, and nothing in it that a terminal would obey."""

from __future__ import annotations

QUOTED_MAX = 40


def quoted(text: str) -> str:
    """
    >>> quoted("colour"), quoted("x" * 50)[-4:]
    ('"colour"', 'xx…"')
    """
    plain = "".join(char if char.isprintable() else "?" for char in text[: QUOTED_MAX + 1])
    return f'"{plain}"' if len(plain) <= QUOTED_MAX else f'"{plain[:QUOTED_MAX]}…"'
