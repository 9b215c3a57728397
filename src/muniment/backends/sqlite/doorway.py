"""The door of a tenant's file: many pass it to open the file, and whoever puts another file in its place shuts it.

SQLite's locks belong to a file, the log and the journal beside it to a name. Who opened a file and waits for its lock
while another takes its name would find the new one's log or journal beside the old one, and lay it over the old one.
So a file is opened behind this door only, and once it is open SQLite's own lock tells that somebody has it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.backends.sqlite.presence import locked
from muniment.model.errors import StoreBusy

SUFFIX = "-door"
_WAIT_S = 10.0
_SHUT_WAIT_S = 1.0


@contextmanager
def passing(path: Path) -> Iterator[None]:
    """Open a tenant's file in this block. Whoever replaces it is waited for a bounded time."""
    with _held(path, fcntl.LOCK_SH, _WAIT_S, f"{path.name} is being replaced by a backup; try again when that is done"):
        yield


@contextmanager
def shut(path: Path) -> Iterator[None]:
    """Let nobody open a tenant's file, be it there or not, while this block puts another in its place."""
    with _held(path, fcntl.LOCK_EX, _SHUT_WAIT_S, f"{path.name} is in use"):
        yield


@contextmanager
def _held(path: Path, how: int, wait_s: float, otherwise: str) -> Iterator[None]:
    door = path.with_name(path.name + SUFFIX)
    if not _made(door):
        yield
        return
    file = locked(door, how, wait_s)
    if file is None:
        busy = StoreBusy(otherwise)
        busy.hint = "Stop the server and every other program that has this vault open, and try again."
        raise busy
    try:
        yield
    finally:
        os.close(file)


def _made(door: Path) -> bool:
    """Whether there is a door. Where none can be made, no file can be replaced either."""
    try:
        os.close(os.open(door, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError:
        return False
    return True
