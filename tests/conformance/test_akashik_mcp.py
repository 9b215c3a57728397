"""Every assertion of the Akashik protocol, over MCP, on Fields that the launcher starts."""

from __future__ import annotations

import pytest
from tests.contracts.cites import cites

from akashik_conformance.registry import Assertion, assertions
from akashik_conformance.run import tried
from akashik_conformance.servers import LaunchedStage, Launcher

ALL = [pytest.param(one, id=one.id, marks=cites(one.id)) for one in assertions()]


@pytest.fixture(scope="module")
def stage(launcher: Launcher) -> LaunchedStage:
    return LaunchedStage(launcher, "mcp")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("assertion", ALL)
def test_an_assertion_holds_over_mcp(assertion: Assertion, stage: LaunchedStage) -> None:
    assert tried(assertion, stage).reason is None, assertion.says
