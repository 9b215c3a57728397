"""What a payload must have, level by level, and under which code it is refused."""

from __future__ import annotations

import json
import math

from tests.cases import each
from tests.contracts.akashik.field import Field, finding
from tests.contracts.akashik.test_conflicts import disputed, merge
from tests.contracts.cites import cites

from muniment.contracts.akashik import CONTRACT
from muniment.contracts.akashik.authority import CANCEL, ESCALATED, LEAD, OTHERS, OWN, TAKE_PART, permitted
from muniment.contracts.akashik.codes import CODES, ErrorCode, code_of, error_document, error_of
from muniment.contracts.akashik.encode import epoch_of, record_response
from muniment.contracts.akashik.validation import (
    LEVEL_OF,
    check_document,
    check_envelope,
    check_payload,
    check_record,
    check_scope,
    check_unit,
)
from muniment.contracts.akashik.words import FieldOperation, UnitType
from muniment.contracts.finding import Finding, passes
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.curation import Verdict
from muniment.model.errors import (
    IntegrityError,
    LimitExceeded,
    Malformed,
    MunimentError,
    NotFound,
    NotPermitted,
    Stale,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    Undecided,
)
from muniment.model.vocabulary import Disposition, Outcome

BARE: JsonObject = {"type": "finding", "content": "It rains", "intent": {"purpose": "plan the day"}}


def codes(found: tuple[Finding, ...]) -> list[str]:
    return [one.code for one in found]


def without(payload: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in payload.items() if key != name}


@cites("AKAS-009")
@each("mode", ["draft", "committed"])
@each("intent", [None, {}, {"purpose": ""}, {"purpose": " \n\t"}, {"purpose": None}, "why"])
def test_a_record_without_a_purpose_is_refused_in_both_modes_and_keeps_nothing(intent: Json, mode: str) -> None:
    field = Field(level=0).join("scout")
    before = field.memory.ledger.head()
    payload = {**without(BARE, "intent"), "mode": mode}
    if intent is not None:
        payload["intent"] = intent
    answer = field.ask("RECORD", "scout", payload)
    assert (answer["code"], answer["recoverable"]) == ("MISSING_INTENT", True)
    assert field.memory.ledger.head() == before


@cites("AKAS-010")
@each("content", [None, "", "   ", 7])
def test_a_record_without_content_is_refused_and_keeps_nothing(content: Json) -> None:
    field = Field(level=0).join("scout")
    before = field.memory.ledger.head()
    payload = without(BARE, "content") if content is None else {**BARE, "content": content}
    assert field.ask("RECORD", "scout", payload)["code"] == "INVALID_PAYLOAD"
    assert field.memory.ledger.head() == before


@cites("AKAS-011")
def test_an_unknown_type_has_a_code_of_its_own_and_a_missing_one_is_refused() -> None:
    assert codes(check_record({**BARE, "type": "rumour"})) == ["INVALID_TYPE"]
    assert codes(check_record(without(BARE, "type"))) == ["INVALID_PAYLOAD"]


@cites("AKAS-012")
@each("word", [word.value for word in UnitType])
def test_every_type_is_recorded(word: str) -> None:
    assert len(UnitType) == 11
    field = Field(level=0).join("scout")
    answer = field.ask("RECORD", "scout", {**BARE, "type": word})
    assert answer["status"] == "accepted"
    assert field.unit(str(answer["memory_unit_id"]))["type"] == word


@cites("AKAS-016")
@each("mode", ["draft", "committed"])
@each("score", [-0.01, 1.01, "0.5", None, True, math.nan, math.inf])
def test_a_score_that_is_no_number_from_0_to_1_is_refused_in_both_modes(score: Json, mode: str) -> None:
    payload: JsonObject = {**BARE, "mode": mode, "confidence": {"score": score, "reasoning": "r"}}
    assert codes(check_record(payload, 1)) == ["INVALID_CONFIDENCE"]


@cites("AKAS-016")
@each("score", [0, 0.0, 1, 1.0, 0.5])
def test_both_ends_of_the_scale_are_scores(score: float) -> None:
    assert check_record({**BARE, "confidence": {"score": score, "reasoning": "r"}}, 3) == ()


@cites("AKAS-017")
def test_an_unknown_relation_type_is_refused() -> None:
    links: list[Json] = [{"type": "resembles", "target_id": "m"}]
    (found,) = check_record({**BARE, "relations": links})
    assert (found.code, found.path) == ("INVALID_PAYLOAD", "/relations/0/type")


@cites("AKAS-018")
@each(
    "scope",
    [{}, {"role": "r"}, {"max_units": 3}, {"role": "", "max_units": 3}, {"role": " ", "max_units": 3}]
    + [{"role": "r", "max_units": number} for number in (0, -1, 1.5, "3")],
)
def test_a_scope_needs_a_role_and_room(scope: JsonObject) -> None:
    assert set(codes(check_scope(scope))) == {"INVALID_PAYLOAD"}
    assert not passes(check_scope(scope))
    assert Field().join("scout").ask("ATTUNE", "scout", {"scope": scope})["code"] == "INVALID_PAYLOAD"


def test_a_scope_that_a_low_level_does_not_honour_is_noted_and_passes() -> None:
    scope: JsonObject = {"role": "r", "max_units": 3, "since_epoch": 4, "max_tokens": 100}
    assert [(one.path, one.severity) for one in check_scope(scope, 0)] == [
        ("/since_epoch", "info"),
        ("/max_tokens", "info"),
    ]
    assert [one.path for one in check_scope(scope, 1)] == ["/max_tokens"]
    assert check_scope(scope, 2) == ()


@cites("AKAS-040")
@each("level", [1, 2, 3])
@each(
    "confidence",
    [None, {}, {"score": 0.5}, {"reasoning": "r"}, {"score": 0.5, "reasoning": ""}, {"score": 0.5, "reasoning": " "}],
)
def test_from_level_1_on_a_committed_unit_says_how_sure_it_is_and_why(confidence: Json, level: int) -> None:
    payload = BARE if confidence is None else {**BARE, "confidence": confidence}
    assert codes(check_record(payload, level)) == ["MISSING_CONFIDENCE"]
    answer = Field(level=level).join("scout").ask("RECORD", "scout", payload)
    assert answer["code"] == "MISSING_CONFIDENCE"


@cites("AKAS-040", "AKAS-007")
def test_a_draft_needs_no_confidence_and_level_0_asks_for_none() -> None:
    assert check_record({**BARE, "mode": "draft"}, 3) == ()
    assert check_record({**BARE, "mode": "committed"}, 0) == ()
    assert Field(level=1).join("scout").ask("RECORD", "scout", {**BARE, "mode": "draft"})["status"] == "accepted"


PAYLOADS: dict[FieldOperation, JsonObject] = {
    FieldOperation.REGISTER: {"id": "a", "role": "r", "interests": ["x"], "required_operations": ["RECORD"]},
    FieldOperation.DEREGISTER: {"agent_id": "a"},
    FieldOperation.RECORD: {**BARE, "mode": "draft"},
    FieldOperation.ATTUNE: {"scope": {"role": "r", "max_units": 1}, "context_hint": None, "format": "ids_only"},
    FieldOperation.DETECT: {"mode": "list", "filter": {"status": ["detected"]}},
    FieldOperation.MERGE: {"conflict_id": "c", "strategy": "vote", "resolution": {"rationale": "r", "winner_id": "m"}},
    FieldOperation.SUBSCRIBE: {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}},
    FieldOperation.REPLAY: {"target_type": "session", "target_id": "s", "depth": "full_trace"},
    FieldOperation.COMPACT: {"strategy": "archive", "filter": {"max_age_epochs": 10, "types": ["finding"]}},
    FieldOperation.COORDINATE: {"action": "create", "task": {"title": "t", "goal": "g"}},
    FieldOperation.HANDOFF: {"action": "offer", "task_id": "t", "to_agent": "b"},
    FieldOperation.SESSION: {"action": "create", "goal": "g"},
}


@cites("AKAS-031")
@each("operation", list(FieldOperation))
def test_a_message_of_every_operation_is_read_as_it_was_written(operation: FieldOperation) -> None:
    message = Field().message(operation.value, "scout", PAYLOADS[operation], session="s-1", epoch=3)
    assert check_envelope(message, 3) == ()
    assert CONTRACT.check(json.dumps(message).encode()) == ()
    assert json.loads(json.dumps(message)) == message


@cites("AKAS-030")
@each(
    ("field_name", "value"),
    [
        ("protocol", "akasha"),
        ("version", "0.1.1"),
        ("operation", "FORGET"),
        ("epoch", -1),
        ("epoch", 0.5),
        ("payload", "text"),
        ("agent_id", ""),
        ("token", "extra"),
    ],
)
def test_a_broken_envelope_is_refused_before_it_has_any_effect(field_name: str, value: Json) -> None:
    field = Field().join("scout")
    before = field.memory.ledger.head()
    message = {**field.message("RECORD", "scout", finding("It rains")), field_name: value}
    assert field.send(message)["code"] == "INVALID_ENVELOPE"
    assert field.memory.ledger.head() == before


@cites("AKAS-030")
@each("name", ["protocol", "version", "id", "operation", "agent_id", "session_id", "epoch", "payload"])
def test_a_message_without_one_of_its_keys_is_refused(name: str) -> None:
    message = without(Field().message("RECORD", "scout", finding("It rains")), name)
    assert codes(check_envelope(message)) == ["INVALID_ENVELOPE"]
    assert codes(check_envelope(7)) == ["INVALID_ENVELOPE"]


@cites("AKAS-065")
@each(
    ("change", "code"),
    [
        ({"strategy": "dice"}, "UNSUPPORTED_STRATEGY"),
        ({"resolution": {}}, "INVALID_PAYLOAD"),
        ({"resolution": {"rationale": ""}}, "INVALID_PAYLOAD"),
    ],
)
def test_a_merge_without_a_rationale_or_by_an_unknown_strategy_is_refused(change: JsonObject, code: str) -> None:
    assert codes(check_payload(FieldOperation.MERGE, {**PAYLOADS[FieldOperation.MERGE], **change})) == [code]


@each(
    ("operation", "payload", "lacks"),
    [
        ("DETECT", {"mode": "check", "target_id": " "}, "target_id"),
        ("MERGE", {"conflict_id": "c", "strategy": "vote", "resolution": {"rationale": "r"}}, "resolution.winner_id"),
        ("SUBSCRIBE", {"action": "subscribe", "subscription": {"events": []}}, "subscription.events"),
        ("SUBSCRIBE", {"action": "unsubscribe", "subscription": {}}, "subscription.id"),
        ("COORDINATE", {"action": "create"}, "task.title"),
        ("COORDINATE", {"action": "start", "task": {}}, "task.id"),
        ("COORDINATE", {"action": "assign", "task": {"id": "t"}}, "task.assignee"),
        ("HANDOFF", {"action": "offer", "task_id": "t"}, "to_agent"),
        ("SESSION", {"action": "create"}, "goal"),
        ("SESSION", {"action": "join"}, "session_id"),
        ("SESSION", {"action": "set_policy", "session_id": "s"}, "policies"),
    ],
)
def test_what_an_action_needs_is_asked_for_by_name(operation: str, payload: JsonObject, lacks: str) -> None:
    (found,) = check_envelope(Field().message(operation, "scout", payload), 3)
    assert (found.code, found.path) == ("INVALID_PAYLOAD", "/payload")
    assert found.message.startswith(lacks)


def test_a_message_that_a_higher_level_would_refuse_passes_with_a_warning() -> None:
    (warning,) = CONTRACT.check(json.dumps(Field().message("RECORD", "scout", BARE)).encode())
    assert (warning.code, warning.severity, warning.path) == ("MISSING_CONFIDENCE", "warning", "/payload/confidence")
    scope: JsonObject = {"role": "r", "max_units": 3, "since_epoch": 4, "max_tokens": 100}
    assert CONTRACT.check(json.dumps(Field().message("ATTUNE", "scout", {"scope": scope})).encode()) == ()


def test_what_a_payload_needs_besides_is_asked_for() -> None:
    assert codes(check_payload(FieldOperation.DETECT, {"mode": "check"})) == ["INVALID_PAYLOAD"]
    assert codes(check_payload(FieldOperation.SUBSCRIBE, {"action": "subscribe"})) == ["INVALID_PAYLOAD"]
    assert codes(check_payload(FieldOperation.SUBSCRIBE, {"action": "unsubscribe"})) == ["INVALID_PAYLOAD"]
    assert check_payload(FieldOperation.SUBSCRIBE, {"action": "list"}) == ()


@cites("AKAS-091")
@each(
    ("operation", "detail", "least"),
    [
        ("RECORD", "committed", 4),
        ("RECORD", "draft", 2),
        ("ATTUNE", "", 2),
        ("DETECT", "", 4),
        ("MERGE", "", 6),
        ("MERGE", ESCALATED, 10),
        ("COMPACT", "archive", 6),
        ("COMPACT", "summarize", 6),
        ("COMPACT", "purge", 10),
        ("DEREGISTER", OWN, 4),
        ("DEREGISTER", OTHERS, 8),
        ("SUBSCRIBE", "", 2),
        ("COORDINATE", OWN, 4),
        ("COORDINATE", OTHERS, 6),
        ("COORDINATE", CANCEL, 8),
        ("HANDOFF", OWN, 4),
        ("HANDOFF", OTHERS, 6),
        ("SESSION", LEAD, 8),
        ("SESSION", TAKE_PART, 2),
    ],
)
def test_each_row_of_the_table_holds_at_its_limit_and_fails_one_below(operation: str, detail: str, least: int) -> None:
    assert permitted(least, FieldOperation(operation), detail)
    assert not permitted(least - 1, FieldOperation(operation), detail)


@cites("AKAS-091")
@each(
    ("operation", "payload", "least"),
    [
        ("RECORD", {"mode": "draft"}, 2),
        ("RECORD", {"mode": "committed", "confidence": {"score": 1, "reasoning": "r"}}, 4),
        ("ATTUNE", {}, 2),
        ("DETECT", {}, 4),
        ("COMPACT", {}, 6),
        ("COMPACT", {"strategy": "summarize"}, 6),
        ("COMPACT", {"strategy": "purge"}, 10),
        ("DEREGISTER", {"agent_id": "human"}, 4),
        ("DEREGISTER", {"agent_id": "somebody"}, 8),
        ("SUBSCRIBE", {}, 2),
        ("COORDINATE", {}, 4),
        ("COORDINATE", {"task": {"title": "t", "assignee": "b"}}, 6),
        ("SESSION", {}, 8),
    ],
)
def test_a_field_asks_for_the_authority_of_each_row(operation: str, payload: JsonObject, least: int) -> None:
    def barred(authority: int) -> bool:
        field = Field()
        field.ask("REGISTER", "human", {"id": "human", "role": "r", "authority_level": authority})
        answer = field.ask(operation, "human", {**PAYLOADS[FieldOperation(operation)], **payload})
        return answer.get("code") == "INSUFFICIENT_AUTHORITY"

    assert (barred(least - 1), barred(least)) == (True, False)


@cites("AKAS-091")
def test_a_field_asks_for_authority_6_to_merge_and_for_none_to_replay() -> None:
    for authority, refused in ((5, True), (6, False)):
        field, conflict, *_ = disputed(Field().join("scout", "analyst"))
        field.ask("REGISTER", "human", {"id": "human", "role": "r", "authority_level": authority})
        answer = merge(field, conflict, "last_write_wins", agent="human")
        assert (answer.get("code") == "INSUFFICIENT_AUTHORITY") == refused
    field = Field().join("scout")
    unit = field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"]
    field.ask("REGISTER", "human", {"id": "human", "role": "auditor", "authority_level": 0})
    target: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
    assert field.ask("REPLAY", "human", target)["status"] == "ok"
    assert field.ask("ATTUNE", "human", PAYLOADS[FieldOperation.ATTUNE])["code"] == "INSUFFICIENT_AUTHORITY"


@cites("AKAS-091")
def test_anybody_registers_and_replays_and_what_is_not_listed_nobody_may() -> None:
    assert permitted(0, FieldOperation.REGISTER)
    assert permitted(0, FieldOperation.REPLAY)
    assert not permitted(10, FieldOperation.SESSION, "abolish")


@cites("AKAS-091")
def test_an_observer_may_draft_and_look_and_not_commit_or_detect() -> None:
    field = Field().join("observer", "scout")
    assert field.ask("RECORD", "observer", finding("It rains", mode="draft"))["status"] == "accepted"
    assert field.ask("ATTUNE", "observer", {"scope": {"role": "r", "max_units": 1}})["status"] == "ok"
    assert field.ask("RECORD", "observer", finding("It rains"))["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("DETECT", "observer", {"mode": "list"})["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("DEREGISTER", "scout", {"agent_id": "observer"})["code"] == "INSUFFICIENT_AUTHORITY"


@cites("AKAS-050")
@each("level", range(4))
def test_an_operation_above_the_level_is_unsupported(level: int) -> None:
    field = Field(level=level).join("chief")
    for operation, payload in PAYLOADS.items():
        answer = field.ask(operation.value, "chief", payload)
        assert (answer.get("code") == "UNSUPPORTED_OPERATION") == (LEVEL_OF[operation] > level), operation


@cites("AKAS-103")
def test_a_clock_that_is_full_is_an_error_and_never_begins_again() -> None:
    verdict = Verdict(
        decision=Disposition.APPEND,
        outcome=Outcome.COMMITTED,
        proposal_id="p",
        record_id="r",
        revision=1,
        epoch=2**63,
        rule="r",
        reason="r",
    )
    assert record_response(verdict)["code"] == "EPOCH_OVERFLOW"
    assert (epoch_of(2**63 - 1), epoch_of(2**63)) == (2**63 - 1, None)
    message = Field().message("RECORD", "scout", finding("x"), epoch=2**63)
    assert codes(check_envelope(message)) == ["EPOCH_OVERFLOW"]


def test_the_seventeen_codes_of_the_protocol_are_there_and_ours_are_marked() -> None:
    assert set(CODES) == set(ErrorCode)
    assert len([code for code, meaning in CODES.items() if not meaning.extension]) == 17
    recoverable = {code.value for code, meaning in CODES.items() if meaning.recoverable and not meaning.extension}
    assert recoverable == {
        "MISSING_INTENT",
        "MISSING_CONFIDENCE",
        "INVALID_CONFIDENCE",
        "INVALID_TYPE",
        "AGENT_NOT_REGISTERED",
        "AGENT_ID_TAKEN",
        "INVALID_TRANSITION",
        "ENRICHMENT_FAILED",
        "DETECTION_TIMEOUT",
        "MERGE_FAILED",
        "REPLAY_TOO_LARGE",
    }


def test_an_error_document_is_one() -> None:
    for code in ErrorCode:
        assert check_document("error", error_document(code, "RECORD", "no")) == ()


@each(
    ("error", "code"),
    [
        (NotFound("record", "r"), "UNIT_NOT_FOUND"),
        (NotFound("conflict", "c"), "CONFLICT_NOT_FOUND"),
        (NotFound("receipt", "c"), "INVALID_PAYLOAD"),
        (Stale("conflict c", yours="open", present="resolved"), "INVALID_TRANSITION"),
        (Undecided("conflict c", "equal"), "MERGE_FAILED"),
        (NotPermitted("scout", "resolve"), "INSUFFICIENT_AUTHORITY"),
        (Unauthenticated(), "UNAUTHENTICATED"),
        (Malformed("content", "text"), "INVALID_PAYLOAD"),
        (LimitExceeded("content", limit=1, unit="bytes", sent=2), "INVALID_PAYLOAD"),
        (StoreBusy("busy"), "UNAVAILABLE"),
        (StoreUnavailable("gone"), "UNAVAILABLE"),
        (StoreFull("full"), "STORAGE_FULL"),
        (TooManyRequests("records", retry_after=1.0), "TOO_MANY_REQUESTS"),
        (NotFound("agent", "a"), "AGENT_NOT_REGISTERED"),
        (IntegrityError("broken"), "INTERNAL_ERROR"),
    ],
)
def test_an_error_of_the_engine_has_a_code_of_the_protocol(error: MunimentError, code: str) -> None:
    assert code_of(error) == code
    assert error_of(error, "MERGE")["operation"] == "MERGE"


def test_a_unit_is_checked_by_level_too() -> None:
    unit: JsonObject = {
        **BARE,
        "id": "m",
        "mode": "committed",
        "source": {"agent_id": "a", "agent_role": "r", "timestamp": "2026-01-01T00:00:00Z"},
        "status": "active",
        "epoch": 1,
    }
    assert check_unit(unit, 0) == ()
    assert codes(check_unit(unit, 1)) == ["MISSING_CONFIDENCE"]
    assert check_unit({**unit, "mode": "draft"}, 3) == ()
