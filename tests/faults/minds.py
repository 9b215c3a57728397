"""Minds that do harm: they hang until they are let go, lie, or die. Each counts how often it was asked."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from typing import cast

from tests.patience import WAIT_S
from tests.recall.world import Toy

from muniment.model.entity import Entity
from muniment.model.vocabulary import ConflictType
from muniment.ports.judge import Opinion

WIDE = 4


def numbers(*given: float) -> bytes:
    return struct.pack(f"<{len(given)}f", *given)


class Hanging(Toy):
    """Reads nothing until it is let go, for a bounded time; then it answers as it should have."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()
        self.hanging = threading.Semaphore(0)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.hanging.release()
        self.let_go.wait(WAIT_S)
        return super().embed(texts)


def _dead(_: Sequence[str]) -> list[bytes]:
    raise RuntimeError("the model is gone")


LIES: dict[str, Callable[[Sequence[str]], object]] = {
    "it raises": _dead,
    "another width": lambda texts: [numbers(1.0, 0.0)] * len(texts),
    "not a number": lambda texts: [numbers(float("nan"), 0.0, 0.0, 0.0)] * len(texts),
    "without end": lambda texts: [numbers(float("inf"), 0.0, 0.0, 0.0)] * len(texts),
    "far too long": lambda texts: [numbers(1e30, 0.0, 0.0, 0.0)] * len(texts),
    "one too many": lambda texts: [numbers(1.0, 0.0, 0.0, 0.0)] * (len(texts) + 1),
    "one too few": lambda texts: [numbers(1.0, 0.0, 0.0, 0.0)] * (len(texts) - 1),
    "nothing": lambda _: None,
    "words": lambda texts: ["a vector"] * len(texts),
    "huge": lambda texts: [numbers(1.0, 0.0, 0.0, 0.0) * 1_000_000] * len(texts),
}


class Lying:
    """An embedder that answers with something else than what it promised."""

    model = "liar@1"
    dimensions = WIDE

    def __init__(self, lie: Callable[[Sequence[str]], object]) -> None:
        self._lie = lie

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return cast(list[bytes], self._lie(texts))


class Advisor:
    """A judge and an extractor in one, that does what it is made with."""

    def __init__(self, does: Callable[[], object]) -> None:
        self._does = does
        self.asked = 0

    def compare(self, new: str, old: str) -> Opinion | None:
        self.asked += 1
        return cast(Opinion | None, self._does())

    def extract(self, text: str) -> tuple[Entity, ...]:
        self.asked += 1
        return cast(tuple[Entity, ...], self._does())


def _gone() -> object:
    raise ConnectionError("the line is dead")


HARMS: dict[str, Callable[[], object]] = {
    "it raises": _gone,
    "a word": lambda: "yes",
    "a list of words": lambda: ("a", "b"),
    "too much": lambda: Opinion(type=ConflictType.CONTRADICTION, words="x" * 5_000_000),
}
