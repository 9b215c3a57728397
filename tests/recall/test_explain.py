"""Every answer can be decided again, from its receipt and from nothing, with vectors too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Stuck, Toy, both, contents, ids, instant, kept, on_disk

from muniment import Memory
from muniment.model.recall import Recall

QUESTIONS = ("vehicle of Maria Lopez", "where is PG?", '"the pump" doctor', "what happened last week?", "purchase")


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """Both stores after the same history: revised, superseded, disputed, taken back, aliased, in sessions."""
    with both(tmp_path, Toy) as pair:
        for memory in pair:
            first = kept(memory.remember("the car of Maria Lopez broke down", session_id="s1"))
            memory.remember("she called a physician", session_id="s1")
            memory.remember("PostgreSQL runs on db-7", event_time="2025-12-29")
            memory.revise(first, "the car of Maria Lopez was mended")
            old = kept(memory.remember("the pump is new"))
            memory.remember("the pump is old", supersedes=old)
            memory.remember("the door is red", subject="door", key="colour", value="red")
            memory.remember("the door is blue", subject="door", key="colour", value="blue")
            memory.review.retract(kept(memory.remember("we shall buy a vehicle")), reason="no")
            memory.review.alias("PG", "PostgreSQL")
            memory.flush(timeout=WAIT_S)
        yield pair


def write_on(memory: Memory) -> None:
    """What happens later: more of the same, changes to what was told, names that mean something else."""
    for number in range(5):
        memory.remember(f"the car {number} of Maria Lopez", session_id="s1")
    memory.review.alias("PG", "PG")
    memory.review.alias("vehicle", "PostgreSQL")
    for one in memory.recall("door").records:
        memory.review.retract(one.record.id, reason="gone")
    memory.flush(timeout=WAIT_S)


def answers(memory: Memory) -> list[Recall]:
    asked = [memory.recall(question) for question in QUESTIONS]
    asked += [memory.recall(question, floor=0.0, limit=3) for question in QUESTIONS]
    asked += [memory.recall("vehicle", known_at=instant(tick)) for tick in (5, 9, 14)]
    asked += [memory.attune(), memory.attune(task="the car", interests=["PG"], since=4)]
    return asked


def test_an_answer_is_decided_again_with_the_same_ids(memories: tuple[Memory, Memory]) -> None:
    for memory in memories:
        for answer in answers(memory):
            explained = memory.explain(answer.receipt_id)
            assert (explained.again, explained.same_ids, explained.note) == (tuple(ids(answer)), True, None)


def test_an_answer_is_found_again_from_nothing_with_the_same_ids(memories: tuple[Memory, Memory]) -> None:
    for memory in memories:
        asked = answers(memory)
        assert any(answer.records for answer in asked)
        for answer in asked:
            explained = memory.explain(answer.receipt_id, replay=True)
            assert (explained.again, explained.replayed, explained.note) == (tuple(ids(answer)), True, None)


def test_later_writes_and_other_names_change_no_answer_of_before(memories: tuple[Memory, Memory]) -> None:
    for memory in memories:
        asked = answers(memory)
        write_on(memory)
        for answer in asked:
            assert memory.explain(answer.receipt_id).again == tuple(ids(answer))
            explained = memory.explain(answer.receipt_id, replay=True)
            assert (explained.again, explained.note) == (tuple(ids(answer)), None)


def test_the_past_can_still_be_asked_about_after_later_writes(memories: tuple[Memory, Memory]) -> None:
    for memory in memories:
        now = memory._session.tenant.clock.now()
        before = memory.recall("door colour", floor=0.0)
        write_on(memory)
        assert contents(memory.recall("door colour")) == []
        past = memory.recall("door colour", floor=0.0, known_at=now)
        assert sorted(ids(past)) == sorted(ids(before)) != []


def test_a_search_from_nothing_right_after_opening_has_the_vectors(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember("the pump is an automobile")
        memory.remember("a physician came")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("vehicle")
        assert contents(answer) == ["the pump is an automobile"]
    with Memory.open(vault, embedder=Toy()) as memory:
        explained = memory.explain(answer.receipt_id, replay=True)
        assert (explained.same_ids, explained.note) == (True, None)


def test_an_answer_given_while_vectors_trailed_is_found_again_as_it_was(tmp_path: Path) -> None:
    """What has its vector now had none then: the search from nothing must not find it by meaning."""
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.remember("the pump is an automobile")
        memory.flush(timeout=WAIT_S)
        memory.remember("another slow automobile")
        assert model.arrived.wait(WAIT_S)
        answer = memory.recall("vehicle")
        assert contents(answer) == ["the pump is an automobile"]
        model.free.set()
        memory.flush(timeout=WAIT_S)
        assert len(memory.recall("vehicle").records) == 2
        assert memory.explain(answer.receipt_id, replay=True).again == tuple(ids(answer))


def test_after_the_model_changed_a_search_from_nothing_says_what_it_could_not_do(vault: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.remember("the pump is an automobile")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("vehicle")
    for model in (Toy("toy@2"), None):
        with Memory.open(vault, embedder=model) as memory:
            memory.flush(timeout=WAIT_S)
            assert memory.explain(answer.receipt_id).same_ids, "the recorded candidates need no model"
            explained = memory.explain(answer.receipt_id, replay=True)
            assert explained.note is not None
            assert "toy@1" in explained.note
            assert (explained.again, explained.same_ids) == ((), False)


def test_a_receipt_tells_the_parts_of_every_score(memories: tuple[Memory, Memory]) -> None:
    memory = memories[1]
    answer = memory.recall("vehicle of Maria Lopez")
    account = memory.explain(answer.receipt_id).account
    assert account.plan.reach.model == "toy@1"
    told = {candidate.id: candidate for candidate in account.candidates if candidate.excluded is None}
    for one in answer.records:
        assert one.parts == told[one.record.id].parts
        assert one.parts
        assert abs(sum(value for _, value in one.parts) - told[one.record.id].score) < 1e-6


def test_both_stores_tell_the_same(memories: tuple[Memory, Memory]) -> None:
    one, other = (answers(memory) for memory in memories)
    assert [ids(answer) for answer in one] == [ids(answer) for answer in other]
