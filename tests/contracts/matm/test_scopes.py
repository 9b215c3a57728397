"""What each scope and each kind lets a reader see, and as what."""

from __future__ import annotations

import pytest
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import (
    CONSUMER,
    DOCS,
    FOREIGN_READER,
    FOREIGN_WORKER,
    STEWARD,
    TEAMLESS,
    TESTER,
    World,
    named,
    notices,
    result,
    told,
    warnings,
)
from tests.support.world import simulated_memory

from muniment.contracts.interchange import carry
from muniment.contracts.matm.contract import write_document
from muniment.model.actor import Actor
from muniment.model.times import DAY

ALL = ("session", "project", "agent_team", "agent_repo")
QUESTION = "How many regions has checkout?"


@pytest.fixture
def world() -> World:
    return World()


def own_session(world: World) -> str:
    world.emit(world.event("Checkout has three regions", suggested_scope="session"))
    (done,) = world.desk.curate()
    return str(done.report["record_id"])


@cites("MATM-038")
def test_a_note_of_a_session_is_in_no_broad_answer_until_it_is_promoted(world: World) -> None:
    note = own_session(world)
    assert told(world.ask(QUESTION)) == []
    assert told(world.ask(QUESTION, actor=CONSUMER, scopes=ALL)) == []
    assert told(world.ask(QUESTION, actor=TESTER)) == []
    assert told(world.ask(QUESTION, actor=TESTER, scopes=ALL)) == [note]
    steward = world.memory.as_actor(STEWARD)
    held = steward.review.promote(note, scope="project", scope_id="checkout", evidence=["ci:run/9"], owner=STEWARD)
    promoted = steward.review.decide(held.proposal_id, accept=True, reason="still holds").record_id
    assert told(world.ask(QUESTION)) == [promoted]


@cites("MATM-038")
def test_a_note_of_a_session_ends_of_itself_and_so_does_what_was_sent_there(world: World) -> None:
    own_session(world)
    world.emit(world.event("The queue is long", confidence=0.3))
    world.desk.curate()
    ends = {one.record.content: one.record.claim.times.expires_at for one in world.memory.insight.browse()}
    week = world.clock.now() + 7 * DAY
    assert ends == {"Checkout has three regions": week, "The queue is long": week}
    world.clock.forward(7 * DAY + 1)
    assert told(world.ask(QUESTION, actor=TESTER, scopes=ALL)) == []


@cites("MATM-039")
def test_a_project_record_never_reaches_another_project_for_the_same_words(world: World) -> None:
    ours = world.keep("Checkout has three regions")
    theirs = world.keep(
        "Checkout has three regions",
        actor=FOREIGN_WORKER,
        source_agent={"agent_id": FOREIGN_WORKER.id},
        project_id="billing",
    )
    assert told(world.ask(QUESTION)) == [ours]
    assert told(world.ask(QUESTION, actor=FOREIGN_READER)) == [theirs]


@cites("MATM-039")
def test_a_project_record_never_reaches_another_tenant_for_the_same_words(world: World) -> None:
    world.keep("Checkout has three regions")
    response = world.ask(QUESTION, tenant_id="other")
    assert (told(response), response["abstain_reasons"]) == ([], ["cross_scope_risk"])
    elsewhere = simulated_memory(policy=world.memory.insight.policy, seed=2)
    assert elsewhere.as_actor(CONSUMER).recall(QUESTION).records == ()


@cites("MATM-040")
def test_a_team_record_reaches_its_team_alone(world: World) -> None:
    record = world.keep("Clear the cache key before a retry", memory_kind="procedure", suggested_scope="agent_team")
    question = "What is cleared before a retry?"
    assert told(world.ask(question)) == [record]
    for stranger in (FOREIGN_READER, TEAMLESS):
        assert told(world.ask(question, actor=stranger)) == []


@cites("MATM-041")
def test_a_specialists_record_reaches_that_agent_or_role_alone(world: World) -> None:
    mine = world.keep(
        "Write one command per step",
        actor=DOCS,
        source_agent={"agent_id": DOCS},
        memory_kind="procedure",
        suggested_scope="agent_repo",
        agent_id=DOCS,
    )
    question = "How many commands per step?"
    assert told(world.ask(question, actor=DOCS, scopes=ALL)) == [mine]
    for stranger in (CONSUMER, TESTER, FOREIGN_READER):
        assert told(world.ask(question, actor=stranger, scopes=ALL)) == []


@cites("MATM-041")
def test_a_record_of_a_role_reaches_everybody_in_it_and_nobody_else(world: World) -> None:
    scribe = Actor(id="scribe.1", roles=("worker", "scribe"), projects=("checkout",))
    other = Actor(id="scribe.2", roles=("consumer", "scribe"), projects=("checkout",))
    record = world.keep(
        "Write one command per step",
        actor=scribe,
        source_agent={"agent_id": scribe.id},
        suggested_scope="agent_repo",
        agent_id="scribe",
    )
    assert told(world.ask("How many commands per step?", actor=other, scopes=ALL)) == [record]
    assert told(world.ask("How many commands per step?", actor=CONSUMER, scopes=ALL)) == []


@cites("MATM-042")
def test_a_hypothesis_is_labelled_as_one_and_is_gone_after_its_end(world: World) -> None:
    record = world.keep("Checkout may have four regions", memory_kind="hypothesis", confidence=0.7)
    world.keep("Checkout regions are named after rivers")
    response = world.ask(QUESTION)
    assert result(response, record)["presented_as"] == "hypothesis"
    assert result(response, record)["status"] == "hypothesis"
    assert record not in told(response, "claim")
    world.clock.forward(30 * DAY + 1)
    assert record not in told(world.ask(QUESTION))


@cites("MATM-043")
def test_a_fact_is_told_as_a_fact_when_it_was_reviewed_and_is_current(world: World) -> None:
    record = world.keep("Checkout has three regions")
    response = world.ask(QUESTION)
    assert (result(response, record)["presented_as"], result(response, record)["status"]) == ("claim", "reviewed")


@cites("MATM-043")
def test_a_fact_nobody_reviewed_or_whose_time_is_over_is_not(world: World) -> None:
    wrote = Actor(id="owner", roles=("owner",), projects=("checkout",))
    unreviewed = simulated_memory(actor=wrote)
    unreviewed.remember(
        "Checkout has three regions", kind="fact", evidence=["ci:run/1"], scope_id="checkout", owner="o"
    )
    response = World(memory=unreviewed).ask(QUESTION, actor=wrote)
    assert (told(response), response["abstain_reasons"]) == ([], ["weak_evidence"])
    over = world.keep("Checkout has three regions", effective_to="2026-06-25T00:00:00Z")
    assert told(world.ask(QUESTION)) == [over]
    world.clock.forward(2 * DAY)
    assert world.ask(QUESTION)["abstain_reasons"] == ["stale_or_deprecated_only"]


@cites("MATM-044")
def test_a_deprecated_record_leads_to_what_took_its_place_with_a_warning(world: World) -> None:
    old = world.keep("Restart the worker before a retry", memory_kind="procedure")
    new = world.accept(
        world.event("Restart of the worker is not needed: clear the key", memory_kind="deprecation", supersedes=[old])
    ).report["record_id"]
    response = world.ask("Restart the worker before a retry")
    assert old not in told(response)
    (notice,) = notices(response, "deprecation")
    assert notice["record_ids"] == [new]
    assert old in str(notice["message"])


@cites("MATM-044")
def test_an_updated_record_is_told_in_its_place_with_a_warning(world: World) -> None:
    old = world.keep("Checkout has three regions")
    new = world.keep("Checkout spans four zones", supersedes=[old])
    response = world.ask("Checkout has three regions")
    assert told(response) == [new]
    assert warnings(response, new) == [f"it took the place of {old}"]


@cites("MATM-045")
def test_a_conflict_tells_both_sides_with_their_status(world: World) -> None:
    old = world.keep("Checkout retries three times", memory_kind="decision")
    new = world.keep("Checkout retries five times", memory_kind="decision", conflicts_with=[old])
    response = world.ask("How often does checkout retry?")
    assert sorted(told(response)) == sorted([old, new])
    for side in (old, new):
        assert (result(response, side)["status"], result(response, side)["presented_as"]) == ("conflicted", "contested")
    (notice,) = notices(response, "conflict")
    assert named(notice) == sorted([old, new])


@cites("MATM-046")
def test_a_preference_is_told_in_the_scope_it_was_stated_in_alone(world: World) -> None:
    team = world.keep("The team prefers short release notes", memory_kind="preference", suggested_scope="agent_team")
    project = world.keep("The project prefers long release notes", memory_kind="preference")
    question = "Which release notes are preferred?"
    assert told(world.ask(question, scopes=("project",))) == [project]
    assert told(world.ask(question, scopes=("agent_team",))) == [team]
    assert told(world.ask(question, actor=TEAMLESS)) == [project]
    assert told(world.ask(question, actor=FOREIGN_READER)) == []


@cites("MATM-047")
def test_a_procedure_shows_whether_it_is_current(world: World) -> None:
    record = world.keep("Clear the cache key before a retry", memory_kind="procedure")
    question = "What is cleared before a retry?"
    assert result(world.ask(question), record)["status"] == "reviewed"
    world.accept(world.event("Clearing the cache key is over", memory_kind="deprecation", supersedes=[record]))
    response = world.ask(question)
    assert record not in told(response)
    (notice,) = notices(response, "deprecation")
    assert f"{record} is deprecated" in str(notice["message"])
    found = world.memory.get(record)
    assert write_document(carry(found.record, found.standing))[0]["status"] == "deprecated"


@cites("MATM-048")
def test_evidence_is_told_as_support_and_not_as_a_claim(world: World) -> None:
    record = world.keep("Run 77 shows three regions of checkout", memory_kind="evidence")
    response = world.ask(QUESTION)
    assert result(response, record)["presented_as"] == "support"
    assert told(response, "claim") == []
