"""Find what may fit: by words and by meaning, each under the plan's filter, with what the one says of the other's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from muniment.model.card import Card, moved
from muniment.model.filter import matches
from muniment.model.receipt import Plan
from muniment.model.rows import Near
from muniment.ports.store import Hit, Snapshot
from muniment.read.words import GAP

WORDS_KEPT = 300
CLOSE_KEPT = 400
MEANING_KEPT = 200
COSINE_LEAST = 0.15
"""What is less alike than this is not alike: two texts picked at random are."""

CLOSE = 0.3
"""What words are worth, besides, that stand as close together in a record as in the question."""

_PEAK = 2.2
"""The most a word can add to a score by words, as a multiple of how rare it is."""


@dataclass(slots=True)
class Found:
    """A revision that may fit, and what is known so far of how well. Lives for one recall.

    `words` is how much of what the question's words could add up to it holds, `meaning` the cosine of its nearest
    passage, `near` whether it is among the nearest of all."""

    card: Card
    words: float = 0.0
    meaning: float = 0.0
    passage: tuple[int, int] | None = None
    nearby: float = 0.0
    session: float = 0.0
    linked: float = 0.0
    near: bool = False
    via: str | None = None

    def take(self, near: Near) -> None:
        self.meaning, self.passage = max(0.0, near.cosine), (near.start, near.end)


@dataclass(slots=True)
class Findings:
    """What was found by its own merit, by number; what matched but speaks no longer, with how well by words; how many
    fail which bound; and how rare each word of the question is."""

    found: dict[int, Found]
    past: tuple[tuple[Card, float], ...]
    passed: int
    counts: dict[str, int]
    rarity: dict[str, float]


def find(snapshot: Snapshot, plan: Plan, vector: bytes | None) -> Findings:
    """Search by words, and by meaning if the question has a vector. Quoted phrases must occur, so they bind both."""
    matched = snapshot.lexicon.search(plan, keep=WORDS_KEPT)
    close = snapshot.lexicon.close(_telling(plan), gap=GAP, keep=CLOSE_KEPT) if matched.hits else {}
    rarity = snapshot.lexicon.weights(_sought(plan))
    most = _PEAK * math.fsum(rarity.values())

    def held(hit: Hit) -> float:
        return max(0.0, hit.score + CLOSE * close.get(hit.card.rid, 0.0)) / most if most > 0 else 0.0

    found = {hit.card.rid: Found(card=hit.card, words=held(hit)) for hit in matched.hits if hit.failed is None}
    own = len(found)
    if vector is not None and plan.reach.model is not None:
        if not plan.terms.phrases:
            _add_near(snapshot, plan, vector, found)
        _measure(snapshot, vector, found)
    past = tuple((hit.card, held(hit)) for hit in matched.hits if hit.failed is not None)
    passed = matched.passed + len(found) - own
    return Findings(found=found, past=past, passed=passed, counts=matched.counts, rarity=rarity)


def _sought(plan: Plan) -> tuple[str, ...]:
    """Every word the search was for, those of quoted phrases included."""
    return tuple(dict.fromkeys([*plan.terms.words, *(word for phrase in plan.terms.phrases for word in phrase)]))


def _telling(plan: Plan) -> tuple[tuple[str, str], ...]:
    """The pairs of words of which neither is too common to be searched for."""
    return tuple(pair for pair in plan.terms.pairs if not set(pair) & set(plan.terms.common))


def _add_near(snapshot: Snapshot, plan: Plan, vector: bytes, found: dict[int, Found]) -> None:
    near = [one for one in snapshot.meanings.search(plan, vector, keep=MEANING_KEPT) if one.cosine >= COSINE_LEAST]
    cards = cards_at(snapshot, plan, [one.rid for one in near if one.rid not in found])
    found.update((rid, Found(card=card)) for rid, card in cards.items())
    for one in near:
        if one.rid in found:
            found[one.rid].take(one)
            found[one.rid].near = True


def _measure(snapshot: Snapshot, vector: bytes, found: dict[int, Found]) -> None:
    unknown = [rid for rid, one in found.items() if one.passage is None]
    for rid, near in snapshot.meanings.measure(unknown, vector).items():
        found[rid].take(near)


def cards_at(snapshot: Snapshot, plan: Plan, rids: Iterable[int]) -> dict[int, Card]:
    """The cards of revisions as they were at the plan's position; one that was not born yet is left out."""
    cards = snapshot.catalogue.cards(rids)
    if plan.at_head:
        return cards
    standings = {rid: snapshot.catalogue.standing_at(rid, plan.as_of) for rid in cards}
    return {rid: moved(cards[rid], standing) for rid, standing in standings.items() if standing is not None}


def admitted(plan: Plan, card: Card) -> bool:
    """Whether a card passes everything the plan asks for: what is found by a roundabout way passes the same filter."""
    return (
        card.seq <= plan.as_of and matches(plan.visible, card) and all(matches(rule, card) for _, rule in plan.wanted)
    )
