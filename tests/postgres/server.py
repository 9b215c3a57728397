"""One PostgreSQL server for a whole test session, whoever of its workers comes first, and schemas that tests borrow."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from time import monotonic
from typing import IO

import psycopg
from psycopg import sql
from tests.patience import WAIT_S
from tests.support.postgres import SMALL, Server

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.schema import apply, drop, ensure
from muniment.backends.postgres.steps import MigrationRequest

GIVEN = "MUNIMENT_TEST_POSTGRES_DSN"
CITUS = "MUNIMENT_TEST_CITUS"
"""Set to anything: the given server is a cluster, and every schema is spread over it."""
PREFIX = "muniment-pgs-"
_MANY_ROWS = 5_000
_PAUSE_S = 0.002
_ODD = {
    "timezone": "Pacific/Chatham",
    "datestyle": "SQL, DMY",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "extra_float_digits": "0",
}
"""Settings nobody should depend on, set to what nobody expects."""
_RELATIONS = """
    SELECT c.relname, c.relkind = 'r' AND NOT c.relispartition OR c.relkind = 'p'
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'i', 'I') ORDER BY 1
"""
_COLUMNS = """
    SELECT column_name FROM information_schema.columns
     WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position
"""
_SEND_AWAY = """
    SELECT CASE state WHEN 'idle' THEN pg_terminate_backend(pid) ELSE pg_terminate_backend(pid, 20000) END
      FROM pg_stat_activity WHERE split_part(application_name, '.', 1) = %s
"""


def wait_until(there: Callable[[], bool]) -> None:
    """Wait for what a server does in its own time, such as forgetting a connection that was closed."""
    until, pause = monotonic() + WAIT_S, threading.Event()
    while not there():
        assert monotonic() < until, "it never came about"
        pause.wait(_PAUSE_S)


class Shared:
    """The server of a test session: a given one, or one that is started when the first test asks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._using: IO[bytes] | None = None

    def dsn(self) -> str:
        """How to reach it, once it answers."""
        if given := os.environ.get(GIVEN):
            return given
        written = self._folder / "dsn"
        with _alone():
            if not written.exists():
                _clear_left_behind()
                self._folder.mkdir()
                self._using = _hold(self._folder / "used")
                server = Server(self._folder, durable=False, settings=SMALL | _ODD)
                server.start()
                written.write_text(server.dsn())
            if self._using is None:
                self._using = _hold(self._folder / "used")
        return written.read_text()

    def database(self) -> str:
        """How to reach a database of this process alone. What one process still reads keeps VACUUM from taking it away
        in the whole database: two test processes in one would disturb each other's erasures. A given server is used as
        it is."""
        place = self.dsn()
        if os.environ.get(GIVEN):
            return place
        name = f"t{secrets.token_hex(4)}"
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        own = place.replace("/postgres?", f"/{name}?")
        _add_extension(own)
        return own

    def leave(self) -> None:
        """Need it no more."""
        if self._using is not None:
            self._using.close()
            self._using = None

    def close(self) -> None:
        """Stop it. For the process that outlives the others."""
        self.leave()
        with _alone():
            if self._folder.exists():
                Server(self._folder).close()


class Schemas:
    """The schemas of one test process. Each is made once, lent, emptied and lent again."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._own = secrets.token_hex(4)
        self._numbers = count(1)
        self._ready: list[_Schema] = []
        self._lent: dict[str, _Schema] = {}

    def lend(self) -> str:
        """The DSN of an empty schema at the newest revision."""
        schema = self._ready.pop() if self._ready else self._make()
        place = f"{self._place(schema.name)}.{next(self._numbers)}"
        self._lent[place] = schema
        return place

    def take_back(self, place: str) -> None:
        """Empty a schema for the next borrower; one that was rebuilt meanwhile is thrown away."""
        schema = self._lent.pop(place)
        self._send_away(schema.name)
        if self._relations(schema.name) == schema.relations:
            self._empty(schema)
            self._ready.append(schema)
        else:
            self._drop(schema.name)

    def copy(self, place: str, twin: str) -> None:
        """Put everything that one lent schema holds into another one that is empty."""
        source, target = self._lent[place], self._lent[twin]
        with self._connection.transaction():
            for table in source.tables:
                columns = sql.SQL(", ").join(map(sql.Identifier, self._columns(source.name, table)))
                names = (sql.Identifier(target.name, table), columns, columns, sql.Identifier(source.name, table))
                self._connection.execute(sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}").format(*names))

    @contextmanager
    def bare(self) -> Iterator[str]:
        """The DSN of a schema that is not there yet. Whatever is made there is gone in the end."""
        name = self._name()
        try:
            yield self._place(name)
        finally:
            self._send_away(name)
            self._drop(name)

    def close(self) -> None:
        for schema in (*self._ready, *self._lent.values()):
            self._send_away(schema.name)
            self._drop(schema.name)
        self._connection.close()

    def _name(self) -> str:
        return f"t{self._own}_{next(self._numbers)}"

    def _place(self, name: str) -> str:
        mark = "&" if "?" in self.dsn else "?"
        return f"{self.dsn}{mark}schema={name}&application_name={name}"

    def _make(self) -> _Schema:
        name = self._name()
        with reach(DatabaseAddress.parse(self._place(name))) as connection:
            ensure(connection, name, create=True)
            if os.environ.get(CITUS):
                connection.execute(b"SET citus.shard_count = 2")  # emptying a table takes as long as it has shards
                apply(connection, name, MigrationRequest(citus=True))
        kept = [table for table in self._tables(name) if self._holds(name, table)]
        return _Schema(name, self._relations(name), [table for table in self._tables(name) if table not in kept])

    def _empty(self, schema: _Schema) -> None:
        """Take every row away. Row-level security would hide them from an owner, but not from TRUNCATE."""
        names = [sql.Identifier(schema.name, table) for table in schema.tables]
        if not self._sees_all():
            self._connection.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(names)))
            return
        with self._connection.transaction():
            self._connection.execute("SET LOCAL lock_timeout = '20s'")
            gone = [self._connection.execute(sql.SQL("DELETE FROM {}").format(name)).rowcount for name in names]
        schema.dead += sum(gone)
        if schema.dead > _MANY_ROWS:
            self._connection.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(names)))
            schema.dead = 0

    def _sees_all(self) -> bool:
        asked = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        return self._connection.execute(asked).fetchone() == (True,)

    def _relations(self, name: str) -> list[tuple[object, ...]]:
        return self._connection.execute(_RELATIONS, [name]).fetchall()

    def _tables(self, name: str) -> list[str]:
        return [str(table) for table, plain in self._relations(name) if plain]

    def _columns(self, name: str, table: str) -> list[str]:
        return [str(column) for (column,) in self._connection.execute(_COLUMNS, [name, table])]

    def _holds(self, name: str, table: str) -> bool:
        asked = sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(name, table))
        return self._connection.execute(asked).fetchone() == (True,)

    def _send_away(self, name: str) -> None:
        """End what a test has left connected: it may hold rows, and would write into the next test's schema."""
        self._connection.execute(_SEND_AWAY, [name])

    def _drop(self, name: str) -> None:
        with reach(DatabaseAddress.parse(self.dsn)) as connection:
            drop(connection, name)


class _Schema:
    """One schema: what it consists of, the tables that are empty when it is new, and how many dead rows they have."""

    def __init__(self, name: str, relations: list[tuple[object, ...]], tables: list[str]) -> None:
        self.name = name
        self.relations = relations
        self.tables = tables
        self.dead = 0


def connect(dsn: str) -> psycopg.Connection[tuple[object, ...]]:
    """A plain connection into a lent schema, for a test that looks at the tables themselves."""
    ours, _, parameters = dsn.partition("?")
    chosen = dict(pair.split("=", 1) for pair in parameters.split("&"))
    schema = chosen.pop("schema")
    plain = ours + "?" + "&".join(f"{name}={value}" for name, value in chosen.items())
    connection = psycopg.connect(plain, autocommit=True)
    connection.execute(sql.SQL("SET search_path = {}, public").format(sql.Identifier(schema)))
    return connection


def schema_of(dsn: str) -> str:
    """The name of the schema of a lent DSN."""
    return dsn.partition("schema=")[2].partition("&")[0]


def database_of(dsn: str) -> str:
    """The name of the database of a lent DSN: each test process has its own."""
    return dsn.partition("?")[0].rpartition("/")[2]


def _add_extension(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


@contextmanager
def _alone() -> Iterator[None]:
    """Start and clear up servers one at a time on this machine."""
    with Path(gettempdir(), f"{PREFIX}{os.geteuid()}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _hold(path: Path) -> IO[bytes]:
    """Show for as long as this process lives that a server is in use."""
    file = path.open("ab")
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def _clear_left_behind() -> None:
    """Stop the servers of sessions that were killed: nobody holds them any more."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*/"):
        if (folder / "used").exists() and _unused(folder / "used"):
            Server(folder).close() if (folder / "tables").exists() else shutil.rmtree(folder)


def _unused(path: Path) -> bool:
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
