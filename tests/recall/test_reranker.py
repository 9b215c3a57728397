"""A reranker puts what was found in order, and decides nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from muniment import Memory

QUESTION = "what do we run Kafka for?"
SAID = ("Kafka runs on four machines", "We run Kafka for the billing events", "Kafka was upgraded in May")


class Shortest:
    """The shorter, the better; it keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        assert question
        self.shown.extend(texts)
        return [-len(text) for text in texts]


class Broken:
    def __init__(self, answer: object) -> None:
        self._answer = answer

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]  # what a broken one says


def told(memory: Memory, question: str = QUESTION, **options: object) -> list[str]:
    return [one.record.content for one in memory.recall(question, **options).records]  # type: ignore[arg-type]


def test_what_was_found_is_told_in_its_order_and_the_receipt_says_so(vault: Path) -> None:
    with Memory.open(vault, embedder=None, reranker=Shortest()) as memory:
        for text in SAID:
            memory.remember(text)
        answer = memory.recall(QUESTION, floor=0.0)
        assert [one.record.content for one in answer.records] == sorted(SAID, key=len)
        assert told(memory, limit=1) == [min(SAID, key=len)]
        receipt = memory.explain(answer.receipt_id, replay=True)
        assert receipt.same_ids
        moved = [dict(one.parts).get("reranked", 0.0) for one in receipt.account.candidates]
        assert any(moved)
        scores = [one.score for one in receipt.account.candidates]
        assert scores == sorted(scores, reverse=True)


def test_the_text_itself_stays_first(vault: Path) -> None:
    with Memory.open(vault, embedder=None, reranker=Shortest()) as memory:
        for text in SAID:
            memory.remember(text)
        assert told(memory, SAID[1])[0] == SAID[1]


def test_it_is_shown_nothing_that_the_asker_may_not_see(vault: Path) -> None:
    reranker = Shortest()
    with Memory.open(vault, embedder=None, reranker=reranker) as memory:
        for text in SAID:
            memory.remember(text, sensitivity="confidential" if "billing" in text else None)
        told(memory.as_actor("docs"))
    assert reranker.shown
    assert not any("billing" in text for text in reranker.shown)


@pytest.mark.parametrize("answer", [OSError("gone"), [1.0], [1.0, float("nan"), 2.0], ["x", "y", "z"], None])
def test_one_that_fails_is_noted_and_our_own_order_stands(vault: Path, answer: object) -> None:
    with Memory.open(vault, embedder=None) as memory:
        for text in SAID:
            memory.remember(text)
        ours = told(memory)
    with Memory.open(vault, embedder=None, reranker=Broken(answer)) as memory:
        found = memory.recall(QUESTION)
        assert [one.record.content for one in found.records] == ours
        assert found.searched.why is not None
        assert "reranker" in found.searched.why


def test_a_listing_and_a_profile_ask_nobody(vault: Path) -> None:
    reranker = Shortest()
    with Memory.open(vault, embedder=None, reranker=reranker) as memory:
        for text in SAID:
            memory.remember(text)
        assert len(list(memory.insight.browse())) == len(SAID)
        memory.attune()
    assert reranker.shown == []
