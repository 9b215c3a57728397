"""Every assertion of the Akashik protocol, on Fields in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.contracts.cites import cites

from muniment.testing.akashik.native import NativeStage
from muniment.testing.akashik.registry import Assertion, assertions
from muniment.testing.akashik.run import tried

ALL = [pytest.param(one, id=one.id, marks=cites(one.id)) for one in assertions()]


@pytest.fixture(scope="module")
def stage() -> Iterator[NativeStage]:
    made = NativeStage()
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("assertion", ALL)
def test_an_assertion_holds_in_this_process(assertion: Assertion, stage: NativeStage) -> None:
    assert tried(assertion, stage).reason is None, assertion.says


def test_there_are_a_hundred_and_eight_and_each_has_a_theme() -> None:
    found = assertions()
    assert [one.id for one in found] == [f"AKAS-{number:03}" for number in range(1, 109)]
    assert [sum(one.level == level for one in found) for level in range(4)] == [32, 20, 29, 27]
    assert len({one.theme for one in found}) == 14
    assert len({one.show for one in found}) == 108


@pytest.mark.sampled(7)
@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize("id_", ["AKAS-006", "AKAS-014", "AKAS-032", "AKAS-045", "AKAS-050", "AKAS-079", "AKAS-080"])
def test_an_assertion_holds_on_a_field_of_a_lower_level(id_: str, level: int, stage: NativeStage) -> None:
    (assertion,) = [one for one in assertions() if one.id == id_]
    if assertion.level <= level:
        assert tried(assertion, stage, level).reason is None, assertion.says
