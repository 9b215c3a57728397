"""The confidence gate: effective confidence, thresholds, and what a gated search leaves out."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.model.errors import Malformed
from muniment_memledger import (
    ConfidencePolicy,
    Memledger,
    MemledgerConfig,
    MemoryRecord,
    TemporalDecayPolicy,
    apply_confidence_gating,
    compute_effective_confidence,
    compute_effective_confidence_map,
)
from muniment_memledger.policies.confidence_policy import read_policy


class Chain:
    """A chain store that knows one minimum and counts how often it is asked."""

    def __init__(self, lowest: float) -> None:
        self.lowest = lowest
        self.asked: list[str] = []

    async def min_confidence_upstream(self, memory_id: str, *, max_hops: int = 5) -> float:
        self.asked.append(memory_id)
        return self.lowest


def child(sure: float, name: str = "c") -> MemoryRecord:
    return MemoryRecord(content="x", id=name, confidence=sure, derived_from=["p"])


@cites("MEML-055")
def test_a_record_without_parents_has_what_it_declares_and_no_chain_is_read() -> None:
    chain = Chain(0.1)

    assert asyncio.run(compute_effective_confidence(MemoryRecord(content="x", confidence=0.8), chain)) == 0.8
    assert chain.asked == []


@cites("MEML-056", "MEML-057")
@each(("lowest", "effective"), [(0.3, 0.3), (0.0, 0.0), (0.95, 0.8), (1.0, 0.8)])
def test_a_chain_drags_a_record_down_and_never_up(lowest: float, effective: float) -> None:
    assert asyncio.run(compute_effective_confidence(child(0.8), Chain(lowest))) == effective


@cites("MEML-058")
def test_a_function_that_resolves_what_is_declared_is_asked() -> None:
    halved = compute_effective_confidence(child(0.8), Chain(0.9), resolve_declared=lambda record: record.confidence / 2)

    assert asyncio.run(halved) == 0.4


@cites("MEML-059")
def test_many_records_come_as_a_mapping_from_id_to_value() -> None:
    records = [child(0.8, "a"), child(0.2, "b"), MemoryRecord(content="x", id="c", confidence=0.9)]

    found = asyncio.run(compute_effective_confidence_map(records, Chain(0.5)))

    assert found == {"a": 0.5, "b": 0.2, "c": 0.9}


@cites("MEML-060")
def test_the_gate_goes_by_the_effective_values_and_else_by_what_is_declared() -> None:
    records = [child(0.9, "dragged"), child(0.9, "fine"), child(0.5, "unsure"), child(0.1, "weak")]

    passed, flagged, left_out = apply_confidence_gating(records, ConfidencePolicy(), {"dragged": 0.2})

    assert [record.id for record in passed] == ["fine"]
    assert [record.id for record in flagged] == ["unsure"]
    assert [record.id for record in left_out] == ["dragged", "weak"]
    assert [record.confidence_flag for record in records] == ["FILTER", "PASS", "FLAG", "FILTER"]
    assert flagged[0].metadata["_confidence_flag"] == "LOW"


@cites("MEML-061", "MEML-063")
def test_a_gated_search_leaves_out_a_claim_that_rests_on_a_weak_one(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        weak = await ml.add("Somebody said the pump leaks", confidence=0.30)
        await ml.add("So the pump needs a new seal", confidence=0.85, derived_from=[weak])
        unsure = await ml.add("The pump may be from 1990", confidence=0.5)
        sure = await ml.add("The pump is red", confidence=0.95)

        answer = await ml.search("pump", top_k=10, confidence_policy={"min_threshold": 0.4, "flag_threshold": 0.6})

        assert [(record.id, record.confidence_flag) for record in answer] == [(sure, "PASS"), (unsure, "FLAG")]
        assert answer.metadata["confidence_gating"] == {
            "passed": 1,
            "flagged": 1,
            "filtered": 2,
            "policy": {"min": 0.4, "flag": 0.6},
            "uses_effective_confidence": True,
        }
        assert answer.records[1].metadata["_effective_confidence"] == 0.5

    play(vault, story)


@cites("MEML-062")
def test_a_search_without_a_gate_returns_everything_and_tells_of_none(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        for number, sure in enumerate((0.0, 0.3, 0.9)):
            await ml.add(f"The pump has part {'abc'[number]}", confidence=sure)

        answer = await ml.search("pump part", top_k=10)

        assert sorted(record.confidence for record in answer) == [0.0, 0.3, 0.9]
        assert "confidence_gating" not in answer.metadata
        assert {record.confidence_flag for record in answer} == {None}

    play(vault, story)


def test_an_empty_policy_means_the_usual_thresholds(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("The pump is weak", confidence=0.0)
        answer = await ml.search("pump", confidence_policy={})

        assert answer.records == []
        assert answer.metadata["confidence_gating"] == {
            "passed": 0,
            "flagged": 0,
            "filtered": 1,
            "policy": {"min": 0.4, "flag": 0.6},
            "uses_effective_confidence": True,
        }

    play(vault, story)


def test_a_gate_can_be_set_for_all_searches_of_an_instance(vault: Path) -> None:
    async def story(ml: Memledger) -> tuple[int, int]:
        await ml.add("The pump is weak", confidence=0.5)
        strict, lenient = await ml.search("pump"), await ml.search("pump", confidence_policy={"min_threshold": 0.1})
        return len(strict), len(lenient)

    config = MemledgerConfig(confidence_policy=ConfidencePolicy(0.6, 0.8))
    assert play(vault, story, config=config) == (0, 1)


@each("policy", [(0.8, 0.2), (-0.1, 0.5), (0.4, 1.1), (float("nan"), 0.5)])
def test_crossed_or_impossible_thresholds_are_refused(policy: tuple[float, float]) -> None:
    with pytest.raises(Malformed):
        ConfidencePolicy(*policy)


@each(
    ("given", "thresholds"),
    [
        ({}, (0.4, 0.6)),
        ({"min_threshold": 0.7}, (0.7, 0.7)),
        ({"min_threshold": 0.1}, (0.1, 0.6)),
        ({"flag_threshold": 0.2}, (0.2, 0.2)),
        ({"min_threshold": 0, "flag_threshold": 1}, (0.0, 1.0)),
    ],
)
def test_a_threshold_that_is_not_said_gives_way_to_the_one_that_is(
    given: dict[str, object], thresholds: tuple[float, float]
) -> None:
    policy = read_policy(given)

    assert (policy.min_threshold, policy.flag_threshold) == thresholds


def test_what_is_no_number_does_not_pass_the_gate() -> None:
    with pytest.raises(Malformed, match="confidence"):
        ConfidencePolicy().evaluate(float("nan"))


def test_the_thresholds_themselves_belong_to_the_better_side() -> None:
    policy = ConfidencePolicy(0.4, 0.7)

    assert [policy.evaluate(sure) for sure in (0.399, 0.4, 0.699, 0.7)] == ["FILTER", "FLAG", "FLAG", "PASS"]


@each(
    ("sure", "days", "decayed", "stale", "archive"),
    [
        (0.9, 0, 0.9, False, False),
        (0.9, 30, 0.6, False, False),
        (0.9, 89, 0.18, False, False),
        (0.9, 90, 0.18, True, False),
        (0.9, 100, 0.18, True, False),
        (0.4, 100, 0.08, True, True),
        (0.5, 100, 0.1, True, False),
    ],
)
def test_decay_follows_the_published_formula(
    sure: float, days: int, decayed: float, stale: bool, archive: bool
) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)

    told = TemporalDecayPolicy().compute_decay(sure, now - timedelta(days=days, hours=23), now=now)

    assert (told["decayed_confidence"], told["is_stale"], told["should_archive"]) == (decayed, stale, archive)
