"""Whether a server can do its work: its store can be read, its writer can be had, and there is room on the disk."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from muniment.engine import Memory
from muniment.engine.metrics import check_store
from muniment.model.errors import MunimentError

FRESH_S = 1.0
ROOM_BYTES = 16 * 1024 * 1024
STORE, DISK = "store", "disk"


class Readiness:
    """Asked by strangers, so the store is asked at most once a second and no more is told than a word. A vault
    without a `folder` is on other disks than this machine's."""

    def __init__(
        self,
        memory: Callable[[], Memory | None],
        folder: Path | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        room: int = ROOM_BYTES,
    ) -> None:
        self._memory = memory
        self._folder = folder
        self._clock = clock
        self._room = room
        self._lock = threading.Lock()
        self._checked_at: float | None = None
        self._missing: tuple[str, ...] = ()

    def missing(self) -> tuple[str, ...]:
        """What is not ready, in words a stranger may know. Empty when all is well."""
        with self._lock:
            now = self._clock()
            if self._checked_at is None or now - self._checked_at >= FRESH_S:
                self._missing = self._look()
                self._checked_at = self._clock()
            return self._missing

    def _look(self) -> tuple[str, ...]:
        memory = self._memory()
        if memory is None:
            return (STORE,)
        try:
            check_store(memory)
            free = self._room if self._folder is None else shutil.disk_usage(self._folder).free
        except (MunimentError, OSError):
            return (STORE,)
        return () if free >= self._room else (DISK,)
