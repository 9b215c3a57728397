"""Belief over outcomes: nothing observed changes nothing, and what is observed moves it the right way only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.errors import Malformed
from muniment.model.proposal import OutcomeReport
from muniment.trust.outcomes import RULE, calibrated

sums = st.floats(0, 1e6)
weights = st.floats(0, 1, exclude_min=True)


@given(make.shares)
def test_without_outcomes_the_declared_confidence_is_kept_to_the_last_bit(declared: float) -> None:
    assert calibrated(declared, 0.0, 0.0) == declared


@each(
    ("declared", "helpful", "misleading", "expected"),
    [
        (0.0, 4.0, 0.0, 0.5),
        (1.0, 3.0, 0.0, 1.0),
        (1.0, 0.0, 4.0, 0.5),
        (0.6, 0.0, 1.0, 0.48),
        (0.6, 0.0, 10.0, 2.4 / 14),
        (0.9, 1.0, 1.0, 4.6 / 6),
    ],
)
def test_the_declared_rule_has_these_values(
    declared: float, helpful: float, misleading: float, expected: float
) -> None:
    assert RULE == "declared-prior-4"
    assert calibrated(declared, helpful, misleading) == pytest.approx(expected, abs=1e-9)


def test_ten_failures_take_a_claim_from_the_passing_side_of_the_gate_to_the_failing_one() -> None:
    assert calibrated(0.6, 0.0, 10.0) < 0.4


@given(make.shares, sums, sums, weights)
def test_a_good_outcome_never_lowers_it_and_a_bad_one_never_raises_it(
    declared: float, helpful: float, misleading: float, weight: float
) -> None:
    before = calibrated(declared, helpful, misleading)
    assert calibrated(declared, helpful + weight, misleading) >= before - 1e-9
    assert calibrated(declared, helpful, misleading + weight) <= before + 1e-9


@given(make.shares, make.shares, sums, sums)
def test_a_higher_declared_confidence_is_never_a_lower_one_after_outcomes(
    one: float, other: float, helpful: float, misleading: float
) -> None:
    low, high = sorted((one, other))
    assert calibrated(low, helpful, misleading) <= calibrated(high, helpful, misleading)


@given(make.shares, sums, sums)
def test_it_stays_a_confidence(declared: float, helpful: float, misleading: float) -> None:
    assert 0.0 <= calibrated(declared, helpful, misleading) <= 1.0


@each("weight", [0.0, -0.5, 1.0000001, float("nan"), float("inf"), float("-inf"), True, "1"])
def test_a_weight_outside_its_bounds_is_refused_by_name(weight: float) -> None:
    with pytest.raises(Malformed) as caught:
        OutcomeReport(record="rec-1", helpful=True, weight=weight)
    assert caught.value.field == "weight"


@each("declared", [-0.1, 1.1, float("nan")])
def test_a_declared_confidence_outside_the_unit_is_refused(declared: float) -> None:
    with pytest.raises(Malformed) as caught:
        calibrated(declared, 1.0, 1.0)
    assert caught.value.field == "confidence"
