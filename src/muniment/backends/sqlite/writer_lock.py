"""Whose turn it is to write, among processes: they wait in line instead of asking again and again.

SQLite's own lock is what keeps two writers apart; it knows no order, and whoever waits for it sleeps longer and longer
between two looks while others come and go. Here a writer first stands at the gate, of which there is one, and from
there waits for the turn. Whoever has just had it finds the gate taken: so they take turns. Nothing but the order
depends on it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.model.errors import StoreBusy

SUFFIX = "-turns"
_GATE, _TURN = 0, 1
_PAUSES_S = (0.0001, 0.0002, 0.0005)
_LONGEST_S = 0.001


class WriterLock:
    """The line for one file. The threads of a process have one of their own before they come here."""

    def __init__(self, path: Path, *, wait_ms: int) -> None:
        self._path = path
        self._wait_s = wait_ms / 1000
        self._file: int | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Have the turn for a block, after waiting a bounded time for others."""
        try:
            self.take()
            yield
        finally:
            self.give_up()

    def take(self) -> None:
        """Wait a bounded time for the turn. Whoever calls this calls `give_up` in the end, whether it was had or not:
        an interrupt may come when the lock is taken and before anybody knows."""
        file, until = self._opened(), time.monotonic() + self._wait_s
        if file is not None:
            self._take(file, _GATE, until)
            self._take(file, _TURN, until)
            fcntl.lockf(file, fcntl.LOCK_UN, 1, _GATE)

    def give_up(self) -> None:
        """Hold neither the turn nor the gate. May be called again, and by who has neither."""
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 2, _GATE)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int | None:
        """The file that is locked; None where none can be made: what cannot be written to needs no order."""
        if self._file is None:
            try:
                self._file = os.open(self._path.with_name(self._path.name + SUFFIX), os.O_RDWR | os.O_CREAT, 0o600)
            except OSError:
                return None
        return self._file

    def _take(self, file: int, place: int, until: float) -> None:
        looks = 0
        while True:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):
                if time.monotonic() > until:
                    name = self._path.name
                    raise StoreBusy(f"{name} was locked by another writer for more than {self._wait_s:g} s") from None
                time.sleep(_PAUSES_S[looks] if looks < len(_PAUSES_S) else _LONGEST_S)
                looks += 1
            else:
                return
