"""Score what was found as a sum of declared parts, and put it in order. Pure over what it is handed."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from muniment.model.card import Card
from muniment.model.receipt import Candidate, Plan
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import LABEL_RANK, Kind
from muniment.read.exact import Match
from muniment.read.find import Findings, FoundRevision
from muniment.read.words import words_of
from muniment.trust.decay import faded, retrievability

Parts = tuple[tuple[str, float], ...]
RERANKED = "reranked"
"""The part of a score that a reranker gave or took."""
UNASKED = 10.0
"""How much more a record's own worth counts when there is no question to fit."""

RECENCY = 90 * DAY
"""After so long a record is half as recent."""

DAYS_BEFORE = 3.0
DAYS_AFTER = 10.0
FUTURE_SLACK = DAY // 2
"""Clocks and time zones differ: what is less than this ahead of the question is not after it."""

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

FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})
_LABELS = max(LABEL_RANK.values())


def ranked(plan: Plan, findings: Findings, *, keep: int) -> dict[int, Parts]:
    """The best of what was found, from the best down, with what each score is the sum of."""
    found, scales = findings.found, findings.scales
    subjects = _subjects(plan, found)
    values = {rid: _values(plan, one, scales, subjects) for rid, one in found.items()}
    rough = {rid: math.fsum(one) for rid, one in values.items()}
    best = heapq.nlargest(keep, rough, key=lambda rid: (found[rid].exact, _faded(plan, found[rid], rough[rid]), rid))
    parts = {rid: _named(plan, found[rid], NAMES, values[rid]) for rid in best}
    return dict(sorted(parts.items(), key=lambda one: (-score_of(one[1]), -one[0])))


def raised(scores: Mapping[int, float], found: Mapping[int, FoundRevision]) -> dict[int, float]:
    """What is added to the scores of what the question points at, so that it comes before what it does not point at.
    All that match alike are raised alike. A record with a rare word comes before those that hold no word of the
    question; one with a code, and one that is the text of the question, before all others."""
    added = dict.fromkeys(scores, 0.0)
    for match in sorted({one.exact for one in found.values()} - {Match.NONE}):
        these = [rid for rid in scores if rid in found and found[rid].exact == match]
        those = [rid for rid in scores if (found[rid].exact if rid in found else Match.NONE) < match]
        if match is Match.WORD:
            those = [rid for rid in those if rid in found and not found[rid].words]
        if these and those:
            above = math.nextafter(max(scores[rid] + added[rid] for rid in those), math.inf)
            lift = above - min(scores[rid] for rid in these)
            added.update((rid, round(lift + 5e-7, 6)) for rid in these if lift > 0)
    return added


def ranked_unasked(
    plan: Plan, found: Mapping[int, FoundRevision], fits: Mapping[int, float], *, keep: int
) -> dict[int, Parts]:
    """The same when there is no question: `fits` says how well each fits a topic, and what makes a record worth telling
    counts `UNASKED` times as much."""
    names = ("topic", *NAMES[-5:])
    parts = {rid: _named(plan, one, names, (fits.get(rid, 0.0), *_unasked(plan, one))) for rid, one in found.items()}
    best = heapq.nsmallest(keep, parts, key=lambda rid: (-score_of(parts[rid]), -rid))
    return {rid: parts[rid] for rid in best}


def _unasked(plan: Plan, one: FoundRevision) -> list[float]:
    return [UNASKED * value for value in _worth(plan, one.card, happened(one))]


NAMES = (
    "words",
    "meaning",
    "nearby",
    "session",
    "linked",
    "subject",
    "time",
    "future",
    "recency",
    "confidence",
    "importance",
    "origin",
    "kind",
)
"""The parts of a score, in the order `_values` gives them."""

FITTING = frozenset({"words", "meaning", "nearby", "session", "linked", "time"})
"""The parts that say how well a record fits the question. The others only prefer."""


def _values(
    plan: Plan, one: FoundRevision, scales: tuple[float, float], subjects: AbstractSet[str]
) -> tuple[float, ...]:
    weights, at = plan.weights, happened(one)
    return (
        scales[0] * one.words,
        scales[1] * one.meaning,
        weights.nearby * one.nearby,
        weights.session * one.session,
        weights.linked * one.linked,
        weights.subject if one.card.actor in subjects else 0.0,
        weights.time * in_time(plan.span, at) if plan.span is not None else 0.0,
        -weights.future if at > plan.asked + FUTURE_SLACK else 0.0,
        *_worth(plan, one.card, at),
    )


def _worth(plan: Plan, card: Card, at: Instant) -> tuple[float, float, float, float, float]:
    """What makes a record worth telling, whatever the question is. `at` is when it is about."""
    weights = plan.weights
    return (
        weights.recency * math.exp2(-max(0, min(plan.now, plan.asked) - at) / RECENCY),
        weights.confidence * card.effective,
        weights.importance * card.importance,
        weights.origin * card.label / _LABELS,
        weights.kind * KIND_WORTH.get(card.kind, 0.5),
    )


def _subjects(plan: Plan, found: Mapping[int, FoundRevision]) -> set[str]:
    """Whom the question is about, of those who wrote what was found: who is named in it, or asks it of themselves."""
    spoken = {*plan.terms.words, *plan.terms.common}
    writers = {one.card.actor for one in found.values()}
    named = {actor for actor in writers if (parts := words_of(actor)) and spoken.issuperset(parts)}
    return named | ({plan.asker} if plan.asker is not None and spoken & FIRST_PERSON else set())


def in_stead(plan: Plan, findings: Findings, words: float) -> float:
    """The score of what speaks for a match that is past: as if it fitted in meaning as well as in words."""
    share = findings.scales[0] * words / plan.weights.words if plan.weights.words else 0.0
    return (plan.weights.words + plan.weights.meaning) * min(1.0, share)


def _named(plan: Plan, one: FoundRevision, names: Sequence[str], values: Sequence[float]) -> Parts:
    parts = [(name, round(value, 6)) for name, value in zip(names, values, strict=True) if value]
    if one.card.half_life is None:
        return tuple(parts)
    whole = score_of(parts)
    lost = round(_faded(plan, one, whole) - whole, 6)
    return (*parts, ("faded", lost)) if lost < 0 else tuple(parts)


def _faded(plan: Plan, one: FoundRevision, whole: float) -> float:
    return whole if one.card.half_life is None or whole <= 0 else faded(whole, _presence(plan, one))


def score_of(parts: Sequence[tuple[str, float]]) -> float:
    return math.fsum([value for _, value in parts])


def reordered(parts: Mapping[int, Parts], judged: Sequence[int]) -> dict[int, Parts]:
    """The parts of scores when those that were judged change places: each gets the score that its new place had."""
    scores = by_place({rid: score_of(sums) for rid, sums in parts.items()}, judged)
    return {
        rid: (*sums, (RERANKED, round(scores[rid] - score_of(sums), 6))) if rid in scores else sums
        for rid, sums in parts.items()
    }


def order_of(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """The order that a reranker put these in, as their scores tell; nothing if there was none."""
    judged: dict[str, float] = {}
    for one in candidates:
        names = [name for name, _ in one.parts]
        if RERANKED in names:
            judged[one.id] = score_of(one.parts[: names.index(RERANKED) + 1])
    return tuple(sorted(judged, key=lambda name: -judged[name]))


def by_place(values: Mapping[int, float], judged: Sequence[int]) -> dict[int, float]:
    """The values of those that were judged, the greatest for the first; no two alike."""
    found: dict[int, float] = {}
    least = math.inf
    for rid, value in zip(judged, sorted((values[rid] for rid in judged), reverse=True), strict=True):
        least = min(value, least - 2e-6)
        found[rid] = least
    return found


def fitting(parts: Sequence[tuple[str, float]]) -> float:
    """How much of a score says that a record fits the question."""
    return math.fsum([value for name, value in parts if name in FITTING])


def happened(one: FoundRevision) -> Instant:
    """When a record is about, as far as it says; else when it was written."""
    return one.card.event_time if one.card.event_time is not None else one.card.created_at


def in_time(span: tuple[Instant, Instant], at: Instant) -> float:
    """How well an instant falls into the time asked about: 1 inside, less the further outside. What is told of a thing
    is more often told after it than before."""
    first, last = span
    return math.exp(-max(0, first - at) / DAY / DAYS_BEFORE - max(0, at - last) / DAY / DAYS_AFTER)


def _presence(plan: Plan, one: FoundRevision) -> float:
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
