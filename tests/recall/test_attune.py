"""Recall without a question: what an agent should know, by what it is about and by what is new, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Toy, both, contents, ids, kept, on_disk, policy

from muniment import Memory
from muniment.model.errors import Malformed
from muniment.model.tokens import tokens

RULES = policy()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with on_disk(tmp_path, Toy(), RULES) as made:
        made.remember("the pump of the north station leaks")
        made.remember("a physician is on call at night", sensitivity="private")
        made.remember("the car needs new tyres")
        made.remember("billing runs on the first of the month")
        made.flush(timeout=WAIT_S)
        yield made


def test_what_fits_the_task_comes_before_what_does_not(memory: Memory) -> None:
    assert contents(memory.attune(task="mend the pump"))[0] == "the pump of the north station leaks"
    assert contents(memory.attune(interests=["vehicle"]))[0] == "the car needs new tyres"
    assert contents(memory.attune(role="billing"))[0] == "billing runs on the first of the month"


def test_no_topic_need_fit_all(memory: Memory) -> None:
    told = contents(memory.attune(task="mend the pump", interests=["billing month"], limit=2))
    assert sorted(told) == ["billing runs on the first of the month", "the pump of the north station leaks"]


def test_without_a_topic_what_is_new_is_told(memory: Memory) -> None:
    answer = memory.attune()
    assert len(answer.records) == 4
    assert (answer.abstained, answer.searched.why) == (None, None)


def test_since_a_position_only_what_is_new_or_changed_is_told(tmp_path: Path) -> None:
    with both(tmp_path, Toy, RULES) as memories:
        for memory in memories:
            old = kept(memory.remember("the pump leaks"))
            revised = kept(memory.remember("the pump is blue"))
            memory.remember("the pump is loud")
            known = memory.ledger.head().seq
            assert contents(memory.attune(task="pump", since=known)) == []
            memory.revise(revised, "the pump is green")
            memory.remember("the gauge is new")
            memory.review.outcome(old, "helpful")
            memory.flush(timeout=WAIT_S)
            changed = {"the gauge is new", "the pump is green", "the pump leaks"}
            about = set(contents(memory.attune(task="pump", since=known)))
            assert {"the pump is green", "the pump leaks"} <= about <= changed
            assert set(contents(memory.attune(since=known))) == changed
            assert contents(memory.attune(since=memory.ledger.head().seq)) == []


def test_what_was_taken_back_or_is_over_is_not_told(memory: Memory) -> None:
    memory.review.retract(kept(memory.remember("the pump was painted")), reason="no")
    memory.remember("the pump was sold", valid_until="2020-01-01")
    memory.remember("the pump was rented", expires_at="2020-01-01")
    memory.flush(timeout=WAIT_S)
    for answer in (memory.attune(), memory.attune(task="pump"), memory.attune(since=1)):
        assert not {"the pump was painted", "the pump was sold", "the pump was rented"} & set(contents(answer))


def test_the_bounds_of_a_recall_are_bounds_here_too(memory: Memory) -> None:
    memory.remember("the pump is a risk", kind="risk", namespace="/ops")
    memory.flush(timeout=WAIT_S)
    assert contents(memory.attune(task="pump", kinds=["risk"])) == ["the pump is a risk"]
    assert contents(memory.attune(namespace="/ops")) == ["the pump is a risk"]
    assert contents(memory.attune(kinds=[])) == []
    assert len(memory.attune(limit=2).records) == 2


@pytest.mark.parametrize("budget", [0, 5, 12, 30, 1_000])
def test_what_is_told_fits_the_budget(memory: Memory, budget: int) -> None:
    answer = memory.attune(task="pump", budget_tokens=budget)
    assert sum(tokens(one.text) for one in answer.records) <= budget
    assert bool(answer.records) == (budget >= 12)


def test_nobody_is_attuned_to_what_they_may_not_see(memory: Memory) -> None:
    assert "a physician is on call at night" in contents(memory.attune(task="doctor"))
    bot = memory.as_actor("bot")
    for answer in (bot.attune(task="doctor on call"), bot.attune(), bot.attune(since=1)):
        assert "a physician is on call at night" not in contents(answer)
        assert answer.records
    assert memory.as_actor("guest").attune().records == ()


def test_an_attunement_leaves_a_receipt_that_can_be_decided_again(memory: Memory) -> None:
    answer = memory.attune(role="fitter", task="mend the pump", interests=["vehicle", "billing"], since=2)
    memory.remember("a new pump came")
    memory.flush(timeout=WAIT_S)
    for replay in (False, True):
        explained = memory.explain(answer.receipt_id, replay=replay)
        assert explained.again == tuple(ids(answer))
        about = explained.account.query.attuned
        assert about is not None
        assert (about.role, about.task, about.interests, about.since) == (
            "fitter",
            "mend the pump",
            ("vehicle", "billing"),
            2,
        )


def test_a_secret_in_a_task_is_not_kept(memory: Memory) -> None:
    answer = memory.attune(task="deploy with AKIAIOSFODNN7EXAMPLE", interests=["AKIAIOSFODNN7EXAMPLE"])
    about = memory.explain(answer.receipt_id).account.query.attuned
    assert about is not None
    assert "AKIAIOSFODNN7EXAMPLE" not in f"{about.task} {about.interests}"


def test_what_is_no_attunement_is_refused_by_its_field(memory: Memory) -> None:
    for field, given in (("since", -1), ("interests", "pump"), ("task", "a\x00"), ("limit", -1)):
        with pytest.raises(Malformed) as caught:
            memory.attune(**{field: given})  # type: ignore[arg-type]  # the wrong shape is the point
        assert caught.value.field == field
