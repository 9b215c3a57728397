"""What a writer remembers of its tenant beside words: when the latest revisions of an actor were written.

It is true as long as what it remembers of words is, and is forgotten with that.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable

from muniment.backends.latest import Latest

ACTORS_MAX = 64
PACE_MAX = 4_096
"""Of so many actors, those asked about last, at most so many revisions each."""

Written = tuple[int, int]
"""The number of a revision, and when it was written."""


class WriterMemory(Latest):
    """The latest revisions of terms, and those of actors."""

    def __init__(self, *, keep: int) -> None:
        super().__init__(keep=keep)
        self._paces: OrderedDict[tuple[str, int], deque[Written]] = OrderedDict()

    def clear(self) -> None:
        super().clear()
        self._paces.clear()

    def pace(self, actor: str, nth: int) -> deque[Written] | None:
        """The `nth` latest revisions of an actor, or all there are, the oldest first; None if that is not known."""
        known = self._paces.get((actor, nth))
        if known is not None:
            self._paces.move_to_end((actor, nth))
        return known

    def learn_pace(self, actor: str, nth: int, found: Iterable[Written]) -> deque[Written]:
        """Take note of what the table said."""
        known = self._paces[actor, nth] = deque(found, maxlen=nth)
        if len(self._paces) > ACTORS_MAX:
            self._paces.popitem(last=False)
        return known

    def wrote(self, actor: str, written: Written) -> None:
        """Take note of a revision that was just written."""
        for key in [key for key in self._paces if key[0] == actor]:
            known = self._paces[key]
            if known and known[-1][0] >= written[0]:  # not the latest after all: the table knows better
                del self._paces[key]
            else:
                known.append(written)
