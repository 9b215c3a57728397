"""Short histories that went wrong once, or would be the first to: each is a promise of its own."""

from __future__ import annotations

import pytest
from tests.support.world import simulated_memory

from muniment.engine.memory import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.model.vocabulary import ConflictStatus


@pytest.fixture
def memory() -> Memory:
    return simulated_memory()


def door(memory: Memory, colour: str) -> str:
    return kept(memory.remember(f"the door is {colour}", subject="door", key="colour", value=colour))


def kept(verdict: Verdict) -> str:
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def test_a_record_that_took_the_place_of_another_can_be_revised(memory: Memory) -> None:
    old = kept(memory.remember("deploys are weekly"))
    new = kept(memory.remember("deploys are daily", supersedes=old))
    assert memory.revise(new, "deploys are hourly").committed
    assert memory.get(new).record.revision == 2


def test_a_dispute_can_be_ended_by_a_revision_that_takes_the_place_of_the_rival(memory: Memory) -> None:
    red, blue = door(memory, "red"), door(memory, "blue")
    assert memory.revise(red, "the door is red, I looked", supersedes=blue).committed
    assert (memory.get(red).standing.status, memory.get(blue).standing.status) == ("active", "superseded")
    assert [conflict.status for conflict in memory.review.conflicts()] == [ConflictStatus.RESOLVED]
    assert memory.ledger.verify().findings == ()


def test_a_record_whose_disputes_all_end_at_once_is_no_longer_disputed(memory: Memory) -> None:
    red, blue, green = door(memory, "red"), door(memory, "blue"), door(memory, "green")
    verdict = memory.revise(red, "green it is", supersedes=blue, subject="door", key="colour", value="green")
    assert verdict.committed
    assert {conflict.status for conflict in memory.review.conflicts()} == {ConflictStatus.RESOLVED}
    assert memory.get(green).standing.status == "active"


def test_a_proposal_id_of_one_actor_tells_another_nothing(memory: Memory) -> None:
    """The same id and the same words from somebody else are not the same proposal."""
    memory.remember("the build is green", proposal_id="prp-shared", scope_id="default")
    with pytest.raises(Malformed):
        memory.as_actor("bot").remember("the build is green", proposal_id="prp-shared", scope_id="default")


GATE, WEEKLY, LORRY = "apples are delivered on mondays", "someone must open the gate weekly", "fruit arrives by lorry"


def on(memory: Memory, content: str, *parents: str) -> str:
    return kept(memory.remember(content, confidence=0.9, derived_from=list(parents)))


def belief(memory: Memory, record: str) -> tuple[float, str]:
    footing = memory.get(record).standing.footing
    return footing.effective, footing.support.value


def test_what_stands_on_a_record_that_was_revised_before_it_was_taken_back_falls(memory: Memory) -> None:
    ground = on(memory, GATE)
    upon = on(memory, WEEKLY, ground)
    memory.revise(ground, "apples are delivered on tuesdays")
    assert belief(memory, upon) == (0.9, "flagged")
    memory.review.retract(ground, reason="wrong")
    assert belief(memory, upon) == (0.2, "fallen")


def test_a_record_is_judged_by_its_pillars_as_its_own_commit_leaves_them(memory: Memory) -> None:
    """It takes the place of what its pillar stands on, so that its pillar is flagged, and it with it."""
    ground = on(memory, GATE)
    upon = on(memory, WEEKLY, ground)
    new = kept(memory.remember(LORRY, confidence=0.9, derived_from=[upon], supersedes=ground))
    assert (belief(memory, upon), belief(memory, new)) == ((0.9, "flagged"), (0.9, "flagged"))


def test_a_record_that_ends_the_dispute_of_its_pillar_stands_on_firm_ground(memory: Memory) -> None:
    red, blue = door(memory, "red"), door(memory, "blue")
    new = kept(memory.remember("the painters were called in", derived_from=[blue], supersedes=red))
    assert memory.get(blue).standing.status == "active"
    assert belief(memory, new) == (0.7, "standing")


def test_a_revision_in_the_words_of_what_stands_on_it_closes_no_circle(memory: Memory) -> None:
    ground = on(memory, GATE)
    upon = on(memory, WEEKLY, ground)
    memory.recall("gate weekly")
    memory.revise(ground, WEEKLY + "!!", kind="fact")
    assert memory.review.retract(ground, reason="wrong").committed
    assert belief(memory, upon) == (0.2, "fallen")


def test_the_same_words_in_the_place_of_the_old_are_worth_no_more_than_they_were(memory: Memory) -> None:
    agent = memory.as_actor("bot")
    heard = kept(agent.remember(GATE, source_type="web", confidence=0.5))
    again = kept(agent.remember(GATE, supersedes=heard, confidence=0.95))
    footing = memory.get(again).standing.footing
    assert (footing.label, footing.effective) == ("external", 0.5)


def test_a_person_who_was_told_does_not_lend_their_name_by_repeating_it(memory: Memory) -> None:
    heard = kept(memory.as_actor("bot").remember(GATE, source_type="web", confidence=0.5))
    memory.recall("apples")
    memory.revise(heard, GATE, confidence=0.95, source_type="person")
    assert memory.get(heard).standing.footing.label == "external"


def test_what_was_observed_is_not_forgotten_by_saying_the_same_again(memory: Memory) -> None:
    agent = memory.as_actor("bot")
    claimed = kept(agent.remember(GATE, confidence=0.9))
    for _ in range(5):
        memory.review.outcome(claimed, "misleading")
    assert belief(memory, claimed) == (0.4, "standing")
    agent.revise(claimed, GATE, confidence=1.0)
    footing = memory.get(claimed).standing.footing
    assert footing.misleading == 5.0
    assert footing.own < 0.5


def test_an_outcome_that_is_told_again_under_the_same_id_is_counted_once(memory: Memory) -> None:
    claimed = on(memory, GATE)
    first = memory.review.outcome(claimed, "misleading", proposal_id="out-1")
    assert memory.review.outcome(claimed, "misleading", proposal_id="out-1") == first
    assert memory.get(claimed).standing.footing.misleading == 1.0
