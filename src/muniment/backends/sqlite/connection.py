"""Open a SQLite file the way we need it, run our named SQL, and turn the driver's errors into ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import LiteralString, cast

import apsw
import msgspec

from muniment.backends.sealing import SETTING, TenantKey
from muniment.backends.sqlite.fork_guard import demand_unforked
from muniment.backends.sqlite.read_only_files import read_only, to_read
from muniment.backends.statements import named
from muniment.backends.tokens import register
from muniment.model.errors import (
    ConfigurationError,
    IntegrityError,
    SchemaMismatch,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
)

APPLICATION_ID = 0x4D554E49
INDEXED_ANEW = 7
"""The revision that changed the tokenizer: the texts of an older file are indexed anew."""
_TOLD_EVERY = 200
CIPHER = "chacha20"
"""ChaCha20-Poly1305 over each page of the file and of its log: a page that was altered is noticed when it is read."""
BUSY_WAIT_MS = 10_000
_PAUSE_S = 0.005
_CACHE_KIB = 16_384
_LOG_PAGES_LEAST, _LOG_PAGES_MOST = 384, 8_192
"""So many pages may wait in the log: half as many again as the file has, within these bounds. A page that many writes
touch goes to the file once in all that time, which is worth the room in a large file and not in a small one."""


def queries() -> dict[str, LiteralString]:
    """The named statements of `queries.sql`."""
    return named(__package__)


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


def connect(path: Path, *, create: bool, key: TenantKey | None = None, flags: int = 0) -> apsw.Connection:
    """Open a file for reading and writing. A file that is not ours, or is not encrypted with this key or at all where
    there is a key, or is where there is none, is refused before anything is changed."""
    demand_unforked(path)
    if read_only(path):
        return _connect_still(path, key)
    flags |= apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=200)
    connection.set_busy_timeout(BUSY_WAIT_MS)
    _identify(connection, path, create=create, key=key)
    _keep_log(connection)
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("secure_delete", True)
    _tune(connection)
    bound_log(connection)
    return connection


def _connect_still(path: Path, key: TenantKey | None) -> apsw.Connection:
    """Open a file in a read-only place to read it. Nothing is made beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(to_read(path), flags=flags, statementcachesize=200)
    _identify(connection, path, create=False, key=key)
    _tune(connection)
    return connection


def _tune(connection: apsw.Connection) -> None:
    register(connection)
    # Without it, a statement is planned anew for every other value that is bound to a LIMIT or a range.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("temp_store", "memory")


def _identify(connection: apsw.Connection, path: Path, *, create: bool, key: TenantKey | None) -> None:
    """Refuse a file that is not ours, or is not encrypted as it is said to be."""
    if key is not None:
        _unlock(connection, key)
    try:
        # In this order: whoever makes the file sets both in one transaction, and one may come between two questions.
        empty = connection.pragma("user_version") == 0
        found = cast(int, connection.pragma("application_id"))
    except apsw.NotADBError:
        connection.close()
        raise IntegrityError(_unreadable(path, key)) from None
    if found != APPLICATION_ID and not (create and found == 0 and empty):
        connection.close()
        raise IntegrityError(f"{path.name} is not a Muniment store")
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # damage is told here, and not by what follows


def bound_log(connection: apsw.Connection) -> None:
    """Keep the log in proportion to the file, as large as that is now."""
    pages = cast(int, connection.pragma("page_count")) * 3 // 2
    most = max(_LOG_PAGES_LEAST, min(_LOG_PAGES_MOST, pages))
    connection.pragma("wal_autocheckpoint", most)
    connection.pragma("journal_size_limit", most * cast(int, connection.pragma("page_size")))


def _keep_log(connection: apsw.Connection) -> None:
    """Have the file keep a write-ahead log. While another makes a new file do so, SQLite answers at once that it is
    busy and does not wait as it does elsewhere: so we wait here."""
    until = time.monotonic() + BUSY_WAIT_MS / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > until:
                connection.close()
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _unlock(connection: apsw.Connection, key: TenantKey) -> None:
    """Have pages encrypted. SQLite ignores a pragma it does not know, so whether this one knows it is asked first."""
    if not encrypts():
        connection.close()
        raise ConfigurationError(
            SETTING,
            "the SQLite that is installed cannot encrypt",
            hint="Uninstall the package apsw and install apsw-sqlite3mc, which takes its place.",
        )
    connection.pragma("cipher", CIPHER)
    connection.pragma("key", f"raw:{key.pages().hex()}")


def encrypts() -> bool:
    """Whether the SQLite that is installed can encrypt."""
    return hasattr(apsw, "mc_version")


def _unreadable(path: Path, key: TenantKey | None) -> str:
    if key is None:
        return f"{path.name} cannot be read as a store: it is encrypted or damaged"
    if _is_plain(path):
        return f"{path.name} is not encrypted, and its vault is"
    return f"{path.name} cannot be read with the key of its vault: it is encrypted with another, or damaged"


def _is_plain(path: Path) -> bool:
    """Whether a file is readable without any key. SQLite is asked: whoever opens a file past it and closes it again
    takes every lock away that the process has on it."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.pragma("application_id")
    except apsw.NotADBError:
        return False
    finally:
        connection.close()
    return True


def truncated(connection: apsw.Connection) -> bool:
    """Move everything from the log into the file and cut the log down to nothing; False while a reader needs it."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        return False
    return True


def rebuilt(connection: apsw.Connection, *, most: int) -> bool:
    """Write a file of at most so many bytes anew, so that nothing is left between its rows; False while others are at
    it or there is no room. SQLite overwrites a row that is deleted, but not the copies it leaves in the spare room of
    a page when it moves rows from one page to another."""
    if cast(int, connection.pragma("page_count")) * cast(int, connection.pragma("page_size")) > most:
        return True
    try:
        connection.execute("VACUUM")
    except (apsw.BusyError, apsw.LockedError, apsw.FullError):
        return False
    return True


def limit(connection: apsw.Connection, capacity: int) -> None:
    """Let a file grow to so many bytes and no further. What is there already stays."""
    size = cast(int, connection.pragma("page_size"))
    connection.pragma("max_page_count", max(1, capacity // size))


def migrate(
    connection: apsw.Connection, tenant: str, progress: Callable[[int, int], None] = lambda done, whole: None
) -> None:
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
        if 0 < revision < INDEXED_ANEW:
            _index_anew(connection, progress)
        if revision == 0:
            connection.execute("INSERT INTO about VALUES ('tenant', ?)", (tenant,))
            connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", newest)
        connection.execute("DROP TABLE migrating")


def _index_anew(connection: apsw.Connection, progress: Callable[[int, int], None]) -> None:
    """Index every text by the tokenizer of now."""
    rids = [cast(int, row[0]) for row in connection.execute("SELECT rid FROM cards ORDER BY rid").fetchall()]
    for done, rid in enumerate(rids):
        if done % _TOLD_EVERY == 0:
            progress(done, len(rids))
        connection.execute(queries()["index_text"], (rid,))
    progress(len(rids), len(rids))


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
