"""Random histories of one memory, and what it knew at an earlier time, found by replaying the ledger up to then.

The replay is the oracle: a store in memory that holds the entries up to one position and nothing after it, asked about
its present.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

from tests.support.memory_store.store import MemoryTenant
from tests.support.world import SECOND, START, SeededIds, TickingClock, simulated_memory

from muniment.engine.memory import Memory
from muniment.model.errors import MunimentError
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.ports.store import TenantStore
from muniment.write.commit import rebuild

WORDS = ("apple", "pear", "plum", "fig", "quince")
STATES = tuple(status.value for status in Status)
_HOUR = 3_600 * SECOND
_DOORS = ("front", "back")
_COLOURS = ("red", "green", "blue")

Told = tuple[object, ...]


def told(one: Disclosure) -> Told:
    """Everything that a reader learns of a record except how it ranked."""
    return one.record, one.standing, one.presented, one.gate


class Past:
    """A memory with a random history of so many steps, seen by its owner and by an agent."""

    def __init__(self, store: TenantStore, seed: int, *, steps: int) -> None:
        self.store = store
        self.clock = TickingClock()
        self.memory = simulated_memory(store, clock=self.clock, ids=SeededIds(seed))
        self._random = random.Random(seed)
        self._names: list[str] = []
        self._instant = START
        for _ in range(steps):
            self._instant = Instant(self._instant + self._random.randint(1, 20) * _HOUR)
            self.clock.set(self._instant)
            self._step()
        self.clock.set(Instant(self._instant + _HOUR))

    def _step(self) -> None:
        ways: tuple[tuple[int, Callable[[], object]], ...] = (
            (6, self._remember),
            (3, self._revise),
            (2, self._supersede),
            (2, self._derive),
            (2, self._retract),
            (2, self._retire),
            (1, self._outcome),
            (2, lambda: self.memory.review.sweep()),
            (1, self._settle),
            (1, lambda: self.memory.forget(self._known(), reason="asked for")),
            (1, lambda: self.memory.review.quarantine(self._known(), reason="looks odd")),
        )
        (way,) = self._random.choices([way for _, way in ways], [weight for weight, _ in ways])
        with suppress(MunimentError):  # what the engine refuses is no part of the history
            way()

    def _known(self) -> str:
        return self._random.choice(self._names) if self._names else "none"

    def _content(self) -> str:
        return f"{self._random.choice(WORDS)} {self._random.choice(WORDS)} {self._random.randint(0, 99)}"

    def _actor(self) -> Memory:
        return self.memory.as_actor("bot") if self._random.random() < 0.3 else self.memory

    def _kept(self, record: str | None) -> None:
        if record is not None and record not in self._names:
            self._names.append(record)

    def _remember(self) -> None:
        rng = self._random
        slot = {"subject": "door", "key": rng.choice(_DOORS), "value": rng.choice(_COLOURS)}
        ends = Instant(self._instant + rng.randint(1, 100) * _HOUR)
        verdict = self._actor().remember(
            self._content(),
            kind=rng.choice(("observation", "fact", "decision")),
            evidence=["log:1"],
            confidence=rng.choice((0.3, 0.6, 0.9)),
            sensitivity=rng.choice(("internal", "internal", "confidential")),
            namespace=rng.choice(("/a", "/a/b")),
            expires_at=ends if rng.random() < 0.3 else None,
            valid_until=ends if rng.random() < 0.2 else None,
            subject=slot["subject"] if (slotted := rng.random() < 0.4) else None,
            key=slot["key"] if slotted else None,
            value=slot["value"] if slotted else None,
        )
        self._kept(verdict.record_id)

    def _revise(self) -> None:
        self._actor().revise(self._known(), self._content(), confidence=self._random.choice((0.4, 0.8)))

    def _supersede(self) -> None:
        self._kept(self._actor().remember(self._content(), supersedes=self._known()).record_id)

    def _derive(self) -> None:
        verdict = self._actor().remember(self._content(), kind="risk", derived_from=[self._known()])
        self._kept(verdict.record_id)

    def _retract(self) -> None:
        self.memory.review.retract(self._known(), reason="wrong")

    def _retire(self) -> None:
        becomes = self._random.choice(("deprecated", "expired", "archived"))
        self.memory.review.retire(self._known(), becomes=becomes, reason="no longer needed")

    def _outcome(self) -> None:
        self.memory.review.outcome(self._known(), self._random.choice(("helpful", "misleading")), weight=3.0)

    def _settle(self) -> None:
        left = [one for one in self.memory.review.conflicts() if one.status == "open"]
        if left:
            one = self._random.choice(left)
            self.memory.review.resolve(one.id, strategy="last_write_wins", rationale="looked at it")

    def moments(self, count: int) -> list[Instant]:
        """Instants of the past, some of them just when something was written."""
        times = [entry.at for entry in self.memory.ledger.entries()]
        spread = [self._random.randrange(START, self._instant) for _ in range(count)]
        return [Instant(one) for one in (*self._random.sample(times, min(count, len(times))), *spread)]

    def known(self, instant: Instant) -> tuple[Memory, int]:
        """A memory that never heard of anything after an instant, and the position it ends at."""
        with self.store.read() as snapshot:
            position = max((entry.seq for entry in self.memory.ledger.entries() if entry.at <= instant), default=0)
            scratch = MemoryTenant("default")
            scratch.write(lambda unit: rebuild(unit, snapshot, upto=position))
        clock = TickingClock(instant, step=0)
        return simulated_memory(scratch, clock=clock, ids=SeededIds(1)), position
