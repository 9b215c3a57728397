"""Every assertion of the Akashik protocol, over MCP, on fields that a server opens for examination."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.contracts.cites import cites

from muniment.testing.akashik.examined import ExaminedStage
from muniment.testing.akashik.registry import Assertion, assertions
from muniment.testing.akashik.run import tried

ALL = [pytest.param(one, id=one.id, marks=cites(one.id)) for one in assertions()]


@pytest.fixture(scope="module")
def stage(address: str) -> Iterator[ExaminedStage]:
    made = ExaminedStage(address, "mcp")
    try:
        yield made
    finally:
        made.close()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("assertion", ALL)
def test_an_assertion_holds_over_mcp(assertion: Assertion, stage: ExaminedStage) -> None:
    assert tried(assertion, stage).reason is None, assertion.says
