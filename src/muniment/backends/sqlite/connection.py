"""Open a SQLite file the way we need it, run our named SQL, and turn the driver's errors into ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import LiteralString, cast

import apsw
import msgspec

from muniment.model.errors import IntegrityError, SchemaMismatch, StoreBusy, StoreFull, StoreUnavailable

APPLICATION_ID = 0x4D554E49
BUSY_WAIT_MS = 10_000
_CACHE_KIB = 16_384
_CHECKPOINT_PAGES = 8_192
"""So many pages may wait in the log. A page that many writes touch goes to the file once in all that time; with a log
of a thousand pages three times as many bytes reach the disk."""
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def queries() -> dict[str, LiteralString]:
    """The named statements of `queries.sql`."""
    text = files(__package__).joinpath("queries.sql").read_text()
    parts = _NAME.split(text)[1:]
    return {
        name: cast(LiteralString, body.strip().rstrip(";")) for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Numbered migrations in order; the last number is the revision this engine speaks."""
    folder = files(__package__).joinpath("migrations")
    return tuple(
        sorted(
            (int(item.name.split("_")[0]), item.read_text()) for item in folder.iterdir() if item.name.endswith(".sql")
        )
    )


@contextmanager
def translated(connection: apsw.Connection | Path) -> Iterator[None]:
    """Turn what SQLite says into what a caller can act on. The text of a statement is never repeated."""
    path = connection if isinstance(connection, Path) else Path(connection.filename)
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(f"{path.name} was locked by another writer for more than {BUSY_WAIT_MS} ms") from error
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise IntegrityError(f"{path.name} is damaged: {error}") from error
    except apsw.ConstraintError as error:
        raise IntegrityError(f"{path.name} refused a write that contradicts what it holds: {error}") from error
    except apsw.FullError as error:
        raise StoreFull(f"{path.name}: the disk is full; nothing was written") from error
    except apsw.ReadOnlyError as error:
        raise StoreUnavailable(f"{path.name} cannot be written to: it is read-only") from error
    except apsw.Error as error:
        raise StoreUnavailable(f"{path.name}: {error}") from error


def connect(path: Path, *, create: bool) -> apsw.Connection:
    """Open a file for reading and writing. A file that is not ours is refused before anything is changed."""
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=200)
    connection.set_busy_timeout(BUSY_WAIT_MS)
    found = cast(int, connection.pragma("application_id"))
    empty = not create or connection.pragma("user_version") == 0
    if found != APPLICATION_ID and not (create and found == 0 and empty):
        connection.close()
        raise IntegrityError(f"{path.name} is not a Muniment store")
    # Without it, a statement is planned anew for every other value that is bound to a LIMIT or a range.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("secure_delete", True)
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("temp_store", "memory")
    connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
    connection.pragma("journal_size_limit", 64 * 1024 * 1024)
    return connection


def limit(connection: apsw.Connection, capacity: int) -> None:
    """Let a file grow to so many bytes and no further. What is there already stays."""
    size = cast(int, connection.pragma("page_size"))
    connection.pragma("max_page_count", max(1, capacity // size))


def migrate(connection: apsw.Connection, tenant: str) -> None:
    """Bring the schema to the revision we speak; refuse a store that is ahead of us or another tenant's."""
    oldest, newest = migrations()[0][0], migrations()[-1][0]
    with connection:  # one savepoint: a crash in the middle leaves the old revision
        connection.execute("CREATE TABLE IF NOT EXISTS migrating (x)")  # takes the write lock before looking
        revision = cast(int, connection.pragma("user_version"))
        if revision > newest or 0 < revision < oldest:
            raise SchemaMismatch(found=revision, needed=newest)
        for number, script in migrations():
            if number > revision:
                connection.execute(script)
        if revision == 0:
            connection.execute("INSERT INTO about VALUES ('tenant', ?)", (tenant,))
            connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", newest)
        connection.execute("DROP TABLE migrating")


def check(connection: apsw.Connection, tenant: str, path: Path) -> None:
    """Refuse to go on with a store of another revision or another tenant."""
    revision, newest = cast(int, connection.pragma("user_version")), migrations()[-1][0]
    if revision != newest:
        raise SchemaMismatch(found=revision, needed=newest)
    row = connection.execute("SELECT value FROM about WHERE name = 'tenant'").get
    if row != tenant:
        raise IntegrityError(f"{path.name} belongs to another tenant")


def listed(names: Iterable[int] | Iterable[str]) -> str:
    """A list as one bound value, so that a question of any length is one statement."""
    return msgspec.json.encode(list(names)).decode()
