"""Locks between processes, by the file system: one that is tried and kept, one that is held for a moment."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from muniment.model.errors import StoreBusy

_WAIT_S = 10.0
_PAUSE_S = 0.002


class FileLock:
    """An exclusive lock on a file. It ends with the process, however that ends.

    It is held by a file object and not by a number: what an interrupt keeps from its owner closes itself, and gives up
    the lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO | None = None

    @property
    def held(self) -> bool:
        return self._file is not None and not self._file.closed

    def take(self) -> bool:
        """Take the lock unless somebody else holds it; say whether it is ours now."""
        if self.held:
            return True
        file = FileIO(self._path, "ab", opener=_private)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file = file
        except BlockingIOError:
            return False
        finally:
            if self._file is not file:
                file.close()
        return True

    def release(self) -> None:
        """Hold the lock no more. May be called again, and by who does not hold it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.release()

    @contextmanager
    def briefly(self) -> Iterator[None]:
        """Hold the lock for a block, waiting a bounded time for others who do the same."""
        deadline = time.monotonic() + _WAIT_S
        try:
            while not self.take():
                if time.monotonic() > deadline:
                    raise StoreBusy("another process has held the vector index for too long")
                time.sleep(_PAUSE_S)
            yield
        finally:
            self.release()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
