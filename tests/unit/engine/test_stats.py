"""Counts of what the caller may see: the same as what the lists tell, for everybody."""

from __future__ import annotations

import pytest

from muniment import Memory
from muniment.engine import stats
from muniment.model.actor import Actor
from muniment.model.vocabulary import ActorType, ConflictStatus

SCOUT = Actor(id="scout", type=ActorType.AGENT, projects=("default",))
STRANGER = Actor(id="stranger", type=ActorType.AGENT)
PLANNER = Actor(id="planner", type=ActorType.AGENT, projects=("default", "other"))


def disputed(memory: Memory, number: int, first: str, second: str) -> tuple[str, str]:
    """A record in each of two projects, and a disagreement between them."""
    one = memory.remember(f"Pier {number} is safe", scope="project", scope_id=first).record_id or ""
    said = f"Planks of pier {number} are broken"
    other = memory.remember(said, scope="project", scope_id=second, relations=[("contradicts", one)])
    return one, other.record_id or ""


@pytest.fixture
def quarrelling(memory: Memory) -> Memory:
    """Disagreements that all see, that some see, that are over, and one that ended with a side of it."""
    disputed(memory, 1, "default", "default")
    disputed(memory, 2, "default", "other")
    disputed(memory, 3, "other", "other")
    disputed(memory, 4, "default", "default")
    memory.review.resolve(memory.review.conflicts()[-1].id, strategy="last_write_wins", rationale="later")
    apart, _ = disputed(memory, 5, "default", "default")
    memory.review.quarantine(apart, reason="poisoned")
    return memory


@pytest.mark.parametrize("actor", [SCOUT, STRANGER, PLANNER, None], ids=["scout", "stranger", "planner", "owner"])
def test_open_conflicts_are_those_that_the_caller_is_told(quarrelling: Memory, actor: Actor | None) -> None:
    seat = quarrelling if actor is None else quarrelling.as_actor(actor)

    told = [one for one in seat.review.conflicts() if one.status is not ConflictStatus.RESOLVED]

    assert seat.insight.stats().open_conflicts == len(told)


def test_each_caller_counts_another_number(quarrelling: Memory) -> None:
    found = [quarrelling.as_actor(one).insight.stats().open_conflicts for one in (STRANGER, SCOUT, PLANNER)]

    assert found == [0, 1, 3]
    assert quarrelling.insight.stats().open_conflicts == 3


def test_what_waits_is_counted_for_those_who_may_audit(memory: Memory) -> None:
    for number in range(3):
        memory.as_actor(SCOUT).remember(f"Close pier {number}", kind="decision", scope="project", scope_id="default")

    assert memory.insight.stats().held == 3
    assert memory.as_actor(SCOUT).insight.stats().held is None


def test_so_many_are_looked_at_and_no_more(quarrelling: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "LOOK_MAX", 2)
    for number in range(3):
        seat = quarrelling.as_actor(SCOUT)
        seat.remember(f"Close pier {number}", kind="decision", scope="project", scope_id="default")

    found = quarrelling.insight.stats()

    assert (found.open_conflicts, found.held) == (2, 2)


def test_what_was_settled_long_ago_does_not_stand_in_the_way_of_what_is_open(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        disputed(memory, number, "default", "default")
        memory.review.resolve(memory.review.conflicts()[-1].id, strategy="last_write_wins", rationale="later")
    disputed(memory, 3, "default", "default")
    monkeypatch.setattr(stats, "LOOK_MAX", 2)
    assert memory.insight.stats().open_conflicts == 1
