"""What we ask of a reranker: how well each text answers a question. Optional, never needed, and it decides no more than
the order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each of these texts answers the question, in their order: the more, the better."""
