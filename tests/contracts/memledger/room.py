"""A Memledger on a fresh vault, for one story; and a small embedder that counts words."""

from __future__ import annotations

import asyncio
import hashlib
import math
from array import array
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from muniment_memledger import ConfidencePolicy, EmbeddingConfig, Memledger, MemledgerConfig, NamespaceRBAC
from muniment_memledger.strategies.policies import Complete

T = TypeVar("T")
WIDTH = 256
_SYNONYMS = {"car": "automobile", "auto": "automobile", "quick": "fast", "rapid": "fast"}


class WordCounts:
    """Texts as counts of their words, with a few words that mean the same. Deterministic, and no model at all."""

    model = "word-counts@1"
    dimensions = WIDTH

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        counts = [0.0] * WIDTH
        for word in text.lower().split():
            plain = word.strip(".,?!")
            known = _SYNONYMS.get(plain, plain)
            counts[int.from_bytes(hashlib.sha256(known.encode()).digest()[:4], "big") % WIDTH] += 1.0
        length = math.hypot(*counts) or 1.0
        return array("f", (count / length for count in counts)).tobytes()


def play(
    vault: Path,
    story: Callable[[Memledger], Awaitable[T]],
    *,
    rbac: NamespaceRBAC | None = None,
    identity: str | None = None,
    embedder: object = None,
    config: MemledgerConfig | None = None,
    complete: Complete | None = None,
    gate: ConfidencePolicy | None = None,
) -> T:
    """Open a Memledger on a vault, let the story happen, and close it."""

    async def told() -> T:
        opened = await Memledger.create(
            "sqlite",
            {"path": str(vault)},
            EmbeddingConfig(provider="none"),
            config,
            rbac=rbac,
            identity=identity,
            embedder=embedder,
            complete=complete,
            confidence_policy=gate,
        )
        async with opened:
            return await story(opened)

    return asyncio.run(told())
