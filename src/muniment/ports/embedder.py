"""What we ask of an embedder: vectors for texts. Optional: without one the engine searches by words and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


class Embedder(Protocol):
    @property
    def model(self) -> str:
        """Which model, as `name@digest`. Vectors of two models cannot be compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has. May load the model."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector of length one for each text, in order: `dimensions` little-endian 32-bit floats. Safe to call from
        several threads."""


@runtime_checkable
class ScriptAware(Protocol):
    """An embedder that knows what it cannot read. One that does not say is trusted with everything."""

    def reads(self, text: str) -> bool:
        """Whether a vector of this text says anything of what it means."""
