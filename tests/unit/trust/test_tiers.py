"""Tiers: one step a pass, at exact bounds, with a gap between the way out and the way back, and a fixed point."""

from __future__ import annotations

from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.errors import Malformed
from muniment.model.vocabulary import Tier
from muniment.trust.memory_tiers import MOVES, next_tier, settled_tier, used_importance

QUARTER = 90 * 24.0


class Signs(TypedDict):
    importance: float
    age_hours: float
    idle_hours: float
    accesses: int
    anchored: bool


def signs(
    importance: float = 0.5, age: float = 0.0, idle: float = 0.0, accesses: int = 0, anchored: bool = False
) -> Signs:
    return Signs(importance=importance, age_hours=age, idle_hours=idle, accesses=accesses, anchored=anchored)


# Importance and hours are drawn near the bounds of the table as often as anywhere else.
_importance = make.shares | st.sampled_from([0.15, 0.25, 0.29, 0.3, 0.31, 0.35, 0.4, 0.5])
_hours = st.floats(-10, 1e6) | st.sampled_from([0.0, 0.5, 24.0, 168.0, QUARTER])
_accesses = st.integers(0, 12) | st.integers(0, 2**63 - 1)
all_signs = st.builds(
    signs, importance=_importance, age=_hours, idle=_hours, accesses=_accesses, anchored=st.booleans()
)
tiers = st.sampled_from(Tier)


@each(
    ("start", "told", "end"),
    [
        (Tier.WORKING, signs(0.35, age=0.5), Tier.SESSION),
        (Tier.WORKING, signs(0.349, age=0.5), Tier.WORKING),
        (Tier.WORKING, signs(0.35, age=0.499), Tier.WORKING),
        (Tier.WORKING, signs(0.20, age=0.5, accesses=10), Tier.SESSION),
        (Tier.WORKING, signs(0.19, age=0.5, accesses=1_000), Tier.WORKING),
        (Tier.WORKING, signs(1.0, age=1_000), Tier.SESSION),
        (Tier.SESSION, signs(0.5, age=24), Tier.LONGTERM),
        (Tier.SESSION, signs(0.499, age=24), Tier.SESSION),
        (Tier.SESSION, signs(0.5, age=23.99), Tier.SESSION),
        (Tier.LONGTERM, signs(0.299, age=QUARTER, idle=QUARTER), Tier.ARCHIVE),
        (Tier.LONGTERM, signs(0.3, age=QUARTER, idle=QUARTER), Tier.LONGTERM),
        (Tier.LONGTERM, signs(0.299, age=QUARTER, idle=QUARTER - 0.1), Tier.LONGTERM),
        (Tier.LONGTERM, signs(0.0, age=QUARTER, idle=1e6, anchored=True), Tier.LONGTERM),
        (Tier.ARCHIVE, signs(0.4, age=QUARTER, idle=168, accesses=1), Tier.LONGTERM),
        (Tier.ARCHIVE, signs(0.384, age=QUARTER, idle=168, accesses=1), Tier.ARCHIVE),
        (Tier.ARCHIVE, signs(0.4, age=QUARTER, idle=168.1, accesses=1), Tier.ARCHIVE),
        (Tier.ARCHIVE, signs(1.0, age=0, idle=0, accesses=0), Tier.ARCHIVE),
    ],
)
def test_each_step_is_taken_at_its_bounds_and_not_short_of_them(start: Tier, told: Signs, end: Tier) -> None:
    assert next_tier(start, **told) is end


@given(tiers, all_signs)
def test_a_pass_takes_one_step_of_the_table_or_none(tier: Tier, told: Signs) -> None:
    after = next_tier(tier, **told)
    assert after is tier or (tier, after) in {(move.start, move.end) for move in MOVES}


def test_the_steps_of_the_table_lead_to_neighbours_only() -> None:
    order = list(Tier)
    assert all(abs(order.index(move.start) - order.index(move.end)) == 1 for move in MOVES)


@given(tiers, all_signs)
def test_what_is_settled_stays_settled(tier: Tier, told: Signs) -> None:
    settled = settled_tier(tier, **told)
    assert settled_tier(settled, **told) is settled
    assert next_tier(settled, **told) is settled


@given(tiers, all_signs)
def test_no_tier_is_met_twice_on_the_way(tier: Tier, told: Signs) -> None:
    met = [tier]
    while (after := next_tier(met[-1], **told)) is not met[-1]:
        assert after not in met
        met.append(after)


def test_a_record_that_missed_its_passes_arrives_where_they_would_have_taken_it() -> None:
    told = signs(0.6, age=48)
    assert next_tier(Tier.WORKING, **told) is Tier.SESSION
    assert settled_tier(Tier.WORKING, **told) is Tier.LONGTERM


@given(tiers, all_signs)
def test_what_is_anchored_is_not_archived(tier: Tier, told: Signs) -> None:
    held: Signs = {**told, "anchored": True}
    assert (settled_tier(tier, **held) is Tier.ARCHIVE) <= (tier is Tier.ARCHIVE)


@given(_importance, _accesses, _hours, _hours, _hours)
def test_a_record_of_unchanged_importance_does_not_flap(
    importance: float, accesses: int, age: float, first: float, second: float
) -> None:
    """Whatever the idle times are, what one pass archives no later pass brings back unless its weight has risen."""
    out = next_tier(Tier.LONGTERM, **signs(importance, age=age, idle=first, accesses=accesses))
    back = next_tier(Tier.ARCHIVE, **signs(importance, age=age, idle=second, accesses=accesses))
    assert not (out is Tier.ARCHIVE and back is Tier.LONGTERM)


@given(make.shares, _accesses)
def test_use_adds_no_more_than_its_bonus(importance: float, accesses: int) -> None:
    assert importance <= used_importance(importance, accesses) <= min(1.0, importance + 0.15)


def test_a_clock_that_ran_backwards_counts_as_no_time() -> None:
    assert next_tier(Tier.WORKING, **signs(1.0, age=-3.0, idle=-3.0)) is Tier.WORKING
    assert next_tier(Tier.ARCHIVE, **signs(1.0, age=-3.0, idle=-3.0, accesses=1)) is Tier.LONGTERM


@each(
    ("told", "field"),
    [
        (signs(importance=float("nan")), "importance"),
        (signs(importance=1.1), "importance"),
        (signs(age=float("nan")), "age_hours"),
        (signs(idle=float("inf")), "idle_hours"),
        (signs(accesses=-1), "accesses"),
    ],
)
def test_a_sign_that_is_none_is_refused_by_name(told: Signs, field: str) -> None:
    with pytest.raises(Malformed) as caught:
        next_tier(Tier.WORKING, **told)
    assert caught.value.field == field
