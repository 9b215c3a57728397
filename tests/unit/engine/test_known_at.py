"""A listing of what was known earlier holds all of it, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.world import HOUR, SetClock, open_memory

from muniment import Memory

COUNT = 450
"""More than two pages."""


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def memory(vault: Path, clock: SetClock) -> Iterator[Memory]:
    with open_memory(vault, clock=clock) as memory:
        yield memory


def _written(memory: Memory, clock: SetClock, count: int) -> list[str]:
    ids = []
    for number in range(count):
        clock.forward(HOUR)
        verdict = memory.remember(f"fact number {number}", kind="fact", evidence=["log:1"])
        assert verdict.record_id is not None
        ids.append(verdict.record_id)
    return ids


def test_what_changed_since_is_listed_as_it_stood_then(memory: Memory, clock: SetClock) -> None:
    ids = _written(memory, clock, COUNT)
    then = clock.now()
    clock.forward(HOUR)
    for number, name in enumerate(ids[:-1]):
        if number % 3 == 0:
            memory.revise(name, f"fact number {number}, corrected")
        elif number % 3 == 1:
            memory.review.retract(name, reason="wrong")
        else:
            memory.review.retire(name, becomes="expired", reason="over")
    assert [one.record.id for one in memory.insight.browse()] == [*ids[-1:], *ids[:-1:3]]
    known = list(memory.insight.browse(known_at=then))
    assert [one.record.id for one in known] == ids
    assert {(one.record.revision, one.standing.status.value) for one in known} == {(1, "active")}


def test_a_listing_of_the_past_goes_on_behind_what_may_no_longer_be_seen(memory: Memory, clock: SetClock) -> None:
    ids = _written(memory, clock, 3)
    then = clock.now()
    clock.forward(HOUR)
    memory.review.quarantine(ids[1], reason="looks odd")
    bot = memory.as_actor("bot")
    assert [one.record.id for one in bot.insight.browse(known_at=then, after=f"{ids[1]}@1")] == ids[2:]
