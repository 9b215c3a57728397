"""The kit by itself: an empty memory under the profile's policy gets a report that claims nothing it cannot show."""

from __future__ import annotations

from matm_evaluation import level_report, play
from matm_evaluation.scratch import START, StillClock, scratch_memory


def test_an_empty_memory_claims_no_level_that_needs_use() -> None:
    with scratch_memory() as memory:
        report = level_report(memory, now=START)
    met = [level for level in report.levels if level.met]
    assert len(met) < len(report.levels)
    assert report.missing


def test_the_worked_example_comes_out_the_same_twice() -> None:
    clock = StillClock()
    with scratch_memory(clock) as memory:
        first, second = play(memory, clock), play(memory, clock)
    assert first.reports == second.reports
