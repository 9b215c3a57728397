"""The life of a record: exactly the steps of the table, and no others."""

from __future__ import annotations

import pytest
from tests.cases import each

from muniment.model.errors import IntegrityError
from muniment.model.status import BORN, CURRENT, TRANSITIONS, Status, may_become, read_status

ENDS = {"superseded", "deprecated", "retracted", "expired", "archived"}
ALLOWED: dict[str, set[str]] = {
    "proposed": {"held", "active", "contested", "discarded", "erased"},
    "held": {"active", "contested", "discarded", "retracted", "erased"},
    "draft": {"active", "contested", "discarded", "erased"},
    "active": {"contested", "held", "erased"} | ENDS,
    "contested": {"active", "held", "erased"} | ENDS,
    "superseded": {"archived", "erased"},
    "deprecated": {"archived", "erased"},
    "retracted": {"erased"},
    "expired": {"archived", "erased"},
    "archived": {"erased"},
    "discarded": {"erased"},
    "erased": set(),
}


@each("before", list(Status))
@each("after", list(Status))
def test_a_step_is_allowed_exactly_where_the_table_says(before: Status, after: Status) -> None:
    assert may_become(before, after) is (after.value in ALLOWED[before.value])


def test_the_table_knows_every_state() -> None:
    assert set(TRANSITIONS) == set(Status)
    assert {status.value for status in Status} == set(ALLOWED)


def test_only_what_speaks_or_is_kept_back_can_be_taken_back() -> None:
    assert {status for status in Status if Status.RETRACTED in TRANSITIONS[status]} == CURRENT | {Status.HELD}
    assert set(TRANSITIONS) >= BORN


def test_nothing_comes_back_from_erasure() -> None:
    assert all(not may_become(Status.ERASED, after) for after in Status)


@each("word", ["", "Active", "gone", "active "])
def test_a_stored_word_that_is_no_state_is_damage(word: str) -> None:
    with pytest.raises(IntegrityError):
        read_status(word)
