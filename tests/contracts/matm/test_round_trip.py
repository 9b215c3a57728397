"""What is read and written again is the same document, and what comes from elsewhere becomes a valid one."""

from __future__ import annotations

import json

import msgspec
from hypothesis import given
from tests.contracts.matm.strategies import documents, events

from muniment.contracts.finding import passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm import CONTRACT
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import (
    Belief,
    Charter,
    Claim,
    Extension,
    Handling,
    Lineage,
    Nature,
    Origin,
    Place,
    Relation,
    Slot,
)
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, RelationType, Scope


def _bytes(document: Json) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


@given(documents())
def test_a_document_read_and_written_again_is_the_same(document: Json) -> None:
    assert passes(CONTRACT.check(_bytes(document))), CONTRACT.check(_bytes(document))

    encoded = CONTRACT.encode(CONTRACT.decode(_bytes(document)))

    assert json.dumps(json.loads(encoded.data), sort_keys=True) == json.dumps(document, sort_keys=True)
    assert passes(CONTRACT.check(encoded.data))


@given(events())
def test_an_accepted_event_is_written_as_a_valid_record_and_read_back_whole(event: JsonObject) -> None:
    (memory,) = CONTRACT.decode(_bytes(event))
    accepted = msgspec.structs.replace(memory, status=Status.ACTIVE, reviewer="ana", reports=("prp_1",))

    encoded = CONTRACT.encode([accepted])

    assert json.loads(encoded.data)["schema_version"] == "llmwikis.matm.memory-record.v1"
    assert passes(CONTRACT.check(encoded.data)), CONTRACT.check(encoded.data)
    assert CONTRACT.decode(encoded.data) == (accepted,)


def test_several_memories_are_a_list_and_one_is_a_document() -> None:
    memory = InterchangeRecord(id="rec_1", claim=Claim(content="The build is green"))

    assert isinstance(json.loads(CONTRACT.encode([memory]).data), dict)
    assert len(json.loads(CONTRACT.encode([memory, memory]).data)) == 2
    assert json.loads(CONTRACT.encode([]).data) == []
    assert [one.id for one in CONTRACT.decode(CONTRACT.encode([memory, memory]).data)] == ["rec_1", "rec_1"]


def test_every_kind_scope_and_state_of_ours_is_written_as_a_valid_record_and_comes_back() -> None:
    charter = Charter(lawful_basis="consent", access=("ana",), erasure="on request", retention_days=30)
    for kind in Kind:
        for scope in Scope:
            for status in Status:
                memory = InterchangeRecord(
                    id="rec_1",
                    claim=Claim(
                        content="Tea is served", nature=Nature(kind=kind), place=Place(scope=scope), charter=charter
                    ),
                    status=status,
                )
                encoded = CONTRACT.encode([memory])
                assert passes(CONTRACT.check(encoded.data)), (kind, scope, status)
                assert CONTRACT.decode(encoded.data) == (memory,)


def test_what_is_kept_for_a_user_goes_by_the_scope_that_speaks_of_people_and_waits_without_a_charter() -> None:
    memory = InterchangeRecord(
        id="rec_1", claim=Claim(content="Takes tea", place=Place(scope=Scope.USER, scope_id="ana"))
    )

    encoded = CONTRACT.encode([memory])

    document = json.loads(encoded.data)
    assert (document["scope"], document["scope_ref"]["user_id"]) == ("x_user_identity", "ana")
    assert document["status"] == "review_pending"
    assert ("/claim/place/scope", True) in {(one.path, one.kept) for one in encoded.narrowed}
    assert CONTRACT.check(encoded.data) == ()
    assert CONTRACT.decode(encoded.data) == (memory,)


def test_what_matm_cannot_say_is_told_and_travels_in_its_own_field() -> None:
    memory = InterchangeRecord(
        id="rec_1",
        claim=Claim(content="Is tea served?", nature=Nature(kind=Kind.QUESTION)),
        effective=0.25,
        accesses=7,
    )

    encoded = CONTRACT.encode([memory])

    assert json.loads(encoded.data)["kind"] == "hypothesis"
    assert sorted(one.path for one in encoded.narrowed) == ["/accesses", "/claim/nature/kind", "/effective"]
    assert all(one.kept for one in encoded.narrowed)
    assert CONTRACT.decode(encoded.data) == (memory,)


def test_a_usable_memory_of_ours_is_a_reviewed_record() -> None:
    memory = InterchangeRecord(
        id="rec_1",
        claim=Claim(
            content="Checkout retries three times",
            slot=Slot(subject="checkout retry", key="attempts", value="3"),
            nature=Nature(kind=Kind.DECISION),
            place=Place(scope_id="checkout", task_id="t-1"),
            origin=Origin(source="minutes/12"),
            belief=Belief(score=0.9, reasoning="decided in the review", evidence=("minutes: minutes/12",)),
            lineage=Lineage(supersedes="rec_0", relations=(Relation(type=RelationType.CONTRADICTS, target="rec_9"),)),
            handling=Handling(owner="ana"),
        ),
        actor="scout",
        reviewer="ana",
        created_at=Instant(1_000_000),
        reports=("prp_1",),
    )

    record = json.loads(CONTRACT.encode([memory]).data)

    assert {name: record[name] for name in record if name != "x_muniment"} == {
        "schema_version": "llmwikis.matm.memory-record.v1",
        "record_id": "rec_1",
        "kind": "decision",
        "scope": "project",
        "statement": "Checkout retries three times",
        "sensitivity": "internal",
        "confidence": {"score": 0.9, "reasoning": "decided in the review"},
        "revision": 1,
        "owner": "ana",
        "reviewer": "ana",
        "curation_report_ids": ["prp_1"],
        "created_at": "1970-01-01T00:00:01Z",
        "scope_ref": {"project_id": "checkout"},
        "evidence_refs": [{"type": "minutes", "ref": "minutes/12"}],
        "source_refs": ["minutes/12"],
        "provenance": {"producer": "scout", "task_id": "t-1"},
        "supersedes": ["rec_0"],
        "conflicts_with": ["rec_9"],
        "claim": {"subject": "checkout retry", "key": "attempts", "value": "3"},
        "decision": {"owner": "ana", "decided_at": "1970-01-01T00:00:01Z", "rationale": "decided in the review"},
        "status": "reviewed",
    }


def test_a_memory_in_force_without_evidence_waits_for_review_as_a_record() -> None:
    memory = InterchangeRecord(
        id="rec_1", claim=Claim(content="Tea is served"), actor="scout", reviewer="ana", reports=("prp_1",)
    )

    assert json.loads(CONTRACT.encode([memory]).data)["status"] == "review_pending"


def test_a_forged_residue_makes_no_record_that_is_not_valid() -> None:
    forged = Extension(
        name="matm", body=json.dumps({"status": [["review_pending"], ["reviewed"]], "mood": [[], ["good"]]})
    )
    memory = InterchangeRecord(id="rec_1", claim=Claim(content="Tea is served", extensions=(forged,)))

    encoded = CONTRACT.encode([memory])

    assert passes(CONTRACT.check(encoded.data))
    assert json.loads(encoded.data)["status"] == "review_pending"
