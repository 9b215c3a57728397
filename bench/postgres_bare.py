"""The limit on PostgreSQL: the very rows of a governed store, written by a bare script to the same tables."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import chain

import psycopg
from psycopg import sql
from psycopg.types.numeric import Int8Dumper

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.schema import ensure

Values = tuple[object, ...]
Rows = dict[str, list[Values]]
"""The rows of one entry, by their table."""

TABLES = {
    "entries": "seq BETWEEN {first} AND {last}",
    "proposals": "seq BETWEEN {first} AND {last}",
    "cards": "seq BETWEEN {first} AND {last}",
    "standings": "since BETWEEN {first} AND {last}",
    "documents": "doc BETWEEN {low} AND {high}",
    "postings": "rid BETWEEN {low} AND {high}",
    "mentions": "rid BETWEEN {low} AND {high}",
    "edges": "rid BETWEEN {low} AND {high}",
}
"""What a proposal that is committed writes, and how the rows of some entries are found."""

_BY_ENTRY = {"entries": "seq", "proposals": "seq", "cards": "seq", "standings": "since"}
_BY_DOCUMENT = {"documents": "doc", "postings": "rid", "mentions": "rid", "edges": "rid"}


def connected(dsn: str) -> psycopg.Connection[Values]:
    """A connection as it logs in: past the second lock, as a bare script would be."""
    address = DatabaseAddress.parse(dsn)
    connection = psycopg.connect(address.conninfo, autocommit=True, cursor_factory=psycopg.RawCursor)
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.execute(sql.SQL("SET search_path TO {}, public").format(sql.Identifier(address.schema)))
    return connection


def written_columns(connection: psycopg.Connection[Values], table: str) -> list[str]:
    """The columns of a table that are written; what the server computes is left out."""
    asked = (
        "SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = '' "
        "AND NOT attisdropped ORDER BY attnum"
    )
    return [str(name) for (name,) in connection.execute(asked.encode(), (table,)).fetchall()]


class Bare:
    """A schema of the same tables that nobody governs."""

    def __init__(self, source: str, dsn: str) -> None:
        """Rows are read from the schema of `source` and written to the one of `dsn`."""
        address = DatabaseAddress.parse(dsn)
        with psycopg.connect(address.conninfo, autocommit=True) as owner:
            ensure(owner, address.schema, create=True)
        self._source, self._target = connected(source), connected(dsn)
        self._columns = {table: written_columns(self._source, table) for table in TABLES}
        self._tenant = 0

    def rows(self, tenant: int, first: int, last: int) -> list[Rows]:
        """The rows of a tenant's entries `first` to `last`, one after the other."""
        if self._tenant != tenant:
            self._tenant = tenant
            self._target.execute(b"INSERT INTO tenant_head (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING", (tenant,))
        places = {"first": str(first), "last": str(last), "low": "0", "high": "0"}
        found: dict[int, Rows] = {seq: defaultdict(list) for seq in range(first, last + 1)}
        entry_of: dict[int, int] = {}
        for table in TABLES:
            if table == "documents":
                places |= {"low": str(min(entry_of)), "high": str(max(entry_of))}
            for row in self._held(table, tenant, places):
                named = dict(zip(self._columns[table], row, strict=True))
                key = named[_BY_ENTRY.get(table) or _BY_DOCUMENT[table]]
                assert isinstance(key, int)
                seq = key if table in _BY_ENTRY else entry_of[key]
                found[seq][table].append(row)
                entry_of |= {doc: seq for doc in (named.get("report"), named.get("rid")) if isinstance(doc, int)}
        return list(found.values())

    def _held(self, table: str, tenant: int, places: dict[str, str]) -> Iterable[Values]:
        where = TABLES[table].format(**places)
        asked = f"SELECT {', '.join(self._columns[table])} FROM {table} WHERE tenant_id = $1 AND {where}"
        return self._source.execute(asked.encode(), (tenant,), binary=True).fetchall()

    def insert(self, entries: Sequence[Rows], *, pipelined: bool) -> float:
        """Each entry in a transaction of its own, a statement for each table; entries per second."""
        told = [[self._inserting(table, rows) for table, rows in entry.items()] for entry in entries]
        moved = b"UPDATE tenant_head SET turn = turn + 1, seq = seq + 1 WHERE tenant_id = $1"
        execute = self._target.execute
        started = time.perf_counter()
        for statements in told:
            with self._target.pipeline() if pipelined else nullcontext(), self._target.transaction():
                execute(moved, (self._tenant,))
                for statement, values in statements:
                    execute(statement, values)
        return len(entries) / (time.perf_counter() - started)

    def _inserting(self, table: str, rows: Sequence[Values]) -> tuple[bytes, Values]:
        width = len(self._columns[table])
        places = (", ".join(f"${row * width + place}" for place in range(1, width + 1)) for row in range(len(rows)))
        listed = ", ".join(f"({one})" for one in places)
        statement = f"INSERT INTO {table} ({', '.join(self._columns[table])}) VALUES {listed}"
        return statement.encode(), tuple(chain.from_iterable(rows))

    def copy(self, entries: Sequence[Rows]) -> float:
        """All entries in one transaction, each table by COPY; entries per second."""
        started = time.perf_counter()
        with self._target.transaction(), self._target.cursor() as cursor:
            for table in TABLES:
                columns = ", ".join(self._columns[table])
                with cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy:
                    for row in chain.from_iterable(entry.get(table, ()) for entry in entries):
                        copy.write_row(row)
        return len(entries) / (time.perf_counter() - started)

    def close(self) -> None:
        self._source.close()
        self._target.close()
