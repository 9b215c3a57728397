"""Search by words without an index: SQLite's tokens, and its ranking computed from the formula. Knows no SQL.

The tokenizer is FTS5's own, so that both stores mean the same by a word. Counting, ranking and filtering are written
out here a second time, plainly, so that one store can be held against the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from muniment.backends.memory.tables import Tables, standing_at
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
from muniment.backends.tokens import tokenize
from muniment.model.card import Card, moved
from muniment.model.filter import matches
from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.record import Record
from muniment.model.status import Status
from muniment.model.value import read_canonical
from muniment.ports.hits import Hit, Matches, Neighbour

K1 = 1.2
B = 0.75

_REDIRECTING = (Status.SUPERSEDED, Status.DEPRECATED)

Phrase = tuple[str, ...]


class MemoryLexicon:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def tokens(self, text: str) -> list[str]:
        return list(tokenize(text))

    def prune(self, terms: Terms, *, spare: bool = True) -> Terms:
        holding = {word: self._holding(word) for word in terms.words}
        return without_common(terms, holding, self.count(), spare=spare)

    def count(self) -> int:
        return len(self._tables.terms)

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        counts = {term: sum(term in text for text in self._tables.terms.values()) for term in set(terms)}
        return {term: count for term, count in counts.items() if count}

    def weights(self, words: tuple[str, ...]) -> dict[str, float]:
        return {word: rarity(self._holding(word), len(self._tables.terms)) for word in words}

    def close(self, pairs: tuple[tuple[str, str], ...], *, gap: int, keep: int) -> dict[int, float]:
        terms = [(tokenize(one), tokenize(other)) for one, other in pairs]
        known = [(one[0], other[0]) for one, other in terms if len(one) == len(other) == 1]
        mean = sum(len(text) for text in self._tables.terms.values()) / max(1, len(self._tables.terms))
        found: list[tuple[float, int]] = []
        for rid, text in self._tables.terms.items():
            counts = [count for one, other in known for count in _close(one, other, text, gap)]
            if any(counts):
                idf = [self._idf((word,)) for pair in known for word in pair]
                found.append((_score(counts, idf, len(text) / mean), rid))
        return {rid: score for score, rid in sorted(found, reverse=True)[:keep]}

    def _holding(self, word: str) -> int:
        """How many texts hold a word. One that is several terms is never common."""
        term = tokenize(word)
        return sum(1 for text in self._tables.terms.values() if term[0] in text) if len(term) == 1 else 0

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        required, scored = _phrases(terms)
        idf = [self._idf(phrase) for phrase in scored]
        mean = sum(len(text) for text in self._tables.terms.values()) / max(1, len(self._tables.terms))
        found = {}
        for rid in rids:
            text = self._tables.terms.get(rid, ())
            frequencies = [_occurrences(phrase, text) for phrase in scored]
            if any(frequencies) and all(_occurrences(phrase, text) for phrase in required):
                found[rid] = _score(frequencies, idf, len(text) / mean)
        return found

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        text = self._tables.terms.get(rid, ())
        return frozenset(word for word in words if (phrase := tokenize(word)) and _occurrences(phrase, text))

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        asked = [word for word in dict.fromkeys(words[:NEAR_WORDS_MAX]) if len(tokenize(word)) == 1]
        latest: dict[str, set[int]] = {}
        for word in asked:
            (term,) = tokenize(word)
            holding = [rid for rid in sorted(self._tables.terms, reverse=True) if term in self._tables.terms[rid]]
            latest[word] = set(holding[:NEAR_POSTINGS_MAX])
        scores: dict[int, float] = defaultdict(float)
        for found in latest.values():
            for rid in found:
                scores[rid] += near_weight(len(found))
        shared = Counter(rid for found in latest.values() for rid in found)
        near = [rid for rid in scores if shared[rid] >= least_shared(len(asked))]
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

    def _idf(self, phrase: Phrase) -> float:
        total = len(self._tables.terms)
        holding = sum(1 for text in self._tables.terms.values() if _occurrences(phrase, text))
        return rarity(holding, total)


def _score(frequencies: list[int], idf: list[float], length: float) -> float:
    """BM25 with FTS5's constants: how rare each phrase is, how often it occurs, how long the text is for its kind."""
    norm = K1 * (1 - B + B * length)
    return sum(
        weight * (frequency * (K1 + 1) / (frequency + norm)) for weight, frequency in zip(idf, frequencies, strict=True)
    )


def _close(one: str, other: str, text: tuple[str, ...], gap: int) -> tuple[int, int]:
    """How many times each of two words stands with at most `gap` others between it and the other."""
    spots, others = ([spot for spot, term in enumerate(text) if term == word] for word in (one, other))
    near = [(here, there) for here in spots for there in others if abs(here - there) <= gap + 1]
    return len({here for here, _ in near}), len({there for _, there in near})


def _phrases(terms: Terms) -> tuple[list[Phrase], list[Phrase]]:
    """The phrases that must occur, and those that are scored.

    Beside required phrases a word only adds to the score. FTS5 says so as `p AND (p OR word …)`, where the first
    phrase stands twice and so counts twice; the same is done here.
    """
    required = [found for words in terms.phrases if (found := tokenize(" ".join(words)))]
    words = [found for word in terms.words if (found := tokenize(word))]
    if not required:
        return [], words
    return required, [*required, required[0], *words] if words else required


def _occurrences(phrase: Phrase, text: tuple[str, ...]) -> int:
    if len(phrase) == 1:
        return text.count(phrase[0])
    return sum(1 for start in range(len(text) - len(phrase) + 1) if text[start : start + len(phrase)] == phrase)
