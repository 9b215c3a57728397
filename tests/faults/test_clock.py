"""The clock goes back, far forward, or stands still: the ledger's times never do, and nothing is lost by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.recall.world import contents
from tests.support.world import START, SeededIds, TickingClock

from muniment import Memory
from muniment.model import times
from muniment.model.times import Instant

YEAR = 365 * 86_400_000_000
JUMPS = {
    "a second back": -1_000_000,
    "a year back": -YEAR,
    "before there were computers": -(START - times.parse("1900-01-01", field="at")),
    "a year forward": YEAR,
    "to the year 2999": times.parse("2999-01-01", field="at") - START,
}


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS.keys())
def test_a_clock_that_jumps_loses_nothing_and_the_ledger_keeps_its_order(jump: int, tmp_path: Path) -> None:
    clock = TickingClock()
    with Memory.open(tmp_path, clock=clock, ids=SeededIds(1), embedder=None) as memory:
        first = memory.remember("the gate is green")
        memory.recall("gate")
        clock.set(Instant(START + jump))
        second = memory.remember("the door is blue")
        memory.revise(str(first.record_id), "the gate is grey")
        memory.ledger.checkpoint()
        assert memory.recall("door").records[0].record.id == second.record_id
        clock.set(Instant(START + 3_600_000_000))
        assert memory.remember("the clock is right again").committed
        assert memory.ledger.verify().findings == ()
        moments = [entry.at for entry in memory.ledger.entries()]
        assert moments == sorted(moments)
    with Memory.open(tmp_path, clock=TickingClock(), ids=SeededIds(2), embedder=None) as again:
        told = sorted(one.record.content for one in again.insight.browse())
        assert told == ["the clock is right again", "the door is blue", "the gate is grey"]
        assert again.ledger.verify().findings == ()


def test_a_clock_that_stands_still_keeps_every_write_apart(tmp_path: Path) -> None:
    clock = TickingClock(step=0)
    with Memory.open(tmp_path, clock=clock, ids=SeededIds(1), embedder=None) as memory:
        for number in range(5):
            assert memory.remember(f"note {number}").committed
        assert len({entry.seq for entry in memory.ledger.entries()}) == len(memory.ledger.entries())
        assert memory.ledger.verify().findings == ()


def test_what_expired_by_a_clock_far_ahead_is_told_again_when_it_is_right(tmp_path: Path) -> None:
    """Reading never decides what is over for good: a wrong clock hides, it does not delete."""
    clock = TickingClock()
    with Memory.open(tmp_path, clock=clock, ids=SeededIds(1), embedder=None) as memory:
        memory.remember("the offer stands", expires_at=times.show(Instant(START + YEAR)))
        clock.set(Instant(START + 2 * YEAR))
        assert contents(memory.recall("offer")) == []
        clock.set(Instant(START + 60_000_000))
        assert contents(memory.recall("offer")) == ["the offer stands"]
        assert memory.ledger.verify().findings == ()
