"""Disagreement that nobody looked for at the time is found later, once, and only by those who may look."""

from __future__ import annotations

import pytest
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.claim import Claim, Lineage, Place, Relation
from muniment.model.errors import NotFound, NotPermitted
from muniment.model.vocabulary import ActorType, RelationType, Scope

FIELD = Place(scope=Scope.PROJECT, scope_id="default", namespace="/field")


def said(memory: Memory, content: str, *, detect: bool = False, lineage: Lineage | None = None) -> str:
    verdict = memory.propose(Claim(content=content, place=FIELD, lineage=lineage or Lineage()), detect=detect)
    assert verdict.outcome == "committed"
    assert verdict.record_id is not None
    return verdict.record_id


def pair(memory: Memory) -> tuple[str, str]:
    return said(memory, "The market grows at 14 percent a year"), said(memory, "The market grows at 23 percent a year")


def test_what_was_not_looked_for_is_found_later_and_only_once() -> None:
    memory = simulated_memory()
    first, second = pair(memory)
    assert memory.review.conflicts() == ()
    (found,) = memory.review.detect(second)
    (view,) = memory.review.conflicts()
    assert (view.id, {view.a.record.id, view.b.record.id}) == (found, {first, second})
    assert [memory.get(name).standing.status for name in (first, second)] == ["contested", "contested"]
    assert (memory.review.detect(second), memory.review.detect(first)) == ((), ())
    assert memory.ledger.replay().identical


def test_a_contradiction_that_is_stated_is_taken_up_at_once() -> None:
    memory = simulated_memory()
    first = said(memory, "The pier is safe")
    relation = Relation(type=RelationType.CONTRADICTS, target=first)
    said(memory, "Two planks are broken", lineage=Lineage(relations=(relation,)))
    assert len(memory.review.conflicts()) == 1


def test_an_agreement_is_no_find() -> None:
    memory = simulated_memory()
    said(memory, "The market grows at 14 percent a year")
    assert memory.review.detect(said(memory, "The harbour is deep")) == ()


def test_to_look_takes_authority_4_and_sight_of_the_record() -> None:
    memory = simulated_memory()
    _, second = pair(memory)
    observer = memory.as_actor(Actor(id="observer", type=ActorType.AGENT, projects=("default",), authority=2))
    with pytest.raises(NotPermitted):
        observer.review.detect(second)
    with pytest.raises(NotFound):
        memory.as_actor(Actor(id="stranger", type=ActorType.AGENT)).review.detect(second)
    assert len(memory.as_actor("scout").review.detect(second)) == 1
