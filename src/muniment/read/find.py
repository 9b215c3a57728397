"""Find what may fit: by words and by meaning, each under the plan's filter, with what the one says of the other's."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from muniment.model.card import Card
from muniment.model.filter import matches
from muniment.model.receipt import Plan
from muniment.model.rows import NearbyText
from muniment.ports.hits import Hit
from muniment.ports.store import Snapshot
from muniment.read.exact import Match, coverage, foretell_pointed, pointed_at
from muniment.read.past_cards import cards_then
from muniment.read.words import GAP

WORDS_KEPT = 100
CLOSE_KEPT = 100
MEANING_KEPT = 100
KEPT = 48
"""So many are looked at by words, by meaning, and then closely."""

LATE = 32
"""So many of what is nearest are looked up by their words if the search by words was cut before it came to them."""

SEEDS = 6
"""Names and links of so many of the best are followed."""

FEW = 20
"""In a store of no more records than this, how rare a word is says nothing."""

FAIR_WORDS = 0.5
FAIR_MEANING = 0.5
"""What a fair match has at least: that share of what the words could add up to, that cosine."""

COSINE_LEAST = 0.15
"""What is less alike than this is not alike: two texts picked at random are."""

SMALL = 50
LESS_WORDS, MORE_MEANING = 0.25, 0.6
"""Among few records nobody can tell how rare a word is, so in small stores words count for less and meaning for more:
by half of these shares in a store of `SMALL` records, by hardly anything in a large one."""

CLOSE = 0.3
"""What words are worth, besides, that stand as close together in a record as in the question."""

EXPECTED, BY_WORDS = 0.33, 0.56
"""How near a record may be expected to be that has no vector yet, as a share of how near the nearest is: so much
whatever it says, and so much more the better its words fit. Measured on records that have one (see bench/tune)."""

_PEAK = 2.2
"""The most a word can add to a score by words, as a multiple of how rare it is."""


@dataclass(slots=True)
class FoundRevision:
    """A revision that may fit, and what is known so far of how well. Lives for one recall.

    `words` is how much of what the question's words could add up to it holds, `meaning` the cosine of its nearest
    passage. Without a vector that is what its words let expect, so that it neither gains nor loses by it."""

    card: Card
    words: float = 0.0
    meaning: float = 0.0
    has_vector: bool = False
    passage: tuple[int, int] | None = None
    nearby: float = 0.0
    session: float = 0.0
    exact: Match = Match.NONE
    linked: float = 0.0
    via: str | None = None

    def take(self, near: NearbyText) -> None:
        self.meaning, self.passage, self.has_vector = max(0.0, near.cosine), (near.start, near.end), True


@dataclass(slots=True)
class Findings:
    """What was found by its own merit, by number; what matched but speaks no longer, with how well by words; how many
    fail which bound; how rare each word of the question is; what a point by words and one by meaning
    are worth; and the cosines of the nearest."""

    found: dict[int, FoundRevision]
    past: tuple[tuple[Card, float], ...]
    passed: int
    counts: dict[str, int]
    rarity: dict[str, float]
    scales: tuple[float, float]
    nearest: tuple[float, ...] = ()

    def evidence(self) -> dict[int, float]:
        """How well each fits by words and meaning alone."""
        words, meaning = self.scales
        return {rid: words * one.words + meaning * one.meaning for rid, one in self.found.items()}


def find(snapshot: Snapshot, plan: Plan, vector: bytes | None) -> Findings:
    """Search by words, and by meaning if the question has a vector. Quoted phrases must occur, so they bind both.

    Many are looked at roughly, and the best of them closely: only those have their cards fetched."""
    _foretell(snapshot, plan, vector)
    rarity = snapshot.lexicon.weights(_sought(plan))
    foretell_pointed(snapshot, plan, rarity)
    matched = snapshot.lexicon.search(plan, keep=max(WORDS_KEPT, plan.limit))
    close = cache(partial(snapshot.lexicon.close, _telling(plan), gap=GAP, keep=CLOSE_KEPT))
    words = _shares(snapshot, matched.hits, rarity, close)
    pointed = pointed_at(snapshot, plan, rarity)
    for rid in [rid for rid, match in pointed.items() if match is Match.CODE]:
        held = snapshot.lexicon.held(rid, tuple(rarity))
        words[rid] = max(words.get(rid, 0.0), coverage(rarity, held))
    own = list(dict.fromkeys([*(hit.rid for hit in matched.hits if hit.failed is None), *pointed]))
    nearest = _nearest(snapshot, plan, vector) if vector is not None else ()
    near = {one.rid: one for one in nearest if one.cosine >= COSINE_LEAST}
    late: list[int] = []
    if len(own) >= max(WORDS_KEPT, plan.limit):  # there are more matches: what is near may be among them
        late = heapq.nlargest(LATE, near.keys() - words.keys(), key=lambda rid: (near[rid].cosine, rid))
    near |= _compared(snapshot, plan, vector, [rid for rid in own if rid not in near], late)
    if late:
        scores = snapshot.lexicon.score(plan.terms, late)
        hits = [Hit(rid=rid, score=score, failed=None) for rid, score in scores.items()]
        words |= _shares(snapshot, hits, rarity, close)
    scales = _scales(plan, words, near, snapshot.lexicon.count())
    meaning = {rid: max(0.0, one.cosine) for rid, one in near.items()}
    if near:
        meaning |= _expected({rid: words.get(rid, 0.0) for rid in own if rid not in near}, words, meaning)
    rough = {
        rid: scales[0] * words.get(rid, 0.0) + scales[1] * meaning.get(rid, 0.0) for rid in dict.fromkeys([*own, *near])
    }
    best = heapq.nlargest(max(KEPT, plan.limit + KEPT // 2), rough, key=lambda rid: (rid in pointed, rough[rid], rid))
    past = [hit.rid for hit in matched.hits if hit.failed is not None]
    snapshot.ahead(
        partial(snapshot.catalogue.cards, [*best, *past]),
        *(partial(ask, best[:SEEDS]) for ask in (snapshot.names.mentions, snapshot.links.of) if plan.weights.linked),
    )
    cards = cards_at(snapshot, plan, [*best, *past])
    found = {
        rid: FoundRevision(card=cards[rid], words=words.get(rid, 0.0), meaning=meaning.get(rid, 0.0))
        for rid in best
        if rid in cards
    }
    for rid, one in found.items():
        if rid in near:
            one.take(near[rid])
        if rid in pointed:
            one.exact = pointed[rid]
    return Findings(
        found=found,
        past=tuple((cards[rid], words[rid]) for rid in past if rid in cards),
        passed=matched.passed + len(near.keys() - set(own)),
        counts=matched.counts,
        rarity=rarity,
        scales=scales,
        nearest=tuple(one.cosine for one in nearest),
    )


def _foretell(snapshot: Snapshot, plan: Plan, vector: bytes | None) -> None:
    """Tell the store what a search asks first: the ranking by words, what stands close together, and what is near."""
    snapshot.ahead(
        partial(snapshot.lexicon.search, plan, keep=max(WORDS_KEPT, plan.limit)),
        partial(snapshot.lexicon.close, _telling(plan), gap=GAP, keep=CLOSE_KEPT),
    )
    if vector is not None:
        snapshot.ahead(partial(_nearest, snapshot, plan, vector))


def _shares(
    snapshot: Snapshot, hits: Sequence[Hit], rarity: Mapping[str, float], close: Callable[[], Mapping[int, float]]
) -> dict[int, float]:
    """How much of what the question's words could add up to each match holds. Among few records a word that most of
    them hold counts for nothing by how rare it is, so there the words that are held are counted."""
    if snapshot.lexicon.count() <= FEW:
        return {hit.rid: coverage(rarity, snapshot.lexicon.held(hit.rid, tuple(rarity))) for hit in hits}
    most = _PEAK * math.fsum(rarity.values())
    if not hits or most <= 0:
        return {hit.rid: 0.0 for hit in hits}
    nearby = close()
    return {hit.rid: max(0.0, hit.score + CLOSE * nearby.get(hit.rid, 0.0)) / most for hit in hits}


def _nearest(snapshot: Snapshot, plan: Plan, vector: bytes) -> tuple[NearbyText, ...]:
    """The nearest of all. Quoted phrases must occur, so with them only what the words matched is compared."""
    if plan.reach.model is None or plan.terms.phrases:
        return ()
    return snapshot.meanings.search(plan, vector, keep=max(MEANING_KEPT, plan.limit))


def _compared(
    snapshot: Snapshot, plan: Plan, vector: bytes | None, rids: Sequence[int], late: Sequence[int]
) -> dict[int, NearbyText]:
    """How near these are that the words matched. The words of what is near are looked up next."""
    if vector is None or plan.reach.model is None:
        return {}
    asks = partial(snapshot.meanings.measure, rids, vector), partial(snapshot.lexicon.score, plan.terms, late)
    snapshot.ahead(*asks)
    return snapshot.meanings.measure(rids, vector)


def _expected(
    without: Mapping[int, float], words: Mapping[int, float], meaning: Mapping[int, float]
) -> dict[int, float]:
    """How near each record without a vector may be expected to be, by how well its words fit."""
    most = max(FAIR_WORDS, max(words.values(), default=0.0))
    nearest = max(FAIR_MEANING, max(meaning.values(), default=0.0))
    return {rid: nearest * (EXPECTED + BY_WORDS * share / most) for rid, share in without.items()}


def _scales(
    plan: Plan, words: Mapping[int, float], near: Mapping[int, NearbyText], records: int
) -> tuple[float, float]:
    """What a point by words and one by meaning are worth: the best of each gets its whole weight, unless it is less
    than fair, so that the best of a poor lot does not look good."""
    most = max(FAIR_WORDS, max(words.values(), default=0.0))
    nearest = max(FAIR_MEANING, max((one.cosine for one in near.values()), default=0.0))
    small = SMALL / (SMALL + records) if near else 0.0
    return (
        plan.weights.words * (1 - LESS_WORDS * small) / most,
        plan.weights.meaning * (1 + MORE_MEANING * small) / nearest,
    )


def _sought(plan: Plan) -> tuple[str, ...]:
    """Every word the search was for, those of quoted phrases included."""
    return tuple(dict.fromkeys([*plan.terms.words, *(word for phrase in plan.terms.phrases for word in phrase)]))


def _telling(plan: Plan) -> tuple[tuple[str, str], ...]:
    """The pairs of words of which neither is too common to be searched for."""
    return tuple(pair for pair in plan.terms.pairs if not set(pair) & set(plan.terms.common))


def cards_at(snapshot: Snapshot, plan: Plan, rids: Iterable[int]) -> dict[int, Card]:
    """The cards of revisions as they were at the plan's position; one that was not born yet is left out."""
    cards = snapshot.catalogue.cards(rids)
    return {card.rid: card for card in cards_then(snapshot, plan, cards.values())}


def admitted(plan: Plan, card: Card) -> bool:
    """Whether a card passes everything the plan asks for: what is found by a roundabout way passes the same filter."""
    return (
        card.seq <= plan.as_of and matches(plan.visible, card) and all(matches(rule, card) for _, rule in plan.wanted)
    )
