"""What we ask of a judge: an opinion on two texts. Optional, never needed, and never more than a suggestion."""

from __future__ import annotations

from typing import Protocol

from muniment.model.value import Value
from muniment.model.vocabulary import ConflictType


class Opinion(Value):
    """What a judge thinks two texts are to each other, and why, in its own words."""

    type: ConflictType
    words: str


class Judge(Protocol):
    def compare(self, new: str, old: str) -> Opinion | None:
        """How a new text stands towards an old one; None if the judge sees no disagreement and no repetition."""
