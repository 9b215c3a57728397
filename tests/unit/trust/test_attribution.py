"""Attribution over several records: the published scores with their quirks, and ours without them."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make
from tests.unit.trust.test_quality import merits, record

from muniment.model.errors import Malformed
from muniment.trust.attribution import (
    AncestorChain,
    AttributionBand,
    AttributionFinding,
    TraceOperation,
    TraceStep,
    attribution_integrity,
    structural_integrity,
)
from muniment.trust.quality import QualityFormula, QualityInputs

change = msgspec.structs.replace
GOOD = record(0.9, actor="a")
DEEP = AncestorChain(min_effective=0.3, truncated=True)
several = st.lists(merits, min_size=1, max_size=6)
traces = st.builds(
    TraceStep,
    operation=st.sampled_from(TraceOperation),
    confidence=make.maybe(make.shares),
    attributed=st.booleans(),
    hedged=st.booleans(),
    parents=st.integers(0, 9),
    depth=st.integers(0, 9),
)


def scored(used: list[QualityInputs], profile: QualityFormula, chain: AncestorChain | None = None) -> float:
    return attribution_integrity(used, chain, profile).score


@each(
    ("used", "chain", "theirs", "ours"),
    [
        ([GOOD], None, 1.0, 1.0),
        ([record(0.01, actor="a")], None, 0.455, 0.016666667),
        ([record(0.0, actor="a")], None, 0.45, 0.0),
        ([GOOD] * 50 + [record(actor="b")] * 46 + [record(0.1, actor="a")] * 4, None, 0.05, 0.966666667),
        ([record(0.05, hedged=True, actor="a")], None, 0.725, 0.3125),
        ([record(0.05, hedged=True, actor=name) for name in "ab"], None, 0.775, 0.3125),
        ([record(0.5, actor="a")], None, 0.85, 0.833333333),
        ([record(0.4, actor="a")], None, 0.8, 0.666666667),
        ([record(0.9, attributed=False)], None, 0.6, 0.6),
        ([record(0.9, attributed=False), GOOD], None, 0.8, 0.8),
        ([record(0.9, session=False, actor="a")], None, 0.85, 0.95),
        ([GOOD, change(GOOD, session=False)], None, 1.0, 0.975),
        ([GOOD], DEEP, 0.75, 0.9),
        ([GOOD], AncestorChain(min_effective=0.0), 0.8, 0.8),
        ([GOOD], AncestorChain(min_effective=0.4), 1.0, 1.0),
        ([record(0.9, conflicts=2, sourced=False, actor="a")], None, 1.0, 0.7),
        ([QualityInputs(effective=0.3, confidence=0.85, actor="a")], None, 1.0, 0.5),
    ],
)
def test_both_formulas_have_these_values(
    used: list[QualityInputs], chain: AncestorChain | None, theirs: float, ours: float
) -> None:
    assert scored(used, QualityFormula.MEMLEDGER, chain) == pytest.approx(theirs, abs=1e-9)
    assert scored(used, QualityFormula.MUNIMENT, chain) == pytest.approx(ours, abs=1e-9)


def test_an_answer_that_used_nothing_has_not_passed_and_is_told_apart_from_a_bad_one() -> None:
    ours, theirs = attribution_integrity([]), attribution_integrity([], profile=QualityFormula.MEMLEDGER)
    assert (ours.score, ours.band, ours.passed) == (0.0, AttributionBand.NOTHING, False)
    assert (theirs.score, theirs.band, theirs.passed) == (0.0, AttributionBand.UNATTRIBUTED, False)


@each(
    ("confidence", "band", "passed"),
    [
        (0.42, AttributionBand.WELL, True),
        (0.419, AttributionBand.PARTIAL, False),
        (0.24, AttributionBand.PARTIAL, False),
        (0.239, AttributionBand.UNATTRIBUTED, False),
    ],
)
def test_a_band_begins_at_its_bound(confidence: float, band: AttributionBand, passed: bool) -> None:
    found = attribution_integrity([record(confidence, actor="a")])
    assert (found.band, found.passed) == (band, passed)


def test_the_order_of_a_sum_does_not_decide_a_verdict() -> None:
    """Three good and nine without an author come to 0.7, and to a hair less when added up in that order."""
    assert attribution_integrity([GOOD] * 3 + [change(GOOD, attributed=False)] * 9).passed
    assert attribution_integrity([change(GOOD, attributed=False)] * 9 + [GOOD] * 3).passed


def test_the_findings_say_what_took_the_score_down() -> None:
    used = [GOOD, record(0.1), record(0.1, hedged=True), record(0.5), record(0.9, attributed=False, sourced=False)]
    assert attribution_integrity([GOOD]).findings == ()
    assert attribution_integrity(used, DEEP).findings == (
        AttributionFinding(what="unattributed", count=1),
        AttributionFinding(what="weak", count=1),
        AttributionFinding(what="weak_hedged", count=1),
        AttributionFinding(what="unsure", count=1),
        AttributionFinding(what="unsourced", count=1),
        AttributionFinding(what="weak_ancestor", count=1),
        AttributionFinding(what="chain_truncated", count=1),
    )


@given(several, st.sampled_from(QualityFormula))
def test_a_score_is_within_its_bounds_and_agrees_with_its_band(
    used: list[QualityInputs], profile: QualityFormula
) -> None:
    found = attribution_integrity(used, profile=profile)
    assert 0.0 <= found.score <= 1.0
    assert found.passed == (found.band is AttributionBand.WELL) == (found.score >= 0.7)


@given(several, make.shares)
def test_less_belief_is_never_worth_more(used: list[QualityInputs], other: float) -> None:
    low, high = sorted((used[0].effective, other))
    below = [change(used[0], effective=low), *used[1:]]
    above = [change(used[0], effective=high), *used[1:]]
    assert scored(below, QualityFormula.MUNIMENT) <= scored(above, QualityFormula.MUNIMENT)


@given(several, st.integers(2, 5))
def test_more_of_the_same_scores_the_same(used: list[QualityInputs], times: int) -> None:
    assert scored(used * times, QualityFormula.MUNIMENT) == pytest.approx(
        scored(used, QualityFormula.MUNIMENT), abs=1e-8
    )


@given(several)
def test_a_second_author_adds_nothing(used: list[QualityInputs]) -> None:
    alone = [change(one, actor="a") for one in used]
    assert scored(alone, QualityFormula.MUNIMENT) == scored(used, QualityFormula.MUNIMENT)


@given(st.floats(0, 0.25), st.integers(1, 5))
def test_hedged_junk_does_not_pass(confidence: float, many: int) -> None:
    assert not attribution_integrity([record(confidence, hedged=True, actor="a")] * many).passed


@given(several)
def test_a_good_chain_adds_nothing_and_a_bad_one_costs(used: list[QualityInputs]) -> None:
    plain = scored(used, QualityFormula.MUNIMENT)
    assert scored(used, QualityFormula.MUNIMENT, AncestorChain(min_effective=0.9)) == plain
    assert scored(used, QualityFormula.MUNIMENT, DEEP) == pytest.approx(max(0.0, plain - 0.1), abs=1e-8)


def step(operation: str = "recall", confidence: float | None = 0.9, **known: object) -> TraceStep:
    return TraceStep(operation=TraceOperation(operation), confidence=confidence, **known)  # type: ignore[arg-type]  # the test's own


@each(
    ("session", "theirs", "ours"),
    [
        ([step()], 1.0, 1.0),
        ([step(attributed=False)], 0.8, 0.8),
        ([step(confidence=0.1)], 0.5, 0.5),
        ([step(confidence=0.1, hedged=True)], 0.8, 0.8),
        ([step(parents=6, depth=1)], 0.9, 1.0),
        ([step(parents=1, depth=6)], 1.0, 0.9),
        ([step("search", None)], 0.6, 0.3),
        ([step("add"), step("other")], 1.0, 1.0),
        ([step("add", attributed=False)], 0.8, 0.714285714),
        ([step("other", None)], 0.8, 0.6),
        ([step()] * 9 + [step(attributed=False)], 1.0, 1.0),
        ([step()] * 7 + [step(confidence=0.5)] * 3, 1.0, 1.0),
        ([step()] * 6 + [step(confidence=0.5)] * 4, 0.8, 0.8),
    ],
)
def test_the_structural_checks_have_these_scores(session: list[TraceStep], theirs: float, ours: float) -> None:
    assert structural_integrity(session, QualityFormula.MEMLEDGER).score == pytest.approx(theirs, abs=1e-9)
    assert structural_integrity(session).score == pytest.approx(ours, abs=1e-9)


def test_the_structural_findings_name_the_checks_and_count_the_steps_at_fault() -> None:
    session = [step(confidence=0.1, attributed=False, depth=7), step("search", None)]
    found = structural_integrity(session)
    assert (found.score, found.passed) == (0.0, False)
    assert found.findings == (
        AttributionFinding(what="confidence_told", count=1),
        AttributionFinding(what="confidence_firm", count=2),
        AttributionFinding(what="attributed", count=1),
        AttributionFinding(what="shallow", count=1),
        AttributionFinding(what="no_weak_recall", count=2),
    )


def test_a_session_without_a_step_has_not_passed() -> None:
    assert (structural_integrity([]).band, structural_integrity([]).passed) == (AttributionBand.NOTHING, False)
    assert structural_integrity([], QualityFormula.MEMLEDGER).band is AttributionBand.UNATTRIBUTED


@given(st.lists(traces, min_size=1, max_size=8), st.sampled_from(QualityFormula))
def test_a_structural_score_is_full_when_nothing_was_found_and_only_then(
    session: list[TraceStep], profile: QualityFormula
) -> None:
    found = structural_integrity(session, profile)
    assert 0.0 <= found.score <= 1.0
    assert (found.score == 1.0) == (found.findings == ())
    assert structural_integrity(session[::-1], profile) == found


@each("wrong", [float("nan"), -0.1, 7.5])
def test_a_confidence_that_is_none_is_refused_by_name(wrong: float) -> None:
    with pytest.raises(Malformed) as caught:
        step(confidence=wrong)
    assert caught.value.field == "confidence"
    with pytest.raises(Malformed) as caught:
        AncestorChain(min_effective=wrong)
    assert caught.value.field == "min_effective"
