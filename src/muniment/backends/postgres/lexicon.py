"""Search by words in a B-tree of postings, with the answers of FTS5, under a filter that is part of the statement."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import cast

import numpy as np

from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX, NEAR_WORDS_MAX, closest, pool_of
from muniment.backends.pools import Match, looked, rarity, without_common
from muniment.backends.postgres.phrases import Occurrences, close_by, occurrences, spellings, together
from muniment.backends.postgres.postings import Postings, PostingsChange
from muniment.backends.postgres.ranking import (
    PhraseParts,
    RankingQuery,
    RankingStatement,
    ScoredTerm,
    intersection,
    matches,
    scores,
    worth,
)
from muniment.backends.postgres.transaction import Row, Transaction
from muniment.backends.tokens import asked, looked_up, neighbours, phrased, single, terms_of
from muniment.model.receipt import Plan, Terms
from muniment.model.value import Value, read_canonical
from muniment.ports.hits import Matches, Neighbour
from muniment.ports.lexicon import Places

__all__ = ["PostgresLexicon", "PostingsChange"]

_HITS_AT_ONCE = 64
"""Of so many hits at most the words they hold are looked up together."""


class _Claim(Value, forbid_unknown_fields=False):
    content: str


class _Said(Value, forbid_unknown_fields=False):
    """Of a record as it is kept, what it says."""

    claim: _Claim


class PostgresLexicon:
    """The word index of one tenant. Who writes has a `latest`, and nothing but that is remembered for it: it has no one
    moment. `totals` tells how many texts are indexed, and how many terms they have together."""

    def __init__(self, link: Transaction, latest: Latest | None, totals: Callable[[], tuple[int, int]]) -> None:
        self._link = link
        self._latest = latest
        self._totals = totals
        self._postings = Postings(link)
        self._counted: dict[str, int] = {}
        self._hits: tuple[int, ...] = ()
        self._known: dict[tuple[str, ...], dict[int, frozenset[str]]] = {}

    def tokens(self, text: str) -> list[str]:
        return list(terms_of(text))

    def places(self, words: Iterable[str]) -> dict[str, Places]:
        return looked_up(words, self._count)

    def count(self) -> int:
        return self._totals()[0]

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        counted = self._count(set(terms))
        return {term: number for term, number in counted.items() if number}

    def prune(self, terms: Terms, *, spare: bool = True) -> Terms:
        return without_common(terms, self._holding(terms.words), self.count(), spare=spare)

    def weights(self, words: tuple[str, ...]) -> dict[str, float]:
        total = self.count()
        return {word: rarity(holding, total) for word, holding in self._holding(words).items()}

    def close(self, pairs: tuple[tuple[str, str], ...], *, gap: int, keep: int) -> dict[int, float]:
        spelled = [(single(one), single(other)) for one, other in pairs]
        known = [(one, other) for one, other in spelled if one is not None and other is not None]
        counted = self._count(set(chain.from_iterable(known)))
        held = [pair for pair in known if counted[pair[0]] and counted[pair[1]]]
        total, mean = self._size()
        parts = PhraseParts()
        for (one, other), found in zip(held, together(self._link, held, counted), strict=True):
            times = close_by(found, one, other, gap)
            for place, (term, number) in enumerate(zip((one, other), times, strict=True)):
                stands = number > 0
                value = worth(rarity(counted[term], total), number[stands], found.sizes[stands], mean)
                parts.add(place, found.rids[stands], value)
        return _best_parts(parts, keep)

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        wanted = list(dict.fromkeys(rids))
        question = self._question(terms, only=wanted) if wanted else None
        if question is None:
            return {}
        statement = RankingStatement(self._link.number)
        found: dict[int, float] = dict(self._link.ask(scores(statement, question, None), statement.values))
        return {rid: found[rid] for rid in wanted if rid in found}

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        known = self._known.get(words, {})
        if rid not in known:
            near = self._latest is None and rid in self._hits and len(self._hits) <= _HITS_AT_ONCE
            known = self._look_up(self._hits if near else (rid,), words)
            if self._latest is None:
                self._known[words] = self._known.get(words, {}) | known
        return known[rid]

    def search(self, plan: Plan, *, keep: int) -> Matches:
        question = self._question(plan.terms)
        if question is None:
            return Matches(hits=(), passed=0, counts={})

        def fetch(depth: int | None) -> list[Match]:
            statement, values = matches(self._link.number, plan, question, depth)
            return cast("list[Match]", self._link.ask(statement, values))

        found = looked(plan, fetch, keep=keep)
        self._hits = tuple(hit.rid for hit in found.hits)
        return found

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        asked = neighbours(words, NEAR_WORDS_MAX)
        holders = self._latest_holding(asked.values())
        latest = {word: holders[term] for word, term in asked.items()}
        pool = pool_of(latest)
        return closest(self.texts(pool), latest, keep=keep) if pool else ()

    def unknown(self, words: Iterable[tuple[str, ...]]) -> list[str]:
        """The terms that a writer will look for neighbours with, as far as it does not remember who holds them."""
        assert self._latest is not None, "only a writer remembers"
        terms = dict.fromkeys(term for some in words for term in neighbours(some, NEAR_WORDS_MAX).values())
        return [term for term in terms if self._latest.holding(term) is None]

    def asking(self, terms: Sequence[str]) -> tuple[str, tuple[list[str], int]]:
        """How the latest revisions that hold these terms are asked for, together with other things."""
        return self._postings.asking(terms, keep=NEAR_POSTINGS_MAX)

    def learn(self, terms: Sequence[str], rows: Iterable[Row]) -> None:
        """Remember the answer to that."""
        assert self._latest is not None, "only a writer remembers"
        for term, rids in self._postings.told(terms, rows).items():
            self._latest.learn(term, rids)

    def put_many(self, texts: Mapping[int, str], *, last: int) -> PostingsChange:
        """Index what revisions say. `last` is the highest that was ever indexed."""
        change = self._postings.put(texts, last=last)
        if self._latest is not None:
            for rid in sorted(texts):
                self._latest.born(rid, texts[rid], terms_of(texts[rid]))
        return change

    def take_away(self, texts: Mapping[int, str]) -> PostingsChange:
        """Take what revisions say out of the index; what is not in it is passed over."""
        self.forget()
        return self._postings.take_away(texts)

    def clear(self) -> None:
        self.forget()
        self._postings.clear()

    def forget(self) -> None:
        """Take note that the index changed otherwise than by `put_many`: by another writer, an erasure, an undoing."""
        if self._latest is not None:
            self._latest.clear()

    def _size(self) -> tuple[int, float]:
        """How many texts are indexed, and how many terms one has on average."""
        texts, terms = self._totals()
        return texts, terms / texts if terms else 1.0

    def _count(self, terms: Collection[str]) -> dict[str, int]:
        """How many revisions hold each of these terms. Counted once for each moment; who writes has no one moment."""
        counted = self._counted if self._latest is None else {}
        missing = sorted({term for term in terms if term not in counted})
        if missing:
            counted |= {**dict.fromkeys(missing, 0), **self._postings.holding(missing)}
        return {term: counted[term] for term in terms}

    def _holding(self, words: tuple[str, ...]) -> dict[str, int]:
        """How many revisions hold each word; none for one that is at several places."""
        places = self.places(words)
        counted = self._count({found[0][0] for found in places.values() if len(found) == 1})
        return {word: self._held_by(found, counted) for word, found in places.items()}

    def _held_by(self, places: Places, counted: Mapping[str, int]) -> int:
        if len(places) != 1:
            return 0
        if len(places[0]) == 1:
            return counted[places[0][0]]
        (number,) = self._link.row("words_holding_any", [self._link.seal.term(term) for term in places[0]]) or (0,)
        return int(number)

    def _question(self, terms: Terms, only: Sequence[int] | None = None) -> RankingQuery | None:
        """What is to be ranked; None when nothing can match."""
        required, phrases = asked(terms, self.places((*terms.words, *phrased(terms))))
        counted = self._count({term for phrase in phrases for place in phrase for term in place})
        if not phrases or any(not counted[place[0]] for phrase in phrases[:required] for place in phrase):
            return None
        several = self._occurrences({phrase for phrase in phrases if _several(phrase)}, counted)
        within = [several[phrase].rids for phrase in phrases[:required] if phrase in several]
        if only is not None:
            within.append(np.array(only, dtype=np.int64))
        common = intersection(within) if within else None
        if common is not None and not len(common):
            return None
        total, mean = self._size()
        singles, parts = [], PhraseParts()
        for place, phrase in enumerate(phrases):
            found = several.get(phrase)
            if found is None:
                term = phrase[0][0]
                weight = rarity(counted[term], total)
                singles.append(ScoredTerm(place=place, term=self._link.seal.term(term), weight=weight))
                continue
            value = worth(rarity(len(found.rids), total), found.times, found.sizes, mean)
            kept = slice(None) if common is None else np.isin(found.rids, common)
            parts.add(place, found.rids[kept], value[kept])
        only_these = None if common is None else common.tolist()
        return RankingQuery(singles=singles, parts=parts, required=required, within=only_these, mean=mean)

    def _occurrences(self, phrases: AbstractSet[Places], counted: Mapping[str, int]) -> dict[Places, Occurrences]:
        """The revisions in which phrases occur."""
        ordered = sorted({spelling for phrase in phrases for spelling in spellings(phrase)})
        found = dict(zip(ordered, together(self._link, ordered, counted), strict=True))
        return {phrase: occurrences(found, phrase) for phrase in phrases}

    def _look_up(self, rids: Sequence[int], words: tuple[str, ...]) -> dict[int, frozenset[str]]:
        """Which of the words each of these revisions holds."""
        seal = self._link.seal.term
        spelled = {
            word: tuple(tuple(map(seal, place)) for place in places) for word, places in self.places(words).items()
        }
        spots: defaultdict[int, dict[str, frozenset[int]]] = defaultdict(dict)
        terms = sorted({term for places in spelled.values() for place in places for term in place})
        for rid, term, written in self._link.rows("words_held", terms, list(rids)) if terms else ():
            spots[rid][term] = frozenset(spot for (spot,) in struct.iter_unpack("<I", written))
        return {
            rid: frozenset(word for word, places in spelled.items() if places and _occurs(places, spots[rid]))
            for rid in rids
        }

    def _latest_holding(self, terms: Iterable[str]) -> dict[str, frozenset[int]]:
        """The latest revisions that hold each term; a writer remembers most of them."""
        found: dict[str, frozenset[int]] = {}
        missing = []
        for term in dict.fromkeys(terms):
            known = None if self._latest is None else self._latest.holding(term)
            if known is None:
                missing.append(term)
            else:
                found[term] = frozenset(known)
        for term, rids in self._postings.latest(missing, keep=NEAR_POSTINGS_MAX).items():
            found[term] = frozenset(rids)
            if self._latest is not None:
                self._latest.learn(term, rids)
        return found

    def texts(self, rids: list[int]) -> dict[int, str]:
        """What revisions say, in the order they are asked for."""
        known: dict[int, str] = {}
        if self._latest is not None:
            known = {rid: text for rid in rids if (text := self._latest.text(rid)) is not None}
        missing = [rid for rid in rids if rid not in known]
        for rid, body in self._link.rows("words_texts", missing) if missing else ():
            opened = self._link.seal.open(body, b"documents:%d" % rid)
            known[rid] = read_canonical(opened, _Said).claim.content
            if self._latest is not None:
                self._latest.read(rid, known[rid])
        return {rid: known[rid] for rid in rids if rid in known}


def _best_parts(parts: PhraseParts, keep: int) -> dict[int, float]:
    """The best of the sums of parts, which are added up in their order."""
    rids, places = np.unique(np.array(parts.rids, dtype=np.int64), return_inverse=True)
    total = np.zeros(len(rids))
    np.add.at(total, places, parts.worth)
    best = np.lexsort((rids, total))[::-1][:keep]
    return dict(zip(rids[best].tolist(), total[best].tolist(), strict=True))


def _several(phrase: Places) -> bool:
    """Whether it takes more than the postings of one term to say where something occurs."""
    return len(phrase) > 1 or len(phrase[0]) > 1


def _occurs(phrase: Places, spots: Mapping[str, AbstractSet[int]]) -> bool:
    """Whether a phrase occurs in a text whose terms stand at these places."""
    here = [frozenset[int]().union(*(spots.get(term, ()) for term in place)) for place in phrase]
    return any(all(start + place in held for place, held in enumerate(here)) for start in here[0])
