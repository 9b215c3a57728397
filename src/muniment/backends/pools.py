"""How deep a search by words looks, the same for every store: as deep as it must, and never by what is hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muniment.model.value import Value

QUOTAS = (256, 4_096)
"""So many of the best matches a caller may see are looked at; if too few of them pass, so many; at last all."""


class Judged(Value):
    """A match the caller may see: its score, its number, and the name of the bound it fails, if it fails one."""

    score: float
    rid: int
    failed: str | None


def deep_enough(visible: Sequence[Judged], *, whole: bool, keep: int) -> Sequence[Judged] | None:
    """The part of a ranking that is looked at; None when more of it must be fetched to say.

    `visible` is the ranking from the best down, as far as it was fetched; `whole` says that there is no more of it.
    What is returned depends on nothing but the ranking of what the caller may see, so it tells nothing of the rest.
    """
    for quota in QUOTAS:
        if len(visible) < quota:
            break
        looked_at = visible[:quota]
        if sum(1 for judged in looked_at if judged.failed is None) >= keep:
            return looked_at
    return visible if whole else None


def tally(looked_at: Sequence[Judged]) -> tuple[int, dict[str, int]]:
    """How many pass, and how many fail which bound."""
    failed = Counter(judged.failed for judged in looked_at if judged.failed is not None)
    return len(looked_at) - sum(failed.values()), dict(failed)
