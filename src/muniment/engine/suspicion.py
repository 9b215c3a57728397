"""Look at words for signs that they are meant to steer their reader, for those who build on the engine."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.vocabulary import Suspicion
from muniment.write.poison import inspect


def doubts(texts: Iterable[str], families: frozenset[Suspicion]) -> tuple[str, ...]:
    """What gives cause for doubt in these texts, in words that quote nothing, each once. One weak sign is enough."""
    found = (signal for text in texts for signal in inspect(text, strict=True) if signal.family in families)
    return tuple(dict.fromkeys(signal.note for signal in found))
