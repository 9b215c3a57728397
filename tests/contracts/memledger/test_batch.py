"""Listings, changes to many records, and recall for a context."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.contracts.cites import cites, diverges
from tests.contracts.memledger.room import play

from muniment.model.errors import ConfigurationError
from muniment_memledger import Memledger, MemoryRecord
from muniment_memledger.backends.base import backend_of


def names(records: list[MemoryRecord]) -> list[str]:
    return [record.id for record in records]


async def three(ml: Memledger) -> list[str]:
    texts = ("The pump is red", "The door is blue", "The roof is green")
    return [await ml.add(text, session_id=f"s-{number // 2}") for number, text in enumerate(texts)]


@cites("MEML-083")
def test_a_session_lists_exactly_its_own_records(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        one, two, three_ = await three(ml)

        assert names(await ml.get_by_session("s-0")) == [one, two]
        assert names(await ml.get_by_session("s-1")) == [three_]
        assert await ml.get_by_session("s-") == []

    play(vault, story)


@cites("MEML-084")
def test_what_was_never_handed_out_is_stale_at_once(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        one, two, three_ = await three(ml)
        await ml.search("pump red", top_k=1)

        assert names(await ml.get_stale(0)) == [two, three_]
        assert names(await ml.get_stale(0, min_access=1)) == [one, two, three_]
        assert await ml.get_stale(30) == []

    play(vault, story)


@cites("MEML-085", "MEML-086", "MEML-087")
def test_many_records_change_their_state_at_once_and_the_states_stay_apart(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        one, two, three_ = await three(ml)

        assert await ml.bulk_update_status([one, "no-such-record"], "deprecated") == 1
        assert await ml.bulk_archive([two, two]) == 1

        assert names(await ml.get_by_status("deprecated")) == [one]
        assert names(await ml.get_by_status("archived")) == [two]
        assert names(await ml.get_by_status("active")) == [three_]
        assert await ml.get_by_status("expired") == []
        assert await ml.bulk_archive([two]) == 0

    play(vault, story)


def test_a_span_of_time_lists_what_was_written_in_it(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        written = await three(ml)
        now = datetime.now(UTC)

        assert names(await ml.get_by_timerange(now - timedelta(hours=1), now + timedelta(hours=1))) == written
        assert await ml.get_by_timerange("2001-01-01", "2001-01-02T00:00:00+00:00") == []

    play(vault, story)


@diverges("MEML-088")
def test_a_composition_of_two_stores_can_be_opened() -> None:
    refused = None
    try:
        backend_of("composition")
    except ConfigurationError as error:
        refused = error
    assert refused is None


@cites("MEML-089")
def test_recall_for_a_context_groups_by_type_and_tells_what_failed(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        assert (await ml.recall_context("deploy")).summary() == "No relevant memories found."
        good = await ml.add("The deploy on Monday went well", record_type="episodic", outcome="success")
        bad = await ml.add("The deploy on Tuesday broke", record_type="episodic", outcome="failure")
        how = await ml.add("How a deploy is done", record_type="procedural", steps=["build", "push"])
        await ml.add("A deploy needs a token")

        found = await ml.recall_context("deploy", top_k=5)

        assert sorted(names(found.similar_episodes)) == sorted([good, bad])
        assert names(found.suggested_procedures) == [how]
        assert names(found.known_failures) == [bad]
        assert (found.has_results, found.total_count) == (True, 4)
        assert "The deploy on Tuesday broke → failure" in found.summary()
        assert "1. build" in found.summary()

    play(vault, story)


def test_a_record_that_was_revised_is_listed_once_and_by_its_present_state(vault: Path) -> None:
    async def story(ml: Memledger) -> list[list[str]]:
        name = await ml.add("The pump is red")
        assert await ml.update(name, metadata={"seen": True})
        assert await ml.update(name, content="The pump is dark red")
        listed = [[record.content for record in await ml.get_by_status(word)] for word in ("active", "deprecated")]
        return [*listed, [record.content for record in await ml.get_by_timerange("2000-01-01", "2999-01-01")]]

    assert play(vault, story) == [["The pump is dark red"], [], ["The pump is dark red"]]
