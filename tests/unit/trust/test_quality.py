"""Quality of one record: the published formula to the point, and ours without its faults."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.trust.quality import QualityFormula, QualityInputs, memory_quality

change = msgspec.structs.replace
outcomes = st.floats(0, 1e6)
merits = st.builds(
    QualityInputs,
    effective=make.shares,
    confidence=make.shares,
    helpful=outcomes,
    misleading=outcomes,
    accesses=st.integers(0, 1000),
    conflicts=st.integers(0, 20),
    hedged=st.booleans(),
    attributed=st.booleans(),
    sourced=st.booleans(),
    session=st.booleans(),
    actor=make.identifiers,
)


def record(confidence: float = 1.0, **known: object) -> QualityInputs:
    return QualityInputs(effective=confidence, confidence=confidence, **known)  # type: ignore[arg-type]  # the test's own


@each(
    ("one", "theirs", "ours"),
    [
        (record(), 72, 100),
        (record(hedged=True), 68, 95),
        (record(0.0), 12, 0),
        (record(0.0, accesses=10), 28, 0),
        (record(accesses=10), 88, 100),
        (record(helpful=98.0, accesses=10), 100, 100),
        (record(0.5), 42, 50),
        (record(0.5, accesses=1_000), 58, 50),
        (record(conflicts=1), 62, 85),
        (record(conflicts=9), 0, 55),
        (record(0.6, misleading=10.0), 38, 17),
        (record(0.9, helpful=6.0, misleading=2.0), 72, 80),
        (record(attributed=False, sourced=False), 72, 70),
        (record(0.1, attributed=False), 18, 0),
        (QualityInputs(effective=0.3, confidence=0.85), 30, 30),
    ],
)
def test_both_formulas_have_these_values(one: QualityInputs, theirs: int, ours: int) -> None:
    assert memory_quality(one, QualityFormula.MEMLEDGER) == theirs
    assert memory_quality(one, QualityFormula.MUNIMENT) == memory_quality(one) == ours


@given(merits, st.sampled_from(QualityFormula))
def test_a_quality_is_within_its_bounds(one: QualityInputs, profile: QualityFormula) -> None:
    assert 0 <= memory_quality(one, profile) <= 100


@given(merits, make.shares)
def test_more_belief_is_never_less_quality(one: QualityInputs, other: float) -> None:
    low, high = sorted((one.effective, other))
    for profile in QualityFormula:
        assert memory_quality(change(one, effective=low), profile) <= memory_quality(
            change(one, effective=high), profile
        )


@given(merits, outcomes)
def test_a_helpful_outcome_never_costs_and_a_misleading_one_never_gains(one: QualityInputs, more: float) -> None:
    helped = change(one, helpful=one.helpful + more)
    misled = change(one, misleading=one.misleading + more)
    assert memory_quality(misled) <= memory_quality(one) <= memory_quality(helped)


@given(merits, st.integers(0, 1_000_000))
def test_popularity_is_not_quality(one: QualityInputs, accesses: int) -> None:
    assert memory_quality(change(one, accesses=accesses)) == memory_quality(one)


@given(merits)
def test_a_hedge_costs_five_points_wherever_there_are_five(one: QualityInputs) -> None:
    plain, hedged = memory_quality(change(one, hedged=False)), memory_quality(change(one, hedged=True))
    assert hedged == max(0, plain - 5)


@given(merits)
def test_no_record_is_worth_more_than_what_it_stands_on(one: QualityInputs) -> None:
    assert memory_quality(one) <= 100 * one.effective + 0.5


@given(merits, st.integers(3, 1_000))
def test_a_crowd_of_rivals_costs_no_more_than_three(one: QualityInputs, rivals: int) -> None:
    assert memory_quality(change(one, conflicts=rivals)) == memory_quality(change(one, conflicts=3))


def test_the_largest_legal_outcomes_still_give_a_quality() -> None:
    assert memory_quality(record(helpful=9e307, misleading=9e307)) == 50


@each(
    ("field", "wrong"),
    [
        ("effective", float("nan")),
        ("confidence", 7.5),
        ("helpful", -1.0),
        ("misleading", float("inf")),
        ("accesses", -1),
        ("conflicts", True),
        ("hedged", 1),
        ("actor", None),
    ],
)
def test_merits_that_cannot_be_are_refused_by_name(field: str, wrong: object) -> None:
    known: dict[str, object] = {"effective": 0.5, "confidence": 0.5, field: wrong}
    with pytest.raises(Malformed) as caught:
        QualityInputs(**known)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.field == field


def test_a_profile_nobody_knows_is_refused() -> None:
    assert checks.read_word("profile", "memledger", QualityFormula) is QualityFormula.MEMLEDGER
    with pytest.raises(Malformed) as caught:
        checks.read_word("profile", "engram", QualityFormula)
    assert caught.value.field == "profile"
