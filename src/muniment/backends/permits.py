"""Permits that are waited for with a bound, and that an interrupt (Ctrl-C) cannot lose.

A lock or a semaphore that is taken with a timeout is taken before any `try` can know of it: an interrupt between the
two leaves it taken for ever. A permit is an object. Whoever does not get to hold it lets go of it, and it goes back.
"""

from __future__ import annotations

import weakref
from queue import Empty, SimpleQueue


class Permit:
    """The right to do something of which only so many may be at it. Put it into a `try` at once."""

    __slots__ = ("__weakref__", "_room")

    def __init__(self, room: SimpleQueue[Permit]) -> None:
        self._room = weakref.ref(room)

    def give_back(self) -> None:
        """Let the next one have it. Once."""
        if (room := self._room()) is not None:
            room.put(self)

    def __del__(self) -> None:
        if (room := self._room()) is not None:
            room.put(Permit(room))


class Permits:
    """A number of permits for the threads of this process.

    >>> permits = Permits(1)
    >>> first = permits.take()
    >>> permits.take(timeout=0.001) is None
    True
    >>> del first  # as an interrupt does
    >>> permits.take(timeout=0.001) is None
    False
    """

    def __init__(self, count: int) -> None:
        self._room: SimpleQueue[Permit] = SimpleQueue()
        for _ in range(count):
            self._room.put(Permit(self._room))

    def take(self, *, timeout: float | None = None) -> Permit | None:
        """One of them; None when none is free in time. Without a timeout it is waited for until there is one."""
        try:
            return self._room.get(timeout=timeout)
        except Empty:
            return None
