"""Which read transactions a store has open in this process, and since when."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary


class _Read:
    """One open read transaction."""

    def __init__(self) -> None:
        self.since = time.monotonic()


class OpenReads:
    """The open read transactions of one store.

    They are held weakly: an entry whose block was interrupted before it could be removed goes with its frame.
    """

    def __init__(self) -> None:
        self._reads: WeakValueDictionary[int, _Read] = WeakValueDictionary()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count a read transaction as open during the block."""
        read = _Read()
        try:
            self._reads[id(read)] = read
            yield
        finally:
            self._reads.pop(id(read), None)

    def oldest_s(self) -> float | None:
        """The age of the oldest open read transaction in seconds; None when none is open."""
        started = [read.since for ref in self._reads.valuerefs() if (read := ref()) is not None]
        return time.monotonic() - min(started) if started else None
