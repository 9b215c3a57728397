"""Files in a place that cannot be written to: asked where they lie if nothing can change them, else from a copy.

SQLite opens a file that keeps a log only where it may write beside it. On a file system that is read-only as a whole
that is not needed, as long as no log waits: the file is opened as immutable. Anything else (a log that was left behind,
a folder that only we may not write to, a server's disk) may change or needs the log, and is copied first.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from muniment.model.errors import StoreBusy, StoreUnavailable

_ELSEWHERE = ("nfs", "cifs", "smb", "9p", "fuse", "ceph", "gluster", "lustre", "afs", "overlay")
"""Beginnings of the names of file systems that others may change though they are read-only here."""
_MOUNTS = Path("/proc/self/mountinfo")
_TRIES, _PAUSE_S, _QUIET_NS = 20, 0.05, 50_000_000


class _Look(NamedTuple):
    """What is looked at to see whether a file has changed."""

    inode: int
    size: int
    changed: int


_copies: dict[tuple[str, _Look | None, _Look | None], Path] = {}
_copying = threading.Lock()


def read_only(path: Path) -> bool:
    """Whether a file is there and neither it nor its folder can be written to."""
    return path.exists() and not writable(path.parent) and not writable(path)


def writable(path: Path) -> bool:
    """Whether this process may write there, by its rights and by the file system."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def refused(path: Path) -> StoreUnavailable:
    """What whoever wants to write there is told."""
    error = StoreUnavailable(f"{path.name} lies in a read-only place: nothing can be written there")
    error.hint = (
        "Ask it, verify it or back it up there; to write, copy the vault to a place that can be written to. Receipts "
        "of what is told go to the folder that MUNIMENT_RECEIPTS_FOLDER names."
    )
    return error


def to_read(path: Path) -> str:
    """What SQLite is to open to read a file in a read-only place: a name as a URI."""
    if not _waits(path) and _frozen(path):
        return f"{path.resolve().as_uri()}?immutable=1"
    return _copied(path).as_uri()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _waits(path: Path) -> bool:
    """Whether something waits in a log beside a file."""
    seen = _seen(_log(path))
    return seen is not None and seen.size > 0


def _frozen(path: Path) -> bool:
    """Whether a file lies on a file system of this machine that is read-only as a whole, so that nobody changes it."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = _MOUNTS.read_text().splitlines()
    except OSError:
        return False
    for line in mounts:
        before, _, after = line.partition(" - ")
        kind, _, *options = after.split(" ")
        if before.split(" ")[2] == number:
            return "ro" in options[-1].split(",") and not kind.startswith(_ELSEWHERE)
    return False


def _copied(path: Path) -> Path:
    """A copy of a file and of the log beside it, made once for each state of the two, and gone when the process is."""
    with _copying:
        for _ in range(_TRIES):
            state = (str(path.resolve()), _seen(path), _seen(_log(path)))
            if state in _copies:
                return _copies[state]
            found = _copy(path)
            quiet = all(one is None or time.time_ns() - one.changed > _QUIET_NS for one in state[1:])
            if quiet and state == (str(path.resolve()), _seen(path), _seen(_log(path))):
                _copies[state] = found
                return found
            shutil.rmtree(found.parent)
            time.sleep(_PAUSE_S)
    busy = StoreBusy(f"{path.name} cannot be written to from here, and somebody else writes to it all the time")
    busy.hint = "Ask the vault where it is written to, or make a backup there and ask that."
    raise busy


def _copy(path: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="muniment-still-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with suppress(FileNotFoundError):
        _take(_log(path), _log(folder / path.name))
    _take(path, folder / path.name)
    return folder / path.name


def _take(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    target.chmod(0o600)


def private_copy(path: Path) -> Path:
    """A copy that whoever asks for it may change, and takes away with its folder."""
    copied = _copied(path)
    return _copy(copied)


def _seen(path: Path) -> _Look | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return _Look(inode=found.st_ino, size=found.st_size, changed=found.st_mtime_ns)
