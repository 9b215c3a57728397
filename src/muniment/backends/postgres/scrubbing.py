"""Get what was erased out of the files of tables and indexes.

A row that was deleted stays in its page, and VACUUM takes it off the page's list without always overwriting it. So the
tables that an erasure touches are written anew as a whole, which leaves out what nobody can see any more. While that
goes on a table is nobody else's, whichever tenant they are: where it would take long it is left to the owner, who does
it for all tenants at once when few are there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
from psycopg import errors

from muniment.backends.postgres.address import SCRUB_MB
from muniment.backends.postgres.error_mapping import translated
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.server import checked, quoted, tenant_prologue
from muniment.backends.postgres.tenant_row import HeadRow
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row
from muniment.backends.statements import named
from muniment.model.errors import OperationalError
from muniment.model.value import Value

TABLES = (
    *("aliases", "cards", "documents", "edges", "mentions", "notes", "postings", "proposals", "receipts", "standings"),
    "vectors_shared",
)
"""Where an erasure takes words away; a large tenant's own partition of vectors is another."""
AT_ONCE_BYTES = SCRUB_MB * 2**20
"""Up to so many bytes of tables and indexes are written anew while somebody waits to hear that it is done."""
WAIT_MS, OWNERS_WAIT_MS = 500, 30_000
"""So long a table is waited for. Whoever comes meanwhile waits behind us, so it is not long."""
READERS_WAIT_S, OWNERS_READERS_WAIT_S = 2.0, 30.0
"""How long to wait for readers who began earlier and may still see an older state. Nobody else waits meanwhile."""
_PAUSE_S = 0.02


class Scrubbed(Value):
    """What the owner's scrubbing came to: how many tenants had erased something since the last one, and whether all of
    it is out of the files."""

    tenants: int
    done: bool


def scrub(door: TenantScope, *, most: int = AT_ONCE_BYTES) -> bool:
    """Write anew what a tenant's erasures have touched, if there is something to do, if this user may, if it is not too
    much to wait for, and if nobody holds a table or still reads an older state."""
    with door.reading() as link:
        erased = HeadRow.of(door.tenant, link.row("head_row")).erasure
        pending = link.row("unscrubbed")
    if pending != (True,):
        return True
    with translated(door.tenant), door.lend() as connection:
        row = connection.execute(b"SELECT current_schema()").fetchone()
        assert row is not None, "there is always a schema to work in"
        sweeper = _Sweeper(connection, str(row[0]), READERS_WAIT_S)
        with sweeper.as_keeper(_tables([door.number]), wait_ms=WAIT_MS, most=most) as may:
            clean = may and sweeper.sweep(_tables([door.number]))
    if clean:
        with door.touching() as link:
            link.send("mark_scrubbed", erased)
    return clean


def finish(door: TenantScope, *, most: int = AT_ONCE_BYTES) -> bool:
    """Try to do what earlier erasures have left, as at an opening or a closing. What cannot be done stays noted."""
    try:
        return scrub(door, most=most)
    except OperationalError:
        return False


def scrub_all(connection: psycopg.Connection[Row], schema: str) -> Scrubbed:
    """The same for every tenant that has something to do, whatever the size: for the owner of the tables, at a time
    when it may take long."""
    sweeper = _Sweeper(connection, checked(schema), OWNERS_READERS_WAIT_S)
    with translated("all"):
        connection.execute(f"SET search_path TO {quoted(schema)}".encode())
        pending = list(sweeper.pending())
        if not pending:
            return Scrubbed(tenants=0, done=True)
        tables = _tables([number for number, _ in pending])
        with sweeper.as_keeper(tables, wait_ms=OWNERS_WAIT_MS, most=None) as may:
            done = may and sweeper.sweep(tables)
        for number, erased in pending if done else ():
            with sweeper.inside(number):
                connection.execute(_Q["mark_scrubbed"].encode(), (number, erased))
    return Scrubbed(tenants=len(pending), done=done)


_Q = named(__package__, "upkeep.sql") | {"mark_scrubbed": named(__package__)["mark_scrubbed"]}


def _tables(tenants: list[int]) -> list[str]:
    return [*TABLES, *map(partition_of, tenants)]


class _Sweeper:
    """A connection with which tables of one schema are written anew, one after another."""

    def __init__(self, connection: psycopg.Connection[Row], schema: str, readers_wait_s: float) -> None:
        self._connection = connection
        self._schema = schema
        self._readers_wait_s = readers_wait_s
        self._cluster = self._row("distributed") == (True,) and self._rows("spread", schema) != []

    def sweep(self, tables: list[str]) -> bool:
        """Write tables anew, the smallest first; whether nothing that was deleted before can be left in them.

        Whoever still reads an older state makes the server keep what that state sees. A table says when it was written
        how far back such readers reached; one that could not be written at all says the same as before.
        """
        moment = str(self._row("moments" if self._cluster else "moment")[0])
        names = [str(name) for name, _, _ in self._rows("places", self._schema, tables)]
        if not names or not self._all_past(names[0], moment):
            return False
        return all(self._vacuumed(name, moment, whole=True) for name in names)

    def _all_past(self, table: str, moment: str) -> bool:
        """Wait for whoever began before a moment to end, for a bounded time. Freezing a small table tells, and keeps
        nobody from it."""
        until = time.monotonic() + self._readers_wait_s
        while not self._vacuumed(table, moment, whole=False):
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE_S)
        return True

    def _vacuumed(self, table: str, moment: str, *, whole: bool) -> bool:
        """Vacuum a table, or write it anew; whether everything that was deleted before a moment was left out."""
        place = f"{quoted(self._schema)}.{quoted(table)}"
        statement = f"VACUUM (FULL) {place}" if whole else f"VACUUM (FREEZE, TRUNCATE FALSE) {place}"
        try:
            self._connection.execute(statement.encode())
        except errors.LockNotAvailable:
            return False
        if self._cluster:  # every shard tells of itself, on the node that has it
            return self._rows("shards_looked_back", f"{quoted(self._schema)}.{quoted(table)}", moment) == [(True,)]
        return self._rows("looked_back", self._schema, table, moment) == [(True,)]

    @contextmanager
    def as_keeper(self, tables: list[str], *, wait_ms: int, most: int | None) -> Iterator[bool]:
        """Be in a role that may write these tables anew; False if this user has none, or if they are more than `most`
        bytes. On a cluster the shards of all tenants would be written anew: that is left to the owner."""
        role = str(self._row("role")[0])
        try:
            found = self._rows("places", self._schema, tables)
            if not all(may for _, _, may in found):
                self._connection.execute(b"RESET ROLE")
                found = self._rows("places", self._schema, tables)
            self._connection.execute(f"SET lock_timeout = {wait_ms}".encode())
            small = most is None or (not self._cluster and sum(size for _, size, _ in found) <= most)
            yield small and all(may for _, _, may in found)
        finally:
            self._as_before(role)

    @contextmanager
    def inside(self, tenant: int) -> Iterator[None]:
        """A transaction behind the wall of one tenant."""
        with self._connection.transaction():
            for setting in tenant_prologue(tenant, citus=self._cluster):
                self._connection.execute(setting.encode())
            yield

    def pending(self) -> Iterator[tuple[int, int]]:
        """The tenants that have erased something since they were last scrubbed, and up to which entry."""
        for (number,) in self._rows("tenant_numbers"):
            with self.inside(number):
                found = self._rows("pending", number)
            yield from ((number, erased) for (erased,) in found)

    def _as_before(self, role: str) -> None:
        """Give the connection back as it was; one that cannot be is closed."""
        with ExitStack() as ending, suppress(psycopg.Error):
            ending.callback(self._connection.close)  # else it would be lent again in a role that no wall holds back
            self._connection.execute(b"RESET lock_timeout")
            if role != "none":
                self._connection.execute(f"SET ROLE {quoted(role)}".encode())
            ending.pop_all()

    def _rows(self, name: str, *values: object) -> list[Row]:
        return self._connection.execute(_Q[name].encode(), values).fetchall()

    def _row(self, name: str) -> Row:
        (row,) = self._rows(name)
        return row
