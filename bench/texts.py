"""Sentences for benchmarks: made from a seed, with word frequencies as in real text, no two alike."""

from __future__ import annotations

import random
from itertools import accumulate

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on", "us")]
_VOCABULARY = 20_000


class Texts:
    """An endless supply of sentences. The same seed gives the same sentences."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        maker = random.Random(7)
        words = {"".join(maker.choices(_SYLLABLES, k=maker.randint(2, 4))) for _ in range(_VOCABULARY * 2)}
        self._words = sorted(words)[:_VOCABULARY]
        maker.shuffle(self._words)
        self._weights = list(accumulate(1 / (rank + 30) for rank in range(len(self._words))))
        self._count = 0

    def sentence(self) -> str:
        self._count += 1
        words = self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(12, 28))
        return f"{' '.join(words)} n{self._count}"

    def question(self) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(3, 7)))
