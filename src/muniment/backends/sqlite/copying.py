"""Copy a tenant's file while others write to it, and keep one to ourselves while another takes its place.

A copy is made with VACUUM INTO: one read of one moment, that no writer waits for and no writer can restart, as it would
a copy made page by page in steps. Nothing but live rows is written, so that a free page has nothing to tell.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import apsw

from muniment.backends.sealing import TenantKey
from muniment.backends.sqlite.connection import check, connect, translated
from muniment.backends.sqlite.open_lock import passing
from muniment.backends.sqlite.unit import SqliteSnapshot
from muniment.model.errors import StoreBusy
from muniment.ports.store import Snapshot

Share = Callable[[int, int], None]
"""Called with how many bytes are done, and how many there are."""
_STEPS = 50_000
"""How many steps of SQLite's machine lie between two looks at how far a copy has got."""
_SEIZE_WAIT_MS = 1_000


def copy_store(source: Path, target: Path, *, key: TenantKey | None, progress: Share) -> None:
    """Write what a tenant's file holds at this moment to `target`, which must not be there, under the same key if there
    is one. On the disk on return."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with translated(source):
        with passing(source):
            connection = connect(source, create=False, key=key)
        try:
            whole = cast(int, connection.pragma("page_count")) * cast(int, connection.pragma("page_size"))
            connection.set_progress_handler(lambda: _said(progress, target, whole), _STEPS)
            connection.execute("VACUUM INTO ?", (str(target),))
        finally:
            connection.close()
    sync(target)


def _said(progress: Share, target: Path, whole: int) -> bool:
    progress(min(target.stat().st_size, whole), whole)
    return False  # true would end the copy


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk before going on."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def seized(path: Path, tenant: str, key: TenantKey | None) -> Iterator[Snapshot]:
    """A tenant's file, read by us and open to nobody else. Refused while somebody has it open.

    While it lasts nothing waits in a log beside the file. Its door must be shut: see `doorway`.
    """
    with _opened(path, tenant, key) as connection:
        _alone(connection, path)
        yield SqliteSnapshot(connection, tenant)


@contextmanager
def looked_into(path: Path, tenant: str, key: TenantKey | None) -> Iterator[Snapshot]:
    """One moment of a tenant's file, seen by whoever keeps its door."""
    with _opened(path, tenant, key) as connection:
        connection.execute("BEGIN")
        yield SqliteSnapshot(connection, tenant)


@contextmanager
def _opened(path: Path, tenant: str, key: TenantKey | None) -> Iterator[apsw.Connection]:
    with translated(path):
        connection = connect(path, create=False, key=key)
        try:
            check(connection, tenant, path)
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.close()


def _alone(connection: apsw.Connection, path: Path) -> None:
    """Leave the log behind, which only the last user of a file can do, and let nobody in again."""
    connection.set_busy_timeout(_SEIZE_WAIT_MS)
    try:
        connection.pragma("journal_mode", "delete")
        connection.execute("BEGIN EXCLUSIVE")
    except (apsw.BusyError, apsw.LockedError):
        busy = StoreBusy(f"{path.name} is in use")
        busy.hint = "Stop the server and every other program that has this vault open, and try again."
        raise busy from None
