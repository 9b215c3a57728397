"""memledger's records as documents: nothing is lost on the way in and out, and what is wrong is told with its place."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.memledger.strategies import documents

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.memledger import CONTRACT
from muniment.contracts.memledger.wire import DOCUMENTS, SearchResult, SemanticRecord
from muniment.contracts.schemas import schema_of
from muniment.contracts.shape import flaws
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Belief, Claim, Handling, Lineage, Nature
from muniment.model.errors import Malformed, Unreadable
from muniment.model.status import Status
from muniment.model.times import parse
from muniment.model.vocabulary import Kind, MemoryType, Sensitivity


@given(document=documents())
def test_a_record_that_is_read_and_written_is_the_same_document(document: JsonObject) -> None:
    data = json.dumps(document).encode()

    assert CONTRACT.check(data) == ()
    assert json.loads(CONTRACT.encode(CONTRACT.decode(data)).data) == document


@given(several=st.lists(documents(), min_size=2, max_size=3, unique_by=lambda one: str(one["id"])))
def test_a_list_of_records_comes_back_as_the_same_list(several: list[JsonObject]) -> None:
    data = json.dumps(several).encode()

    assert json.loads(CONTRACT.encode(CONTRACT.decode(data)).data) == several


_odd = st.sampled_from([None, 0, -1, 2, 0.5, 5.0, 2**60, True, "", "x", "2026-01-01T00:00:00", [], ["m"], {}, {"a": 1}])


_fields = st.sampled_from([*SemanticRecord.__struct_fields__, "steps", "record_type"])


@given(document=documents(), name=_fields, value=_odd)
def test_the_quick_way_takes_a_record_only_if_nothing_is_found_in_it(
    document: JsonObject, name: str, value: Json
) -> None:
    data = json.dumps({**document, name: value}).encode()

    raised = None
    try:
        CONTRACT.decode(data)
    except Malformed as error:
        raised = error

    assert (raised is None) is (CONTRACT.check(data) == ())


BARE: JsonObject = {"id": "m1", "content": "The pump is red", "record_type": "semantic"}


@each(
    ("change", "code", "path"),
    [
        ({"content": ""}, "length", "/content"),
        ({"content": None}, "type", "/content"),
        ({"record_type": "nonsense"}, "enum", "/record_type"),
        ({"record_type": 3}, "type", "/record_type"),
        ({"status": "asleep"}, "enum", "/status"),
        ({"namespace": ""}, "length", "/namespace"),
        ({"confidence": 7.5}, "range", "/confidence"),
        ({"confidence": "high"}, "type", "/confidence"),
        ({"importance": -0.1}, "range", "/importance"),
        ({"hedged": 1}, "type", "/hedged"),
        ({"quality_score": 101}, "range", "/quality_score"),
        ({"success_count": -1}, "range", "/success_count"),
        ({"access_count": 1.5}, "type", "/access_count"),
        ({"created_at": "yesterday"}, "format", "/created_at"),
        ({"created_at": "2026-02-30T00:00:00Z"}, "format", "/created_at"),
        ({"confidence_flag": "MAYBE"}, "enum", "/confidence_flag"),
        ({"derived_from": ["a", ""]}, "length", "/derived_from/1"),
        ({"conflicts": [{"similarity": 1.0}]}, "missing", "/conflicts/0"),
        (
            {"conflicts": [{"existing_id": "x", "existing_content": "y" * 201}]},
            "length",
            "/conflicts/0/existing_content",
        ),
        ({"metadata": []}, "type", "/metadata"),
        ({"steps": ["one"]}, "unknown", "/steps"),
        ({"confidense": 0.5}, "unknown", "/confidense"),
        ({"derived_from": ["m1"]}, "cycle", "/"),
        ({"supersedes": "m1"}, "cycle", "/"),
    ],
)
def test_what_is_wrong_is_told_with_its_code_and_place(change: JsonObject, code: str, path: str) -> None:
    data = json.dumps({**BARE, **change}).encode()

    assert [(one.code, one.path) for one in CONTRACT.check(data)] == [(code, path)]
    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(data)
    assert refused.value.field == path


@each(
    ("text", "path"),
    [
        ('{"id": "a", "id": "b"}', "/id"),
        ('{"confidence": NaN}', "/confidence"),
        ('{"score": 1e400}', "/score"),
        ("", "/"),
    ],
)
def test_a_text_that_means_no_one_thing_is_not_read(text: str, path: str) -> None:
    assert [(one.code, one.path) for one in CONTRACT.check(text.encode())] == [("unreadable", path)]
    with pytest.raises(Unreadable):
        CONTRACT.decode(text.encode())


def test_a_record_without_its_type_and_a_list_with_a_wrong_one_say_which() -> None:
    untyped = json.dumps({"id": "m1", "content": "x"}).encode()
    mixed = json.dumps([BARE, 7, {**BARE, "id": "m2", "confidence": 2}]).encode()

    assert [(one.code, one.path) for one in CONTRACT.check(untyped)] == [("missing", "/")]
    assert [(one.code, one.path) for one in CONTRACT.check(mixed)] == [("type", "/1"), ("range", "/2/confidence")]


def test_two_records_of_one_id_and_a_circle_of_ancestors_are_told() -> None:
    twice = json.dumps([BARE, BARE]).encode()
    circle = json.dumps([{**BARE, "derived_from": ["m2"]}, {**BARE, "id": "m2", "supersedes": "m1"}]).encode()
    tree = json.dumps([{**BARE, "derived_from": ["m2", "elsewhere"]}, {**BARE, "id": "m2"}]).encode()

    assert [(one.code, one.path, one.severity) for one in CONTRACT.check(twice)] == [("duplicate", "/1/id", "warning")]
    assert [(one.code, one.path, one.severity) for one in CONTRACT.check(circle)] == [("cycle", "/", "warning")]
    assert CONTRACT.check(tree) == ()
    assert json.loads(CONTRACT.encode(CONTRACT.decode(circle)).data) == json.loads(circle)


def test_a_memory_that_names_itself_as_its_ground_is_written_without_and_comes_back_with_it() -> None:
    memory = InterchangeRecord(
        id="m1", claim=Claim(content="x", lineage=Lineage(derived_from=("m1", "p"), supersedes="m1"))
    )

    encoded = CONTRACT.encode([memory])

    document = json.loads(encoded.data)
    assert (document["derived_from"], document["supersedes"]) == (["p"], None)
    assert CONTRACT.check(encoded.data) == ()
    assert CONTRACT.decode(encoded.data) == (memory,)


EVERYTHING: JsonObject = {
    **BARE,
    "record_type": "episodic",
    "status": "expired",
    "namespace": "/ops/pumps",
    "agent_id": "ana",
    "created_by": "ana",
    "session_id": "s-1",
    "workflow_id": "w-1",
    "triggered_by": "alert 7",
    "turn_context": "what about the pump?",
    "importance": 0.9,
    "confidence": 0.25,
    "hedged": True,
    "supersedes": "m0",
    "derived_from": ["p1", "p2"],
    "created_at": "2026-03-01T09:30:00Z",
    "updated_at": "2026-03-02T09:30:00Z",
    "access_count": 4,
    "last_accessed_at": "2026-03-03T00:00:00Z",
    "success_count": 3,
    "failure_count": 1,
    "event_time": "2026-02-28T23:59:59Z",
    "actors": ["bob", "Zoë"],
    "conflicts": [{"existing_id": "m7", "existing_content": "The pump is blue", "similarity": 0.7}],
}


def test_every_governing_field_lands_in_its_own_place_of_our_record() -> None:
    (memory,) = CONTRACT.decode(json.dumps(EVERYTHING).encode())

    claim = memory.claim
    assert (memory.id, memory.actor, memory.status) == ("m1", "ana", Status.EXPIRED)
    assert (claim.content, claim.nature.memory_type) == ("The pump is red", MemoryType.EPISODIC)
    assert (claim.place.namespace, claim.place.session_id, claim.place.workflow_id) == ("/ops/pumps", "s-1", "w-1")
    assert (claim.origin.triggered_by, claim.intent.question) == ("alert 7", "what about the pump?")
    assert (claim.belief.score, claim.belief.hedged, claim.strength.importance) == (0.25, True, 0.9)
    assert (claim.lineage.supersedes, claim.lineage.derived_from) == ("m0", ("p1", "p2"))
    assert claim.lineage.entities == ("bob", "Zoë")
    assert claim.times.event_time == parse("2026-02-28T23:59:59Z", field="event_time")
    assert (memory.accesses, memory.helpful, memory.misleading, memory.conflicts) == (4, 3.0, 1.0, ("m7",))
    assert memory.created_at == parse("2026-03-01T09:30:00Z", field="created_at")
    assert memory.updated_at == parse("2026-03-02T09:30:00Z", field="updated_at")
    assert memory.last_access == parse("2026-03-03", field="last_accessed_at")


def test_a_memory_from_elsewhere_is_a_valid_record_and_comes_back_whole() -> None:
    memory = InterchangeRecord(
        id="rec_1",
        claim=Claim(
            content="We chose SQLite",
            nature=Nature(kind=Kind.DECISION),
            belief=Belief(score=0.9, reasoning="it is small", evidence=("adr-2",)),
            handling=Handling(sensitivity=Sensitivity.CONFIDENTIAL),
        ),
        tenant="acme",
        status=Status.CONTESTED,
        actor="ana",
        helpful=2.5,
    )

    encoded = CONTRACT.encode([memory])

    assert CONTRACT.check(encoded.data) == ()
    document = json.loads(encoded.data)
    assert (document["status"], document["record_type"], document["success_count"]) == ("active", "semantic", 2)
    assert [*document["metadata"]] == ["muniment"]
    told = {one.path for one in encoded.narrowed}
    assert {"/claim/nature", "/claim/belief/reasoning", "/claim/handling", "/status", "/helpful", "/tenant"} <= told
    assert all(one.kept for one in encoded.narrowed)
    assert CONTRACT.decode(encoded.data) == (memory,)


def test_what_was_changed_on_the_way_wins_over_what_was_kept() -> None:
    data = json.dumps({**BARE, "confidence": 1, "user_id": "u"}).encode()
    (memory,) = CONTRACT.decode(data)
    belief = msgspec.structs.replace(memory.claim.belief, score=0.5)
    changed = msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, belief=belief))

    document = json.loads(CONTRACT.encode([changed]).data)

    assert (document["confidence"], document["user_id"]) == (0.5, "u")


@each("foreign", [5, {"memory": 7}, {"memory": {}, "more": 1}, {"a": {"b": [[1], [2]]}}])
def test_a_key_of_metadata_under_our_name_that_is_not_ours_is_left_alone(foreign: Json) -> None:
    document = {**BARE, "metadata": {"muniment": foreign, "k": 1}}

    (memory,) = CONTRACT.decode(json.dumps(document).encode())

    assert json.loads(CONTRACT.encode([memory]).data) == document


def test_the_checks_and_the_published_schemas_know_the_same_documents() -> None:
    schemas = {name: schema_of("memledger", name, kind) for name, kind in DOCUMENTS.items()}

    assert sorted(schemas) == [
        "attribution_chain",
        "episodic_record",
        "procedural_record",
        "search_result",
        "semantic_record",
    ]
    result: JsonObject = {"records": [BARE], "query": "q", "backend": "b", "search_time_ms": 1.5}
    assert flaws(result, SearchResult) == ()
    assert [flaw.path for flaw in flaws({**result, "records": [{**BARE, "steps": []}]}, SearchResult)] == [
        "/records/0/steps"
    ]


def test_a_record_of_no_known_type_is_told_all_else_that_is_wrong_with_it() -> None:
    odd: JsonObject = {"id": "", "content": "x", "record_type": "dream", "confidence": 7.5, "steps": [1], "mood": "red"}

    found = [(finding.code, finding.path) for finding in CONTRACT.check(json.dumps(odd).encode())]

    assert sorted(found) == [
        ("enum", "/record_type"),
        ("length", "/id"),
        ("range", "/confidence"),
        ("type", "/steps/0"),
        ("unknown", "/mood"),
    ]


@each(
    ("change", "path", "expected"),
    [
        ({"mood": "red"}, "/mood", "nothing: there is no such field"),
        ({"derived_from": ["a"]}, "/", "a record that does not stand on itself nor take its own place"),
        ({"record_type": None}, "/record_type", "one of semantic, episodic, procedural"),
        ({"derived_from": ["p"] * 257}, "/derived_from", "a list of 0 to 256"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused_in_words_that_say_what_was_expected(
    change: JsonObject, path: str, expected: str
) -> None:
    document = {"id": "a", "content": "x", "record_type": "semantic", **change}

    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(json.dumps(document).encode())

    assert (refused.value.field, str(refused.value)) == (path, f"{path}: expected {expected}")


def test_a_missing_field_is_named_in_the_refusal() -> None:
    with pytest.raises(Malformed, match="/: expected an object with content"):
        CONTRACT.decode(b'{"id": "a", "record_type": "semantic"}')


def test_numbers_of_any_length_come_back() -> None:
    numbers = '{"n": 10000000000000000000000000000001, "f": 1e-300}'
    text = f'{{"id": "a", "content": "x", "record_type": "semantic", "metadata": {numbers}}}'

    (memory,) = CONTRACT.decode(text.encode())

    assert json.loads(CONTRACT.encode([memory]).data) == json.loads(text)
