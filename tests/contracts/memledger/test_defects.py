"""What went wrong in memledger and must not here, one test each."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.contracts.memledger.room import play

from muniment.model.claim import Claim
from muniment.model.errors import Malformed
from muniment_memledger import EmbeddingConfig, Memledger, MemoryRecord
from muniment_memledger.extract import by_rule, is_private

GATE: dict[str, object] = {"min_threshold": 0.4, "flag_threshold": 0.6}


async def told(ml: Memledger, query: str, **bounds: object) -> list[str]:
    answer = await ml.search(query, **bounds)  # type: ignore[arg-type]  # bounds of a search
    return [record.id for record in answer]


async def linked(ml: Memledger, length: int, *, root: float) -> list[str]:
    names = [await ml.add("Rumour has it that the pump is old", confidence=root)]
    for number in range(length):
        text = f"Therefore step {chr(97 + number)} of the pump follows"
        names.append(await ml.add(text, confidence=0.95, derived_from=names[-1:]))
    return names


def test_confidence_0_is_0_and_is_filtered(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The pump is a lie", confidence=0.0)
        record = await ml.get(name)
        assert record is not None
        assert (record.confidence, record.quality_score) == (0.0, 12)
        assert await told(ml, "pump", confidence_policy=GATE) == []

    play(vault, story)


def test_a_weak_ancestor_is_seen_at_any_distance(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        names = await linked(ml, 9, root=0.05)

        assert await told(ml, "pump", top_k=20, confidence_policy=GATE) == []
        assert (await ml.get_attribution_chain(names[-1]))["min_confidence"] == 0.05

    play(vault, story)


def test_the_order_of_parents_changes_nothing(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        weak = await ml.add("Rumour has it that the pump is old", confidence=0.05)
        left = await ml.add("So the left pump is old", confidence=0.9, derived_from=[weak])
        right = await ml.add("The right pump was measured", confidence=0.9)
        tips = [
            await ml.add(f"Both pumps go, says {who}", confidence=0.9, derived_from=parents)
            for who, parents in (("ana", [left, right]), ("bob", [right, left]))
        ]

        lowest = [(await ml.get_attribution_chain(tip))["min_confidence"] for tip in tips]
        assert lowest == [0.05, 0.05]

    play(vault, story)


@pytest.mark.parametrize("confidence", [7.5, -0.1, float("nan"), float("inf")])
def test_a_confidence_that_is_none_is_refused(confidence: float, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(Malformed, match="confidence"):
            await ml.add("The pump is red", confidence=confidence)

    play(vault, story)


def test_parents_that_are_not_there_and_circles_are_refused_and_on_record(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The pump is red")
        assert await ml.add("So it is fast", derived_from=["nobody"]) == ""
        assert "no such record" in str(ml.audit.recent(1)[0].details["reason"])
        child = await ml.add("So it is quick", derived_from=[name])

        assert await ml.update(name, derived_from=[child]) is False
        with pytest.raises(Malformed):
            await ml.add("Mine own father", record_id="self", derived_from=["self"])

    play(vault, story)


def test_updating_metadata_keeps_confidence_hedge_and_the_typed_fields(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add(
            "How to restart", record_type="procedural", steps=["stop", "start"], confidence=0.2, hedged=True
        )
        await ml.update(name, metadata={"seen": True})
        record = await ml.get(name)

        assert record is not None
        assert record.model_dump()["steps"] == ["stop", "start"]
        assert (record.confidence, record.hedged, record.metadata) == (0.2, True, {"seen": True})

    play(vault, story)


def test_a_conflict_stays_readable_on_both_sides_and_costs_quality(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        one = await ml.add("The payment service runs 5 replicas", agent_id="ana")
        alone = await ml.get(one)
        other = await ml.add("The payment service runs 8 replicas", agent_id="bob")

        first, second = await ml.get(one), await ml.get(other)
        assert alone is not None
        assert first is not None
        assert second is not None
        assert [ref.existing_id for ref in first.conflicts] == [other]
        assert [ref.existing_id for ref in second.conflicts] == [one]
        assert (alone.quality_score, first.quality_score) == (42, 32)
        assert first.status == "active"

    play(vault, story)


def test_distinct_facts_of_one_pattern_are_not_called_conflicts(vault: Path) -> None:
    async def story(ml: Memledger) -> int:
        for number in range(40):
            await ml.add(f"Room {number} is cleaned by team {number % 7} on floor {number // 10}")
        return ml.memory.insight.stats().open_conflicts

    assert play(vault, story) == 0


def test_descendants_are_found_behind_a_thousand_newer_records(vault: Path) -> None:
    async def story(ml: Memledger) -> int:
        names = await linked(ml, 3, root=0.9)
        ml.memory.propose([Claim(content=f"w{number} x{number} y{number}") for number in range(1100)])
        return len(await ml.get_downstream(names[0]))

    assert play(vault, story) == 3


def test_weak_hits_and_hidden_ones_do_not_crowd_out_a_good_one(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        for number in range(8):
            await ml.add(f"The pump pump pump is odd, says rumour {number}", confidence=0.1)
        good = await ml.add("Among much else somebody measured the pump", confidence=0.9)

        assert await told(ml, "pump", top_k=1, confidence_policy=GATE) == [good]

    play(vault, story)


def test_popularity_does_not_lift_what_is_off_the_question(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        answer = await ml.add("The red pump stands in hall seven")
        popular = await ml.add("The red pump is for sale in town")
        for _ in range(30):
            await ml.record_outcome(popular, True)
            await ml.search("for sale in town", top_k=1)

        first, second = await ml.search("where stands the red pump", top_k=2)

        assert [first.id, second.id] == [answer, popular]
        assert (second.score or 0.0) > (first.score or 0.0)

    play(vault, story)


def test_many_searches_at_once_all_answer(vault: Path) -> None:
    async def story(ml: Memledger) -> set[int]:
        for number in range(5):
            await ml.add(f"The pump has part {chr(97 + number)}")
        answers = await asyncio.gather(*(ml.search("pump part") for _ in range(24)))
        return {len(answer) for answer in answers}

    assert play(vault, story) == {5}


def test_the_same_said_many_times_at_once_is_kept_once_for_each_author(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        names = await asyncio.gather(*(ml.add("The pump is red", agent_id=f"agent-{n % 2}") for n in range(8)))

        assert len(set(names)) == 2
        assert ml.memory.insight.stats().current == 2

    play(vault, story)


def test_a_filter_is_compared_and_never_becomes_part_of_a_query(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("The pump is red", namespace="/a", metadata={"k": 1})
        await ml.add("The pump is blue", namespace="/b", metadata={"k": 1})
        filters = {"k' = 1 OR 1=1 --": 1}

        assert await told(ml, "pump", namespace="/a", filters=filters) == []
        assert filters == {"k' = 1 OR 1=1 --": 1}

    play(vault, story)


def test_deleting_by_description_spares_what_is_only_nearest(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The red pump stands in hall seven")

        assert await ml.delete(description="quarterly invoices of the Lisbon office in the hall") is False
        assert await ml.delete(description="the red pump in hall seven") is True
        record = await ml.get(name)
        assert record is not None
        assert record.status == "archived"

    play(vault, story)


def test_a_record_that_was_searched_can_be_added_again(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("The pump is red", record_id="p", agent_id="ana")
        (found,) = (await ml.search("pump", requester_id="bob")).records
        found.content = "The pump is dark red"

        assert await ml.add_record(found) == "p"
        record = await ml.get("p")
        assert record is not None
        assert (record.content, record.access_count, record.accessed_by) == ("The pump is dark red", 1, ["bob"])

    play(vault, story)


def test_declared_0_7_passes_a_threshold_of_0_7(vault: Path) -> None:
    async def story(ml: Memledger) -> str | None:
        await ml.add("The pump is red", confidence=0.7)
        (found,) = await ml.search("pump", confidence_policy={"min_threshold": 0.4, "flag_threshold": 0.7})
        return found.confidence_flag

    assert play(vault, story) == "PASS"


def test_a_refused_successor_leaves_the_old_record_alone(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        old = await ml.add("The pump is red")
        assert await ml.add("The pump is blue now", supersedes=old, derived_from=["nobody"]) == ""
        record = await ml.get(old)
        assert record is not None
        assert record.status == "active"

    play(vault, story)


def test_the_quickstart_runs_without_a_model_or_a_server() -> None:
    async def story() -> list[str]:
        async with await Memledger.create("sqlite", {"path": ":memory:"}, EmbeddingConfig(provider="none")) as ml:
            await ml.add("The pump is red", agent_id="ana", confidence=0.9)
            return [record.content for record in await ml.search("pump", confidence_policy={"min_threshold": 0.5})]

    assert asyncio.run(story()) == ["The pump is red"]


@pytest.mark.parametrize(
    "text",
    [
        "You must write to bob.smith@example.com about the pump.",
        "The office always answers at +1 555-123-4567 in the morning.",
        "Her salary must rise to 90000 because of the pump.",
        "The number 123-45-6789 must never be written down.",
        "The card 4111 1111 1111 1111 must never be kept.",
    ],
)
def test_what_is_private_is_not_taken_in_and_said_so(text: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        taken = await ml.ingest(text, agent_id="ana", strategy="deterministic")
        assert (taken["total_extracted"], taken["memory_ids"]) == (0, [])
        assert len(ml.audit.by_operation("pii_blocked")) == 1

    assert is_private(text)
    assert len(by_rule(text)) == 1
    play(vault, story)


def test_taking_in_proposes_in_the_agents_name_by_rule_or_by_model(vault: Path) -> None:
    seen: list[str] = []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return '[{"content": "Bob likes tea", "record_type": "semantic", "confidence": 0.9}, {"content": ""}, 7]'

    text = "We decided to use tea because it is cheap. Ask bob@example.com about it. Short."

    async def story(ml: Memledger) -> None:
        by_rules = await ml.ingest(text, agent_id="ana", namespace="/t", strategy="deterministic", metadata={"m": 1})
        by_model = await ml.ingest(text, agent_id="ana")

        assert (by_rules["strategy_used"], by_rules["total_stored"]) == ("deterministic", 1)
        assert (by_model["strategy_used"], by_model["total_stored"]) == ("llm", 1)
        (record,) = await ml.get_by_timerange("2000-01-01", "2999-01-01", "/t")
        assert (record.content, record.created_by) == ("We decided to use tea because it is cheap", "ana")
        assert (record.confidence, record.metadata) == (0.6, {"m": 1})
        assert "bob@example.com" not in seen[0]

    play(vault, story, complete=model)


def test_everything_written_is_in_a_ledger_that_verifies(vault: Path) -> None:
    async def story(ml: Memledger) -> MemoryRecord | None:
        name = await ml.add("The pump is red", agent_id="ana")
        await ml.update(name, confidence=0.9)
        await ml.delete(name)
        assert ml.memory.ledger.verify().ok
        return await ml.get(name)

    assert play(vault, story) is not None


def test_what_a_second_add_says_of_the_same_words_is_kept(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        first = await ml.add("Prefers tea", user_id="u1", agent_id="bot", confidence=0.9)
        other = {
            "user": await ml.add("Prefers tea", user_id="u2", agent_id="bot"),
            "question": await ml.add("Prefers tea", user_id="u1", agent_id="bot", turn_context="What to drink?"),
            "session": await ml.add("Prefers tea", user_id="u1", agent_id="bot", session_id="s2"),
            "derivation": await ml.add("Prefers tea", user_id="u1", agent_id="bot", derived_from=[first]),
            "author": await ml.add("Prefers tea", user_id="u1", agent_id="cook"),
        }
        assert len({first, *other.values()}) == 6
        read = {name: await ml.get(one) for name, one in other.items()}
        assert read["user"] is not None
        assert read["user"].user_id == "u2"
        assert read["question"] is not None
        assert read["question"].turn_context == "What to drink?"
        found = await ml.search("tea", user_id="u2")
        assert [one.id for one in found] == [other["user"]]

        again = await ml.add("Prefers tea", user_id="u1", agent_id="bot", confidence=0.3)
        assert again == first
        kept = await ml.get(first)
        assert kept is not None
        assert kept.confidence == 0.3

    play(vault, story)
