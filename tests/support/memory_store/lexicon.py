"""Search by words without an index: the tokens of all stores, SQLite's ranking computed from the formula.

The tokenizer is the one of all stores, so that they mean the same by a word. Counting, ranking and filtering are
written out here a second time, plainly, so that one store can be held against the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain

from tests.support.memory_store.tables import Tables, standing_at

from muniment.backends.nearness import (
    NEAR_NAMED,
    NEAR_NAMED_MAX,
    NEAR_POOL,
    NEAR_POSTINGS_MAX,
    NEAR_WORDS_MAX,
    closest,
    least_shared,
    near_weight,
)
from muniment.backends.pools import ENOUGH, deep_enough, rarity, tally, without_common
from muniment.backends.tokens import asked, looked_up, neighbours, phrased, single, terms_of
from muniment.model.card import Card, moved
from muniment.model.filter import matches
from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.record import Record
from muniment.model.status import Status
from muniment.model.value import read_canonical
from muniment.ports.hits import Hit, Matches, Neighbour
from muniment.ports.lexicon import Places

K1 = 1.2
B = 0.75

_REDIRECTING = (Status.SUPERSEDED, Status.DEPRECATED)


class MemoryLexicon:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def tokens(self, text: str) -> list[str]:
        return list(terms_of(text))

    def places(self, words: Iterable[str]) -> dict[str, Places]:
        return looked_up(words, self.holding)

    def prune(self, terms: Terms, *, spare: bool = True) -> Terms:
        holding = {word: self._holding(word) for word in terms.words}
        return without_common(terms, holding, self.count(), spare=spare)

    def count(self) -> int:
        return len(self._tables.terms)

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        counts = Counter(term for text in self._tables.terms.values() for term in set(chain.from_iterable(text)))
        return {term: counts[term] for term in terms if term in counts}

    def weights(self, words: tuple[str, ...]) -> dict[str, float]:
        return {word: rarity(self._holding(word), len(self._tables.terms)) for word in words}

    def close(self, pairs: tuple[tuple[str, str], ...], *, gap: int, keep: int) -> dict[int, float]:
        terms = [(single(one), single(other)) for one, other in pairs]
        known = [(one, other) for one, other in terms if one is not None and other is not None]
        mean = sum(len(text) for text in self._tables.terms.values()) / max(1, len(self._tables.terms))
        found: list[tuple[float, int]] = []
        for rid, text in self._tables.terms.items():
            counts = [count for one, other in known for count in _close(one, other, text, gap)]
            if any(counts):
                idf = [self._idf(((word,),)) for pair in known for word in pair]
                found.append((_score(counts, idf, len(text) / mean), rid))
        return {rid: score for score, rid in sorted(found, reverse=True)[:keep]}

    def _holding(self, word: str) -> int:
        """How many texts hold a word. One that is at several places is never common."""
        places = self.places([word])[word]
        return sum(1 for text in self._tables.terms.values() if _occurrences(places, text)) if len(places) == 1 else 0

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        required, scored = asked(terms, self.places((*terms.words, *phrased(terms))))
        idf = [self._idf(phrase) for phrase in scored]
        mean = sum(len(text) for text in self._tables.terms.values()) / max(1, len(self._tables.terms))
        found = {}
        for rid in rids:
            text = self._tables.terms.get(rid, ())
            frequencies = [_occurrences(phrase, text) for phrase in scored]
            if any(frequencies) and all(frequencies[:required]):
                found[rid] = _score(frequencies, idf, len(text) / mean)
        return found

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        text = self._tables.terms.get(rid, ())
        return frozenset(word for word, places in self.places(words).items() if places and _occurrences(places, text))

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        latest: dict[str, set[int]] = {}
        for word, term in neighbours(words, NEAR_WORDS_MAX).items():
            texts = sorted(self._tables.terms.items(), reverse=True)
            holding = [rid for rid, text in texts if any(term in place for place in text)]
            latest[word] = set(holding[:NEAR_POSTINGS_MAX])
        scores: dict[int, float] = defaultdict(float)
        for found in latest.values():
            for rid in found:
                scores[rid] += near_weight(len(found))
        shared = Counter(rid for found in latest.values() for rid in found)
        near = [rid for rid in scores if shared[rid] >= least_shared(len(latest))]
        pool = set(sorted(near, key=lambda rid: (scores[rid], rid), reverse=True)[:NEAR_POOL])
        named = {rid for found in latest.values() if len(found) <= NEAR_NAMED_MAX for rid in found}
        pool |= set(sorted(named, key=lambda rid: (scores[rid], rid), reverse=True)[:NEAR_NAMED])
        return closest({rid: self._text(rid) for rid in sorted(pool)}, latest, keep=keep)

    def _text(self, rid: int) -> str:
        return read_canonical(self._tables.documents[rid].body, Record).content

    def search(self, plan: Plan, *, keep: int) -> Matches:
        scores = self.score(plan.terms, self._tables.terms)
        judged = (self._judge(plan, rid, score) for rid, score in scores.items())
        hits = [hit for hit in judged if hit is not None]
        hits.sort(key=lambda hit: (hit.score, hit.rid), reverse=True)
        looked_at = deep_enough(hits, whole=True, enough=min(keep, max(ENOUGH, plan.limit))) or ()
        passed, counts = tally(looked_at)
        best = [hit for hit in looked_at if hit.failed is None]
        past = [hit for hit in looked_at if hit.failed in _REDIRECTING]
        return Matches(hits=(*best[:keep], *past[:keep]), passed=passed, counts=counts)

    def _judge(self, plan: Plan, rid: int, score: float) -> Hit | None:
        """A match as a hit with the first bound it fails, or None when the caller may not see it."""
        card = self._card_at(plan, rid)
        if card.seq > plan.as_of or not matches(plan.visible, card):
            return None
        failed = next((name for name, condition in plan.wanted if not matches(condition, card)), None)
        return Hit(rid=rid, score=score, failed=card.status if failed == STATUS else failed)

    def _card_at(self, plan: Plan, rid: int) -> Card:
        card = self._tables.cards[rid]
        if plan.at_head:
            return card
        return moved(card, standing_at(self._tables, card, plan.as_of)) if card.seq <= plan.as_of else card

    def _idf(self, phrase: Places) -> float:
        total = len(self._tables.terms)
        holding = sum(1 for text in self._tables.terms.values() if _occurrences(phrase, text))
        return rarity(holding, total)


def _score(frequencies: list[int], idf: list[float], length: float) -> float:
    """BM25 with FTS5's constants: how rare each phrase is, how often it occurs, how long the text is for its kind."""
    norm = K1 * (1 - B + B * length)
    return sum(
        weight * (frequency * (K1 + 1) / (frequency + norm)) for weight, frequency in zip(idf, frequencies, strict=True)
    )


def _close(one: str, other: str, text: Places, gap: int) -> tuple[int, int]:
    """How many times each of two words stands with at most `gap` others between it and the other."""
    spots, others = ([spot for spot, place in enumerate(text) if word in place] for word in (one, other))
    near = [(here, there) for here in spots for there in others if abs(here - there) <= gap + 1]
    return len({here for here, _ in near}), len({there for _, there in near})


def _occurrences(phrase: Places, text: Places) -> int:
    """How often a phrase stands in a text: at each place one of its terms."""
    if len(phrase) == 1:
        wanted = set(phrase[0])
        return sum(1 for place in text if not wanted.isdisjoint(place))
    starts = range(len(text) - len(phrase) + 1)
    return sum(
        1 for start in starts if all(set(one).intersection(text[start + spot]) for spot, one in enumerate(phrase))
    )
