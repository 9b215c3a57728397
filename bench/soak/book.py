"""What was acknowledged and what went wrong, kept by all who take part in a soak."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field

from bench.soak.talk import Said

MOST_TOLD = 20


@dataclass(slots=True)
class Kept:
    """An acknowledged record."""

    record: str
    epoch: int
    said: Said
    writer: str
    at: float
    forgotten: bool = False


@dataclass(slots=True)
class Asked:
    """How many questions of a kind were asked, and how many found what they were asked for."""

    asked: int = 0
    found: int = 0

    @property
    def share(self) -> float:
        return self.found / self.asked if self.asked else 1.0


@dataclass(slots=True)
class Book:
    """Shared by threads: everything is behind one lock."""

    kept: list[Kept] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    asked: dict[str, Asked] = field(default_factory=dict)
    recent: deque[Kept] = field(default_factory=lambda: deque(maxlen=200))
    _head: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, record: str, epoch: int, said: Said, writer: str) -> Kept:
        one = Kept(record, epoch, said, writer, time.monotonic())
        with self._turn:
            self.kept.append(one)
            self.recent.append(one)
            self._head = max(self._head, epoch)
            self.counts["acknowledged"] += 1
        return one

    def head(self) -> int:
        """The furthest entry that anybody was told of. A read that begins now sees it."""
        with self._turn:
            return self._head

    def saw_head(self, reader: str, before: int, found: int) -> None:
        if found < before:
            self.break_("stale", f"{reader} sees the ledger at entry {found}, {before} was told before")
        with self._turn:
            self._head = max(self._head, found)
            self.counts["reads"] += 1

    def break_(self, kind: str, what: str) -> None:
        with self._turn:
            self.counts[f"broken: {kind}"] += 1
            if len(self.broken) < MOST_TOLD:
                self.broken.append(f"{kind}: {what}")

    def count(self, what: str) -> None:
        with self._turn:
            self.counts[what] += 1

    def ask(self, kind: str, found: bool) -> None:
        with self._turn:
            asked = self.asked.setdefault(kind, Asked())
            asked.asked += 1
            asked.found += found

    def one_of_the_last(self, rng: random.Random, *, older_than_s: float = 0.0) -> Kept | None:
        """A record that was acknowledged not long ago and that nobody is about to forget."""
        latest = time.monotonic() - older_than_s
        with self._turn:
            there = [one for one in self.recent if one.at <= latest and not one.forgotten]
        return rng.choice(there[-20:]) if there else None

    def to_forget(self, rng: random.Random) -> Kept | None:
        """A record to erase. From now on nobody expects it to be there."""
        with self._turn:
            there = [one for one in self.kept if not one.forgotten]
            if len(there) < MOST_TOLD:
                return None
            chosen = rng.choice(there)
            chosen.forgotten = True
            return chosen

    def standing(self) -> list[Kept]:
        with self._turn:
            return [one for one in self.kept if not one.forgotten]
