"""Every assertion of the Akashik protocol, on Fields in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.contracts.cites import cites
from tests.support.akashik.native import NativeStage

from akashik_conformance.registry import Assertion, assertions
from akashik_conformance.run import tried

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


@pytest.mark.sampled(7)
@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize("id_", ["AKAS-006", "AKAS-014", "AKAS-032", "AKAS-045", "AKAS-050", "AKAS-079", "AKAS-080"])
def test_an_assertion_holds_on_a_field_of_a_lower_level(id_: str, level: int, stage: NativeStage) -> None:
    (assertion,) = [one for one in assertions() if one.id == id_]
    if assertion.level <= level:
        assert tried(assertion, stage, level).reason is None, assertion.says
