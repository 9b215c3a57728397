"""Search by words in FTS5, with our own tokenizer, under a filter that is part of the same statement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

import apsw
import msgspec

from muniment.backends.conditions import Bindings, standing_at, translate
from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX, NEAR_WORDS_MAX, closest, pool_of
from muniment.backends.pools import Match, looked, rarity, without_common
from muniment.backends.sqlite.connection import listed, queries
from muniment.backends.tokens import asked, looked_up, neighbours, phrased, single, terms_of, written
from muniment.model.decoding import decode_json
from muniment.model.receipt import Plan, Terms
from muniment.ports.hits import Matches, Neighbour
from muniment.ports.lexicon import Places

_Q = queries()


class SqliteLexicon:
    def __init__(self, connection: apsw.Connection, latest: Latest | None = None) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._counted: dict[str, int] = {}
        self._total: int | None = None
        self._latest = latest
        self.check: Callable[[], None] | None = None

    def tokens(self, text: str) -> list[str]:
        return list(terms_of(text))

    def places(self, words: Iterable[str]) -> dict[str, Places]:
        return looked_up(words, self._count)

    def _count(self, terms: Collection[str]) -> dict[str, int]:
        """How many revisions hold each of these terms. Counted once for each moment; who writes has no one moment."""
        counted = self._counted if self._latest is None else {}
        missing = [term for term in terms if term not in counted]
        if missing:
            counted |= {**dict.fromkeys(missing, 0), **self.holding(missing)}
        return {term: counted[term] for term in terms}

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
        known = [(one, other) for pair in pairs for one, other in [tuple(map(single, pair))] if one and other]
        if not known:
            return {}
        expression = " OR ".join(f"NEAR({quoted(one)} {quoted(other)}, {gap})" for one, other in known)
        return {
            cast(int, rid): cast(float, score)
            for rid, score in self._execute(_Q["close_words"], (expression, keep)).fetchall()
        }

    def score(self, terms: Terms, rids: Iterable[int]) -> dict[int, float]:
        expression, wanted = self._expression(terms), list(rids)
        if expression is None or not wanted:
            return {}
        asked = (expression, min(wanted), max(wanted), listed(wanted))
        found = {cast(int, rid): cast(float, score) for rid, score in self._execute(_Q["score"], asked).fetchall()}
        return {rid: found[rid] for rid in wanted if rid in found}

    def held(self, rid: int, words: tuple[str, ...]) -> frozenset[str]:
        asked = ((word, places) for word, places in self.places(words).items() if places)
        return frozenset(word for word, places in asked if self._execute(_Q["holds"], (_match(places), rid)).fetchone())

    def search(self, plan: Plan, *, keep: int) -> Matches:
        expression = self._expression(plan.terms)
        if expression is None:
            return Matches(hits=(), passed=0, counts={})

        def fetch(depth: int | None) -> list[Match]:
            return cast("list[Match]", self._execute(*_statement(plan, expression, depth)).fetchall())

        return looked(plan, fetch, keep=keep)

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        if self.check is not None:
            self.check()
        wanted = self.neighbours(words)
        terms = {term: quoted(term) for term in self.unknown(wanted)}
        asked = (msgspec.json.encode(terms).decode(), NEAR_POSTINGS_MAX)
        rows = self._execute(_Q["latest_holding"], asked).fetchall() if terms else []
        return self.nearest({word: frozenset(rids) for word, rids in self.latest(wanted, rows).items()}, keep=keep)

    def neighbours(self, words: tuple[str, ...]) -> dict[str, str]:
        """The words to look for neighbours with, each with the term of the index it is looked for by."""
        return neighbours(words, NEAR_WORDS_MAX)

    def unknown(self, wanted: Mapping[str, str]) -> list[str]:
        """The terms of which it is not remembered which are the latest revisions that hold them."""
        terms = dict.fromkeys(wanted.values())
        return [term for term in terms if self._latest is None or self._latest.holding(term) is None]

    def latest(self, wanted: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
        """For each word the latest revisions that hold it. `rows` are what the index said of the unknown terms."""
        found = {row[0]: decode_json(row[1], list[int])[::-1] for row in rows}
        if self._latest is None:
            return {word: found[term] for word, term in wanted.items()}
        known = {word: found.get(term) or self._latest.holding(term) or [] for word, term in wanted.items()}
        for term, rids in found.items():
            self._latest.learn(term, rids)
        return known

    def nearest(self, latest: Mapping[str, AbstractSet[int]], *, keep: int) -> tuple[Neighbour, ...]:
        pool = pool_of(latest)
        return closest(self._texts(pool), latest, keep=keep) if pool else ()

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
            self._latest.born(rid, text, terms_of(text))

    def forget(self) -> None:
        """Take note that the index changed otherwise than by `put`: by another writer, an erasure, or an undoing."""
        if self._latest is not None:
            self._latest.clear()

    def renew(self) -> None:
        """Take note that another moment is looked at: what was counted may no longer hold."""
        self._counted.clear()
        self._total = None

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for term, number in self._execute(_Q["term_documents"], (listed(terms),)).fetchall():
            if term is not None:
                found[cast(str, term)] = cast(int, number)
            elif self._latest is None:
                self._total = _varint(cast(bytes, number)) if number else 0
        return found

    def _holding(self, words: tuple[str, ...]) -> dict[str, int]:
        """How many revisions hold each word; none for one that is at several places."""
        return {word: self._held_by(places) for word, places in self.places(words).items()}

    def _held_by(self, places: Places) -> int:
        if len(places) != 1:
            return 0
        if len(places[0]) == 1:
            return self._count(places[0])[places[0][0]]
        expression = _match(places)
        counted = self._counted if self._latest is None else {}
        if expression not in counted:
            counted[expression] = cast(int, self._execute(_Q["holding_any"], (expression,)).get)
        return counted[expression]

    def _expression(self, terms: Terms) -> str | None:
        """An FTS5 expression made of quoted terms only, so that no input is ever syntax.

        Quoted phrases must occur; single words add to the score. With no words it is the phrases alone.
        """
        required, parts = asked(terms, self.places((*terms.words, *phrased(terms))))
        spelled = [_match(places) for places in parts]
        if not required:
            return " OR ".join(spelled) or None
        phrases, words = spelled[:required], spelled[required:]
        return " AND ".join(phrases) + (f" AND ({' OR '.join(words)})" if words else "")


def _match(places: Places) -> str:
    return quoted(written(places))


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


def quoted(text: str) -> str:
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
