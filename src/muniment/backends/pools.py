"""What a search by words looks at, the same for every store: which words, and how deep it goes into the ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.status import Status
from muniment.ports.hits import Hit, Matches

COMMON_SHARE = 0.30
COMMON_FROM = 1_000
POSTINGS_MAX = 6_000
"""Words that more than this share of the records hold are not searched for, nor are the commonest when all together are
held more often than this; below so many records no word is common, there is little to rank and nothing to save."""

_RARITY_LEAST = 1e-6

QUOTAS = (100, 400, 4_096)
ENOUGH = 64
"""So many of the best matches a caller may see are looked at, and more and more of them until so many pass, or as many
as the caller wants; at last all."""


_DEPTHS = tuple(quota * 3 // 2 for quota in QUOTAS)
_REDIRECTING = (Status.SUPERSEDED.value, Status.DEPRECATED.value)


def deep_enough(visible: Sequence[Hit], *, whole: bool, enough: int) -> Sequence[Hit] | None:
    """The part of a ranking that is looked at; None when more of it must be fetched to say.

    `visible` is the ranking from the best down, as far as it was fetched; `whole` says that there is no more of it;
    `enough` is how many must pass.
    What is returned depends on nothing but the ranking of what the caller may see, so it tells nothing of the rest.
    """
    for quota in QUOTAS:
        if len(visible) < quota:
            break
        looked_at = visible[:quota]
        if sum(1 for hit in looked_at if hit.failed is None) >= enough:
            return looked_at
    return visible if whole else None


Match = tuple[int, float, str, bool, int | None]
"""A match as a store tells of it: revision, score, status, whether it is hidden, and the first bound that it fails."""


def looked(plan: Plan, fetch: Callable[[int | None], Sequence[Match]], *, keep: int) -> Matches:
    """What a search finds. `fetch` gives so many of the best matches, or all; more are asked for until enough pass."""
    for depth in (*_DEPTHS, None):
        rows = fetch(depth)
        whole = depth is None or len(rows) < depth
        looked_at = deep_enough(_hits(plan, rows), whole=whole, enough=min(keep, max(ENOUGH, plan.limit)))
        if looked_at is not None:
            break
    assert looked_at is not None, "without a bound on the depth the ranking is whole"
    passed, counts = tally(looked_at)
    best = [hit for hit in looked_at if hit.failed is None][:keep]
    past = [hit for hit in looked_at if hit.failed in _REDIRECTING][:keep]
    return Matches(hits=(*best, *past), passed=passed, counts=counts)


def _hits(plan: Plan, rows: Sequence[Match]) -> list[Hit]:
    """The matches the caller may see; what speaks no longer is counted under the state it is in."""
    rules = [name for name, _ in plan.wanted]
    return [
        Hit(
            rid=rid,
            score=score,
            failed=None if failed is None else status if rules[failed] == STATUS else rules[failed],
        )
        for rid, score, status, hidden, failed in rows
        if not hidden
    ]


def tally(looked_at: Sequence[Hit]) -> tuple[int, dict[str, int]]:
    """How many pass, and how many fail which bound."""
    failed = Counter(hit.failed for hit in looked_at if hit.failed is not None)
    return len(looked_at) - sum(failed.values()), dict(failed)


def without_common(terms: Terms, holding: Mapping[str, int], records: int, *, spare: bool = True) -> Terms:
    """Move words that too many records hold to `common`, unless nothing would be left.

    Without `spare` nothing may be left: the last word too goes when more than `POSTINGS_MAX` records hold it.
    """
    if records < COMMON_FROM:
        return terms
    rare, postings = set[str](), 0
    for word in sorted(terms.words, key=lambda word: (holding[word], word)):
        postings += holding[word]
        first = not rare and not terms.phrases and (spare or holding[word] <= POSTINGS_MAX)
        if first or (holding[word] <= COMMON_SHARE * records and postings <= POSTINGS_MAX):
            rare.add(word)
    kept = tuple(word for word in terms.words if word in rare)
    common = tuple(word for word in terms.words if word not in rare)
    return msgspec.structs.replace(terms, words=kept, common=terms.common + common)


def rarity(holding: int, records: int) -> float:
    """How telling a word is that so many of the records hold.

    >>> round(rarity(1, 100), 2), rarity(90, 100)
    (4.19, 1e-06)
    """
    return max(_RARITY_LEAST, math.log((records - holding + 0.5) / (holding + 0.5)))
