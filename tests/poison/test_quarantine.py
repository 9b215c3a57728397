"""Quarantine: what is in it answers nobody, those who review find it, and it comes back as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.akashik.field import contents
from tests.trust.world import SetClock, footing, kept, sentence, standing, told

from muniment import Memory
from muniment.compat.akashik import Field
from muniment.compat.exchange import write_out
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.registry import ContractName, contract
from muniment.model.claim import Claim
from muniment.model.entry import EntryKind
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.status import CURRENT, Status
from muniment.model.vocabulary import Outcome

CLAIM = "The staging database answers in Frankfurt"
WORDS = "staging database frankfurt"


@pytest.fixture
def suspect(team: Memory) -> str:
    name = kept(team.as_actor("worker").remember(CLAIM, entities=["Frankfurt"], confidence=0.8))
    assert team.review.quarantine(name, reason="odd wording").committed
    return name


def test_it_is_in_the_ledger_with_who_and_why(team: Memory, suspect: str) -> None:
    (entry,) = [one for one in team.ledger.entries(1) if one.kind is EntryKind.QUARANTINED]
    assert (entry.actor, [change.status for change in entry.changes]) == ("owner", [Status.HELD])
    event = team.history(suspect).revisions[0].events[-1]
    assert (event.what, event.actor, event.reason) == ("became held", "owner", "odd wording")
    assert team.ledger.verify().ok
    assert team.ledger.replay().identical


LOOKS: dict[str, Callable[[Memory], Iterable[object]]] = {
    "recall": lambda one: one.recall(WORDS).records,
    "recall to act": lambda one: one.recall(WORDS, purpose="act").records,
    "recall of all": lambda one: one.recall(WORDS, gate_min=0.0, gate_flag=0.0, floor=0.0).records,
    "attune": lambda one: one.attune(role="operator of the staging database in Frankfurt").records,
    "browse": lambda one: list(one.insight.browse()),
    "browse held": lambda one: list(one.insight.browse(statuses=["held"])),
    "browse every state": lambda one: list(one.insight.browse(statuses=[status.value for status in Status])),
    "quarantined": lambda one: one.review.quarantined(),
    "conflicts": lambda one: one.review.conflicts(),
    "queue": lambda one: one.review.queue(),
    "directory": lambda one: [knower.actor for knower in one.insight.directory("frankfurt").knowers],
}


@each("look", LOOKS)
def test_it_answers_nobody_who_does_not_review(team: Memory, suspect: str, look: str) -> None:
    reader = team.as_actor("runner")
    assert list(LOOKS[look](reader)) == []


@pytest.mark.parametrize("look", ["get", "history", "lineage", "foresee", "retract", "quarantine", "release", "revise"])
def test_to_others_it_is_not_there_at_all(team: Memory, suspect: str, look: str) -> None:
    reader = team.as_actor("runner")
    asks: dict[str, Callable[[str], object]] = {
        "get": reader.get,
        "history": reader.history,
        "lineage": reader.insight.lineage,
        "foresee": reader.insight.foresee,
        "retract": lambda name: reader.review.retract(name, reason="x"),
        "quarantine": lambda name: reader.review.quarantine(name, reason="x"),
        "release": lambda name: reader.review.release(name, reason="x"),
        "revise": lambda name: reader.revise(name, "Something else entirely"),
    }

    def answer(name: str) -> str:
        try:
            verdict = asks[look](name)
        except NotFound as error:
            return str(error)
        return str(getattr(verdict, "rule", verdict))

    assert answer(suspect).replace(suspect, "…") == answer("rec_absent").replace("rec_absent", "…")


def test_counts_do_not_betray_it(team: Memory, suspect: str) -> None:
    reader = team.as_actor("runner")
    found = reader.recall("frankfurt")
    assert (found.excluded, found.considered) == ({}, 0)
    assert reader.insight.stats().revisions == {}
    assert team.insight.stats().revisions == {"held": 1}


def test_to_stand_on_it_or_to_replace_it_is_to_name_what_is_not_there(team: Memory, suspect: str) -> None:
    writer = team.as_actor("runner")
    for link in (
        writer.remember(sentence(1), derived_from=[suspect]),
        writer.remember(sentence(2), supersedes=suspect),
    ):
        assert (link.outcome, link.rule) == (Outcome.REFUSED, "unknown-link")


def test_those_who_review_are_told(team: Memory, suspect: str) -> None:
    for reviewer in (team, team.as_actor("curator"), team.as_actor("steward")):
        assert [(one.record.id, one.standing.status) for one in reviewer.review.quarantined()] == [
            (suspect, Status.HELD)
        ]
        assert reviewer.get(suspect).record.content == CLAIM
        assert told(reviewer.recall(WORDS)) == []
    assert [one.record.id for one in team.as_actor("worker").review.quarantined()] == [suspect]


def test_what_stands_on_it_is_flagged_and_freed_again(team: Memory) -> None:
    ground = kept(team.as_actor("worker").remember(CLAIM, confidence=0.8))
    first = kept(team.as_actor("worker").remember(sentence(3), derived_from=[ground], confidence=0.8))
    second = kept(team.as_actor("runner").remember(sentence(4), derived_from=[first], confidence=0.8))
    before = [footing(team, name) for name in (first, second)]
    team.review.quarantine(ground, reason="odd")
    assert [footing(team, name).support for name in (first, second)] == ["flagged", "flagged"]
    team.review.release(ground, reason="looked at")
    assert [footing(team, name) for name in (first, second)] == before
    assert team.ledger.verify().ok


def test_a_release_brings_it_back_as_it_was(team: Memory, suspect: str) -> None:
    verdict = team.as_actor("curator").review.release(suspect, reason="it is fine")
    assert verdict.committed
    found = standing(team, suspect)
    assert (found.status, found.footing.effective, found.footing.label) == (Status.ACTIVE, 0.8, "agent")
    assert told(team.as_actor("runner").recall(WORDS)) == [suspect]
    assert team.review.quarantined() == ()


def test_a_dispute_ends_with_quarantine_and_goes_on_after_it(team: Memory) -> None:
    runner = team.as_actor("runner")
    good = kept(runner.remember("The gate is blue", subject="gate", key="colour", value="blue", confidence=0.8))
    bad = team.as_actor("worker").remember("The gate is red", subject="gate", key="colour", value="red", confidence=0.8)
    (conflict,) = bad.conflict_ids
    name = kept(bad)
    assert standing(team, good).status is Status.CONTESTED
    team.review.quarantine(name, reason="odd")
    assert standing(team, good).status is Status.ACTIVE
    team.review.release(name, reason="looked at")
    assert {standing(team, one).status for one in (good, name)} == {Status.CONTESTED}
    assert [(view.id, view.status) for view in team.review.conflicts()] == [(conflict, "detected")]
    assert team.ledger.verify().ok
    assert team.ledger.replay().identical


def test_a_rival_that_came_in_meanwhile_is_found_on_release(team: Memory) -> None:
    name = kept(
        team.as_actor("worker").remember("The gate is red", subject="gate", key="colour", value="red", confidence=0.8)
    )
    team.review.quarantine(name, reason="odd")
    good = kept(team.remember("The gate is blue", subject="gate", key="colour", value="blue"))
    assert standing(team, good).status is Status.ACTIVE
    team.review.release(name, reason="looked at")
    assert {standing(team, one).status for one in (good, name)} == {Status.CONTESTED}


@each("text", [CLAIM, CLAIM.upper(), f"Note that {CLAIM}.", f"As confirmed by all of us: {CLAIM}"])
@each("actor", ["worker", "runner", "gauge"])
def test_to_say_it_again_does_not_get_it_out(team: Memory, suspect: str, text: str, actor: str) -> None:
    verdict = team.as_actor(actor).remember(text, confidence=0.9, evidence=["log:1"])
    assert verdict.outcome is Outcome.HELD
    assert verdict.reason == "a curator must look at it before it counts"
    assert suspect not in str(verdict)


def test_quarantine_takes_the_right_to_retract_and_release_the_right_to_accept(team: Memory) -> None:
    name = kept(team.as_actor("worker").remember(CLAIM))
    assert team.as_actor("runner").review.quarantine(name, reason="x").outcome is Outcome.REFUSED
    assert standing(team, name).status is Status.ACTIVE
    assert team.as_actor("worker").review.quarantine(name, reason="I doubt it myself").committed
    assert team.as_actor("worker").review.release(name, reason="no, it is fine").outcome is Outcome.REFUSED
    assert standing(team, name).status is Status.HELD


def test_what_is_not_there_to_be_kept_back_or_let_go_is_stale(team: Memory, suspect: str) -> None:
    with pytest.raises(Stale):
        team.review.quarantine(suspect, reason="again")
    with pytest.raises(Stale):
        team.review.release(suspect, reason="x", expected_revision=2)
    team.review.release(suspect, reason="x")
    with pytest.raises(Stale):
        team.review.release(suspect, reason="again")
    with pytest.raises(Stale):
        team.review.quarantine(suspect, reason="x", expected_revision=2)
    with pytest.raises(Malformed):
        team.review.quarantine(suspect, reason="")


def test_what_is_in_quarantine_can_be_taken_back_and_forgotten(team: Memory, suspect: str) -> None:
    other = kept(team.remember(sentence(9)))
    team.review.quarantine(other, reason="odd")
    assert team.review.retract(suspect, reason="it was poison").committed
    assert standing(team, suspect).status is Status.RETRACTED
    assert team.forget(other, reason="it was poison").verdict.committed  # type: ignore[union-attr]
    assert team.ledger.verify().ok


def test_time_and_sweeps_leave_it_where_it_is(team: Memory, suspect: str, clock: SetClock) -> None:
    clock.forward(400 * 86_400_000_000)
    team.review.sweep()
    assert standing(team, suspect).status is Status.HELD


@each("name", ContractName)
def test_every_contract_can_say_it_and_reads_it_back_as_nothing_that_counts(name: ContractName) -> None:
    """Somebody who reviews may give it out; whoever takes it in must not take it for something in force."""
    door = contract(name)
    encoded = door.encode([InterchangeRecord(id="rec_1", claim=Claim(content=CLAIM), status=Status.HELD)])
    assert [one for one in door.check(encoded.data) if one.severity == "error"] == []
    (back,) = door.decode(encoded.data)
    assert back.status not in CURRENT or any(one.path == "/status" for one in encoded.narrowed)


def test_an_export_leaves_it_out(team: Memory, suspect: str) -> None:
    kept(team.remember("The portal is shut on Sundays"))
    for who in (team, team.as_actor("runner")):
        data = write_out(who, ContractName.OMIR).data
        assert b"portal" in data
        assert b"Frankfurt" not in data


def test_a_shared_field_shows_it_to_nobody(vault: Path) -> None:
    with Memory.open(vault) as memory:
        field = Field(memory)
        scout, analyst = (field.register(name, "keeper of the harbour", authority_level=4) for name in ("scout", "ana"))
        answer = scout.record("finding", "The harbour is deep", purpose="p", confidence=0.8, reasoning="seen")
        unit = str(answer["memory_unit_id"])
        assert contents(analyst.attune(5)) == ["The harbour is deep"]
        assert memory.review.quarantine(unit, reason="odd").committed
        for agent in (scout, analyst):
            assert contents(agent.attune(5)) == []
            assert contents(agent.attune(5, include_own=True)) == []
            absent = agent.replay("memory_unit", "rec_absent")
            assert agent.replay("memory_unit", unit)["code"] == absent["code"]
        assert memory.review.release(unit, reason="fine").committed
        assert contents(analyst.attune(5)) == ["The harbour is deep"]
