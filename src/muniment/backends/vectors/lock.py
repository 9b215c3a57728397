"""Locks between processes, by the file system: one that is tried and kept, one that is held for a moment."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.model.errors import StoreBusy

_WAIT_S = 10.0
_PAUSE_S = 0.002


class FileLock:
    """An exclusive lock on a file. It ends with the process, however that ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    @property
    def held(self) -> bool:
        return self._file is not None

    def take(self) -> bool:
        """Take the lock unless somebody else holds it; say whether it is ours now."""
        if self._file is not None:
            return True
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @contextmanager
    def briefly(self) -> Iterator[None]:
        """Hold the lock for a block, waiting a bounded time for others who do the same."""
        deadline = time.monotonic() + _WAIT_S
        while not self.take():
            if time.monotonic() > deadline:
                raise StoreBusy("another process has held the vector index for too long")
            time.sleep(_PAUSE_S)
        try:
            yield
        finally:
            self.release()
