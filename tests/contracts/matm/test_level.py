"""A level is claimed only with everything it asks for, and everything below it; the report is data."""

from __future__ import annotations

from functools import cache

import msgspec
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import World
from tests.support.world import default_policy, simulated_memory

from matm_evaluation import probes
from matm_evaluation.evaluation import FAMILIES, Evaluation, probe_section
from matm_evaluation.figures import Figure
from matm_evaluation.level import (
    REQUIRED,
    Check,
    Level,
    cites_its_grounds,
    committing,
    family_check,
    grade,
    level_of,
    level_report,
    missing_for_next,
)
from matm_evaluation.probes import Probed
from muniment.compat.matm.desk import matm_policy
from muniment.model.times import parse
from muniment.model.vocabulary import ActorType
from muniment.policy.rules import Policy, WriteDecision, WriteRule

EVERYTHING = tuple(Check(name=name, met=True, evidence="shown") for names in REQUIRED.values() for name in names)
NOW = parse("2026-06-24T12:00:00Z", field="now")
ORDER = [Level.NONE, Level.H1, Level.H2, Level.H3, Level.H4]


@cache
def shipped() -> Probed:
    return probes.run()


def run(_: Policy) -> Probed:
    """One run for all of these tests: their desks go by the policy that ships."""
    return shipped()


def without(name: str) -> tuple[Check, ...]:
    return tuple(Check(name=one.name, met=one.name != name, evidence=one.evidence) for one in EVERYTHING)


def test_with_everything_the_highest_level_is_reached() -> None:
    assert level_of(grade(EVERYTHING)) is Level.H4
    assert level_of(grade(())) is Level.NONE


@cites("MATM-066")
@each("name", ["citations", "abstention", "reviewed records"])
def test_retrieval_is_never_claimed_without_citations_and_abstention(name: str) -> None:
    assert level_of(grade(without(name))) is Level.H2


@cites("MATM-066")
@each("family", FAMILIES)
def test_an_evaluation_is_never_claimed_without_each_of_the_eleven_families(family: str) -> None:
    assert level_of(grade(without(family))) is Level.H3


@each(("level", "name"), [(level, name) for level, names in REQUIRED.items() for name in names])
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


@cites("MATM-066")
def test_the_reading_of_the_report_itself_is_no_activity_and_measures_nothing_in_the_field() -> None:
    world = World()
    world.keep("Checkout has three regions")
    for _ in range(2):
        report = level_report(world.memory, now=world.clock.now(), probe=run)
        assert report.level is Level.H3
        assert [line.split(":")[0] for line in report.missing] == ["field activity", "leakage", "utility"]
        assert report.missing[0] == "field activity: 2 decisions, 1 current records, 0 retrievals (listings are none)"


@cites("MATM-066")
def test_a_family_that_only_the_probe_measured_is_not_measured_in_the_field() -> None:
    probed = tuple(Figure(family=one, name="n", value=0.0, unit="share", how="h") for one in FAMILIES)
    found = [family_check(Evaluation(paper=(), simulation=(), probe=probed, field=()), one) for one in FAMILIES]
    assert [one.name for one in found if one.met] == ["adversarial behaviour"]
    found = [family_check(Evaluation(paper=(), simulation=(), probe=(), field=probed), one) for one in FAMILIES]
    assert [one.name for one in found if not one.met] == ["adversarial behaviour"]


@cites("MATM-066")
def test_under_a_policy_that_cannot_be_probed_neither_curation_nor_retrieval_is_claimed() -> None:
    report = level_report(simulated_memory(), now=NOW)
    by_name = {check.name: check for level in report.levels for check in level.checks}
    assert report.level is Level.NONE
    for name in ("curation reports", "citations", "abstention", "adversarial behaviour"):
        assert not by_name[name].met, name
    assert by_name["citations"].evidence.startswith("the probe cannot be run under this policy: ")
    assert report.evaluation.probe == ()


def test_the_probe_runs_under_the_rules_of_the_store_and_not_only_under_those_that_ship() -> None:
    """A policy that lets readers see every place leaks, and the probe of such a vault says so."""
    lax = matm_policy()
    reading = tuple(
        msgspec.structs.replace(rule, member=False) if rule.id == "members-read-what-was-reviewed" else rule
        for rule in lax.read
    )
    found = {one.name: one.value for one in probe_section(probes.run(msgspec.structs.replace(lax, read=reading)))}
    assert found["leak rate"] is not None
    assert found["leak rate"] > 0.5
    assert {one.name: one.value for one in probe_section(shipped())}["leak rate"] == 0.0


@cites("MATM-066")
def test_a_record_whose_report_does_not_lead_back_to_it_is_not_cited() -> None:
    world = World()
    record = world.keep("Checkout has three regions")
    found = world.memory.get(record)
    assert cites_its_grounds(world.memory, found)
    bare = msgspec.structs.replace(found.record.claim.belief, evidence=())
    claim = msgspec.structs.replace(found.record.claim, belief=bare)
    other = world.keep("The build is green")
    for spoiled in (
        msgspec.structs.replace(found.record, claim=claim),
        msgspec.structs.replace(found.record, proposal=world.memory.get(other).record.proposal),
    ):
        assert not cites_its_grounds(world.memory, msgspec.structs.replace(found, record=spoiled))


def test_an_empty_desk_is_ready_to_curate_and_not_to_retrieve() -> None:
    world = World()
    report = level_report(world.memory, now=world.clock.now(), probe=run)
    assert report.level is Level.H2
    assert report.missing == ("reviewed records: 0 of 0 lasting current records are reviewed and complete",)


def test_a_policy_under_which_agents_commit_is_not_ready_to_curate() -> None:
    assert committing(default_policy()) == (
        "operators-direct",
        "users-own-memory",
        "field-records",
        "session-notes",
        "own-repo-notes",
        "project-findings",
    )
    assert committing(matm_policy()) == ()


@each(
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
