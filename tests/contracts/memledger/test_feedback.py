"""Outcomes, what they do to the order of answers, and when an episode becomes a procedure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.model.errors import Malformed
from muniment_memledger import (
    ConflictRef,
    Memledger,
    MemoryRecord,
    RecordType,
    ScoringConfig,
    compute_confidence,
    compute_final_score,
    compute_mqs,
    compute_policy_score,
)
from muniment_memledger.strategies.scoring import effective_importance

NOW = datetime.now(UTC)


@cites("MEML-032")
def test_an_outcome_raises_its_own_counter(vault: Path) -> None:
    async def story(ml: Memledger) -> list[tuple[int, int]]:
        name = await ml.add("Restarting helps", agent_id="ana")
        seen = []
        for success in (True, True, False):
            assert await ml.record_outcome(name, success)
            record = await ml.get(name)
            assert record is not None
            seen.append((record.success_count, record.failure_count))
        assert await ml.record_outcome("no-such-record") is False
        return seen

    assert play(vault, story) == [(1, 0), (2, 0), (2, 1)]


@cites("MEML-033", "MEML-034", "MEML-035")
def test_among_equally_similar_records_the_proven_comes_first_and_the_failing_last(vault: Path) -> None:
    async def story(ml: Memledger) -> tuple[list[str], list[str]]:
        words = {"failing": "mule", "unproven": "goat", "mixed": "hare", "proven": "crow"}
        names = {key: await ml.add(f"To fix the pump ask the {word}") for key, word in words.items()}
        before = [record.id for record in await ml.search("fix the pump")]
        for key, outcomes in (("failing", "FFFF"), ("mixed", "SSSF"), ("proven", "SSSS")):
            for letter in outcomes:
                await ml.record_outcome(names[key], letter == "S")
        after = [record.id for record in await ml.search("fix the pump", top_k=4)]
        known = {name: key for key, name in names.items()}
        return [known[name] for name in before], [known[name] for name in after]

    before, after = play(vault, story)

    assert sorted(before) == sorted(after)
    assert after == ["proven", "mixed", "unproven", "failing"]


@cites("MEML-033", "MEML-034", "MEML-035")
def test_the_final_score_of_equal_likeness_goes_by_outcomes() -> None:
    proven, mixed, unproven, failing = (
        compute_final_score(0.8, 10, successes, failures, NOW)
        for successes, failures in ((8, 0), (5, 3), (0, 0), (0, 8))
    )

    assert proven > mixed > unproven > failing


@cites("MEML-036")
def test_ten_successes_lift_an_importance_of_0_3_above_0_6() -> None:
    assert effective_importance(0.3, accesses=10, successes=10, failures=0) == 0.79
    assert effective_importance(0.3, accesses=0, successes=4, failures=0) == 0.3


@cites("MEML-037")
def test_a_record_without_history_has_a_policy_score_of_0_4() -> None:
    assert compute_policy_score() == pytest.approx(0.4)
    assert 0.25 <= compute_policy_score() <= 0.45


@cites("MEML-038")
@pytest.mark.parametrize("decay", ["power_law", "exponential"])
def test_the_recent_scores_above_the_old(decay: str) -> None:
    config = ScoringConfig(decay_type=decay)  # type: ignore[arg-type]  # one of the two words

    recent = compute_policy_score(last_accessed_at=NOW, config=config)
    old = compute_policy_score(last_accessed_at=NOW - timedelta(days=60), config=config)

    assert recent > old


@each(
    ("decay", "days", "worth"),
    [
        ("power_law", 16, 0.575),  # 0.30 * 3/4 + 0.25 * 16 ** -0.5 + 0.20 * 50/100 + 0.25 * (0.5 * 1 + 0.5 * 0.5)
        ("exponential", 14, 0.6375184),  # the same with 0.25 * exp(-0.693)
        ("power_law", 0, 0.7625),  # less than a day counts as one
    ],
)
def test_ranking_follows_the_published_formula(decay: str, days: int, worth: float) -> None:
    config = ScoringConfig(decay_type=decay)  # type: ignore[arg-type]  # one of the two words
    last = datetime.now(UTC) - timedelta(days=days)

    assert compute_policy_score(50, 3, 1, last, 0.5, config) == pytest.approx(worth, abs=1e-6)
    assert compute_final_score(0.8, 50, 3, 1, last, 0.5, config) == pytest.approx(0.4 + worth / 2, abs=1e-6)


@cites("MEML-039")
def test_the_frequent_scores_above_the_rare() -> None:
    assert compute_policy_score(access_count=90) > compute_policy_score(access_count=1)


@cites("MEML-040")
def test_other_weights_give_another_score_and_wrong_ones_are_refused() -> None:
    config = ScoringConfig(success_rate_weight=1.0, recency_weight=0.0, frequency_weight=0.0, importance_weight=0.0)

    assert compute_policy_score(success_count=5, config=config) == 1.0
    with pytest.raises(Malformed, match="recency_weight"):
        ScoringConfig(recency_weight=1.5)


@cites("MEML-041")
@each("likeness", [-1.0, 0.0, 0.5, 1.0, 7.0])
def test_the_final_score_lies_between_0_and_1(likeness: float) -> None:
    heavy = ScoringConfig(similarity_weight=1.0, policy_weight=1.0)

    assert 0.0 <= compute_final_score(likeness, 500, 9, 0, NOW, 1.0, heavy) <= 1.0


@cites("MEML-042")
def test_the_third_success_of_an_episode_makes_exactly_one_procedure(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        episode = await ml.add("Restarted the pump and it ran", record_type=RecordType.EPISODIC, namespace="/ops")
        for count in range(1, 6):
            await ml.record_outcome(episode, True)
            children = await ml.get_downstream(episode)
            assert len(children) == (count >= 3)

        (child,) = await ml.get_downstream(episode)
        assert (child.record_type, child.created_by) == (RecordType.PROCEDURAL, "memledger:auto_promote")
        assert (child.derived_from, child.importance, child.namespace) == ([episode], 0.8, "/ops")
        assert len(ml.audit.by_operation("promote")) == 1

    play(vault, story)


@cites("MEML-043")
def test_a_semantic_record_is_never_promoted(vault: Path) -> None:
    async def story(ml: Memledger) -> list[MemoryRecord]:
        name = await ml.add("The pump is red")
        for _ in range(5):
            await ml.record_outcome(name, True)
        return await ml.get_downstream(name)

    assert play(vault, story) == []


def test_outcomes_move_what_the_gate_decides_by(vault: Path) -> None:
    async def story(ml: Memledger) -> int:
        name = await ml.add("Restarting the pump helps", confidence=0.6)
        assert len(await ml.search("restarting pump", confidence_policy={})) == 1
        for _ in range(10):
            await ml.record_outcome(name, False)
        return len(await ml.search("restarting pump", confidence_policy={}))

    assert play(vault, story) == 0


@each(
    ("record", "score"),
    [
        (MemoryRecord(content="x", confidence=1.0), 72),
        (MemoryRecord(content="x", confidence=1.0, hedged=True), 68),
        (MemoryRecord(content="x", confidence=0.0), 12),
        (MemoryRecord(content="x", confidence=0.8, success_count=8, access_count=30), 86),
        (
            MemoryRecord(
                content="x",
                confidence=0.8,
                success_count=3,
                failure_count=1,
                access_count=4,
                hedged=True,
                conflicts=[ConflictRef(existing_id=name, existing_content="", similarity=0.7) for name in "ab"],
            ),
            46,  # 48 + 25 * 4 / 6 + 6 - 20 - 5
        ),
    ],
)
def test_the_quality_of_a_record_follows_the_published_formula(record: MemoryRecord, score: int) -> None:
    assert compute_mqs(record) == score


@each(
    ("successes", "failures", "idle_days", "expected"),
    [(0, 0, 0, 0.7), (2, 0, 0, 0.8), (9, 0, 0, 0.9), (0, 3, 0, 0.4), (1, 1, 0, 0.6), (0, 0, 180, 0.35)],
)
def test_the_second_confidence_follows_the_published_formula(
    successes: int, failures: int, idle_days: int, expected: float
) -> None:
    used = NOW - timedelta(days=idle_days)

    assert compute_confidence(used, used, successes, failures) == pytest.approx(expected, abs=1e-4)
