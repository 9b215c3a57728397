"""A small file that several processes change in turn, and that nobody ever sees half of."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.model.errors import StoreBusy, StoreUnavailable

_WAIT_S = 10.0
_PAUSE_S = 0.005


@contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Hold the file's lock for a block, waiting a bounded time for others who do the same."""
    try:
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreUnavailable(f"{path.name} cannot be changed: {error.strerror}") from None
    try:
        deadline = time.monotonic() + _WAIT_S
        while not _taken(lock):
            if time.monotonic() > deadline:
                raise StoreBusy(f"another process has held {path.name} for too long")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def replace_file(path: Path, body: bytes) -> None:
    """Put a whole file in the place of the old one, on the disk before anybody can see it."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreUnavailable(f"{path.name} cannot be written: {error.strerror}") from None
