"""Search by words in FTS5, under a filter that is part of the same statement."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import cast

import apsw

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
from muniment.backends.sqlite.conditions import Bindings, translate
from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.tables import card_from, listed, standing_from
from muniment.model.card import moved
from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.status import Status
from muniment.ports.store import Hit, Matches, Neighbour

_Q = queries()
COMMON_SHARE = 0.10
COMMON_FROM = 1_000
"""Below this many revisions no word is common: there is little to rank and nothing to save."""

_REDIRECTING = (Status.SUPERSEDED.value, Status.DEPRECATED.value)


class SqliteLexicon:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._tokenize = connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])

    def tokens(self, text: str) -> list[str]:
        """The terms a text is indexed under."""
        found = self._tokenize(
            text.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
        )
        return [str(token) for token in found]

    def prune(self, terms: Terms) -> Terms:
        total = self._indexed()
        if total < COMMON_FROM:
            return terms
        spread = {word: self._share(word, total) for word in terms.words}
        rare = tuple(word for word in terms.words if spread[word] <= COMMON_SHARE)
        if not rare and not terms.phrases and terms.words:
            rare = (min(terms.words, key=lambda word: (spread[word], word)),)
        common = tuple(word for word in terms.words if word not in rare)
        return Terms(words=rare, phrases=terms.phrases, common=terms.common + common)

    def _indexed(self) -> int:
        """How many revisions are indexed: the first number of FTS5's own averages, so that nothing is counted."""
        row = self._execute(_Q["index_averages"]).fetchone()
        return _varint(row[0]) if row is not None and row[0] else 0

    def _share(self, word: str, total: int) -> float:
        return (self._holding(word) or 0) / total

    def search(self, plan: Plan, *, keep: int) -> Matches:
        expression = self._expression(plan.terms)
        if expression is None:
            return Matches(hits=(), passed=0, counts={})
        statement, bindings = _statement(plan, expression)
        rules = [name for name, _ in plan.wanted]
        passed: list[tuple[float, int]] = []
        past: list[tuple[float, int, str]] = []
        counts: Counter[str] = Counter()
        for rid, score, status, failed in self._execute(statement, bindings):
            if failed is None:
                passed.append((score, rid))
                continue
            rule = status if rules[failed] == STATUS else rules[failed]
            counts[rule] += 1
            if rule in _REDIRECTING:
                past.append((score, rid, rule))
        best = [(score, rid, None) for score, rid in heapq.nlargest(keep, passed)]
        hits = tuple(self._hit(plan, *found) for found in [*best, *heapq.nlargest(keep, past)])
        return Matches(hits=hits, passed=len(passed), counts=dict(counts))

    def _hit(self, plan: Plan, score: float, rid: int, failed: str | None) -> Hit:
        found = self._execute(_Q["card"], (rid,)).fetchone()
        assert found is not None, "the search joined this card"
        card = card_from(found)
        if not plan.at_head:
            row = self._execute(_Q["standing_at"], (rid, plan.as_of)).fetchone()
            assert row is not None, "the search joined this standing"
            card = moved(card, standing_from(row).standing)
        return Hit(card=card, score=score, failed=failed)

    def near(self, words: tuple[str, ...], *, keep: int) -> tuple[Neighbour, ...]:
        asked = [word for word in dict.fromkeys(words[:NEAR_WORDS_MAX]) if len(self.tokens(word)) == 1]
        latest: dict[str, set[int]] = {}
        scores: dict[int, float] = {}
        shared: dict[int, int] = {}
        for word in asked:
            rows = self._execute(_Q["latest_holding"], (_quoted(word), NEAR_POSTINGS_MAX)).fetchall()
            latest[word] = {cast(int, row[0]) for row in rows}
            weight = near_weight(len(rows))
            for rid in latest[word]:
                scores[rid] = scores.get(rid, 0.0) + weight
                shared[rid] = shared.get(rid, 0) + 1
        least = least_shared(len(asked))
        ranked = sorted(((score, rid) for rid, score in scores.items() if shared[rid] >= least), reverse=True)
        named = {rid for found in latest.values() if len(found) <= NEAR_NAMED_MAX for rid in found}
        best = sorted(((scores[rid], rid) for rid in named), reverse=True)[:NEAR_NAMED]
        pool = {rid for _, rid in [*ranked[:NEAR_POOL], *best]}
        return closest(self._texts(sorted(pool)), latest, keep=keep)

    def _texts(self, rids: list[int]) -> dict[int, str]:
        return {cast(int, rid): cast(str, text) for rid, text in self._execute(_Q["texts"], (listed(rids),))}

    def _holding(self, word: str) -> int | None:
        """How many revisions hold a word; None for one that is not a single term."""
        tokens = self.tokens(word)
        if len(tokens) != 1:
            return None
        row = self._execute(_Q["term_documents"], (tokens[0],)).fetchone()
        return cast(int, row[0]) if row else 0

    def _expression(self, terms: Terms) -> str | None:
        """An FTS5 expression made of quoted terms only, so that no input is ever syntax.

        Quoted phrases must occur; single words add to the score. With no words it is the phrases alone.
        """
        phrases = [_quoted(" ".join(phrase)) for phrase in terms.phrases if self.tokens(" ".join(phrase))]
        words = [_quoted(word) for word in terms.words if self.tokens(word)]
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


def _statement(plan: Plan, expression: str) -> tuple[str, Bindings]:
    """One pass over the matches: visibility in WHERE, the caller's bounds as the number of the first that fails."""
    moving = "c" if plan.at_head else "s"
    bindings: Bindings = []
    whens = []
    for number, (_, condition) in enumerate(plan.wanted):
        sql, values = translate(condition, moving)
        whens.append(f"WHEN NOT ({sql}) THEN {number}")
        bindings += values
    failed = f"CASE {' '.join(whens)} END" if whens else "NULL"
    visible, values = translate(plan.visible, moving)
    past = "" if plan.at_head else _PAST_STANDING
    bindings += [*([] if plan.at_head else [plan.as_of]), expression, *values, plan.as_of]
    # The index drives, each match then looks up its card: CROSS JOIN keeps the planner from turning that round.
    return (
        f"SELECT c.rid, -bm25(lexicon), {moving}.status, {failed} "
        f"FROM lexicon CROSS JOIN cards c ON c.rid = lexicon.rowid {past}"
        f"WHERE lexicon MATCH ? AND ({visible}) AND c.seq <= ?",
        bindings,
    )


_PAST_STANDING = (
    "CROSS JOIN standings s ON s.rid = c.rid "
    "AND s.since = (SELECT max(since) FROM standings WHERE rid = c.rid AND since <= ?) "
)
