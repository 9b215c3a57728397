"""Find what may fit: by words and by meaning, each under the plan's filter, with what the one says of the other's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from muniment.model.card import Card, moved
from muniment.model.filter import matches
from muniment.model.receipt import Plan
from muniment.model.rows import Near
from muniment.ports.store import Hit, Snapshot

WORDS_KEPT = 200
MEANING_KEPT = 200
COSINE_LEAST = 0.15
"""What is less alike than this is not alike: two texts picked at random are."""


@dataclass(slots=True)
class Found:
    """A revision that may fit, and what is known so far of how well. Lives for one recall."""

    card: Card
    bm25: float = 0.0
    cosine: float = 0.0
    passage: tuple[int, int] | None = None
    nearby: float = 0.0
    linked: float = 0.0
    via: str | None = None

    def take(self, near: Near) -> None:
        self.cosine, self.passage = near.cosine, (near.start, near.end)


@dataclass(slots=True)
class Findings:
    """What was found by its own merit, by number; what matched but speaks no longer; and how many fail which bound."""

    found: dict[int, Found]
    past: tuple[Hit, ...]
    passed: int
    counts: dict[str, int]


def find(snapshot: Snapshot, plan: Plan, vector: bytes | None) -> Findings:
    """Search by words, and by meaning if the question has a vector. Quoted phrases must occur, so they bind both."""
    matched = snapshot.lexicon.search(plan, keep=WORDS_KEPT)
    found = {hit.card.rid: Found(card=hit.card, bm25=hit.score) for hit in matched.hits if hit.failed is None}
    own = len(found)
    if vector is not None and plan.reach.model is not None:
        if not plan.terms.phrases:
            _add_near(snapshot, plan, vector, found)
        _measure(snapshot, vector, found)
    past = tuple(hit for hit in matched.hits if hit.failed is not None)
    passed = matched.passed + len(found) - own
    return Findings(found=found, past=past, passed=passed, counts=matched.counts)


def _add_near(snapshot: Snapshot, plan: Plan, vector: bytes, found: dict[int, Found]) -> None:
    near = [one for one in snapshot.meanings.search(plan, vector, keep=MEANING_KEPT) if one.cosine >= COSINE_LEAST]
    cards = cards_at(snapshot, plan, [one.rid for one in near if one.rid not in found])
    found.update((rid, Found(card=card)) for rid, card in cards.items())
    for one in near:
        if one.rid in found:
            found[one.rid].take(one)


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
