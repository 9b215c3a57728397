"""Know when not to answer: how likely anything that was found fits, and how weak is too weak to be told.

A logistic model of few features, fitted on questions with and without an answer in the store (see bench/tune.py). It
was fitted on the vectors of one model, so it says nothing about those of another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from muniment.model.receipt import Plan
from muniment.ports.store import Snapshot
from muniment.read.find import Findings

FITTED_FOR = "all-MiniLM-L6-v2@"
WEAK_SHARE = 0.45
"""Less than this share of the best score is too weak: hardly ever has such a hit been the one that was sought."""

_STRONGEST = 3
_RECORDS = (10, 11_000)
"""The sizes of store it was fitted on; a size outside counts as the nearest."""

_COSINE, _COVERAGE, _AHEAD, _SIZE, _BIAS = 8.1, 9.36, 8.41, -0.70, -4.28
_WORDS_COVERAGE, _WORDS_SIZE, _WORDS_BIAS = 12.43, -0.69, -0.38


def fit_of(snapshot: Snapshot, plan: Plan, findings: Findings, scores: Mapping[int, float]) -> float | None:
    """How likely it is that something found answers the question; None if that cannot be told."""
    found, rarity = findings.found, findings.rarity
    if not found or plan.terms.phrases:
        return None
    least, most = _RECORDS
    size = math.log(min(max(snapshot.lexicon.count(), least), most))
    strongest = sorted(scores, key=lambda rid: (-scores[rid], -rid))[:_STRONGEST]
    tells = {word: math.log1p(math.exp(rare)) for word, rare in rarity.items()}
    coverage = max((_coverage(snapshot, tells, rid) for rid in strongest), default=0.0)
    if plan.reach.model is None:
        return _chance(_WORDS_COVERAGE * coverage + _WORDS_SIZE * size + _WORDS_BIAS)
    if not plan.reach.model.startswith(FITTED_FOR):
        return None
    near = [one.meaning for one in found.values() if one.near]
    best, mean = max(near, default=0.0), math.fsum(near) / max(1, len(near))
    return _chance(_COSINE * best + _COVERAGE * coverage + _AHEAD * (best - mean) + _SIZE * size + _BIAS)


def _chance(logit: float) -> float:
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, logit)))), 4)


def _coverage(snapshot: Snapshot, tells: Mapping[str, float], rid: int) -> float:
    """How much of what the question's words tell a record holds, rare words telling more."""
    whole = math.fsum(tells.values())
    held = snapshot.lexicon.held(rid, tuple(tells))
    return math.fsum(tells[word] for word in held) / whole if whole > 0 else 0.0
