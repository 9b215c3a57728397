"""What a record is worth given its pillars: the weakest link, whatever their order, and whether its support stands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.status import Status
from muniment.model.vocabulary import LABEL_RANK, Consequence, Label, Support
from muniment.trust.support import Supporter, SupportResult, SupportTerms, lowest, support_of

FLOOR = 0.2
ENDS = (
    Status.RETRACTED,
    Status.DEPRECATED,
    Status.SUPERSEDED,
    Status.EXPIRED,
    Status.CONTESTED,
    Status.ERASED,
)
FLAG_ALL = SupportTerms(floor=FLOOR, consequences=dict.fromkeys(ENDS, Consequence.FLAG))
GONE = (Status.RETRACTED, Status.DEPRECATED, Status.EXPIRED, Status.ERASED, Status.DISCARDED)

pillars = st.builds(
    Supporter,
    status=st.sampled_from(Status),
    support=st.sampled_from(Support),
    effective=make.shares,
    moved=st.booleans(),
    followed=st.booleans(),
)
terms = st.builds(
    SupportTerms,
    floor=make.shares,
    consequences=st.dictionaries(st.sampled_from(Status), st.sampled_from(Consequence)),
)
several = st.lists(st.none() | pillars, max_size=6)


def _pillar(
    status: Status = Status.ACTIVE,
    support: Support = Support.STANDING,
    *,
    effective: float = 0.9,
    moved: bool = False,
    followed: bool = False,
) -> Supporter:
    return Supporter(status=status, support=support, effective=effective, moved=moved, followed=followed)


SOUND = _pillar()


def _after(status: Status, consequence: Consequence, *, moved: bool = False) -> SupportResult:
    """What a record of 0.9 is on one pillar that ended so, under a policy that says this of it and flags the rest."""
    consequences = {**FLAG_ALL.consequences, status: consequence}
    return support_of(0.9, [_pillar(status, moved=moved)], SupportTerms(floor=FLOOR, consequences=consequences))


@given(make.shares, several, terms, st.randoms())
def test_the_order_of_the_pillars_changes_nothing(
    own: float, found: list[Supporter | None], rules: SupportTerms, rng: Random
) -> None:
    shuffled = list(found)
    rng.shuffle(shuffled)
    assert support_of(own, shuffled, rules) == support_of(own, found, rules)


@given(make.shares, several, terms)
def test_a_pillar_named_twice_counts_once(own: float, found: list[Supporter | None], rules: SupportTerms) -> None:
    assert support_of(own, [*found, *found], rules) == support_of(own, found, rules)


@given(make.shares, several, terms)
def test_nothing_is_worth_more_than_itself_or_any_pillar(
    own: float, found: list[Supporter | None], rules: SupportTerms
) -> None:
    effective = support_of(own, found, rules).effective
    assert effective <= own
    assert all(effective <= (rules.floor if pillar is None else pillar.effective) for pillar in found)
    bounds = [own, rules.floor, *(pillar.effective for pillar in found if pillar is not None)]
    assert effective in bounds, "a weakest link is one of the links"


@given(make.shares, several, terms, st.none() | pillars)
def test_one_pillar_more_never_makes_a_record_worth_more(
    own: float, found: list[Supporter | None], rules: SupportTerms, more: Supporter | None
) -> None:
    assert support_of(own, [*found, more], rules).effective <= support_of(own, found, rules).effective


@given(several, terms)
def test_nought_stays_nought(found: list[Supporter | None], rules: SupportTerms) -> None:
    assert support_of(0.0, found, rules).effective == 0.0
    nothing = _pillar(effective=0.0)
    assert support_of(1.0, [*found, nothing], rules).effective == 0.0


@given(make.shares, terms)
def test_a_record_without_pillars_is_what_it_says_it_is(own: float, rules: SupportTerms) -> None:
    assert support_of(own, [], rules) == SupportResult(effective=own, support=Support.STANDING)


@given(make.shares, several, terms)
def test_a_missing_pillar_bears_no_more_than_the_floor(
    own: float, found: list[Supporter | None], rules: SupportTerms
) -> None:
    assert support_of(own, [*found, None], rules).effective <= rules.floor
    assert support_of(own, [None], rules).support is Support.FALLEN
    assert support_of(own, [None, SOUND], rules).support is Support.FLAGGED


@each("status", GONE)
@each("moved", [False, True], ids=["as it was", "revised before it ended"])
def test_what_stood_on_a_record_that_is_gone_falls(status: Status, moved: bool) -> None:
    assert _after(status, Consequence.FLAG, moved=moved) == SupportResult(effective=FLOOR, support=Support.FALLEN)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.CONTESTED])
def test_what_stood_on_a_record_that_was_questioned_is_flagged_and_loses_nothing(status: Status) -> None:
    assert _after(status, Consequence.FLAG) == SupportResult(effective=0.9, support=Support.FLAGGED)


@each("status", [*GONE, Status.SUPERSEDED, Status.CONTESTED])
def test_policy_may_have_what_stood_on_it_deprecated_or_left_alone(status: Status) -> None:
    assert _after(status, Consequence.DEPRECATE) == SupportResult(effective=FLOOR, support=Support.DEPRECATED)
    assert _after(status, Consequence.LEAVE) == SupportResult(effective=0.9, support=Support.STANDING)


def test_a_pillar_that_was_revised_since_counts_as_superseded() -> None:
    assert support_of(0.9, [_pillar(moved=True)], FLAG_ALL).support is Support.FLAGGED
    for consequence, support in (
        (Consequence.LEAVE, Support.STANDING),
        (Consequence.DEPRECATE, Support.DEPRECATED),
    ):
        rules = SupportTerms(floor=FLOOR, consequences={Status.SUPERSEDED: consequence})
        assert support_of(0.9, [_pillar(moved=True)], rules).support is support


def test_a_successor_stands_on_what_it_replaced_with_its_eyes_open() -> None:
    replaced = _pillar(Status.SUPERSEDED, followed=True, effective=0.7)
    assert support_of(0.9, [replaced], FLAG_ALL) == SupportResult(effective=0.7, support=Support.STANDING)


@each("support", [Support.FLAGGED, Support.FALLEN, Support.DEPRECATED])
def test_what_lost_its_own_support_bears_no_better_than_it_stands(support: Support) -> None:
    assert support_of(0.9, [_pillar(support=support)], FLAG_ALL).support is support


def test_what_was_deprecated_because_its_support_was_takes_what_is_on_it_along() -> None:
    assert support_of(0.9, [_pillar(Status.DEPRECATED, Support.DEPRECATED)], FLAG_ALL).support is Support.DEPRECATED


TOGETHER: tuple[tuple[tuple[Support, ...], Support], ...] = (
    ((Support.STANDING, Support.STANDING), Support.STANDING),
    ((Support.STANDING, Support.FLAGGED), Support.FLAGGED),
    ((Support.STANDING, Support.FALLEN), Support.FLAGGED),
    ((Support.STANDING, Support.DEPRECATED), Support.FLAGGED),
    ((Support.FLAGGED, Support.FALLEN), Support.FLAGGED),
    ((Support.FALLEN, Support.FALLEN), Support.FALLEN),
    ((Support.FALLEN, Support.DEPRECATED), Support.DEPRECATED),
    ((Support.DEPRECATED, Support.DEPRECATED), Support.DEPRECATED),
)


@each(("found", "expected"), TOGETHER)
def test_a_record_falls_when_every_pillar_has_and_is_flagged_before(
    found: tuple[Support, ...], expected: Support
) -> None:
    assert support_of(0.9, [_pillar(support=support) for support in found], FLAG_ALL).support is expected


@given(st.lists(st.sampled_from(Label), min_size=1))
def test_the_lowest_label_is_one_of_them_and_above_none(labels: list[Label]) -> None:
    found = lowest(labels)
    assert found in labels
    assert all(LABEL_RANK[found] <= LABEL_RANK[label] for label in labels)
