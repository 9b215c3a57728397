"""What is admitted as a Memory Event, and what is said of one that is not."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.matm.strategies import events

from muniment import Memory
from muniment.contracts.finding import Finding, Severity, passes
from muniment.contracts.matm import CONTRACT, admission, wire
from muniment.contracts.shape import flaws
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Place
from muniment.model.errors import Malformed, Unreadable
from muniment.model.vocabulary import Scope

FOURTEEN = (
    *("schema_version", "event_id", "emitted_at", "source_agent", "task", "provenance", "artifact"),
    *("memory_kind", "evidence_refs", "confidence", "suggested_scope", "worker_write_mode", "sensitivity"),
    "review_hints",
)
EXCERPT: JsonObject = {
    "schema_version": "llmwikis.matm.memory-event.v1",
    "event_id": "evt_demo_001",
    "emitted_at": "2026-06-23T17:00:00Z",
    "worker_write_mode": "proposal_only",
    "durable_write_allowed": False,
    "memory_kind": "procedure",
    "suggested_scope": "agent_team",
    "disposition_hint": "append",
    "artifact": {
        "artifact_type": "action_observation_trajectory",
        "summary": "The retry step succeeded only after the cache key was cleared.",
        "hidden_reasoning_included": False,
    },
}


def _example() -> JsonObject:
    text = files("muniment.contracts.matm").joinpath("example.json").read_text(encoding="utf-8")
    found: JsonObject = next(one for one in json.loads(text)["events"] if one["event_id"] == "evt_demo_001")
    return found


def _errors(document: Json) -> tuple[Finding, ...]:
    return tuple(one for one in CONTRACT.check(json.dumps(document).encode()) if one.severity is Severity.ERROR)


@cites("MATM-001")
@each("name", FOURTEEN)
def test_each_of_the_fourteen_items_is_named_when_it_is_missing(name: str) -> None:
    event = _example()
    assert _errors(event) == ()

    del event[name]

    assert [one.message for one in _errors(event) if one.code == "missing"] == [f"{name} is missing"]


@cites("MATM-002")
def test_the_printed_excerpt_fails_with_exactly_seven_items_missing() -> None:
    assert [(one.code, one.message) for one in _errors(EXCERPT)] == [
        ("missing", "source_agent is missing"),
        ("missing", "task is missing"),
        ("missing", "provenance is missing"),
        ("missing", "evidence_refs is missing"),
        ("missing", "confidence is missing"),
        ("missing", "sensitivity is missing"),
        ("missing", "review_hints is missing"),
    ]


def test_every_event_of_the_worked_example_is_valid_and_only_the_credential_note_is_warned_of() -> None:
    text = files("muniment.contracts.matm").joinpath("example.json").read_text(encoding="utf-8")
    example = json.loads(text)

    assert [one["event_id"] for one in example["events"]] == [
        "evt_demo_000",
        "evt_demo_000b",
        *(f"evt_demo_00{number}" for number in range(1, 8)),
    ]
    found = [CONTRACT.check(json.dumps(one).encode()) for one in [*example["events"], example["request"]]]
    told = [(number, one.code, one.path) for number, some in enumerate(found) for one in some]
    assert told == [(6, "credential", "/artifact/summary")]
    assert example["events"][6]["event_id"] == "evt_demo_005"


@cites("MATM-008")
def test_private_thought_is_found_beside_a_public_rationale() -> None:
    event = _example()
    event["confidence"] = {"score": 0.9, "reasoning": "It passed twelve times."}
    assert _errors(event) == ()

    event["review_hints"] = {"notes": [{"reasoning": "fine"}, {"CoT": "first I"}]}

    assert [(one.code, one.path) for one in _errors(event)] == [("hidden_reasoning", "/review_hints/notes/1/CoT")]


@cites("MATM-008")
@each(
    "name",
    [
        *("chainofthought", "chain__of__thought", "_chain_of_thought", "chain.of.thought", "CHAIN-OF-THOUGHT ", "CoT"),
        *("scratch_pad", "hiddenReasoning", "hidden_reasoning_text", "ｃｈａｉｎ_of_thought", "private thoughts"),
        *("internal_monologue", "thinking", "reasoning_trace"),
    ],
)
def test_private_thought_is_found_however_its_name_is_spelled(name: str) -> None:
    deep: JsonObject = {"source_refs": ["ci:run/1"], "deep": [{"er": {name: "first I"}}]}
    event: JsonObject = {**_example(), "provenance": deep}

    (found,) = _errors(event)

    assert (found.code, found.path) == ("hidden_reasoning", f"/provenance/deep/0/er/{name}")


@cites("MATM-008")
@each("name", ["x_chain_of_thought", "x_scratchpad", "x_cot"])
def test_a_field_of_ones_own_is_no_hiding_place_for_private_thought(name: str) -> None:
    assert [(one.code, one.path) for one in _errors({**_example(), name: "first I"})] == [
        ("hidden_reasoning", f"/{name}")
    ]


@cites("MATM-008")
@each("name", ["reasoning", "rationale", "thought_leaders", "reasoning_summary", "cotton", "x_thread"])
def test_names_that_only_resemble_private_thought_are_welcome(name: str) -> None:
    assert _errors({**_example(), "x_more": {name: "It passed twelve times."}}) == ()


@cites("MATM-007")
@each("value", [True, "true", 1, "yes", {"some": "text"}])
def test_the_flag_of_hidden_reasoning_says_no_or_nothing_wherever_it_stands(value: Json) -> None:
    event = _example()
    assert _errors({**event, "review_hints": {"hidden_reasoning_included": False}}) == ()

    event["review_hints"] = {"hidden_reasoning_included": value}

    assert [(one.code, one.path) for one in _errors(event)] == [
        ("hidden_reasoning", "/review_hints/hidden_reasoning_included")
    ]


@cites("MATM-005", "MATM-006")
@each(
    "claim",
    [
        {"durable_write_allowed": True},
        {"durable_write": "yes"},
        {"DirectDurableWrite": 1},
        {"durable_write_state": "committed"},
        {"worker_write_mode": "direct"},
    ],
)
def test_a_claim_to_have_written_is_found_in_what_a_producer_says_of_itself(claim: JsonObject) -> None:
    (name,) = claim
    event: JsonObject = {**_example(), "review_hints": {"deep": [claim]}}

    assert [(one.code, one.path) for one in _errors(event)] == [("direct_write", f"/review_hints/deep/0/{name}")]


@each(
    "claim",
    [{"durable_write_allowed": False}, {"durable_write": "none"}, {"worker_write_mode": "proposal_only"}],
)
def test_to_say_that_nothing_was_written_is_welcome_anywhere(claim: JsonObject) -> None:
    assert _errors({**_example(), "review_hints": {"deep": [claim]}}) == ()


@cites("MATM-011")
def test_a_scope_of_ones_own_is_legal_by_its_prefix_and_stays_in_its_session() -> None:
    event = {**_example(), "suggested_scope": "x_guild"}

    found = CONTRACT.check(json.dumps(event).encode())

    assert {(one.code, one.severity) for one in found} == {("extension_scope", Severity.WARNING)}
    (memory,) = CONTRACT.decode(json.dumps(event).encode())
    assert memory.claim.place.scope is Scope.SESSION
    assert json.loads(CONTRACT.encode([memory]).data) == event


@cites("MATM-013")
@each(
    ("name", "blank"),
    [("owner", " "), ("lawful_basis", "\t"), ("access", []), ("erasure", "\n"), ("source_quality", " ")],
)
def test_white_space_is_none_of_the_preconditions_of_memory_about_a_person(name: str, blank: Json) -> None:
    charter: JsonObject = {
        "owner": "ana",
        "lawful_basis": "contract",
        "access": ["steward.people"],
        "erasure": "on request, within a week",
        "retention_days": 30,
        "source_quality": "told by herself",
        "reviewer": "steward.people",
        "barred_scopes": ["project"],
    }
    event = {**_example(), "suggested_scope": "x_user_identity", "owner": None, "charter": charter}
    del event["owner"]
    assert _errors(event) == ()

    for spoiled in ({**charter, name: blank}, {key: part for key, part in charter.items() if key != name}):
        assert [(one.code, one.message) for one in _errors({**event, "charter": spoiled})] == [
            ("extension_scope", f"{name} is missing: the scope x_user_identity needs it")
        ]


@each("agent", [{"id": "tester.1"}, {"name": "tester.1", "role": "tester"}, "tester.1"])
def test_a_producer_may_name_itself_in_several_ways(agent: Json) -> None:
    event = {**_example(), "source_agent": agent}

    (memory,) = CONTRACT.decode(json.dumps(event).encode())

    assert memory.actor == "tester.1"
    assert json.loads(CONTRACT.encode([memory]).data) == event


@each(
    ("part", "value", "message"),
    [
        ("source_agent", {"role": "tester"}, "agent_id is missing"),
        ("source_agent", {"agent_id": " "}, "agent_id is missing"),
        ("confidence", {"reasoning": "sure"}, "score is missing"),
    ],
)
def test_what_names_nobody_and_says_no_number_is_refused(part: str, value: Json, message: str) -> None:
    assert [(one.path, one.message) for one in _errors({**_example(), part: value})] == [(f"/{part}", message)]


@cites("MATM-014")
@each(
    ("text", "sort"),
    [
        ("use ghp_" + "a1B2" * 9, "code host token"),
        ("sk-" + "a1b2" * 6, "API key"),
        ("AIza" + "Sy1" * 12, "cloud API key"),
        ("-----BEGIN RSA PRIVATE KEY-----", "private key"),
        ("bot@shop-prod.iam.gserviceaccount.com", "service account"),
    ],
)
def test_a_text_shaped_like_a_credential_is_told_without_repeating_it(text: str, sort: str) -> None:
    event = {**_example(), "x_log": [{"line": text}]}

    (found,) = CONTRACT.check(json.dumps(event).encode())

    assert (found.code, found.severity, found.path) == ("credential", Severity.WARNING, "/x_log/0/line")
    assert found.message == f"this looks like a credential ({sort}); leave it out"


@each(
    ("document", "said"),
    [
        ({"schema_version": "llmwikis.matm.memory-record.v1"}, "/: expected an object with record_id"),
        ({**EXCERPT}, "/: expected an object with source_agent"),
        ({**EXCERPT, "mood": 1, "source_agent": "a"}, "/: expected an object with task"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(document: JsonObject, said: str) -> None:
    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(json.dumps(document).encode())

    assert str(refused.value) == said


@each(
    ("fields", "said"),
    [
        ({"mood": 1}, "/mood: expected no such field"),
        ({"x-a": 1}, "/x-a: expected a name of x_ and then a-z, 0-9 or _ for a field of your own"),
        ({"evidence_refs": []}, "/evidence_refs: expected evidence; only a hypothesis may come without"),
        ({"memory_kind": "deprecation"}, "/supersedes: expected the record that is superseded"),
        ({"suggested_scope": "x_user_identity"}, "/charter: expected lawful_basis: the scope x_user_identity needs it"),
        ({"confidence": "certain"}, "/confidence: expected a number from 0 to 1, or low, medium or high"),
        ({"x_key": {"password": 1}}, "/x_key/password: expected no field of this name, which would hold a credential"),
    ],
)
def test_every_refusal_reads_as_what_was_expected(fields: JsonObject, said: str) -> None:
    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(json.dumps({**_example(), **fields}).encode())

    assert str(refused.value) == said


@cites("MATM-014")
def test_a_credential_in_a_text_is_taken_out_before_anything_is_stored(vault: Path) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    event = _example()
    event["artifact"] = {"artifact_type": "log", "summary": f"The script calls with {secret} each time."}
    event["x_log"] = {"line": f"key {secret}"}
    (memory,) = CONTRACT.decode(json.dumps(event).encode())

    claim = msgspec.structs.replace(memory.claim, place=Place())

    with Memory.open(str(vault), actor="owner") as store:
        verdict = store.propose(claim)
        assert verdict.record_id is not None
        kept = store.get(verdict.record_id).record.claim

    assert verdict.committed
    assert kept.content == "The script calls with [redacted: cloud access key] each time."
    assert secret not in msgspec.json.encode(kept).decode()
    assert sorted(one.field for one in verdict.redactions) == ["content", "extensions.matm.event"]


@cites("MATM-014")
def test_a_field_named_like_a_credential_is_refused_without_repeating_its_value() -> None:
    event = _example()
    event["x_login"] = {"user": "ana", "Api-Key": "correct horse"}

    (found,) = _errors(event)

    assert (found.code, found.path) == ("credential", "/x_login/Api-Key")
    assert "horse" not in found.message


@cites("MATM-015")
@each(("said", "score"), [("low", 0.3), ("medium", 0.6), ("high", 0.9), (0, 0.0), (1, 1.0), (0.25, 0.25)])
def test_a_confidence_in_words_or_numbers_is_kept_as_a_number(said: Json, score: float) -> None:
    (memory,) = CONTRACT.decode(json.dumps({**_example(), "confidence": said}).encode())

    assert memory.claim.belief.score == score


@cites("MATM-015")
def test_a_confidence_that_is_no_number_cannot_be_read() -> None:
    text = json.dumps({**_example(), "confidence": 0.25}).replace('"confidence": 0.25', '"confidence": NaN')

    with pytest.raises(Unreadable) as refused:
        CONTRACT.decode(text.encode())

    assert refused.value.field == "/confidence"


@cites("MATM-029")
def test_a_deprecation_without_a_target_is_refused_with_the_place_to_name_it() -> None:
    event = {**_example(), "memory_kind": "deprecation"}

    with pytest.raises(Malformed) as refused:
        CONTRACT.decode(json.dumps(event).encode())

    assert refused.value.field == "/supersedes"
    (memory,) = CONTRACT.decode(json.dumps({**event, "supersedes": ["rec_1"]}).encode())
    assert memory.claim.lineage.supersedes == "rec_1"


def test_only_a_hypothesis_comes_without_evidence() -> None:
    bare = {**_example(), "evidence_refs": []}

    assert [(one.code, one.path) for one in _errors(bare)] == [("evidence", "/evidence_refs")]
    assert _errors({**bare, "memory_kind": "hypothesis"}) == ()


def test_a_scope_whose_owner_is_not_said_is_warned_of() -> None:
    event = {**_example(), "source_agent": "tester", "task": "repair"}
    del event["team_id"]

    assert [(one.code, one.severity) for one in CONTRACT.check(json.dumps(event).encode())] == [
        ("boundary", Severity.WARNING)
    ]


def test_a_procedure_that_says_no_steps_is_warned_of() -> None:
    event = _example()
    del event["procedure"]

    assert [(one.code, one.severity) for one in CONTRACT.check(json.dumps(event).encode())] == [
        ("kind_part", Severity.WARNING)
    ]


def test_a_time_that_ends_before_it_begins_is_refused() -> None:
    event = {**_example(), "effective_from": "2026-01-02T00:00:00Z", "effective_to": "2026-01-01T00:00:00Z"}

    assert [(one.code, one.path) for one in _errors(event)] == [("order", "/effective_to")]


def test_a_list_of_documents_is_told_by_number() -> None:
    broken = {**_example(), "memory_kind": "lesson"}

    assert [(one.code, one.path) for one in _errors([_example(), broken, 7])] == [
        ("enum", "/1/memory_kind"),
        ("type", "/2"),
    ]


_SPOILS: tuple[tuple[str, Json], ...] = (
    ("event_id", "evt 1"),
    ("event_id", "evt_1\n"),
    ("suggested_scope", "project\n"),
    ("suggested_scope", "x_"),
    ("suggested_scope", "organization"),
    ("emitted_at", "2026-02-30T00:00:00Z"),
    ("emitted_at", "2026-01-01T00:00:00Z\n"),
    ("expires_at", "2026-01-01T00:00:00"),
    ("decision", {"owner": "a", "decided_at": "soon"}),
    ("review_hints", {"next_review_at": "2026-13-01T00:00:00Z"}),
    ("provenance", {"captured_at": "2026-01-01T24:00:00Z"}),
    ("durable_write_allowed", True),
    ("artifact", {"artifact_type": "t", "summary": "s", "hidden_reasoning_included": True}),
    ("topic", ""),
    ("owner", "a" * 257),
    ("evidence_refs", [{"type": "t"}]),
    ("charter", {"retention_days": 0}),
    ("charter", {"retention_days": 1.5}),
    ("mood", 1),
    ("x_a", 1),
    ("x_", 1),
    ("source_agent", ""),
    ("confidence", 1.0000001),
)


@given(events(), st.lists(st.sampled_from(_SPOILS), max_size=1))
def test_the_quick_look_takes_nothing_that_the_shape_refuses(event: JsonObject, spoils: list[tuple[str, Json]]) -> None:
    spoiled = {**event, **dict(spoils)}
    whole = flaws(spoiled, wire.MatmEvent) == ()

    found = [one for one in admission.inspect(spoiled, "/") if one.code in admission.SHAPE_CODES]

    assert (found == []) is whole


def test_a_document_that_is_no_json_is_one_finding() -> None:
    (found,) = CONTRACT.check(b'{"event_id": "a", "event_id": "b"}')

    assert (found.code, found.path) == ("unreadable", "/event_id")
    assert not passes([found])
