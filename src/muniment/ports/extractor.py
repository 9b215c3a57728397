"""What we ask of an extractor: names in a text. Optional; ours finds names by rule, another may add to them."""

from __future__ import annotations

from typing import Protocol

from muniment.model.entity import Entity


class Extractor(Protocol):
    def extract(self, text: str) -> tuple[Entity, ...]:
        """What a text speaks of by name. Called before a write is decided, never while the writer is held."""
