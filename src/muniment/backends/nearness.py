"""What it means for a text to be near to some words: bounds on the work and a ranking, the same for every store."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain

from muniment.ports.hits import Neighbour

NEAR_WORDS_MAX = 10
NEAR_POSTINGS_MAX = 16
NEAR_POOL = 24
NEAR_NAMED = 6
NEAR_NAMED_MAX = 4
"""How much is read to find what a text is near to: so many words, of each so many of the latest revisions that hold
it, so many texts that hold the most, and so many that hold a word which at most four hold, a name perhaps. Nothing of
it grows with the store."""


def least_shared(asked: int) -> int:
    """How many of so many words a text must hold to be near. One word in common says nothing where there are many.

    >>> [least_shared(asked) for asked in (1, 3, 4, 10)]
    [1, 1, 2, 2]
    """
    return 1 if asked < 4 else 2


def near_weight(holding: int) -> float:
    """What a word is worth that so many of the latest revisions hold."""
    return math.log(1 + 256 / max(1, holding))


def pool_of(latest: Mapping[str, AbstractSet[int]]) -> list[int]:
    """The revisions worth comparing: those that hold the most of the words, and some that hold a word few hold."""
    shared = Counter(chain.from_iterable(latest.values()))
    least = least_shared(len(latest))
    likely = [rid for rid, count in shared.items() if count >= least]
    named = {rid for found in latest.values() if len(found) <= NEAR_NAMED_MAX for rid in found}
    return sorted({*_best(likely, latest, NEAR_POOL), *_best(named, latest, NEAR_NAMED)})


def _best(rids: Collection[int], latest: Mapping[str, AbstractSet[int]], keep: int) -> Collection[int]:
    """Of these revisions the ones that hold the words which are worth most."""
    if len(rids) <= keep:
        return rids
    weighed = [(found, near_weight(len(found))) for found in latest.values()]
    ranked = [(sum([weight for found, weight in weighed if rid in found]), rid) for rid in rids]
    return [rid for _, rid in sorted(ranked, reverse=True)[:keep]]


def closest(texts: Mapping[int, str], latest: Mapping[str, AbstractSet[int]], *, keep: int) -> tuple[Neighbour, ...]:
    """Rank texts by the words asked for that they hold, rare ones counting for more and long texts for less.

    `latest` tells for each word the latest revisions that hold it; an older one is found to hold it by looking.
    """
    mean = sum(map(len, texts.values())) / max(1, len(texts)) or 1.0
    asked = [(word, found, near_weight(len(found))) for word, found in latest.items()]
    ranked = []
    for rid, text in texts.items():
        small, score = text.lower(), 0.0
        for word, found, weight in asked:
            if rid in found or word in small:
                score += weight
        ranked.append((score / (0.25 + 0.75 * len(text) / mean), rid))
    return tuple(Neighbour(rid=rid, text=texts[rid]) for _, rid in sorted(ranked, reverse=True)[:keep])
