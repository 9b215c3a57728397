"""A folded test fails when any of its cases does, and tells each of those."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from tests.cases import each


def test_every_case_is_tried_and_every_failure_is_told() -> None:
    tried: list[int] = []

    @each("number", [1, 2, 3, 4])
    def even(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0

    with pytest.raises(BaseExceptionGroup, match="2 of 4 cases fail: 1; 3") as failed:
        even()
    assert tried == [1, 2, 3, 4]
    assert [one.__notes__ for one in failed.value.exceptions] == [["in the case 1"], ["in the case 3"]]


def test_a_refusal_that_does_not_come_is_a_failure_too() -> None:
    @each(("text", "base"), [("x", 10), pytest.param("7", 10), ("z", 10)])
    def refused(text: str, base: int) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text, base)

    with pytest.raises(BaseExceptionGroup, match="1 of 3 cases fail: '7', 10"):
        refused()


def test_cases_multiply_and_fixtures_are_handed_on(tmp_path: Path) -> None:
    found: list[tuple[str, int, Path]] = []

    @each("letter", "ab")
    @each("number", [1, 2])
    def paired(tmp_path: Path, letter: str, number: int) -> None:
        found.append((letter, number, tmp_path))

    assert list(inspect.signature(paired).parameters) == ["tmp_path"]
    paired(tmp_path=tmp_path)
    assert found == [(letter, number, tmp_path) for letter in "ab" for number in (1, 2)]


def test_a_case_that_is_skipped_is_none_that_fails() -> None:
    @each("number", [1, 2])
    def odd(number: int) -> None:
        if number == 2:
            pytest.skip("not for even ones")

    odd()
    with pytest.raises(AssertionError, match="without a case"):
        each("number", [])
