"""One connection in one transaction of one tenant: how everything here asks and tells.

Statements are sent without waiting for each other (in a pipeline); only a question waits for its answer. Rows to be
written are kept until there are many, or a statement names their table, or the commit, so that those of one table go
in one statement. What is wrong with a write comes to light with a later question or with the commit.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, count
from typing import LiteralString

import psycopg

from muniment.backends.postgres.content_encryption import PLAIN, ContentCipher
from muniment.backends.postgres.error_mapping import lost, translated
from muniment.backends.postgres.pipeline import Pipeline, Row
from muniment.backends.statements import named

__all__ = ["COLUMNS", "Question", "Row", "Transaction", "inserting", "numbered", "statements", "tenant_number"]

_FILES = ("queries.sql", "queries_read.sql", "queries_words.sql", "queries_vectors.sql", "queries_examine.sql")
_CHUNK = 1_000
_ROWS_MAX = 64
_POSTINGS = "postings"
_POSTINGS_MAX = 4_096
Question = tuple[str, Sequence[object]]
"""The name of a statement, and its values after the tenant's number."""
_ABOUT_ROWS = (b"SELECT", b"INSERT", b"UPDATE", b"DELETE", b"WITH", b"FETCH")

COLUMNS: dict[str, tuple[str, ...]] = {
    "entries": ("seq", "body", "hash"),
    "documents": ("doc", "salt", "body"),
    "receipts": ("seq", "id", "body", "hash", "salt", "account"),
    "certificates": ("seq", "signed"),
    "tombstones": ("rid", "id", "revision", "seq"),
    "proposals": (
        *("seq", "id", "at", "actor", "outcome", "disposition", "digest", "report", "held", "record", "revision"),
    ),
    "cards": (
        *("rid", "id", "revision", "seq", "kind", "memory_class", "scope", "scope_id", "namespace", "session_id"),
        *("sensitivity", "trust", "label", "confidence", "provenance", "actor", "created_at", "valid_from"),
        *("valid_until", "expires_at", "fingerprint", "slot", "importance", "half_life", "anchored", "review_at"),
        *("readers", "status", "since", "successor", "own", "effective", "support", "helpful", "misleading", "tier"),
        *("accesses", "last_access", "event_time"),
    ),
    "standings": (
        *("rid", "since", "status", "successor", "own", "effective", "label", "support", "helpful", "misleading"),
        *("tier", "accesses", "last_access"),
    ),
    "edges": ("rid", "type", "target"),
    "mentions": ("rid", "entity", "kind"),
    "aliases": ("alias", "entity", "seq", "doc"),
    "notes": ("topic", "key", "seq", "doc", "at", "actor", "body"),
}
"""The columns of a row of each table that rows are only added to, beside the tenant's number."""


CARD = ", ".join(f"c.{column}" for column in COLUMNS["cards"])


@cache
def statements() -> dict[str, LiteralString]:
    """Every named statement of this store. `{card}` in one stands for the columns of a card `c`, in order."""
    found: dict[str, LiteralString] = {}
    for file in _FILES:
        more = named(__package__, file)
        assert not found.keys() & more.keys(), f"two statements of one name: {found.keys() & more.keys()}"
        found |= {name: text.replace("{card}", CARD) for name, text in more.items()}
    return found


@cache
def inserting(table: str, rows: int) -> bytes:
    """The statement that adds so many rows to a table.

    >>> inserting("edges", 2)
    b'INSERT INTO edges (tenant_id, rid, type, target) VALUES ($1, $2, $3, $4), ($1, $5, $6, $7)'
    """
    columns = COLUMNS[table]
    places = (", ".join(f"${2 + row * len(columns) + place}" for place in range(len(columns))) for row in range(rows))
    values = ", ".join(f"($1, {row})" for row in places)
    return f"INSERT INTO {table} (tenant_id, {', '.join(columns)}) VALUES {values}".encode()


def tenant_number(tenant: str) -> int:
    """The number of a tenant, made from its name: the same everywhere, without a list to look it up in.

    >>> tenant_number("acme") == tenant_number("acme"), tenant_number("acme") == tenant_number("Acme")
    (True, False)
    """
    digest = hashlib.sha256(b"muniment tenant\x00" + tenant.encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


class _Sent(Exception):
    """A question was asked ahead: whoever asked it goes no further for now."""


class Transaction:
    """A channel as one tenant's statements see it: `$1` of every statement is the tenant's number."""

    def __init__(self, channel: Pipeline, tenant: str, seal: ContentCipher = PLAIN) -> None:
        self.tenant = tenant
        self.number = tenant_number(tenant)
        self.seal = seal
        self._channel = channel
        self._cursors = count()
        self._pending: dict[str, list[Sequence[object]]] = {}
        self._ahead = False
        self._tickets: dict[tuple[int, bytes, tuple[object, ...]], int] = {}
        self.told = 0
        """How often something was put, sent or told: while it stays the same, so does what cards and entries say."""

    def put(self, table: str, row: Sequence[object]) -> None:
        """Add a row to a table, at the latest when somebody asks."""
        self.told += 1
        rows = self._pending.setdefault(table, [])
        rows.append(row)
        if len(rows) == _ROWS_MAX:
            self._put(table)
            self._channel.push()

    def put_postings(self, rows: Sequence[Sequence[str]]) -> None:
        """The same for postings, which the server numbers: revision, size, term and spots, by rising revision."""
        self.told += 1
        waiting = self._pending.setdefault(_POSTINGS, []) if rows else []
        waiting += rows
        if len(waiting) >= _POSTINGS_MAX:
            self._put(_POSTINGS)

    def settle(self) -> None:
        """Send the rows that are still here."""
        for table in list(self._pending):
            self._put(table)

    def _put(self, table: str) -> None:
        rows = self._pending.pop(table)
        if table == _POSTINGS:
            columns = [_listed(map(str, column)) for column in zip(*rows, strict=True)]
            self._channel.tell(_spelled("put_postings"), (self.number, *columns))
        else:
            self._channel.tell(inserting(table, len(rows)), (self.number, *chain.from_iterable(rows)))

    def hear(self) -> None:
        """Wait until everything that was told is done."""
        self.settle()
        self._channel.hear()

    def drop(self) -> None:
        """Forget the rows that are still here, and how what was told went: it is undone."""
        self.told += 1
        self._pending = {}
        try:
            self._channel.hear()
        except psycopg.Error as error:
            if lost(error):
                raise

    def send(self, name: str, *values: object) -> None:
        """Run a named statement whose answer nobody waits for."""
        self.told += 1
        self._tell(_spelled(name), (self.number, *values))

    def tell(self, statement: str, values: Sequence[object]) -> None:
        """The same for a statement that was put together; `$1` is among the values."""
        self.told += 1
        self._tell(statement.encode(), values)

    def arrange(self, setting: str) -> None:
        """Say how the server is to go about what follows in this transaction; nothing that is kept changes."""
        self._tell(setting.encode(), ())

    def ahead(self, *asks: Callable[[], object]) -> None:
        """Send the first question of each of these together. An answer is kept until the same is asked again; once
        something was put or told in between, it is asked anew."""
        for ask in asks:
            self._ahead = True
            try:
                ask()
            except _Sent:
                continue
            finally:
                self._ahead = False

    def rows(self, name: str, *values: object) -> list[Row]:
        """The answer to a named statement."""
        return self._ask(_spelled(name), (self.number, *values))

    def row(self, name: str, *values: object) -> Row | None:
        """The first row of it."""
        found = self._ask(_spelled(name), (self.number, *values))
        return found[0] if found else None

    def ask(self, statement: str, values: Sequence[object]) -> list[Row]:
        """The answer to a statement that was put together; `$1` is among the values."""
        return self._ask(statement.encode(), values)

    def together(self, questions: Sequence[Question]) -> list[list[Row]]:
        """The answers to several named statements, for which is waited once."""
        for name, values in questions:
            self._tell(_spelled(name), (self.number, *values))
        return self._channel.hear_each(len(questions)) if questions else []

    def stream(self, name: str, *values: object) -> Iterator[Row]:
        """The answer to a named statement, fetched a part at a time, for what may be long."""
        cursor = f"c{next(self._cursors)}"
        with translated(self.tenant):
            self.settle()
            declared = f"DECLARE {cursor} NO SCROLL CURSOR FOR {statements()[name]}"
            self._channel.once(declared.encode(), (self.number, *values))
            while found := self._ask(f"FETCH {_CHUNK} FROM {cursor}".encode(), ()):
                yield from found
                if len(found) < _CHUNK:
                    break
            self._tell(f"CLOSE {cursor}".encode(), ())

    def _tell(self, statement: bytes, values: Sequence[object]) -> None:
        self._put_for(statement)
        self._channel.tell(statement, values)

    def _put_for(self, statement: bytes) -> None:
        """Send the rows of the tables that a statement names."""
        for table in self._pending and self._pending.keys() & _named(statement):
            self._put(table)

    def _ask(self, statement: bytes, values: Sequence[object]) -> list[Row]:
        if self._ahead or self._tickets:
            key = (self.told, statement, tuple(tuple(one) if isinstance(one, list) else one for one in values))
            if self._ahead:
                self._put_for(statement)
                if key not in self._tickets:
                    self._tickets[key] = self._channel.ask_ahead(statement, values)
                raise _Sent
            if (ticket := self._tickets.pop(key, None)) is not None:
                return self._channel.answer(ticket)
        self._tell(statement, values)
        return self._channel.hear()


@lru_cache(maxsize=1_024)
def _named(statement: bytes) -> frozenset[str]:
    """The tables that rows wait for and that a statement names; all of them if it is about the transaction itself."""
    waited_for = frozenset({*COLUMNS, _POSTINGS})
    if not statement.lstrip().startswith(_ABOUT_ROWS):
        return waited_for
    return waited_for & frozenset(re.findall(r"\w+", statement.decode()))


def _listed(values: Iterable[str]) -> str:
    """Values as PostgreSQL reads a list of them: for long lists this is many times cheaper than one by one.

    >>> print(_listed(["a", "null", 'say "no"', ""]))
    {"a","null","say \\"no\\"",""}
    """
    whole = "\0".join(values).replace("\\", "\\\\").replace('"', '\\"')
    return '{"' + whole.replace("\0", '","') + '"}'


@cache
def _spelled(name: str) -> bytes:
    return statements()[name].encode()


def numbered(condition: str, first: int) -> str:
    """A condition written with `?`, its values numbered from `first` on.

    >>> numbered("a = ? AND b = ?", 3)
    'a = $3 AND b = $4'
    """
    pieces = condition.split("?")
    return pieces[0] + "".join(f"${first + place}{piece}" for place, piece in enumerate(pieces[1:]))
