"""Know when not to answer: how likely anything that was found fits, and how weak is too weak to be told.

A logistic model of few features, fitted on questions with and without an answer in the store (see bench/tune). It
was fitted on the vectors of one model, so it says nothing about those of another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from muniment.model.receipt import Plan
from muniment.model.value import Value
from muniment.ports.lexicon import holds
from muniment.ports.store import Snapshot
from muniment.read.exact import coverage
from muniment.read.fetch import record_of
from muniment.read.find import Findings

FITTED_FOR = "all-MiniLM-L6-v2@"
_STRONGEST = 3
_READ_MAX = 5_000
_RECORDS = (10, 11_000)
"""The sizes of store it was fitted on; a size outside counts as the nearest."""

_COSINE, _COVERAGE, _AHEAD, _SIZE, _BIAS = 12.3, 8.43, 5.65, -0.66, -5.81
_WORDS_COVERAGE, _WORDS_SIZE, _WORDS_BIAS = 12.43, -0.69, -0.38
_UNMET = -1.5
"""What it takes off that the question names something and nothing that was found does."""


class Signs(Value):
    """What is known about how well a question was met: the best cosine and how far it is ahead of the mean of the
    nearest, how much of the question's telling words one of the strongest holds, and the logarithm of how many records
    there are. Without vectors, `cosine` and `ahead` are nothing."""

    cosine: float
    coverage: float
    ahead: float
    size: float


def signs_of(
    snapshot: Snapshot, plan: Plan, findings: Findings, scores: Mapping[int, float], *, nearest: Sequence[float]
) -> Signs:
    words = tuple(findings.rarity)
    near = [max(0.0, cosine) for cosine in nearest]
    best = max(near, default=0.0)
    return Signs(
        cosine=best,
        coverage=max(
            (coverage(findings.rarity, held) for held in _held(snapshot, _strongest(findings, scores), words)),
            default=0.0,
        ),
        ahead=best - math.fsum(near) / max(1, len(near)),
        size=_size(snapshot),
    )


def _strongest(findings: Findings, scores: Mapping[int, float]) -> list[int]:
    """The strongest, and what the question points at."""
    best = sorted(scores, key=lambda rid: (-scores[rid], -rid))[:_STRONGEST]
    return list(dict.fromkeys([*best, *(rid for rid in scores if findings.found[rid].exact)]))


def _without_vectors(findings: Findings) -> set[int]:
    """What has no vectors, or none yet: only its words can say how well it fits."""
    return {rid for rid, one in findings.found.items() if not one.has_vector}


def _can_tell(plan: Plan) -> bool:
    model = plan.reach.model
    return not plan.terms.phrases and (model is None or model.startswith(FITTED_FOR))


def foretell_fit(snapshot: Snapshot, plan: Plan, findings: Findings, scores: Mapping[int, float]) -> None:
    """Tell the store whose words `fit_of` will read."""
    if scores and _can_tell(plan):
        snapshot.ahead(partial(snapshot.documents.many, _strongest(findings, scores)))


def fit_of(
    snapshot: Snapshot, plan: Plan, findings: Findings, scores: Mapping[int, float], *, unmet: bool
) -> float | None:
    """How likely it is that something found answers the question; None if that cannot be told. What has vectors is
    judged by both, what has none yet by its words; `unmet` says that the question names what nothing here does."""
    if not findings.found or not _can_tell(plan):
        return None
    later = set(scores) if plan.reach.model is None else _without_vectors(findings)
    less = _UNMET if unmet else 0.0
    chances = [0.0]
    if trailing := {rid: findings.found[rid].words for rid in scores if rid in later}:
        chances.append(_chance(_by_words(signs_of(snapshot, plan, findings, trailing, nearest=())) + less))
    if seen := {rid: scores[rid] for rid in scores if rid not in later}:
        signs = signs_of(snapshot, plan, findings, seen, nearest=findings.nearest)
        chances.append(_chance(_by_both(signs) + less))
    return max(chances)


def fits_of(snapshot: Snapshot, plan: Plan, findings: Findings, rids: Iterable[int]) -> dict[int, float]:
    """How likely each of these answers the question, by itself; empty if that cannot be told."""
    if not _can_tell(plan):
        return {}
    rids = list(rids)
    found, size = findings.found, _size(snapshot)
    mean = math.fsum(max(0.0, cosine) for cosine in findings.nearest) / max(1, len(findings.nearest))
    later = set(rids) if plan.reach.model is None else _without_vectors(findings)
    told: dict[int, float] = {}
    for rid, share in coverages(snapshot, findings, rids).items():
        cosine = found[rid].meaning
        signs = Signs(cosine=cosine, coverage=share, ahead=max(0.0, cosine - mean), size=size)
        told[rid] = _chance(_by_words(signs) if rid in later else _by_both(signs))
    return told


def coverages(snapshot: Snapshot, findings: Findings, rids: Sequence[int]) -> dict[int, float]:
    """How much of what the question's words tell each of these tells."""
    held = _held(snapshot, rids, tuple(findings.rarity))
    return {
        rid: coverage(findings.rarity, words) for rid, words in zip(snapshot.documents.many(rids), held, strict=True)
    }


def _by_both(signs: Signs) -> float:
    met = _COSINE * signs.cosine + _COVERAGE * signs.coverage + _AHEAD * signs.ahead
    return met + _SIZE * signs.size + _BIAS


def _by_words(signs: Signs) -> float:
    return _WORDS_COVERAGE * signs.coverage + _WORDS_SIZE * signs.size + _WORDS_BIAS


def _size(snapshot: Snapshot) -> float:
    least, most = _RECORDS
    return math.log(min(max(snapshot.lexicon.count(), least), most))


def _chance(logit: float) -> float:
    return round(1 / (1 + math.exp(-max(-60.0, min(60.0, logit)))), 4)


def _held(snapshot: Snapshot, rids: Sequence[int], words: tuple[str, ...]) -> Iterator[Iterable[str]]:
    """The words each of these records holds: a short one is read, a long one is looked up in the index."""
    lexicon = snapshot.lexicon
    sought = [(word, places) for word, places in lexicon.places(words).items() if places]
    for rid, document in snapshot.documents.many(rids).items():
        content = record_of(document.body).content
        if len(content) > _READ_MAX:
            yield lexicon.held(rid, words)
        else:
            held = set(lexicon.tokens(content))
            yield [word for word, places in sought if holds(held, places)]
