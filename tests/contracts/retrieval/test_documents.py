"""The documents of the contract: nothing is lost on the way in and out, and what is wrong is told with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from tests.cases import each
from tests.contracts.retrieval.strategies import configs, files, memory_records

from muniment.contracts.contract import Narrowing
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.retrieval import CONTRACT
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model import times
from muniment.model.claim import Belief, Claim, Nature, Origin, Place, Slot, Times
from muniment.model.errors import Malformed
from muniment.model.vocabulary import Kind, MemoryClass, TrustLevel

RECORD: JsonObject = {
    "kind": "memory_record",
    "record_id": "mem-tenant-acme-001",
    "tenant_id": "tenant-acme",
    "memory_class": "profile",
    "key": "preferred_language",
    "value": "English",
    "source": "user_confirmed_preference",
    "provenance": "user_confirmed_preference",
    "revision": 1,
    "trust_level": "high",
    "created_at": "2026-04-07T12:00:00Z",
    "retention": "long_term",
}
FOREIGN = InterchangeRecord(
    id="rec-7",
    actor="ana",
    claim=Claim(
        content="The staging database moved to eu-west-2",
        nature=Nature(kind=Kind.FACT),
        place=Place(namespace="/ops/pay", session_id="s-1"),
        belief=Belief(score=0.83, evidence=("ticket:OPS-7",)),
    ),
)


def _bytes(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


@given(files())
def test_a_document_that_is_read_and_written_is_the_same(document: Json) -> None:
    assert CONTRACT.check(_bytes(document)) == ()
    assert same(json.loads(CONTRACT.encode(CONTRACT.decode(_bytes(document))).data), document)


def test_the_contracts_own_record_is_a_slot_of_its_tenant_with_an_end() -> None:
    (memory,) = CONTRACT.decode(_bytes(RECORD))
    assert (memory.id, memory.tenant, memory.revision) == ("mem-tenant-acme-001", "tenant-acme", 1)
    assert memory.trust is TrustLevel.HIGH
    assert memory.claim.content == "preferred_language: English"
    assert memory.claim.slot == Slot(subject="tenant-acme", key="preferred_language", value="English")
    assert memory.claim.nature == Nature(kind=Kind.PREFERENCE, memory_class=MemoryClass.PROFILE)
    assert memory.claim.origin == Origin(source="user_confirmed_preference", source_type="user_confirmed_preference")
    assert memory.claim.times == Times(expires_at=times.parse("2026-07-06T12:00:00Z", field="end"))
    assert memory.claim.extensions == ()


@each(
    ("retention", "end"),
    [
        ("short_term", "2026-04-07T14:00:00Z"),
        ("long_term", "2026-07-06T12:00:00Z"),
        ("profile", "2027-04-07T12:00:00Z"),
        ("permanent", None),
    ],
)
def test_a_class_of_retention_is_a_lifetime(retention: str, end: str | None) -> None:
    (memory,) = CONTRACT.decode(_bytes({**RECORD, "retention": retention}))
    expected = None if end is None else times.parse(end, field="end")
    assert memory.claim.times.expires_at == expected


def test_a_key_that_names_a_kind_is_no_slot() -> None:
    (memory,) = CONTRACT.decode(_bytes({**RECORD, "key": "validated_fact", "value": "Tickets need a requester."}))
    assert (memory.claim.slot, memory.claim.content) == (None, "Tickets need a requester.")
    assert memory.claim.nature.kind is Kind.FACT


def test_an_unknown_provenance_is_none_and_an_unknown_source_stays_unknown() -> None:
    (memory,) = CONTRACT.decode(_bytes({**RECORD, "provenance": "unknown", "source": "unknown"}))
    assert memory.claim.origin == Origin(source_type="unknown")


def test_a_memory_from_elsewhere_is_a_valid_record_that_says_what_it_cannot_hold_and_gives_it_back() -> None:
    encoded = CONTRACT.encode([FOREIGN])
    assert CONTRACT.check(encoded.data) == ()
    document = json.loads(encoded.data)
    told = {name: value for name, value in document.items() if name != "extensions"}
    assert told == {
        "kind": "memory_record",
        "record_id": "rec-7",
        "tenant_id": "default",
        "memory_class": "long_term",
        "key": "fact",
        "value": "The staging database moved to eu-west-2",
        "source": "ana",
        "provenance": "ticket:OPS-7",
        "revision": 1,
        "trust_level": "medium",
        "created_at": "1970-01-01T00:00:00Z",
        "retention": "permanent",
    }
    assert Narrowing(id="rec-7", path="/claim/belief/score", kept=True) in encoded.narrowed
    assert Narrowing(id="rec-7", path="/claim/place", kept=True) in encoded.narrowed
    assert CONTRACT.decode(encoded.data) == (FOREIGN,)


def test_a_record_that_was_changed_on_its_way_says_the_change() -> None:
    document = json.loads(CONTRACT.encode([FOREIGN]).data)
    (memory,) = CONTRACT.decode(_bytes({**document, "value": "It moved on to us-east-1"}))
    assert memory.claim.content == "It moved on to us-east-1"
    assert memory.claim.belief.score == 0.83


@given(configs(), memory_records())
def test_seeds_among_other_memories_are_written_as_records(config: JsonObject, record: JsonObject) -> None:
    mixed = (*CONTRACT.decode(_bytes(config)), *CONTRACT.decode(_bytes(record)))
    encoded = CONTRACT.encode(mixed)
    assert CONTRACT.check(encoded.data) == ()
    assert CONTRACT.decode(encoded.data) == mixed


def test_a_seed_that_was_named_by_its_place_keeps_its_name_elsewhere() -> None:
    seed: JsonObject = {
        "tenant_id": "t",
        "memory_class": "profile",
        "kind": "note",
        "content": "a",
        "source": "s",
        "revision": 2,
    }
    first, second = CONTRACT.decode(_bytes({"memory": {"seed_records": [seed, {**seed, "content": "b"}]}}))
    assert (first.id, second.id) == ("mem-001", "mem-002")
    (alone,) = json.loads(CONTRACT.encode([second]).data)["memory"]["seed_records"]
    assert alone == {"memory_id": "mem-002", **seed, "content": "b"}


def test_a_seed_is_trusted_by_its_source_and_its_confidence() -> None:
    said = [("trusted_service", 0.92), ("trusted_service", 0.8), ("session_state", 0.95), ("session_state", 0.7)]
    seeds: list[Json] = [
        {
            "tenant_id": "t",
            "memory_class": "profile",
            "kind": "k",
            "content": "x",
            "source": source,
            "confidence": share,
        }
        for source, share in said
    ]
    found = CONTRACT.decode(_bytes({"memory": {"seed_records": seeds}}))
    assert [one.trust.value if one.trust else None for one in found] == ["high", "medium", "medium", "low"]


def test_nothing_is_written_as_an_empty_list() -> None:
    assert CONTRACT.encode(()).data == b"[]"
    assert CONTRACT.decode(b"[]") == ()


@each(
    ("document", "field", "expected"),
    [
        ([RECORD, {**RECORD, "revision": 0}], "/1/revision", "a whole number from 1"),
        ({**RECORD, "trust_level": "total"}, "/trust_level", "one of low, medium, high"),
        ({"kind": "memory"}, "/kind", "one of memory_record, retrieval_query, retrieval_result"),
        ({"memory": {"seed_records": [{"tenant_id": " "}]}}, "/memory/seed_records/0", "tenant_id"),
        (7, "/", "an object or a list of them"),
    ],
)
def test_the_first_thing_that_is_wrong_is_named_by_its_place(document: Json, field: str, expected: str) -> None:
    with pytest.raises(Malformed) as caught:
        CONTRACT.decode(_bytes(document))
    if field != "/memory/seed_records/0":
        assert (caught.value.field, caught.value.expected) == (field, expected)
    else:
        assert caught.value.field.startswith(field)


def test_a_query_holds_no_memories() -> None:
    query: JsonObject = {
        "kind": "retrieval_query",
        "trace_id": "t",
        "session_id": "s",
        "tenant_id": "tenant-acme",
        "principal_id": "user-42",
        "purpose": "answer_generation",
        "allowed_classes": [],
        "limit": 0,
    }
    assert CONTRACT.check(_bytes(query)) == ()
    with pytest.raises(Malformed) as caught:
        CONTRACT.decode(_bytes(query))
    assert caught.value.field == "/kind"


EVENT: JsonObject = {
    "schema_version": "1.0",
    "event_type": "retrieval",
    "trace_id": "trace-001",
    "payload": {"records": "3"},
    "redacted_fields": [],
}
SEED: JsonObject = {"tenant_id": "t", "memory_class": "c", "kind": "k", "content": "x", "source": "s"}


def _config(**changes: Json) -> JsonObject:
    return {"memory": {"seed_records": [{**SEED, **changes}]}}


@each("name", [name for name in RECORD if name != "kind"])
def test_a_record_needs_each_of_its_fields(name: str) -> None:
    document: JsonObject = {key: value for key, value in RECORD.items() if key != name}
    (finding,) = CONTRACT.check(_bytes(document))
    assert (finding.code, finding.path, finding.message) == ("missing", "/", f"{name} is missing")


@each(
    ("document", "code", "path"),
    [
        ({**RECORD, "owner": "ana"}, "unknown", "/owner"),
        ({**RECORD, "tenant_id": " "}, "pattern", "/tenant_id"),
        ({**RECORD, "created_at": "2026-02-30T00:00:00Z"}, "format", "/created_at"),
        ({**RECORD, "retention": "for ever"}, "enum", "/retention"),
        ({**RECORD, "revision": True}, "type", "/revision"),
        ([RECORD, {**RECORD, "memory_class": "eternal"}], "enum", "/1/memory_class"),
        (_config(confidence=True), "type", "/memory/seed_records/0/confidence"),
        (_config(confidence=1.01), "range", "/memory/seed_records/0/confidence"),
        (_config(revision=0), "range", "/memory/seed_records/0/revision"),
        (_config(color="red"), "unknown", "/memory/seed_records/0/color"),
        ([RECORD, {**RECORD, "revision": 2}, {**RECORD, "revision": 2}], "duplicate", "/2/record_id"),
        (
            {"memory": {"seed_records": [SEED, {**SEED, "memory_id": " mem-001 "}]}},
            "duplicate",
            "/memory/seed_records/1",
        ),
        ({**EVENT, "schema_version": "2.0"}, "enum", "/schema_version"),
        ({**EVENT, "payload": {"records": 3}}, "type", "/payload/records"),
        ({**EVENT, "payload": {" records": "3"}}, "pattern", "/payload/ records"),
        ({**EVENT, "redacted_fields": ["user_input"]}, "together", "/redacted_fields/0"),
        ([EVENT, {**EVENT, "payload": {"records": 3}}], "type", "/1/payload/records"),
    ],
)
def test_what_is_wrong_is_found_at_its_place(document: Json, code: str, path: str) -> None:
    assert [(one.code, one.path) for one in CONTRACT.check(_bytes(document))] == [(code, path)]


def test_several_revisions_of_a_record_may_stand_in_a_file() -> None:
    both = _bytes([RECORD, {**RECORD, "revision": 2}])
    assert CONTRACT.check(both) == ()
    assert [(one.id, one.revision) for one in CONTRACT.decode(both)] == [
        ("mem-tenant-acme-001", 1),
        ("mem-tenant-acme-001", 2),
    ]


def test_events_pass_alone_and_in_a_list() -> None:
    assert CONTRACT.check(_bytes(EVENT)) == CONTRACT.check(_bytes([EVENT, EVENT])) == ()


QUERY: JsonObject = {
    "kind": "retrieval_query",
    "trace_id": "t",
    "session_id": "s",
    "tenant_id": "tenant-acme",
    "principal_id": "user-42",
    "purpose": "answer_generation",
    "allowed_classes": ["profile"],
    "limit": 5,
}
RESULT: JsonObject = {
    "kind": "retrieval_result",
    "trace_id": "t",
    "session_id": "s",
    "selected_records": [],
    "selection_reason": [],
    "excluded_records": 12,
}


def test_a_list_may_hold_documents_of_every_kind_and_each_is_judged_by_its_own() -> None:
    assert CONTRACT.check(_bytes([QUERY, RESULT, EVENT, RECORD])) == ()
    wrong: list[Json] = [{**QUERY, "limit": -1}, {**RESULT, "excluded_records": -1}, 7, {"kind": "note"}, {}, RECORD]
    assert [(one.code, one.path) for one in CONTRACT.check(_bytes(wrong))] == [
        ("range", "/0/limit"),
        ("range", "/1/excluded_records"),
        ("type", "/2"),
        ("enum", "/3/kind"),
        ("missing", "/4"),
    ]


@each("other", [QUERY, RESULT, EVENT])
def test_what_holds_no_memory_is_refused_among_memories_too(other: JsonObject) -> None:
    with pytest.raises(Malformed) as caught:
        CONTRACT.decode(_bytes([RECORD, other]))
    assert caught.value.field == "/1/kind"


def test_two_tenants_may_use_the_same_id() -> None:
    assert CONTRACT.check(_bytes([RECORD, {**RECORD, "tenant_id": "tenant-other"}])) == ()


def test_a_document_that_lacks_something_is_refused_by_what_it_lacks() -> None:
    with pytest.raises(Malformed) as caught:
        CONTRACT.decode(_bytes([RECORD, {name: value for name, value in RECORD.items() if name != "provenance"}]))
    assert (caught.value.field, caught.value.expected) == ("/1", "an object with provenance")


def test_a_text_that_is_no_document_is_found_out_and_not_raised() -> None:
    (finding,) = CONTRACT.check(b'{"kind": "memory_record", "kind": 1}')
    assert (finding.code, finding.path) == ("unreadable", "/kind")
