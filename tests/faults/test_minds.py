"""An embedder, a judge or an extractor hangs, lies, dies, or answers when nobody waits any more.

A question is answered by words and says why; a write is decided without the advice and says so; nothing is lost, and
nothing waits longer than it was told to. No test waits for a wait to end: the bound is a few hundredths of a second,
and what hangs is let go by the test.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.faults.minds import HARMS, LIES, Advisor, Hanging, Lying
from tests.patience import WAIT_S
from tests.recall.world import Toy, contents, eventually

from muniment import Memory
from muniment.engine import vector_indexer
from muniment.engine.model_timeout import OPEN_MAX, Patience
from muniment.model.errors import Malformed, ModelUnavailable, MunimentError
from muniment.model.vocabulary import ConflictType, Step
from muniment.ports.judge import Opinion

BRIEFLY_S = 0.02


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    mind = Hanging()
    yield mind
    mind.let_go.set()


def test_a_question_whose_reader_hangs_is_answered_by_words_and_says_why(hanging: Hanging, tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=hanging, mind_wait=BRIEFLY_S) as memory:
        memory.remember("the build is green")
        answer = memory.recall("build")
        assert contents(answer) == ["the build is green"]
        assert "did not answer within 0.02 s" in str(answer.searched.why)


def test_a_hanging_embedder_holds_up_neither_writing_nor_closing(hanging: Hanging, tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, embedder=hanging, mind_wait=BRIEFLY_S)
    assert memory.remember("the build is green").committed
    assert hanging.hanging.acquire(timeout=WAIT_S), "it was asked, and it hangs"
    assert memory.remember("the gate is closed").committed
    closing = threading.Thread(target=memory.close)
    closing.start()
    closing.join(WAIT_S)
    assert not closing.is_alive()
    with Memory.open(tmp_path, embedder=None) as again:
        assert again.ledger.verify().findings == ()
        assert sorted(contents(again.recall("build gate"))) == ["the build is green", "the gate is closed"]


def test_closing_ends_the_wait_for_a_mind_that_may_be_waited_for_long(
    hanging: Hanging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexer, "PARTING_S", BRIEFLY_S)
    memory = Memory.open(tmp_path, embedder=hanging, mind_wait=10 * WAIT_S)
    memory.remember("the build is green")
    assert hanging.hanging.acquire(timeout=WAIT_S)
    closing = threading.Thread(target=memory.close)
    closing.start()
    closing.join(WAIT_S)
    assert not closing.is_alive()


def test_waiting_for_vectors_of_a_hanging_embedder_ends_with_a_code(hanging: Hanging, tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=hanging, mind_wait=BRIEFLY_S) as memory:
        memory.remember("the build is green")
        with pytest.raises(ModelUnavailable) as refused:
            memory.flush()
        assert refused.value.code == "mind_unavailable"


def test_an_embedder_that_comes_to_is_used_again_and_its_late_answers_are_not(hanging: Hanging, tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=hanging, mind_wait=1.0) as memory:
        memory.remember("an automobile stands at the gate")
        with pytest.raises(ModelUnavailable):
            memory.flush()
        assert memory.insight.searching().why is not None
        hanging.let_go.set()
        assert eventually(lambda: _flushed(memory)), "a busy machine may once more keep it from answering in time"
        assert eventually(lambda: contents(memory.recall("a car", limit=1)) == ["an automobile stands at the gate"])
        assert memory.insight.searching().why is None
        assert memory.ledger.verify().findings == ()


def _flushed(memory: Memory) -> bool:
    try:
        return memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq
    except ModelUnavailable:
        return False


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_an_embedder_that_lies_makes_no_vectors_and_spoils_no_answer(
    lie: Callable[[Sequence[str]], object], tmp_path: Path
) -> None:
    with Memory.open(tmp_path, embedder=Lying(lie)) as memory:
        assert memory.remember("the build is green").committed
        with pytest.raises(ModelUnavailable):
            memory.flush(timeout=WAIT_S)
        answer = memory.recall("build")
        assert contents(answer) == ["the build is green"]
        assert "embedder" in str(answer.searched.why)
        assert memory.insight.searching().trailing > 0
    with Memory.open(tmp_path, embedder=Toy()) as again:
        again.flush(timeout=WAIT_S)
        assert contents(again.recall("the build", limit=1)) == ["the build is green"]
        assert again.ledger.verify().findings == ()


def test_an_embedder_of_the_same_name_and_another_width_spoils_no_answer_and_is_told_of(tmp_path: Path) -> None:
    class Narrow(Toy):
        dimensions = 16

    with Memory.open(tmp_path, embedder=Toy("one@1")) as memory:
        memory.remember("the build is green")
        memory.flush(timeout=WAIT_S)
    with Memory.open(tmp_path, embedder=Narrow("one@1")) as memory:
        assert contents(memory.recall("build")) == ["the build is green"]
        memory.remember("the gate is closed")
        with pytest.raises(MunimentError):
            memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("gate")) == ["the gate is closed"]
        assert "vectors are not being made" in str(memory.insight.searching().why)


def conflict_note(memory: Memory, proposal: str) -> str:
    return next(one.note for one in memory.review.report(proposal).report.steps if one.step is Step.CONFLICT)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_a_judge_that_does_harm_is_done_without_and_that_is_kept(harm: Callable[[], object], tmp_path: Path) -> None:
    judge = Advisor(harm)
    with Memory.open(tmp_path, embedder=None, judge=judge) as memory:
        memory.remember("the build is green on main")
        verdict = memory.remember("the build is late on main", proposal_id="p-2")
        assert judge.asked > 0
        assert verdict.committed
        assert "the judge" in conflict_note(memory, "p-2")
        assert len(contents(memory.recall("build"))) == 2
        assert memory.ledger.verify().findings == ()


def test_a_judge_that_is_heard_leaves_no_such_note(tmp_path: Path) -> None:
    judge = Advisor(lambda: Opinion(type=ConflictType.CONTRADICTION, words="late is not green"))
    with Memory.open(tmp_path, embedder=None, judge=judge) as memory:
        memory.remember("the build is green on main")
        memory.remember("the build is late on main", proposal_id="p-2")
        assert "contradiction" in conflict_note(memory, "p-2")
        assert "the judge" not in conflict_note(memory, "p-2")


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_an_extractor_that_does_harm_is_done_without_and_that_is_kept(
    harm: Callable[[], object], tmp_path: Path
) -> None:
    with Memory.open(tmp_path, embedder=None, extractor=Advisor(harm)) as memory:
        assert memory.remember("the build is green", proposal_id="p-1").committed
        assert "the extractor" in conflict_note(memory, "p-1")
        assert contents(memory.recall("build")) == ["the build is green"]


@pytest.mark.parametrize("role", ["judge", "extractor"])
def test_an_adviser_that_hangs_is_given_up_and_asked_no_more_while_it_holds_too_much(role: str, tmp_path: Path) -> None:
    let_go = threading.Event()
    adviser = Advisor(lambda: (let_go.wait(WAIT_S), ())[1])
    memory = (
        Memory.open(tmp_path, embedder=None, judge=adviser, mind_wait=BRIEFLY_S)
        if role == "judge"
        else Memory.open(tmp_path, embedder=None, extractor=adviser, mind_wait=BRIEFLY_S)
    )
    try:
        for number in range(3 * OPEN_MAX):
            assert memory.remember(f"build {number} is green on main", proposal_id=f"p-{number}").committed
        assert adviser.asked == OPEN_MAX
        assert "did not answer within 0.02 s" in conflict_note(memory, "p-1")
        assert "asked no more" in conflict_note(memory, f"p-{3 * OPEN_MAX - 1}")
        assert memory.ledger.verify().findings == ()
    finally:
        let_go.set()
        memory.close()


def test_a_mind_that_answers_at_last_is_asked_again() -> None:
    let_go, patience = threading.Event(), Patience("judge", BRIEFLY_S)
    for _ in range(OPEN_MAX):
        with pytest.raises(ModelUnavailable, match="did not answer"):
            patience.ask(lambda: let_go.wait(WAIT_S))
    with pytest.raises(ModelUnavailable, match="asked no more"):
        patience.ask(lambda: True)
    let_go.set()

    def heard() -> bool:
        try:
            return Patience.ask(patience, lambda: True)
        except ModelUnavailable:
            return False

    assert eventually(heard)


def test_how_long_a_mind_is_waited_for_must_be_a_time(tmp_path: Path) -> None:
    with pytest.raises(Malformed) as refused:
        Memory.open(tmp_path / "vault", mind_wait=0.0)
    assert refused.value.field == "mind_wait"
    assert not (tmp_path / "vault").exists()
