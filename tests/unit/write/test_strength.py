"""A conflict is established or suspected, and only an established one changes anything."""

from __future__ import annotations

import pytest

from muniment import Memory
from muniment.model.errors import Stale
from muniment.model.status import Status
from muniment.model.vocabulary import ConflictStrength


def test_a_suspected_conflict_is_listed_and_contests_nothing(memory: Memory) -> None:
    memory.remember("Sessions expire after 30 minutes without activity at the desk")
    second = memory.remember("At the desk sessions expire after 45 minutes without any activity")
    (view,) = memory.review.conflicts()
    assert view.strength is ConflictStrength.SUSPECTED
    assert second.committed
    assert {view.a.standing.status, view.b.standing.status} == {Status.ACTIVE}


def test_two_values_of_one_slot_are_an_established_conflict(memory: Memory) -> None:
    memory.remember("It is blue", subject="door", key="colour", value="blue")
    memory.remember("It is red", subject="door", key="colour", value="red")
    (view,) = memory.review.conflicts()
    assert view.strength is ConflictStrength.ESTABLISHED
    assert {view.a.standing.status, view.b.standing.status} == {Status.CONTESTED}


def test_who_may_promote_makes_a_suspicion_contest_both_sides_and_replay_says_the_same(memory: Memory) -> None:
    memory.remember("I live in Hamburg")
    memory.remember("I moved to Bremen last week")
    (view,) = memory.review.conflicts()
    assert (view.strength, view.type.value, view.why) == (ConflictStrength.SUSPECTED, "update", "changed")
    settled = memory.review.resolve(view.id, strategy="promote", rationale="they said so")
    assert settled.status == "established"
    (view,) = memory.review.conflicts()
    assert view.strength is ConflictStrength.ESTABLISHED
    assert {view.a.standing.status, view.b.standing.status} == {Status.CONTESTED}
    with pytest.raises(Stale):
        memory.review.resolve(view.id, strategy="promote", rationale="again")
    assert memory.ledger.verify().ok
    memory.ledger.replay()
    assert memory.ledger.verify().ok
    assert [one.strength for one in memory.review.conflicts()] == [ConflictStrength.ESTABLISHED]


def test_who_may_not_promote_leaves_a_suspicion_as_it_is(memory: Memory) -> None:
    memory.remember("I live in Hamburg")
    memory.remember("I moved to Bremen last week")
    (view,) = memory.review.conflicts()
    agent = memory.as_actor("some-agent")
    assert agent.review.resolve(view.id, strategy="promote", rationale="I say so").status == "refused"
    assert memory.review.conflicts()[0].strength is ConflictStrength.SUSPECTED


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("I live in Hamburg", "I moved to Bremen last week", "Where do I live?"),
        ("I use Neovim", "I switched from Neovim to Zed", "Which editor do I use?"),
        ("The plan costs 9 euros a month", "The plan's price rose to 12 euros a month", "What does the plan cost?"),
    ],
)
def test_what_may_have_taken_the_place_of_a_match_is_told_before_it_whatever_its_words(
    memory: Memory, older: str, newer: str, question: str
) -> None:
    memory.remember(older)
    memory.remember(newer)
    memory.remember("The bakery on the corner sells rye bread")
    told = [one.record.content for one in memory.recall(question).records]
    assert told[:2] == [newer, older]
    assert [one.record.content for one in memory.recall(question, limit=1).records] == [newer]
    assert memory.recall(older).records[0].record.content == older, "asked for its very text, a record is first"
    (view,) = memory.review.conflicts()
    assert {view.a.standing.status, view.b.standing.status} == {Status.ACTIVE}
