"""Search by words in FTS5, under a filter that is part of the same statement."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import assert_never

import apsw
import msgspec

from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.tables import card_from
from muniment.model.filter import AtLeast, AtMost, Both, Either, Filter, LiveAt, OneOf, Sourced, Under, ValidAt
from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.status import Status
from muniment.ports.store import Hit, Matches

_Q = queries()
COMMON_SHARE = 0.10
COMMON_FROM = 1_000
"""Below this many revisions no word is common: there is little to rank and nothing to save."""

_REDIRECTING = (Status.SUPERSEDED.value, Status.DEPRECATED.value)

Bindings = list[str | int | float]


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
        tokens = self.tokens(word)
        if len(tokens) != 1:
            return 0.0
        row = self._execute(_Q["term_documents"], (tokens[0],)).fetchone()
        return row[0] / total if row else 0.0

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
            since, status, successor = row if row is not None else (card.seq, card.born, None)
            card = msgspec.structs.replace(card, status=status, since=since, successor=successor)
        return Hit(card=card, score=score, failed=failed)

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
    status, status_bindings = _status(plan)
    bindings: Bindings = [*status_bindings]
    whens = []
    for number, (_, condition) in enumerate(plan.wanted):
        sql, values = translate(condition, status, status_bindings)
        whens.append(f"WHEN NOT ({sql}) THEN {number}")
        bindings += values
    failed = f"CASE {' '.join(whens)} END" if whens else "NULL"
    visible, values = translate(plan.visible, status, status_bindings)
    bindings += [expression, *values, plan.as_of]
    # The index drives, each match then looks up its card: CROSS JOIN keeps the planner from turning that round.
    return (
        f"SELECT c.rid, -bm25(lexicon), {status}, {failed} FROM lexicon CROSS JOIN cards c ON c.rid = lexicon.rowid "
        f"WHERE lexicon MATCH ? AND ({visible}) AND c.seq <= ?",
        bindings,
    )


def _status(plan: Plan) -> tuple[str, Bindings]:
    if plan.at_head:
        return "c.status", []
    past = "SELECT s.status FROM standings s WHERE s.rid = c.rid AND s.since <= ? ORDER BY s.since DESC LIMIT 1"
    return f"COALESCE(({past}), c.born)", [plan.as_of]


def translate(
    condition: Filter, status: str = "c.status", status_bindings: Bindings | None = None
) -> tuple[str, Bindings]:
    """A filter as a SQL condition that is never NULL. Field names come from a closed list, values are bound."""
    known = status_bindings or []
    match condition:
        case OneOf(field=field, words=words):
            marks = ", ".join("?" * len(words))
            column = status if field == "status" else f"IFNULL(c.{field}, '')"
            if not words:
                return "0", []
            return f"{column} IN ({marks})", [*(known if field == "status" else []), *words]
        case AtLeast(field=field, value=value):
            return f"c.{field} >= ?", [value]
        case AtMost(field=field, value=value):
            return f"c.{field} <= ?", [value]
        case Under(namespaces=namespaces):
            return _under(namespaces)
        case Sourced():
            return "c.provenance = 1", []
        case ValidAt(instant=instant):
            span = "(c.valid_from IS NULL OR c.valid_from <= ?) AND (c.valid_until IS NULL OR ? <= c.valid_until)"
            return span, [instant, instant]
        case LiveAt(instant=instant):
            return "(c.expires_at IS NULL OR ? <= c.expires_at)", [instant]
        case Both(parts=parts):
            return _joined(parts, " AND ", "1", status, known)
        case Either(parts=parts):
            return _joined(parts, " OR ", "0", status, known)
        case _:
            assert_never(condition)


def _joined(parts: tuple[Filter, ...], word: str, empty: str, status: str, known: Bindings) -> tuple[str, Bindings]:
    pieces = [translate(part, status, known) for part in parts]
    sql = word.join(f"({piece})" for piece, _ in pieces) or empty
    return sql, [value for _, values in pieces for value in values]


def _under(namespaces: tuple[str, ...]) -> tuple[str, Bindings]:
    """Whole path parts by comparison, not by pattern: `_` and `%` in a namespace are only themselves."""
    if "/" in namespaces:
        return "1", []
    pieces, bindings = [], Bindings()
    for space in namespaces:
        pieces.append("c.namespace = ? OR substr(c.namespace, 1, ?) = ?")
        bindings += [space, len(space) + 1, space + "/"]
    return " OR ".join(f"({piece})" for piece in pieces) or "0", bindings
