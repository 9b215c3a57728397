"""Adding, changing, ending and replacing records through the face."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.model.errors import Malformed, MunimentError
from muniment_memledger import Memledger, MemledgerConfig, MemoryRecord, MemoryStatus


async def kept(ml: Memledger, name: str) -> MemoryRecord:
    record = await ml.get(name)
    assert record is not None
    return record


async def found(ml: Memledger, query: str) -> list[str]:
    return [record.id for record in await ml.search(query, top_k=20)]


@cites("MEML-010", "MEML-011")
def test_what_is_added_is_active_and_found_under_its_id(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The cache lives in Frankfurt", agent_id="ana")

        assert name
        record = await kept(ml, name)
        assert (record.id, record.content, record.status) == (name, "The cache lives in Frankfurt", "active")
        assert await ml.get("no-such-record") is None

    play(vault, story)


@cites("MEML-012", "MEML-015", "MEML-016", "MEML-017")
@pytest.mark.parametrize("status", ["archived", "deprecated", "expired"])
def test_a_record_that_was_ended_shows_it_and_is_found_no_more(status: str, vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The cache lives in Frankfurt")
        assert await found(ml, "cache Frankfurt") == [name]

        assert await ml.update(name, status=status)

        assert (await kept(ml, name)).status == status
        assert await found(ml, "cache Frankfurt") == []

    play(vault, story)


@cites("MEML-013")
def test_updating_metadata_replaces_the_given_keys_and_leaves_everything_else(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("x is y", metadata={"a": 1, "b": 2}, confidence=0.2, hedged=True, user_id="u", source="web")

        assert await ml.update(name, metadata={"b": 3, "c": 4})

        record = await kept(ml, name)
        assert record.metadata == {"a": 1, "b": 3, "c": 4}
        assert (record.confidence, record.hedged, record.user_id) == (0.2, True, "u")

    play(vault, story)


@cites("MEML-014")
def test_deleting_leaves_an_archived_record_and_its_history(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The cache lives in Frankfurt")

        assert await ml.delete(name) is True
        assert await ml.delete("no-such-record") is False

        assert (await kept(ml, name)).status is MemoryStatus.ARCHIVED
        assert len(ml.memory.history(name).revisions) == 1

    play(vault, story)


@cites("MEML-018")
def test_a_record_goes_from_active_to_expired_to_archived(vault: Path) -> None:
    async def story(ml: Memledger) -> list[str]:
        name = await ml.add("The sale ends on Friday")
        states = [(await kept(ml, name)).status.value]
        for status in ("expired", "archived"):
            assert await ml.update(name, status=status)
            states.append((await kept(ml, name)).status.value)
        return states

    assert play(vault, story) == ["active", "expired", "archived"]


@cites("MEML-019", "MEML-020")
def test_what_supersedes_another_takes_its_place_in_searches(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        old = await ml.add("The cache lives in Frankfurt")
        new = await ml.add("The cache moved from Frankfurt to Dublin", supersedes=old)

        assert (await kept(ml, old)).status is MemoryStatus.DEPRECATED
        record = await kept(ml, new)
        assert (record.status, record.supersedes) == (MemoryStatus.ACTIVE, old)
        assert await found(ml, "cache Frankfurt") == [new]

    play(vault, story)


@cites("MEML-021", "MEML-022")
def test_an_open_memory_is_healthy_and_one_that_was_left_is_closed(vault: Path) -> None:
    async def story(ml: Memledger) -> Memledger:
        assert await ml.health() is True
        await ml.add("The lights are on")
        return ml

    left = play(vault, story)
    with pytest.raises(MunimentError):
        left.memory.insight.stats()

    async def again(ml: Memledger) -> list[str]:
        return [record.content for record in await ml.search("lights")]

    assert play(vault, again) == ["The lights are on"]


def test_the_confidence_of_a_record_can_be_lowered_and_the_gate_follows(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The disk is fine", confidence=0.9)
        assert await ml.update(name, confidence=0.1)

        assert (await kept(ml, name)).confidence == 0.1
        assert (await ml.search("disk fine", confidence_policy={})).records == []

    play(vault, story)


def test_a_status_that_is_none_is_refused_and_changes_nothing(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The disk is fine")
        with pytest.raises(Malformed, match="status"):
            await ml.update(name, status="asleep", content="The disk sleeps")
        with pytest.raises(Malformed, match="status"):
            await ml.bulk_update_status([name], "asleep")

        assert (await kept(ml, name)).content == "The disk is fine"

    play(vault, story)


def test_a_field_that_cannot_be_updated_is_refused_by_name(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        name = await ml.add("The disk is fine")
        for field in ("created_by", "success_count", "nonsense"):
            with pytest.raises(Malformed, match=field):
                await ml.update(name, **{field: "x"})

    play(vault, story)


def test_hooks_are_told_and_one_that_fails_is_on_record_and_stops_nothing(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        told: list[tuple[str, object]] = []

        async def on_add(record: MemoryRecord) -> None:
            told.append(("add", record.content))

        def broken(*_: object) -> None:
            raise RuntimeError

        ml.hooks.on_add += [broken, on_add]
        ml.hooks.on_status_change.append(lambda name, before, after: told.append(("status", (before, after))))
        ml.hooks.on_delete.append(lambda name: told.append(("delete", name)))
        name = await ml.add("The disk is fine")
        await ml.delete(name)

        assert told == [("add", "The disk is fine"), ("status", ("active", "archived")), ("delete", name)]
        assert [entry.details["error"] for entry in ml.audit.by_operation("hook_failed")] == ["RuntimeError"]

    play(vault, story)


def test_records_that_name_no_namespace_go_to_the_configured_one(vault: Path) -> None:
    async def story(ml: Memledger) -> list[str]:
        names = [await ml.add("The disk is fine"), await ml.add("The fan is loud", namespace="/fans")]
        return [(await kept(ml, name)).namespace for name in names]

    assert play(vault, story, config=MemledgerConfig(default_namespace="/home")) == ["/home", "/fans"]
