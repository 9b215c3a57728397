"""A level is claimed only with everything it asks for, and everything below it; the report is data."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import World

from muniment.compat.matm import probes
from muniment.compat.matm.evaluation import FAMILIES
from muniment.compat.matm.level import (
    REQUIRED,
    Check,
    Level,
    committing,
    grade,
    level_of,
    level_report,
    missing_for_next,
)
from muniment.compat.matm.probes import Probed
from muniment.compat.matm.scratch import matm_policy
from muniment.model.vocabulary import ActorType
from muniment.policy.rules import WriteDecision, WriteRule
from muniment.testing.world import default_policy

EVERYTHING = tuple(Check(name=name, met=True, evidence="shown") for names in REQUIRED.values() for name in names)
ORDER = [Level.NONE, Level.H1, Level.H2, Level.H3, Level.H4]


@cache
def run() -> Probed:
    return probes.run()


def without(name: str) -> tuple[Check, ...]:
    return tuple(Check(name=one.name, met=one.name != name, evidence=one.evidence) for one in EVERYTHING)


def test_with_everything_the_highest_level_is_reached() -> None:
    assert level_of(grade(EVERYTHING)) is Level.H4
    assert level_of(grade(())) is Level.NONE


@cites("MATM-066")
@pytest.mark.parametrize("name", ["citations", "abstention", "reviewed records"])
def test_retrieval_is_never_claimed_without_citations_and_abstention(name: str) -> None:
    assert level_of(grade(without(name))) is Level.H2


@cites("MATM-066")
@pytest.mark.parametrize("family", FAMILIES)
def test_an_evaluation_is_never_claimed_without_each_of_the_eleven_families(family: str) -> None:
    assert level_of(grade(without(family))) is Level.H3


@pytest.mark.parametrize(("level", "name"), [(level, name) for level, names in REQUIRED.items() for name in names])
def test_whatever_is_missing_the_level_and_all_above_it_are_not_claimed(level: Level, name: str) -> None:
    for checks in (without(name), tuple(one for one in EVERYTHING if one.name != name)):
        levels = grade(checks)
        reached = level_of(levels)
        assert reached is ORDER[ORDER.index(level) - 1]
        assert [one.met for one in levels] == [ORDER.index(one.level) < ORDER.index(level) for one in levels]
        assert [line.split(":")[0] for line in missing_for_next(levels, reached)] == [name]


@cites("MATM-066")
def test_the_report_of_a_working_desk_is_data_with_the_evidence_of_every_check() -> None:
    world = World()
    world.keep("Checkout has three regions")
    world.ask("How many regions has checkout?")
    report = level_report(world.memory, now=world.clock.now(), probe=run)
    told = msgspec.json.decode(msgspec.json.encode(report))
    assert (told["level"], told["missing"]) == ("MATM-H4", [])
    assert [one["level"] for one in told["levels"]] == ["MATM-H1", "MATM-H2", "MATM-H3", "MATM-H4"]
    assert all(check["evidence"] for level in told["levels"] for check in level["checks"])
    assert set(told["evaluation"]) == {"paper", "simulation", "probe", "field"}
    assert "no certification" in told["non_claims"][0]


def test_an_empty_desk_is_ready_to_curate_and_not_to_retrieve() -> None:
    world = World()
    report = level_report(world.memory, now=world.clock.now(), probe=run)
    assert report.level is Level.H2
    assert report.missing == ("reviewed records: 0 of 0 lasting current records are reviewed and complete",)


def test_a_policy_under_which_agents_commit_is_not_ready_to_curate() -> None:
    assert committing(default_policy()) == ("session-notes", "own-repo-notes", "project-findings")
    assert committing(matm_policy()) == ()


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (WriteRule(id="r", decision=WriteDecision.COMMIT, reason="r", types=(ActorType.PERSON,)), ()),
        (WriteRule(id="r", decision=WriteDecision.COMMIT, reason="r", roles=("steward",)), ()),
        (WriteRule(id="r", decision=WriteDecision.COMMIT, reason="r", roles=("curator",)), ("r",)),
        (WriteRule(id="r", decision=WriteDecision.COMMIT, reason="r", actors=("producer.docs",)), ("r",)),
        (WriteRule(id="r", decision=WriteDecision.COMMIT, reason="r"), ("r",)),
        (WriteRule(id="r", decision=WriteDecision.HOLD, reason="r"), ()),
    ],
)
def test_a_rule_writes_directly_when_something_that_is_no_person_can_use_it(
    rule: WriteRule, found: tuple[str, ...]
) -> None:
    policy = msgspec.structs.replace(matm_policy(), write=(rule,))
    assert committing(policy) == found
