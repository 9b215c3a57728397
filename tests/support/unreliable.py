"""An embedder that works, is slow, fails or hangs, as a test tells it to at any moment."""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Sequence
from enum import StrEnum

from muniment.surfaces.akashik_launcher import word_counts

WIDE = 256
_HANG_S = 60.0


class Mood(StrEnum):
    WELL = "well"
    SLOW = "slow"
    FAILING = "failing"
    HANGING = "hanging"


class UnreliableEmbedder:
    """Counts words. `feel` changes its mood for every call that begins later and wakes the calls that wait.

    >>> embedder = UnreliableEmbedder()
    >>> len(embedder.embed(["a lamp"])[0]) == 4 * embedder.dimensions
    True
    >>> embedder.feel(Mood.FAILING)
    >>> embedder.embed(["a lamp"])
    Traceback (most recent call last):
    ConnectionError: the embedder is told to fail
    """

    model = "unreliable@1"
    dimensions = WIDE

    def __init__(self, *, slow_s: float = 0.3) -> None:
        self._slow_s = slow_s
        self._mood = Mood.WELL
        self._changed = threading.Event()

    def feel(self, mood: Mood) -> None:
        self._mood = mood
        woken, self._changed = self._changed, threading.Event()
        woken.set()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        match self._mood:
            case Mood.SLOW:
                self._changed.wait(self._slow_s)
            case Mood.HANGING:
                self._changed.wait(_HANG_S)
            case Mood.FAILING:
                raise ConnectionError("the embedder is told to fail")
            case Mood.WELL:
                pass
        return [_vector(text) for text in texts]


def _vector(text: str) -> bytes:
    numbers = word_counts(text)
    length = math.sqrt(sum(number * number for number in numbers))
    if length == 0.0:
        numbers, length = [1.0, *numbers[1:]], 1.0
    return struct.pack(f"<{WIDE}f", *(number / length for number in numbers))
