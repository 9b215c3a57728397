"""Sums over all records, kept for as long as the ledger stands where it stood: whoever looks again is not made to
wait for the same count. What is kept is told by the very filter that it was counted under, so it is nobody's but
theirs who may see just that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from muniment.model.filter import Filter
from muniment.model.rows import Tally
from muniment.ports.store import Snapshot

KEPT_MAX = 32
_T = TypeVar("_T")
_Place = tuple[int, bytes]


class Tallies:
    """The last sums of one tenant. Many threads use one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._surveys: dict[Filter, tuple[_Place, tuple[Tally, ...]]] = {}
        self._counts: dict[Filter, tuple[_Place, dict[str, int]]] = {}

    def survey(self, snapshot: Snapshot, visible: Filter) -> tuple[Tally, ...]:
        """Current revisions that pass, summed up by actor, kind and place."""
        return self._kept(self._surveys, snapshot, visible, snapshot.catalogue.survey)

    def count(self, snapshot: Snapshot, visible: Filter) -> dict[str, int]:
        """How many revisions that pass there are of each status."""
        found = self._kept(self._counts, snapshot, visible, snapshot.catalogue.count)
        return dict(found)

    def _kept(
        self,
        held: dict[Filter, tuple[_Place, _T]],
        snapshot: Snapshot,
        visible: Filter,
        count: Callable[[Filter], _T],
    ) -> _T:
        place = _place(snapshot)
        with self._lock:
            known = held.get(visible)
        if known is not None and known[0] == place:
            return known[1]
        found = count(visible)
        with self._lock:
            held.pop(visible, None)
            held[visible] = (place, found)
            while len(held) > KEPT_MAX:
                held.pop(next(iter(held)))
        return found


def _place(snapshot: Snapshot) -> _Place:
    head = snapshot.ledger.head()
    return (head.seq, head.hash) if head is not None else (0, b"")
