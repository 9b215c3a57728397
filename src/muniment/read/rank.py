"""Score what was found as a sum of declared parts, and put it in order. Pure over what it is handed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from muniment.model.receipt import Plan
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import LABEL_RANK, Kind
from muniment.read.find import Found
from muniment.trust.decay import faded, retrievability

Parts = tuple[tuple[str, float], ...]
UNASKED = 10.0
"""How much more a record's own worth counts when there is no question to fit."""

RECENCY_DAYS = 30.0
"""After so many days a record is half as recent."""

KIND_WORTH: dict[str, float] = {
    Kind.DIRECTIVE: 1.0,
    Kind.CORRECTION: 1.0,
    Kind.DECISION: 0.9,
    Kind.CONSTRAINT: 0.9,
    Kind.PREFERENCE: 0.8,
    Kind.PROCEDURE: 0.8,
    Kind.FACT: 0.8,
    Kind.RISK: 0.7,
}
"""How weighty a kind is; what is not listed is worth a half."""

_LABELS = max(LABEL_RANK.values())


def base_scores(plan: Plan, found: Mapping[int, Found]) -> dict[int, float]:
    """How well each fits by words and meaning alone, the best being about 1."""
    words, meaning = _best(found.values())
    weights = plan.weights
    whole = (weights.words if words else 0.0) + (weights.meaning if meaning else 0.0) or 1.0
    return {
        rid: (weights.words * _share(one.bm25, words) + weights.meaning * _share(one.cosine, meaning)) / whole
        for rid, one in found.items()
    }


def parts_of(plan: Plan, found: Mapping[int, Found], fits: Mapping[int, float] | None = None) -> dict[int, Parts]:
    """What each score is the sum of, by the names of the weights; what is nothing is not named. With `fits`, how well
    each fits is one part, and what makes a record worth telling counts `UNASKED` times as much."""
    if fits is not None:
        told = {rid: {"topic": fits.get(rid, 0.0), **_worth(plan, one, UNASKED)} for rid, one in found.items()}
        return {rid: _summed(plan, found[rid], values) for rid, values in told.items()}
    words, meaning = _best(found.values())
    weights = plan.weights
    return {
        rid: _summed(
            plan,
            one,
            {
                "words": weights.words * _share(one.bm25, words),
                "meaning": weights.meaning * _share(one.cosine, meaning),
                "nearby": weights.nearby * one.nearby,
                "linked": weights.linked * one.linked,
                "time": weights.time * in_time(plan, one),
                **_worth(plan, one),
            },
        )
        for rid, one in found.items()
    }


def _best(found: Iterable[Found]) -> tuple[float, float]:
    words = meaning = 0.0
    for one in found:
        words, meaning = max(words, one.bm25), max(meaning, one.cosine)
    return words, meaning


def _share(value: float, best: float) -> float:
    return max(0.0, value) / best if best > 0 else 0.0


def _worth(plan: Plan, one: Found, much: float = 1.0) -> dict[str, float]:
    """What makes a record worth telling, whatever the question is."""
    weights, card = plan.weights, one.card
    return {
        "recency": much * weights.recency * _recency(plan.now, happened(one)),
        "confidence": much * weights.confidence * card.effective,
        "importance": much * weights.importance * card.importance,
        "origin": much * weights.origin * card.label / _LABELS,
        "kind": much * weights.kind * KIND_WORTH.get(card.kind, 0.5),
    }


def _summed(plan: Plan, one: Found, values: Mapping[str, float]) -> Parts:
    parts = {name: round(value, 6) for name, value in values.items() if value > 0}
    whole = math.fsum(parts.values())
    lost = round(faded(whole, _presence(plan, one)) - whole, 6)
    return (*parts.items(), *((("faded", lost),) if lost < 0 else ()))


def score_of(parts: Parts) -> float:
    return math.fsum(value for _, value in parts)


def happened(one: Found) -> Instant:
    """When a record is about, as far as it says; else when it was written."""
    return one.card.event_time if one.card.event_time is not None else one.card.created_at


def in_time(plan: Plan, one: Found) -> float:
    """How well a record falls into the time asked about: 1 inside, less the further outside, by the span's length."""
    if plan.span is None:
        return 0.0
    first, last = plan.span
    at = happened(one)
    if first <= at <= last:
        return 1.0
    outside = (first - at if at < first else at - last) / DAY
    return math.exp(-outside / max(1.0, (last - first) / DAY / 2))


def _recency(now: Instant, at: Instant) -> float:
    return math.exp2(-max(0.0, (now - at) / DAY) / RECENCY_DAYS)


def _presence(plan: Plan, one: Found) -> float:
    card = one.card
    since = card.created_at if card.last_access is None else Instant(max(card.last_access, card.created_at))
    now = Instant(max(plan.now, since))
    return retrievability(half_life_hours=card.half_life, anchored=card.anchored, since=since, now=now)


DIVERSITY = 0.15
ALIKE_FROM = 0.85
"""What is alike beyond this to something told already loses up to `DIVERSITY` of the best score."""


def diverse(order: Sequence[int], scores: Mapping[int, float], alike: Sequence[Sequence[float]]) -> list[int]:
    """Maximal marginal relevance: walk from the best down, each time taking what adds the most to what was taken."""
    if not order:
        return []
    best = max(scores[rid] for rid in order)
    left, taken = list(range(len(order))), list[int]()
    loss = [0.0] * len(order)
    while left:
        pick = max(left, key=lambda spot: (scores[order[spot]] - loss[spot], -spot))
        left.remove(pick)
        taken.append(pick)
        for spot in left:
            likeness = max(0.0, alike[pick][spot] - ALIKE_FROM) / (1 - ALIKE_FROM)
            loss[spot] = max(loss[spot], DIVERSITY * best * min(1.0, likeness))
    return [order[spot] for spot in taken]
