"""Searching through the face: what fits comes first, bounds hold, use is counted."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.cites import cites
from tests.contracts.memledger.room import WordCounts, play
from tests.patience import WAIT_S

from muniment_memledger import Memledger, MemledgerConfig, RecordType, SearchResult


async def contents(answer: SearchResult) -> list[str]:
    return [record.content for record in answer]


@cites("MEML-023", "MEML-028")
def test_the_exact_text_finds_its_own_record_first_with_a_score_above_0_4(vault: Path) -> None:
    async def story(ml: Memledger) -> SearchResult:
        for text in ("The cat sleeps on the red sofa", "The dog sleeps in the yard", "Invoices are due on Monday"):
            await ml.add(text)
        return await ml.search("The cat sleeps on the red sofa")

    answer = play(vault, story)

    assert answer.records[0].content == "The cat sleeps on the red sofa"
    assert all(record.score is not None for record in answer)
    assert (answer.records[0].score or 0.0) > 0.4
    assert answer.query == "The cat sleeps on the red sofa"
    assert answer.search_time_ms > 0


@cites("MEML-024")
def test_the_nearest_in_meaning_of_three_comes_first(vault: Path) -> None:
    async def story(ml: Memledger) -> list[str]:
        for text in ("My automobile broke down", "The soup was salty", "Invoices are due on Monday"):
            await ml.add(text)
        ml.memory.flush(timeout=WAIT_S)
        return await contents(await ml.search("what about the car"))

    assert play(vault, story, embedder=WordCounts())[0] == "My automobile broke down"


@cites("MEML-025", "MEML-026")
def test_a_namespace_bounds_a_search_by_whole_parts(vault: Path) -> None:
    async def story(ml: Memledger) -> dict[str, list[str]]:
        for space in ("/team-a", "/team-a/ops", "/team-ab", "/team-b", "/team_a"):
            await ml.add(f"The rota of {space} is on the wall", namespace=space)
        answers = {}
        for space in ("/team-a", "/team-b", "/team_a", "/none"):
            found = await ml.search("rota wall", namespace=space, top_k=20)
            answers[space] = sorted(record.namespace for record in found)
        return answers

    assert play(vault, story) == {
        "/team-a": ["/team-a", "/team-a/ops"],
        "/team-b": ["/team-b"],
        "/team_a": ["/team_a"],
        "/none": [],
    }


@cites("MEML-027")
def test_a_search_can_be_held_to_a_type_an_author_a_user_and_metadata(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("The deploy runs at noon", agent_id="ana", user_id="u1", metadata={"kind": "cron"})
        await ml.add("The deploy failed at noon", record_type=RecordType.EPISODIC, agent_id="bob", session_id="s1")
        filters = {"kind": "cron"}

        bounds: dict[str, dict[str, object]] = {
            "type": {"record_type": RecordType.EPISODIC},
            "author": {"agent_id": "bob"},
            "user": {"user_id": "u1"},
            "metadata": {"filters": filters},
            "session": {"session_id": "s1"},
        }
        found = {
            name: await contents(await ml.search("deploy noon", **bound))  # type: ignore[arg-type]  # each is one of its bounds
            for name, bound in bounds.items()
        }

        assert found == {
            "type": ["The deploy failed at noon"],
            "author": ["The deploy failed at noon"],
            "user": ["The deploy runs at noon"],
            "metadata": ["The deploy runs at noon"],
            "session": ["The deploy failed at noon"],
        }
        assert filters == {"kind": "cron"}

    play(vault, story)


@cites("MEML-029")
def test_every_search_counts_the_use_of_what_it_returns_and_of_nothing_else(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        told, untold = await ml.add("The cat sleeps"), await ml.add("Invoices are due on Monday")
        before = await ml.get(told)
        assert before is not None
        assert (before.access_count, before.last_accessed_at) == (0, None)

        first = (await ml.search("cat sleeps", requester_id="ana")).records[0]
        second = (await ml.search("cat sleeps")).records[0]

        assert (first.access_count, second.access_count) == (1, 2)
        after, other = await ml.get(told), await ml.get(untold)
        assert after is not None
        assert other is not None
        assert (after.access_count, other.access_count) == (2, 0)
        assert after.last_accessed_at is not None
        assert after.accessed_by == ["ana"]

    play(vault, story)

    async def later(ml: Memledger) -> list[int]:
        return [record.access_count for record in await ml.get_by_status("active")]

    assert play(vault, later) == [2, 0]


@cites("MEML-030", "MEML-031")
def test_namespaces_and_counts_tell_what_was_written(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("a is one", namespace="/a")
        await ml.add("b is two", namespace="/a/b")
        await ml.add("c happened", namespace="/a", record_type="episodic")
        await ml.add("d is elsewhere", namespace="/d")

        assert await ml.list_namespaces() == ["/a", "/a/b", "/d"]
        stats = await ml.stats("/a")
        assert stats["total_count"] == 3
        assert stats["by_record_type"] == {"episodic": 1, "semantic": 2}
        assert stats["by_namespace"] == {"/a": 2, "/a/b": 1}
        assert (await ml.stats())["total_count"] == 4

    play(vault, story)


def test_hybrid_search_finds_the_same(vault: Path) -> None:
    async def story(ml: Memledger) -> tuple[list[str], list[str]]:
        await ml.add("The cat sleeps")
        await ml.add("The cat eats")
        plain, hybrid = await ml.search("cat sleeps"), await ml.search_hybrid("cat sleeps")
        return await contents(plain), await contents(hybrid)

    plain, hybrid = play(vault, story)
    assert plain[0] == hybrid[0] == "The cat sleeps"


def test_an_answer_carries_a_receipt_that_explains_it(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The cat sleeps")
        answer = await ml.search("cat")

        explained = ml.memory.explain(str(answer.metadata["receipt_id"]))
        assert explained.same_ids
        assert explained.again == (name,)

    play(vault, story, config=MemledgerConfig())
