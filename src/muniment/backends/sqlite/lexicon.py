"""Search by words in FTS5, under a filter that is part of the same statement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import apsw

from muniment.backends.conditions import Bindings, standing_at, translate
from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX, NEAR_WORDS_MAX, closest, pool_of
from muniment.backends.pools import Match, looked, rarity, without_common
from muniment.backends.sqlite.connection import listed, queries
from muniment.model.receipt import Plan, Terms
from muniment.ports.hits import Matches, Neighbour

_Q = queries()
_WORD_LENGTH_MAX = 40
_WORDS_KNOWN_MAX = 4_096


class SqliteLexicon:
    def __init__(self, connection: apsw.Connection, latest: Latest | None = None) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._counted: dict[str, int] = {}
        self._total: int | None = None
        self._terms: dict[str, tuple[str, ...]] = {}
        self._latest = latest
        self._tokenize = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])

    def tokens(self, text: str) -> list[str]:
        """The terms a text is indexed under."""
        return list(self._terms_of(text))

    def _terms_of(self, text: str) -> tuple[str, ...]:
        """The terms of a text. A word is asked about several times in each search and again in the next, so the terms
        of short texts are remembered."""
        known = self._terms.get(text)
        if known is not None:
            return known
        found = self._tokenize(
            text.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
        )
        terms = tuple(cast("list[str]", found))
        if len(text) <= _WORD_LENGTH_MAX:
            if len(self._terms) >= _WORDS_KNOWN_MAX:
                self._terms.clear()
            self._terms[text] = terms
        return terms

    def prune(self, terms: Terms, *, spare: bool = True) -> Terms:
        return without_common(terms, self._holding(terms.words), self.count(), spare=spare)

    def count(self) -> int:
        """The first number of FTS5's own averages, so that nothing is counted. Read once for each moment; who writes
        has no one moment."""
        if self._total is not None:
            return self._total
        row = self._execute(_Q["index_averages"]).fetchone()
        total = _varint(row[0]) if row is not None and row[0] else 0
        if self._latest is None:
            self._total = total
        return total

    def weights(self, words: tuple[str, ...]) -> dict[str, float]:
        total = self.count()
        return {word: rarity(holding, total) for word, holding in self._holding(words).items()}

    def close(self, pairs: tuple[tuple[str, str], ...], *, gap: int, keep: int) -> dict[int, float]:
        known = [pair for pair in pairs if all(len(self._terms_of(word)) == 1 for word in pair)]
        if not known:
            return {}
        expression = " OR ".join(f"NEAR({_quoted(one)} {_quoted(other)}, {gap})" for one, other in known)
        return {
            cast(int, rid): cast(float, score)
            for rid, score in self._execute(_Q["close_words"], (expression, keep)).fetchall()
        }

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        expression = self._expression(terms)
        if expression is None:
            return {}
        found = ((rid, self._execute(_Q["score"], (expression, rid)).fetchone()) for rid in rids)
        return {rid: cast(float, row[0]) for rid, row in found if row is not None}

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        asked = (word for word in words if self._terms_of(word))
        return frozenset(word for word in asked if self._execute(_Q["holds"], (_quoted(word), rid)).fetchone())

    def search(self, plan: Plan, *, keep: int) -> Matches:
        expression = self._expression(plan.terms)
        if expression is None:
            return Matches(hits=(), passed=0, counts={})

        def fetch(depth: int | None) -> list[Match]:
            return cast("list[Match]", self._execute(*_statement(plan, expression, depth)).fetchall())

        return looked(plan, fetch, keep=keep)

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        latest: dict[str, frozenset[int]] = {}
        for word in dict.fromkeys(words[:NEAR_WORDS_MAX]):
            tokens = self.tokens(word)
            if len(tokens) == 1:
                latest[word] = frozenset(self._latest_holding(tokens[0], word))
        pool = pool_of(latest)
        return closest(self._texts(pool), latest, keep=keep) if pool else ()

    def _latest_holding(self, token: str, word: str) -> list[int]:
        """The latest revisions that hold a word, which is indexed under `token`; a writer remembers most of them."""
        known = self._latest.holding(token) if self._latest is not None else None
        if known is not None:
            return known
        rows = self._execute(_Q["latest_holding"], (_quoted(word), NEAR_POSTINGS_MAX)).fetchall()
        found = [cast(int, row[0]) for row in reversed(rows)]
        if self._latest is not None:
            self._latest.learn(token, found)
        return found

    def _texts(self, rids: list[int]) -> dict[int, str]:
        """What revisions say, in the order they are asked for."""
        if self._latest is None:
            return self._read_texts(rids)
        known = {rid: text for rid in rids if (text := self._latest.text(rid)) is not None}
        missing = [rid for rid in rids if rid not in known]
        if missing:
            for rid, text in self._read_texts(missing).items():
                self._latest.read(rid, text)
                known[rid] = text
        return known

    def _read_texts(self, rids: list[int]) -> dict[int, str]:
        return {cast(int, rid): cast(str, text) for rid, text in self._execute(_Q["texts"], (listed(rids),)).fetchall()}

    def put(self, rid: int, text: str) -> None:
        """Index what a revision says."""
        self._execute(_Q["put_text"], (rid, text))
        if self._latest is not None:
            self._latest.born(rid, text, self.tokens(text))

    def forget(self) -> None:
        """Take note that the index changed otherwise than by `put`: by another writer, an erasure, or an undoing."""
        if self._latest is not None:
            self._latest.clear()

    def renew(self) -> None:
        """Take note that another moment is looked at: what was counted may no longer hold."""
        self._counted.clear()
        self._total = None

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        rows = self._execute(_Q["term_documents"], (listed(terms),)).fetchall()
        return {cast(str, term): cast(int, number) for term, number in rows}

    def _holding(self, words: tuple[str, ...]) -> dict[str, int]:
        """How many revisions hold each word; none for one that is not a single term. Counted once for each moment."""
        counted = self._counted
        missing = {word: self._terms_of(word) for word in words if word not in counted}
        single = {terms[0] for terms in missing.values() if len(terms) == 1}
        rows = self._execute(_Q["term_documents"], (listed(single),)).fetchall() if single else ()
        held = {cast(str, term): cast(int, number) for term, number in rows}
        for word, terms in missing.items():
            counted[word] = held.get(terms[0], 0) if len(terms) == 1 else 0
        return {word: counted[word] for word in words}

    def _expression(self, terms: Terms) -> str | None:
        """An FTS5 expression made of quoted terms only, so that no input is ever syntax.

        Quoted phrases must occur; single words add to the score. With no words it is the phrases alone.
        """
        phrases = [_quoted(" ".join(phrase)) for phrase in terms.phrases if self.tokens(" ".join(phrase))]
        words = [_quoted(word) for word in terms.words if self._terms_of(word)]
        if not phrases:
            return " OR ".join(words) or None
        required = " AND ".join(phrases)
        return f"{required} AND ({' OR '.join([phrases[0], *words])})" if words else required


def _varint(block: bytes) -> int:
    """Read the SQLite variable-length integer a block begins with.

    >>> _varint(b"\\x05"), _varint(b"\\x81\\x00"), _varint(b"\\x87\\x68rest")
    (5, 128, 1000)
    """
    value = 0
    for number, byte in enumerate(block[:9]):
        if number == 8:
            return value << 8 | byte
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _statement(plan: Plan, expression: str, depth: int | None) -> tuple[str, Bindings]:
    """The best matches with what the filters say of each: whether it is hidden, and the number of the first of the
    caller's bounds that it fails. One that is hidden says no more than that it is there."""
    moving, join, position = standing_at(plan)
    bounds: Bindings = []
    whens = []
    for number, (_, condition) in enumerate(plan.wanted):
        sql, values = translate(condition, moving)
        whens.append(f"WHEN NOT ({sql}) THEN {number}")
        bounds += values
    failed = f"CASE {' '.join(whens)} END" if whens else "NULL"
    visible, values = translate(plan.visible, moving)
    best = "SELECT rowid AS rid, -bm25(lexicon) AS score FROM lexicon WHERE lexicon MATCH ?"
    if depth is not None:
        best += f" ORDER BY score DESC, rowid DESC LIMIT {depth}"
    # The matches drive, each then looks up its card: CROSS JOIN keeps the planner from turning that round.
    return (
        f"WITH best AS MATERIALIZED ({best}) "
        f"SELECT c.rid, best.score, {moving}.status, NOT (({visible}) AND c.seq <= ?), {failed} "
        f"FROM best CROSS JOIN cards c ON c.rid = best.rid {join}"
        "ORDER BY best.score DESC, c.rid DESC",
        [expression, *values, plan.as_of, *bounds, *position],
    )
