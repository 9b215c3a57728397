"""The records a program holds, and that each comes back from the store as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.memledger.room import play

from muniment.model.errors import Malformed
from muniment_memledger import (
    EpisodicRecord,
    Memledger,
    MemoryRecord,
    MemoryStatus,
    ProceduralRecord,
    RecordType,
    SemanticRecord,
    record_from_dict,
)

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
EACH = (
    SemanticRecord(content="The build runs on Linux", source="wiki", confidence=0.8, metadata={"team": ["ops", 3]}),
    EpisodicRecord(content="The deploy failed", event_time=AT, duration_ms=900, outcome="failure", actors=["bob"]),
    ProceduralRecord(
        content="Deploying", steps=["build", "push"], preconditions=["tests pass"], tools_required=["git"]
    ),
)


@cites("MEML-001")
def test_a_record_of_which_only_the_content_is_said_is_semantic_active_and_in_the_root() -> None:
    one, other = MemoryRecord(content="x"), MemoryRecord(content="x")

    assert (one.record_type, one.namespace, one.metadata, one.status) == ("semantic", "/", {}, "active")
    assert one.id
    assert one.id != other.id


@cites("MEML-002", "MEML-003", "MEML-004", "MEML-007")
@pytest.mark.parametrize("record", EACH, ids=lambda record: str(record.record_type))
def test_each_type_comes_back_from_the_store_with_its_own_fields(record: MemoryRecord, vault: Path) -> None:
    async def story(ml: Memledger) -> MemoryRecord | None:
        return await ml.get(await ml.add_record(record))

    kept = play(vault, story)

    assert kept is not None
    assert type(kept) is type(record)
    same = set(record.__struct_fields__) - {"created_at", "updated_at", "created_by", "agent_id", "quality_score"}
    assert {name: getattr(kept, name) for name in same} == {name: getattr(record, name) for name in same}


@cites("MEML-005")
def test_a_record_is_read_as_the_type_it_names_and_else_as_semantic() -> None:
    types = [type(record_from_dict({"content": "x", "record_type": word})) for word in (*RecordType, "nonsense")]

    assert types == [SemanticRecord, EpisodicRecord, ProceduralRecord, SemanticRecord]


@cites("MEML-006")
@each("record", EACH, ids=lambda record: str(record.record_type))
def test_a_record_that_is_dumped_and_read_again_is_the_same(record: MemoryRecord) -> None:
    assert record_from_dict(record.model_dump()) == record
    assert record_from_dict(record.model_dump(mode="json")) == record


@cites("MEML-008")
@pytest.mark.parametrize("sure", [0.0, 1e-9, 0.1 + 0.2, 0.7, 1.0])
def test_confidence_comes_back_exactly(sure: float, vault: Path) -> None:
    async def story(ml: Memledger) -> MemoryRecord | None:
        return await ml.get(await ml.add("Water is wet", confidence=sure))

    kept = play(vault, story)

    assert kept is not None
    assert kept.confidence == sure


@cites("MEML-009")
def test_a_record_made_before_is_kept_under_its_own_id_and_in_its_state(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        record = SemanticRecord(content="The old way", id="my-own-id", status=MemoryStatus.ARCHIVED, agent_id="bob")

        assert await ml.add_record(record) == "my-own-id"
        kept = await ml.get("my-own-id")
        assert kept is not None
        assert (kept.content, kept.status, kept.created_by) == ("The old way", "archived", "bob")

    play(vault, story)


def test_an_id_that_ours_cannot_look_like_is_given_back_as_it_was(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        assert await ml.add("x is y", record_id="a b/ü") == "a b/ü"
        kept = await ml.get("a b/ü")
        assert kept is not None
        assert kept.id == "a b/ü"

    play(vault, story)


def test_adding_under_an_id_that_is_there_is_a_new_revision_by_the_same_author(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        await ml.add("The port is 80", record_id="port", agent_id="ana")
        await ml.add("The port is 8080", record_id="port", agent_id="bob")

        kept = await ml.get("port")
        assert kept is not None
        assert (kept.content, kept.created_by) == ("The port is 8080", "ana")
        assert [view.record.actor for view in ml.memory.history("port").revisions] == ["ana", "bob"]

    play(vault, story)


@each(
    ("fields", "name"),
    [
        ({"confidence": 7.5}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"importance": -1.0}, "importance"),
        ({"content": ""}, "content"),
        ({"namespace": ""}, "namespace"),
    ],
)
def test_what_no_record_can_be_is_refused_by_the_name_of_the_field(fields: dict[str, object], name: str) -> None:
    with pytest.raises(Malformed) as refused:
        record_from_dict({"content": "x", **fields})

    assert refused.value.field == name


def test_a_field_of_another_type_of_record_is_refused(vault: Path) -> None:
    async def story(ml: Memledger) -> None:
        with pytest.raises(Malformed, match="steps"):
            await ml.add("x", steps=["one"])

    play(vault, story)
