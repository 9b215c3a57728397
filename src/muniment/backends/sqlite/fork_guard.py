"""A process that was forked, and the files that the one it came from had open.

SQLite knows the locks of a process by its own account of them, which is copied with the process while the locks are
not. Who opens such a file again counts on locks that nobody holds: when the first process closes the file it takes the
log away, and what the other writes to that log is lost. So such a file is refused there, and what was open is left as
it is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import apsw

from muniment.model.errors import StoreUnavailable

_inherited: set[tuple[int, int]] = set()


def _forked() -> None:
    """In the new process, note which files were open. A file is known by itself: its name may be another's by then."""
    for connection in apsw.connections():
        if connection.filename:
            with suppress(OSError):  # gone: nobody opens it again
                found = os.stat(connection.filename)
                _inherited.add((found.st_dev, found.st_ino))


os.register_at_fork(after_in_child=_forked)


def demand_unforked(path: Path) -> None:
    """Refuse a file that was open when this process was forked."""
    if not _inherited:
        return
    with suppress(FileNotFoundError):
        found = path.stat()
        if (found.st_dev, found.st_ino) in _inherited:
            raise forked(path)


def forked(path: Path) -> StoreUnavailable:
    error = StoreUnavailable(f"{path.name} was opened before this process was forked")
    error.hint = "Start processes with spawn or forkserver, or fork before the vault is opened."
    return error
