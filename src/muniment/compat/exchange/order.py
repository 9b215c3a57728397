"""In which order the memories of a file come in, so that each finds what it refers to. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence

from muniment.model.vocabulary import STANDS_ON

Link = tuple[str, str]
"""What sort of link it is, and the id it points to."""
_HELD_LONGEST = STANDS_ON | {"supersedes"}


def in_order(ids: Sequence[str], links: Sequence[Sequence[Link]]) -> list[int]:
    """The numbers of the memories, each after those of the same file that it refers to, else as they stand in the file.

    Where memories refer to each other in a circle, the one comes first that stands on none of the others.

    >>> in_order(["a", "b", "c"], [[("derived_from", "c")], [("contradicts", "a")], []])
    [2, 0, 1]
    >>> in_order(["a", "b"], [[("contradicts", "b"), ("derived_from", "b")], [("contradicts", "a")]])
    [1, 0]
    """
    return list(_Queue(ids, links).numbers())


def placed_later(ids: Sequence[str], order: Sequence[int]) -> Mapping[str, int]:
    """When each id is there: its rank in the order. An id that is said twice is there from its first rank on."""
    ranks: dict[str, int] = {}
    for rank, number in enumerate(order):
        ranks.setdefault(ids[number], rank)
    return ranks


class _Queue:
    """Memories that wait for others: all that they refer to, and those of them that they stand on."""

    def __init__(self, ids: Sequence[str], links: Sequence[Sequence[Link]]) -> None:
        first = {name: number for number, name in reversed(list(enumerate(ids)))}
        self._all = [self._waited_for(first, own, number) for number, own in enumerate(links)]
        self._firm = [
            self._waited_for(first, [link for link in own if link[0] in _HELD_LONGEST], number)
            for number, own in enumerate(links)
        ]
        self._waiting: dict[int, list[int]] = {}
        for number, others in enumerate(self._all):
            for other in others:
                self._waiting.setdefault(other, []).append(number)
        self._ready = [number for number, others in enumerate(self._all) if not others]
        self._nearly = [number for number, others in enumerate(self._firm) if not others]

    @staticmethod
    def _waited_for(first: Mapping[str, int], own: Sequence[Link], number: int) -> set[int]:
        return {first[name] for _, name in own if name in first} - {number}

    def numbers(self) -> Iterator[int]:
        left = dict.fromkeys(range(len(self._all)))
        while left:
            number = self._next(left)
            del left[number]
            yield number
            for other in self._waiting.get(number, ()):
                self._release(other, number)

    def _next(self, left: dict[int, None]) -> int:
        for heap in (self._ready, self._nearly):
            while heap:
                number = heapq.heappop(heap)
                if number in left:
                    return number
        return next(iter(left))

    def _release(self, number: int, came: int) -> None:
        for sets, heap in ((self._all, self._ready), (self._firm, self._nearly)):
            if came in sets[number]:
                sets[number].remove(came)
                if not sets[number]:
                    heapq.heappush(heap, number)
