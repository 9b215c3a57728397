"""What is accepted is the author's own record: no two authors share one, and what one said can be read back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.akashik.field import Field, field_policy
from tests.support.world import simulated_memory

from muniment.contracts.strict.values import JsonObject
from muniment.model.record import Record
from muniment_memledger import EmbeddingConfig, Memledger

FEW = settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


class Said(NamedTuple):
    author: str
    text: str
    question: str
    confidence: float
    evidence: tuple[str, ...]


class Kept(NamedTuple):
    """What a write was answered with, and what is read under that name right after it."""

    said: Said
    name: str
    record: Record


TEXTS = ("No.", "NO", "No.\n", "5 mW", "5 MW", "x²", "x2", "a != b", "a == b", "+3", "-3", "US", "us")
SAYINGS = st.lists(
    st.builds(
        Said,
        st.sampled_from(("scout", "analyst")),
        st.sampled_from(TEXTS),
        st.sampled_from(("May we open the sluice?", "Is anybody hurt?")),
        st.sampled_from((0.4, 0.8)),
        st.sampled_from(((), ("log:1",), ("log:2",))),
    ),
    min_size=12,
    max_size=24,
)


def by_library(sayings: Sequence[Said]) -> list[Kept]:
    memory, kept = simulated_memory(policy=field_policy()), []
    for said in sayings:
        seat = memory.as_actor(said.author)
        verdict = seat.remember(
            said.text, question=said.question, confidence=said.confidence, evidence=list(said.evidence)
        )
        if verdict.committed and verdict.record_id is not None:
            kept.append(Kept(said, verdict.record_id, seat.get(verdict.record_id).record))
    return kept


def by_akashik(sayings: Sequence[Said]) -> list[Kept]:
    field, kept = Field().join("scout", "analyst"), []
    for said in sayings:
        sure: JsonObject = {"score": said.confidence, "reasoning": "seen", "evidence": list(said.evidence)}
        intent: JsonObject = {"purpose": "answer", "question": said.question}
        unit: JsonObject = {"type": "finding", "content": said.text, "intent": intent, "confidence": sure}
        answer = field.ask("RECORD", said.author, unit)
        if answer["status"] == "accepted":
            name = str(answer["memory_unit_id"])
            kept.append(Kept(said, name, field.memory.get(name).record))
    return kept


def by_memledger(sayings: Sequence[Said]) -> list[Kept]:
    async def told() -> list[Kept]:
        kept = []
        async with await Memledger.create("sqlite", {"path": ":memory:"}, EmbeddingConfig(provider="none")) as ml:
            for said in sayings:
                name = await ml.add(
                    said.text, agent_id=said.author, turn_context=said.question, confidence=said.confidence
                )
                if name:
                    kept.append(Kept(said._replace(evidence=()), name, ml.memory.get(name).record))
        return kept

    return asyncio.run(told())


@each("write", [by_library, by_akashik, by_memledger])
def test_no_two_authors_share_a_record_and_each_reads_its_own_words_and_grounds(
    write: Callable[[Sequence[Said]], list[Kept]],
) -> None:
    @FEW
    @given(SAYINGS)
    def holds(sayings: list[Said]) -> None:
        kept = write(sayings)
        for said, _, record in kept:
            belief, asked = record.claim.belief, record.claim.intent.question
            assert (record.actor, record.content.strip(), asked) == (said.author, said.text.strip(), said.question)
            assert (belief.score, belief.evidence) == (said.confidence, said.evidence)
        meant = {name: (said.author, said.text.strip(), said.question) for said, name, _ in kept}
        assert all(meant[name] == (said.author, said.text.strip(), said.question) for said, name, _ in kept)
        assert len({*meant.values()}) == len(meant), "one author's same words for one question are one record"
        assert len({(said.author, said.text.strip(), said.question) for said in sayings}) == len(meant)

    holds()
