"""How long a text is for a model, by a stated estimate."""

from __future__ import annotations

CHARACTERS = 4


def tokens(text: str) -> int:
    """A quarter of its characters, rounded up.

    >>> tokens("four"), tokens("fives")
    (1, 2)
    """
    return -(-len(text) // CHARACTERS)
