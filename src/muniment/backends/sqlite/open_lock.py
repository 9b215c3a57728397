"""The door of a tenant's file: many pass it to open the file, and whoever puts another file in its place shuts it.

SQLite's locks belong to a file, the log and the journal beside it to a name. Who opened a file and waits for its lock
while another takes its name would find the new one's log or journal beside the old one, and lay it over the old one.
So a file is opened behind this door only, and once it is open SQLite's own lock tells that somebody has it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.backends.sqlite.read_only_files import writable
from muniment.backends.sqlite.vault_lock import locked
from muniment.model.errors import StoreBusy, StoreUnavailable

SUFFIX = "-door"
_WAIT_S = 10.0
_SHUT_WAIT_S = 1.0
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)


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
    with file:
        yield


def _made(door: Path) -> bool:
    """Whether there is a door. Where we may not make one we may not write to the file either, and do it no harm; any
    other trouble with it is no leave to pass."""
    try:
        file = os.open(door, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in _NOT_OURS and not writable(door.parent):
            return False
        refused = StoreUnavailable(f"{door.name} cannot be opened: {error.strerror}")
        refused.hint = "It belongs to whoever the vault's folder belongs to, like every file in it."
        raise refused from None
    try:
        _hand_over(file, door.parent)
    finally:
        os.close(file)
    return True


def _hand_over(file: int, folder: Path) -> None:
    """Give a door that root has made to the owner of the folder, who could not pass it else."""
    if os.geteuid() == 0:
        owner = folder.stat()
        if os.fstat(file).st_uid != owner.st_uid:
            os.fchown(file, owner.st_uid, owner.st_gid)
