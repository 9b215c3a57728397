"""Fading: half after a half-life, never below the anchor's floor, never driven by a wrong clock, bounded in rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.errors import Malformed
from muniment.model.times import HOUR, MAX, MIN, Instant
from muniment.trust.decay import ANCHOR_FLOOR, WEIGHT, faded, retrievability

half_lives = st.floats(0.01, 1e6)
scores = st.floats(0, 1e6)


def _after(hours: float, *, half_life: float | None = 24.0, anchored: bool = False) -> float:
    now = Instant(round(hours * HOUR))
    return retrievability(half_life_hours=half_life, anchored=anchored, since=Instant(0), now=now)


@each(("hours", "expected"), [(0, 1.0), (12, 0.7071), (24, 0.5), (72, 0.125), (-5, 1.0)])
def test_presence_halves_with_every_half_life(hours: float, expected: float) -> None:
    assert _after(hours) == pytest.approx(expected, abs=5e-5)


def test_an_anchor_holds_and_does_not_lift_what_is_still_present() -> None:
    assert ANCHOR_FLOOR == 0.5
    assert (_after(72, anchored=True), _after(1e6, anchored=True), _after(0, anchored=True)) == (0.5, 0.5, 1.0)
    assert _after(12, anchored=True) == _after(12)


def test_without_a_half_life_nothing_fades() -> None:
    assert _after(1e6, half_life=None) == 1.0
    assert _after(1e6, half_life=None, anchored=True) == 1.0


@given(st.tuples(make.instants, make.instants, make.instants).map(sorted), half_lives)
def test_looking_in_between_changes_nothing(instants: list[Instant], half_life: float) -> None:
    made, looked, now = instants

    def present(since: Instant, until: Instant) -> float:
        return retrievability(half_life_hours=half_life, anchored=False, since=since, now=until)

    assert present(made, looked) * present(looked, now) == pytest.approx(present(made, now), rel=1e-6, abs=1e-300)


@given(make.instants, make.instants, make.instants, make.positives, st.booleans())
def test_later_is_never_more_present_and_always_within_the_unit(
    since: Instant, one: Instant, other: Instant, half_life: float, anchored: bool
) -> None:
    early, late = sorted((one, other))
    before = retrievability(half_life_hours=half_life, anchored=anchored, since=since, now=early)
    after = retrievability(half_life_hours=half_life, anchored=anchored, since=since, now=late)
    assert (ANCHOR_FLOOR if anchored else 0.0) <= after <= before <= 1.0


@given(make.positives, st.integers(0, 10**15))
def test_a_clock_that_ran_backwards_counts_as_no_time(half_life: float, back: int) -> None:
    since = Instant(0)
    assert retrievability(half_life_hours=half_life, anchored=False, since=since, now=Instant(-back)) == 1.0


def test_the_shortest_half_life_over_all_of_time_is_nothing_left() -> None:
    assert retrievability(half_life_hours=5e-324, anchored=False, since=MIN, now=MAX) == 0.0


@each("half_life", [0.0, -1.0, float("nan"), float("inf")])
def test_a_half_life_that_is_none_is_refused_by_name(half_life: float) -> None:
    with pytest.raises(Malformed) as caught:
        _after(1, half_life=half_life)
    assert caught.value.field == "half_life_hours"


@given(scores, make.shares)
def test_fading_takes_away_no_more_than_its_share(score: float, present: float) -> None:
    assert score * (1.0 - WEIGHT) <= faded(score, present) <= score
    assert faded(score, 1.0) == score


@given(scores, scores, make.shares, make.shares)
def test_a_higher_score_or_more_presence_never_ranks_lower(s1: float, s2: float, r1: float, r2: float) -> None:
    (low, high), (faint, clear) = sorted((s1, s2)), sorted((r1, r2))
    assert faded(low, faint) <= faded(high, clear)


def test_an_old_good_match_stays_ahead_of_a_new_poor_one() -> None:
    assert faded(1.0, 0.0) > faded(0.65, 1.0)


@each(
    ("score", "present", "field"),
    [
        (-0.1, 0.5, "score"),
        (float("nan"), 0.5, "score"),
        (1.0, 1.5, "retrievability"),
        (1.0, float("nan"), "retrievability"),
    ],
)
def test_a_score_or_presence_that_is_none_is_refused_by_name(score: float, present: float, field: str) -> None:
    with pytest.raises(Malformed) as caught:
        faded(score, present)
    assert caught.value.field == field
