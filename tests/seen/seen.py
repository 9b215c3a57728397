"""What a process was acknowledged and what its reads saw, and what every later read must therefore see.

Before a read begins, `expectation` fixes what it must see. Whatever is written or read meanwhile may be in the answer
as well, so any number of threads can share one `Seen`.
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass


@dataclass(slots=True)
class Life:
    """One acknowledged record. `ending`: somebody has begun to take it back, so a read may or may not find it."""

    record: str
    word: str
    content: str
    revision: int
    epoch: int
    ending: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a read that begins now must see: the ledger's head, and a record with its revision and state."""

    head: int
    life: Life
    revision: int
    word: str
    over: bool


class Broken(AssertionError):
    """A promise was broken. The seed replays what was asked for, not the order in which threads ran."""


class Seen:
    def __init__(self, name: str) -> None:
        self._name = name
        self._turn = threading.Lock()
        self._head = 0
        self._lives: list[Life] = []
        self.reads = 0

    def acknowledge(self, record: str, word: str, content: str, revision: int, epoch: int) -> Life:
        life = Life(record, word, content, revision, epoch)
        with self._turn:
            self._lives.append(life)
            self._head = max(self._head, epoch)
        return life

    def revised(self, life: Life, word: str, content: str, revision: int, epoch: int) -> None:
        with self._turn:
            life.word, life.content, life.revision, life.epoch = word, content, revision, epoch
            self._head = max(self._head, epoch)

    def taken_back(self, life: Life, epoch: int) -> None:
        with self._turn:
            life.over = True
            self._head = max(self._head, epoch)

    def head(self) -> int:
        with self._turn:
            return self._head

    def expectation(self, rng: random.Random, life: Life | None = None) -> Expectation | None:
        """A record that was acknowledged, one of the last most of the time; None while there is none."""
        with self._turn:
            if not self._lives:
                return None
            if life is None:
                life = rng.choice(self._lives[-4:] if rng.random() < 0.7 else self._lives)
            return Expectation(self._head, life, life.revision, life.word, life.over)

    def saw_head(self, face: str, before: int, found: int) -> None:
        if found < before:
            raise Broken(f"{face} sees the ledger at entry {found}; {self._name} had been told of entry {before}")
        with self._turn:
            self._head = max(self._head, found)
            self.reads += 1

    def saw_record(self, face: str, expected: Expectation, revision: int, content: str) -> None:
        """An answer to `get`."""
        life = expected.life
        if revision < expected.revision:
            raise Broken(f"{face} sees {life.record} at revision {revision}, {self._name} knows of {expected.revision}")
        if revision == expected.revision == life.revision and content != life.content and not life.ending:
            raise Broken(f"{face} tells {life.record} in other words than were acknowledged")
        with self._turn:
            self.reads += 1

    def saw_found(self, face: str, expected: Expectation, found: set[str]) -> None:
        """An answer to a search for the word that only this record holds, or to a listing of what is current."""
        life = expected.life
        there = life.record in found
        with self._turn:
            self.reads += 1
            steady = not life.ending and life.revision == expected.revision
        if steady and not there:
            raise Broken(
                f"{face} does not find {life.record} (entry {life.epoch}, {len(life.content)} characters, "
                f"{expected.word!r}) although {self._name} was told that it is kept"
            )
        if expected.over and there:
            raise Broken(f"{face} finds {life.record} again, which was taken back")
