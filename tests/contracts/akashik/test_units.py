"""Memory units come back as they were, say what they cannot hold, and are told apart from other documents."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from tests.cases import each
from tests.contracts.akashik.strategies import documents

from muniment.contracts.akashik import CONTRACT
from muniment.contracts.akashik.commands import FieldCaller
from muniment.contracts.akashik.contract import recognise
from muniment.contracts.akashik.decode import decode_compact, decode_detect, decode_merge, decode_record, decode_replay
from muniment.contracts.akashik.extra_fields import told_again
from muniment.contracts.akashik.tables import KIND_OF, STATUS_OF, TOLD_AS, TYPE_OF
from muniment.contracts.akashik.units import UnitCodec
from muniment.contracts.akashik.validation import check_document, check_unit
from muniment.contracts.akashik.wire import DOCUMENTS, REQUESTS, RESPONSES
from muniment.contracts.akashik.words import FieldOperation, LinkType, MergeStrategy, UnitStatus, UnitType
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id
from muniment.contracts.schemas import schema_of
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.claim import Claim, Intent, Lineage, Nature, Place, Times
from muniment.model.errors import Malformed, Unreadable
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, RelationType, Scope, Strategy

UNIT: JsonObject = {
    "id": "mem-002",
    "mode": "committed",
    "type": "finding",
    "content": "Growth is slowing to 14 % a year.",
    "intent": {"purpose": "bring the projection up to date", "question": "How fast is it growing?", "task_id": "t-1"},
    "confidence": {"score": 0.75, "reasoning": "a single source", "evidence": ["report-4"], "assumptions": ["no war"]},
    "source": {
        "agent_id": "scout",
        "agent_role": "researcher",
        "session_id": "s-1",
        "timestamp": "2026-03-01T09:30:00Z",
    },
    "relations": [{"type": "contradicts", "target_id": "mem-001", "description": "it was 23 %"}],
    "status": "contested",
    "epoch": 7,
}


BARE: JsonObject = {"type": "finding", "content": "It rains", "intent": {"purpose": "plan the day"}}


def encoded(unit: Json) -> bytes:
    return json.dumps(unit).encode()


@given(documents())
def test_a_unit_comes_back_as_it_was(unit: JsonObject) -> None:
    data = encoded(unit)
    assert CONTRACT.check(data) == () or all(one.severity == "warning" for one in CONTRACT.check(data))
    again = CONTRACT.encode(CONTRACT.decode(data))
    assert same(json.loads(again.data), unit)
    assert again.narrowed == ()


@given(documents(), documents())
def test_a_list_of_units_comes_back_as_a_list(one: JsonObject, other: JsonObject) -> None:
    assert same(json.loads(CONTRACT.encode(CONTRACT.decode(encoded([one, other]))).data), [one, other])


def test_each_field_of_a_unit_lands_in_one_place() -> None:
    (memory,) = CONTRACT.decode(encoded(UNIT))
    claim = memory.claim
    assert (memory.id, memory.epoch, memory.status, memory.actor, memory.role) == (
        "mem-002",
        7,
        Status.CONTESTED,
        "scout",
        "researcher",
    )
    assert memory.created_at == 1_772_357_400_000_000
    assert (claim.content, claim.nature.kind) == ("Growth is slowing to 14 % a year.", Kind.FACT)
    assert (claim.place.scope, claim.place.scope_id, claim.place.session_id) == (Scope.SESSION, "s-1", "s-1")
    assert (claim.place.task_id, claim.intent.purpose) == ("t-1", "bring the projection up to date")
    assert claim.intent.question == "How fast is it growing?"
    assert (claim.belief.score, claim.belief.reasoning) == (0.75, "a single source")
    assert (claim.belief.evidence, claim.belief.assumptions) == (("report-4",), ("no war",))
    (link,) = claim.lineage.relations
    assert (link.type, link.target, link.description) == (RelationType.CONTRADICTS, "mem-001", "it was 23 %")
    assert claim.extensions == ()


def test_a_memory_from_elsewhere_is_valid_at_every_level_and_its_losses_are_told() -> None:
    claim = Claim(
        content="Ana prefers mate",
        nature=Nature(kind=Kind.PREFERENCE),
        times=Times(valid_from=Instant(1_772_357_400_000_000)),
        lineage=Lineage(derived_from=("mem-1",), supersedes="mem-2", parent="mem-3", entities=("Ana",)),
    )
    out = CONTRACT.encode([InterchangeRecord(id="mem-9", claim=claim, tenant="acme", revision=3)])
    unit = json.loads(out.data)
    assert [check_unit(unit, level) for level in range(4)] == [(), (), (), ()]
    assert unit["type"] == "observation"
    assert unit["intent"] == {"purpose": "not stated"}
    assert unit["confidence"] == {"score": 0.5, "reasoning": "not stated"}
    assert unit["source"] == {
        "agent_id": "unknown",
        "agent_role": "not stated",
        "session_id": None,
        "timestamp": "2026-03-01T09:30:00Z",
    }
    assert unit["relations"] == [
        {"type": "depends_on", "target_id": "mem-1", "description": "derived from"},
        {"type": "depends_on", "target_id": "mem-3", "description": "part of"},
        {"type": "supersedes", "target_id": "mem-2"},
    ]
    assert {one.path for one in out.narrowed} == {
        "/claim/nature",
        "/claim/times",
        "/claim/lineage/entities",
        "/tenant",
        "/revision",
    }
    assert {(one.id, one.kept) for one in out.narrowed} == {("mem-9", False)}


def test_what_was_only_filled_in_is_read_as_not_said() -> None:
    memory = InterchangeRecord(id="mem-9", claim=Claim(content="Something", intent=Intent(question="what?")))
    (again,) = CONTRACT.decode(CONTRACT.encode([memory]).data)
    assert again == memory


def test_lineage_survives_the_way_through_the_protocol() -> None:
    lineage = Lineage(derived_from=("a", "b"), parent="c", supersedes="d")
    (again,) = CONTRACT.decode(
        CONTRACT.encode([InterchangeRecord(id="m", claim=Claim(content="x", lineage=lineage))]).data
    )
    assert again.claim.lineage == lineage


def test_what_is_over_is_never_told_as_live() -> None:
    live = {status for status, word in TOLD_AS.items() if word in (UnitStatus.ACTIVE, UnitStatus.CONTESTED)}
    assert live == {Status.ACTIVE, Status.CONTESTED}
    assert set(TOLD_AS) == set(Status)


@each("status", list(Status))
def test_what_is_told_as_a_draft_is_one_in_both_words(status: Status) -> None:
    unit = json.loads(CONTRACT.encode([InterchangeRecord(id="m", claim=Claim(content="x"), status=status)]).data)
    assert (unit["mode"] == "draft") == (unit["status"] == "draft")


def test_every_word_has_its_counterpart() -> None:
    assert set(KIND_OF) == set(UnitType)
    assert set(TYPE_OF) == set(Kind)
    assert set(STATUS_OF) == set(UnitStatus)
    assert [TYPE_OF[kind] for kind in KIND_OF.values()] == list(KIND_OF)
    assert {word.value for word in LinkType} == {word.value for word in RelationType}
    assert {word.value for word in MergeStrategy} == {word.value for word in Strategy} - {"promote", "reopen"}


def test_a_document_that_carries_no_memory_is_refused_by_the_decoder() -> None:
    with pytest.raises(Malformed, match="a memory unit") as refused:
        CONTRACT.decode(encoded([UNIT, {"protocol": "akashik"}]))
    assert refused.value.field == "/1"


def test_the_first_flaw_of_a_unit_is_named_by_its_place() -> None:
    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(encoded([{**UNIT, "epoch": -1}]))
    assert refused.value.field == "/0/epoch"
    with pytest.raises(Malformed, match="text that says something"):
        CONTRACT.decode(encoded({**UNIT, "content": "  "}))
    with pytest.raises(Malformed, match="an object with content"):
        CONTRACT.decode(encoded({name: value for name, value in UNIT.items() if name != "content"}))
    with pytest.raises(Unreadable):
        CONTRACT.decode(b'{"id": "a", "id": "b"}')


def test_a_committed_unit_without_confidence_passes_with_a_warning() -> None:
    bare = {name: value for name, value in UNIT.items() if name != "confidence"}
    (warning,) = CONTRACT.check(encoded(bare))
    assert (warning.code, warning.severity, warning.path) == ("MISSING_CONFIDENCE", "warning", "/confidence")


def test_ids_that_stand_twice_in_a_list_are_warned_of() -> None:
    (warning,) = CONTRACT.check(encoded([UNIT, {**UNIT, "id": "mem-003"}, UNIT]))
    assert (warning.code, warning.severity, warning.path) == ("INVALID_PAYLOAD", "warning", "/2/id")
    assert CONTRACT.check(encoded([UNIT, {"id": "mem-002", "role": "r", "status": "idle"}])) == ()


@each("blank", ["\u00a0", "\u2003\u3000", "\ufeff", "\u2028\u205f", "\x85\x1f"])
def test_white_space_of_any_kind_says_nothing(blank: str) -> None:
    found = CONTRACT.check(encoded({**UNIT, "intent": {"purpose": blank}, "content": blank}))
    assert {(one.code, one.path) for one in found} == {
        ("MISSING_INTENT", "/intent/purpose"),
        ("INVALID_PAYLOAD", "/content"),
    }


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("relation", {"type": "resembles", "target_id": "m"}),
        (
            "conflict",
            {
                "id": "c",
                "type": "personal",
                "status": "detected",
                "unit_a": "a",
                "unit_b": "b",
                "description": "d",
                "detected_by": "explicit",
            },
        ),
    ],
)
def test_only_the_type_of_a_unit_is_an_invalid_type(name: str, document: JsonObject) -> None:
    (found,) = check_document(name, document)
    assert (found.code, found.path) == ("INVALID_PAYLOAD", "/type")


def test_a_unit_inside_an_answer_is_checked_as_a_unit() -> None:
    broken: JsonObject = {**UNIT, "type": "rumour", "intent": {"purpose": " "}}
    scoped: JsonObject = {"memory_unit": broken, "relevance_score": 1, "relevance_reason": "r", "format": "full"}
    wanted = {("INVALID_TYPE", "/memory_unit/type"), ("MISSING_INTENT", "/memory_unit/intent/purpose")}
    assert {(one.code, one.path) for one in CONTRACT.check(encoded(scoped))} == wanted


@each(("form", "lacks"), [("full", "memory_unit"), ("summary", "memory_unit"), ("ids_only", "memory_unit_id")])
def test_a_scoped_unit_tells_the_unit_or_its_id(form: str, lacks: str) -> None:
    bare: JsonObject = {"relevance_score": 1, "relevance_reason": "r", "format": form}
    (found,) = CONTRACT.check(encoded(bare))
    assert (found.path, found.message) == ("/", f"{lacks} is missing")
    budget: JsonObject = {"units_returned": 1, "units_available": 1, "tokens_used": None, "tokens_budget": None}
    answer: JsonObject = {"status": "ok", "record": [bare], "conflicts": [], "context_budget": budget, "epoch": 1}
    assert [one.path for one in CONTRACT.check(encoded(answer))] == ["/record/0"]


@pytest.mark.parametrize("form", ["full", "summary"])
def test_nothing_may_be_missing_of_a_unit_that_is_told(form: str) -> None:
    scoped: JsonObject = {"relevance_score": 1, "relevance_reason": "r", "format": form, "memory_unit": {"id": "m"}}
    found = CONTRACT.check(encoded(scoped))
    lost = {one.message.removesuffix(" is missing"): one.code for one in found}
    assert set(lost) == {"mode", "type", "content", "intent", "source", "status", "epoch"}
    assert (lost["intent"], lost["content"]) == ("MISSING_INTENT", "INVALID_PAYLOAD")
    bare: JsonObject = {**scoped, "format": "ids_only", "memory_unit_id": "m"}
    assert CONTRACT.check(encoded(bare)) == ()


@each(
    ("value", "name"),
    [
        ({"protocol": "akashik"}, "message"),
        ({"operation": "RECORD", "payload": {}}, "message"),
        ({"relevance_score": 1, "relevance_reason": "x"}, "scoped_memory_unit"),
        ({"unit_a": "a", "unit_b": "b"}, "conflict"),
        ({"subscription_id": "s"}, "notification"),
        ({"event_type": "memory.recorded", "epoch": 1}, "event"),
        ({"code": "MISSING_INTENT", "recoverable": True}, "error"),
        ({"conformance_level": 3}, "field_capabilities"),
        ({"units_returned": 1}, "context_budget"),
        ({"role": "r", "max_units": 3}, "scope"),
        ({"title": "t", "goal": "g"}, "task"),
        ({"goal": "g", "members": []}, "session"),
        ({"task": {}, "open_questions": []}, "handoff_package"),
        ({"id": "s", "events": []}, "subscription"),
        ({"type": "supports", "target_id": "m"}, "relation"),
        ({"id": "a", "role": "r"}, "agent"),
        ({"content": "x"}, "memory_unit"),
        ([], "memory_unit"),
        ({"status": "registered", "field_capabilities": {}}, "register_response"),
        ({"status": "ok", "cleanup": {}}, "deregister_response"),
        ({"status": "accepted", "memory_unit_id": "m", "conflicts_detected": []}, "record_response"),
        ({"status": "ok", "record": [], "conflicts": [], "context_budget": {}}, "attune_response"),
        ({"status": "ok", "conflicts": [], "scan_coverage": {}}, "detect_response"),
        ({"status": "resolved", "conflict": {}, "side_effects": {}}, "merge_response"),
        ({"status": "ok", "subscription": {}}, "subscribe_response"),
        ({"status": "ok", "timeline": [], "summary": "s"}, "replay_response"),
        ({"status": "ok", "units_affected": 0}, "compact_response"),
        ({"status": "ok", "task": {}, "side_effects": {}}, "coordinate_response"),
        ({"status": "offered", "task": {}, "package": {}}, "handoff_response"),
        ({"status": "ok", "session": {}}, "session_response"),
        ({"role": "r"}, "scope"),
        ({"role": "r", "status": "idle"}, "agent"),
        ({"code": "MISSING_INTENT", "message": "m"}, "error"),
        ({"event": "memory.recorded", "requires_action": False}, "notification"),
        ({"memory_unit": {}, "format": "full"}, "scoped_memory_unit"),
    ],
)
def test_a_document_is_told_by_its_shape(value: Json, name: str) -> None:
    assert recognise(value) == name


def test_every_document_can_be_checked_by_name_and_has_a_schema() -> None:
    for name, kind in DOCUMENTS.items():
        assert any(one.severity == "error" for one in check_document(name, 7)), name
        assert schema_of("akashik", name, kind)["title"] == name
    with pytest.raises(Malformed, match="memory_unit"):
        check_document("memory", {})


def test_every_operation_has_a_request_and_a_response() -> None:
    assert set(REQUESTS) == set(RESPONSES) == set(FieldOperation)


def test_content_longer_than_a_line_of_evidence_is_kept_whole() -> None:
    unit: JsonObject = {**UNIT, "intent": {"purpose": "p" * 5_000}}
    assert same(json.loads(CONTRACT.encode(CONTRACT.decode(encoded(unit))).data), unit)


def test_a_unit_with_more_relations_than_a_record_holds_comes_back_whole() -> None:
    links: list[Json] = [{"type": "supports", "target_id": f"mem-{number}"} for number in range(300)]
    unit = {**UNIT, "relations": links}
    (memory,) = CONTRACT.decode(encoded(unit))
    assert len(memory.claim.lineage.relations) == 256
    assert same(json.loads(CONTRACT.encode([memory]).data), unit)


def test_a_changed_memory_says_the_change_and_keeps_the_rest() -> None:
    unit = {**UNIT, "status": "pending_enrichment"}
    (memory,) = CONTRACT.decode(encoded(unit))
    moved = msgspec.structs.replace(memory, epoch=9)
    written = json.loads(CONTRACT.encode([moved]).data)
    assert (written["epoch"], written["status"]) == (9, "pending_enrichment")


def test_a_place_without_a_session_is_the_projects() -> None:
    unit: JsonObject = {**UNIT, "source": {"agent_id": "a", "agent_role": "r", "timestamp": "2026-03-01T09:30:00Z"}}
    (memory,) = CONTRACT.decode(encoded(unit))
    assert memory.claim.place == Place(task_id="t-1")


def test_of_what_was_kept_a_field_tells_the_role_and_the_names_and_not_the_id() -> None:
    source: JsonObject = {"agent_id": "a", "agent_role": "r", "session_id": "s é", "timestamp": "2026-03-01T09:30:00Z"}
    (memory,) = CONTRACT.decode(encoded({**UNIT, "id": "mem é", "source": source}))
    held = UnitCodec().write(msgspec.structs.replace(memory, role=None))
    told = told_again(held, memory.claim)
    assert told["source"] == {**source, "agent_role": "not stated"}
    assert (told["id"], memory.id) == (memory.id, safe_id("mem é"))
    claim = decode_record({**BARE}, FieldCaller(id="a", role="r", session="s é")).claim
    assert claim.place.session_id == safe_id("s é")
    again = told_again(UnitCodec().write(InterchangeRecord(id="m", claim=claim)), claim)
    assert again["source"] == {**source, "agent_id": "unknown", "timestamp": "1970-01-01T00:00:00Z"}


def test_foreign_names_mean_the_same_in_every_question() -> None:
    name, held = "mem é", safe_id("mem é")
    assert decode_detect({"mode": "check", "target_id": name}).target == held
    assert decode_replay({"target_type": "task", "target_id": name, "depth": "summary"}).target == held
    resolution: JsonObject = {"rationale": "r", "winner_id": name}
    merge: JsonObject = {"conflict_id": "c", "strategy": "vote", "resolution": resolution}
    assert decode_merge(merge, FieldCaller(id="a", role="r")).winner == held
    command = decode_compact({"strategy": "archive", "filter": {"session_id": name}})
    unit: JsonObject = {"source": {"session_id": name}, "epoch": 1, "type": "finding", "status": "active"}
    assert command.selects(unit, epoch=2)
    assert not command.selects({**unit, "source": {"session_id": None}}, epoch=2)
