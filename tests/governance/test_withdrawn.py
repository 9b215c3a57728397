"""What was told and no longer holds is news: to who was told, under the gate, once, and again where it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet

from muniment import Memory
from muniment.model.recall import Recall


def news(answer: Recall) -> dict[str, str]:
    return {one.id: one.why for one in answer.withdrawn}


def say(memory: Memory, content: str, **more: object) -> str:
    verdict = memory.remember(content, scope="agent_team", scope_id="field", **more)  # type: ignore[arg-type]
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def test_who_was_told_learns_what_was_taken_back(vault: Path) -> None:
    """A day of a fleet: five things are told, five ways they end, and only who heard of them is told so."""
    with open_fleet(vault) as owner:
        scout, pilot = owner.as_actor("scout"), owner.as_actor("pilot")
        reef = say(owner, "The reef at Nordkap is marked by a red buoy")
        fuel = say(owner, "Der Diesel am Kai 7 kostet 1,70 Euro")
        tide = say(owner, "La marée haute est à 14 heures")
        storm = say(owner, "A storm warning holds until Sunday")
        plan = say(owner, "So the ferry stays in port until Sunday", derived_from=[storm])
        name = say(owner, "The harbour master is called Ilse Braun")
        for question in ("reef buoy", "Diesel Kai", "marée haute", "storm ferry Sunday port", "harbour master"):
            assert pilot.recall(question).records, question
        since = owner.ledger.head().seq

        owner.review.retract(reef, reason="the buoy drifted off")
        owner.revise(fuel, "Der Diesel am Kai 7 kostet 1,90 Euro")
        owner.review.retire(tide, becomes="deprecated", reason="of yesterday")
        owner.review.retract(storm, reason="it has passed")
        owner.forget(name, reason="she asked for it")

        told = pilot.recall("what about the weather?")
        ends = {reef: "retracted", fuel: "superseded", tide: "deprecated", storm: "retracted"}
        assert news(told) == ends | {plan: "fallen", name: "erased"}
        assert min(one.since for one in told.withdrawn) > since
        assert news(pilot.recall("what about the weather?")) == {}
        assert news(pilot.recall("is the reef marked by a buoy?")) == {reef: "retracted"}
        assert news(pilot.attune(since=since)) == ends | {plan: "fallen", name: "erased"}
        late = pilot.attune(since=owner.ledger.head().seq)
        assert (news(late), late.records, late.abstained) == ({}, (), "nothing_eligible")
        assert news(scout.recall("reef buoy")) == {}
        assert news(scout.attune(since=1)) == {}
        pilot.recall("Diesel Kai")
        assert fuel not in news(pilot.attune(since=since)), "who was told the new revision knows what holds"
        owner.ledger.replay()
        assert owner.ledger.verify().ok


def test_a_reader_without_rights_is_told_nothing_of_what_ended(vault: Path) -> None:
    """Whoever left the group, or asks in another user's behalf, does not learn that something was there."""
    with open_fleet(vault) as owner:
        pilot = owner.as_actor("pilot")
        secret = say(owner, "The mooring code is 7731")
        assert pilot.recall("mooring code").records
        alice = pilot.for_user("alice")
        mine = alice.remember("Alice sails on Tuesdays").record_id
        assert mine is not None
        assert [one.record.id for one in alice.recall("when does Alice sail?").records] == [mine]
        owner.review.retract(secret, reason="changed")
        owner.forget(mine, reason="she asked for it")
        bob = pilot.for_user("bob")
        assert news(bob.recall("mooring code of Alice")) == {}
        assert news(bob.attune(since=1)) == {}
        assert news(pilot.recall("when does Alice sail on Tuesdays?")) == {secret: "retracted"}
        assert news(alice.recall("anything new?")) == {mine: "erased"}
        gone = owner.as_actor(pilot.actor.__class__(id="pilot", teams=("office",)))
        assert news(gone.attune(since=1)) == {}


@pytest.mark.parametrize("purpose", ["answer", "sail"])
def test_an_agent_is_told_the_newest_of_the_most_authority_where_the_policy_says_so(vault: Path, purpose: str) -> None:
    more = "reading: {contested: {sail: newest, dock: neither}}\n"
    with open_fleet(vault, more) as owner:
        scout, pilot = owner.as_actor("scout"), owner.as_actor("pilot")
        older = say(scout, "The lighthouse blinks every 8 seconds", kind="fact", confidence=0.9)
        newer = say(pilot, "The lighthouse blinks every 6 seconds", kind="fact", confidence=0.9)
        both = pilot.recall("How often does the lighthouse blink?", purpose=purpose)
        if purpose == "answer":
            assert {one.record.id for one in both.records} == {older, newer}
            asked = pilot.recall("How often does the lighthouse blink?", contested="newest")
        else:
            asked = both
        assert [one.record.id for one in asked.records] == [newer]
        (told,) = asked.records
        assert (told.presented, told.disputed_by) == ("contested", ())
        assert "the newest of the most authority" in told.notices[0]
        assert asked.excluded.get("contested") == 1
        assert owner.explain(asked.receipt_id).same_ids
        assert owner.explain(asked.receipt_id, replay=True).same_ids
        neither = pilot.recall("How often does the lighthouse blink?", purpose="dock")
        assert (neither.records, neither.excluded) == ((), {"contested": 2})
        people = owner.recall("How often does the lighthouse blink?", purpose=purpose)
        assert {one.record.id for one in people.records} == {older, newer}
        budget = pilot.recall("every 8 seconds", purpose="sail", limit=1)
        assert [one.record.id for one in budget.records] == [newer]
