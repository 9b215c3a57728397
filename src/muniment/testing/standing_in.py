"""A stand-in for a model: a text as counts of its words, with a few synonyms counted as one."""

from __future__ import annotations

from zlib import crc32

SYNONYMS = {
    "car": "automobile",
    "vehicle": "automobile",
    "purchase": "buy",
    "acquire": "buy",
    "broth": "soup",
    "briny": "salty",
}
"""Words that it takes for one another."""


def counted(text: str, wide: int) -> list[float]:
    """The words of a text, each counted at a place of its own.

    >>> counted("Acquire a car", 256) == counted("purchase a vehicle", 256)
    True
    """
    found = [0.0] * wide
    for word in text.lower().split():
        plain = word.strip(".,;:!?()'\"")
        found[crc32(SYNONYMS.get(plain, plain).encode()) % wide] += 1.0
    return found
