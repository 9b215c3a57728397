"""Short histories that went wrong once, or would be the first to: each is a promise of its own."""

from __future__ import annotations

import pytest

from muniment.engine.memory import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.model.vocabulary import ConflictStatus
from muniment.testing.world import simulated_memory


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
    assert [conflict.status for conflict in memory.conflicts()] == [ConflictStatus.RESOLVED]
    assert memory.ledger.verify().findings == ()


def test_a_record_whose_disputes_all_end_at_once_is_no_longer_disputed(memory: Memory) -> None:
    red, blue, green = door(memory, "red"), door(memory, "blue"), door(memory, "green")
    verdict = memory.revise(red, "green it is", supersedes=blue, subject="door", key="colour", value="green")
    assert verdict.committed
    assert {conflict.status for conflict in memory.conflicts()} == {ConflictStatus.RESOLVED}
    assert memory.get(green).standing.status == "active"


def test_a_proposal_id_of_one_actor_tells_another_nothing(memory: Memory) -> None:
    """The same id and the same words from somebody else are not the same proposal."""
    memory.remember("the build is green", proposal_id="prp-shared", scope_id="default")
    with pytest.raises(Malformed):
        memory.as_actor("bot").remember("the build is green", proposal_id="prp-shared", scope_id="default")
