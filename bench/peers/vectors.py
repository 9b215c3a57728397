"""The embedder every contestant is given: our MiniLM, timed, and able to answer again from what it has answered."""

from __future__ import annotations

import sys
import threading
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

from muniment.backends.embedders.choose import choose
from muniment.ports.embedder import Embedder


class Vectors:
    """Counts the seconds spent in the model. With `given` set it looks up instead of computing, so that what remains
    is the work of the store alone; a text it never saw is still computed, and counted in `missed`."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._known: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self.given = False
        self.seconds = 0.0
        self.texts = 0
        self.missed = 0

    @property
    def model(self) -> str:
        return self._model.model

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts as bytes, as our own engine asks for them."""
        started = time.perf_counter()
        vectors = self._recorded(texts) if self.given else self._computed(texts)
        with self._lock:
            self.seconds += time.perf_counter() - started
            self.texts += len(texts)
        return vectors

    def numbers(self, texts: Sequence[str]) -> list[list[float]]:
        """The same vectors as lists of numbers, as the peers ask for them."""
        return [_numbers(vector) for vector in self.embed(texts)]

    def _computed(self, texts: Sequence[str]) -> list[bytes]:
        vectors = self._model.embed(texts)
        self._known.update(zip(texts, vectors, strict=True))
        return vectors

    def _recorded(self, texts: Sequence[str]) -> list[bytes]:
        unknown = [text for text in texts if text not in self._known]
        if unknown:
            self.missed += len(unknown)
            self._computed(unknown)
        return [self._known[text] for text in texts]


def _numbers(vector: bytes) -> list[float]:
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def packaged(models: Path) -> Vectors:
    """Our MiniLM, with its model loaded: no contestant pays for that."""
    embedder = choose("minilm", models=models)
    assert embedder is not None, "minilm is named, so it is found or refused"
    embedder.embed(["warm"])
    return Vectors(embedder)
