"""Whatever is sent, the answer is a response or an error of the protocol, and what is refused changes nothing."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.akashik.field import Field, finding
from tests.contracts.akashik.test_levels import PAYLOADS

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import Json, JsonObject

ODD: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["", " ", "\0", "\ud800", "é" * 300, "a" * 5_000, "../..", "mnk_" + "a" * 12 + "_" + "b" * 43]),
    st.just([]),
    st.just({}),
    st.just([[[]]]),
    st.just({"id": "x", "": None}),
)
CODES = {code.value for code in ErrorCode} - {ErrorCode.INTERNAL_ERROR.value}


def places(value: Json, way: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(value, dict):
        return [way]
    return [way, *(place for key, part in value.items() for place in places(part, (*way, key)))]


def changed(message: JsonObject, way: tuple[str, ...], odd: Json) -> Json:
    """A message with something else in one place."""
    if not way:
        return odd
    result = copy.deepcopy(message)
    at = result
    for step in way[:-1]:
        inner = at[step]
        assert isinstance(inner, dict)
        at = inner
    at[way[-1]] = odd
    return result


@pytest.fixture(scope="module")
def field() -> Field:
    return Field().join("human", "a", "b")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choice=st.data(), operation=st.sampled_from(list(FieldOperation)), odd=ODD)
def test_a_message_that_is_odd_in_one_place_is_answered(
    field: Field, choice: st.DataObject, operation: FieldOperation, odd: Json
) -> None:
    message = field.message(operation.value, "human", PAYLOADS[operation])
    way = choice.draw(st.sampled_from(places(message)))
    before = field.memory.ledger.head().seq
    answer = field.real.send(changed(message, way, odd), field.credential("human"))
    if "code" in answer:
        assert answer["code"] in CODES
        assert check_document("error", answer) == ()
        assert field.memory.ledger.head().seq == before
    if operation is FieldOperation.DEREGISTER and field.roster.member("human") is None:
        field.join("human")


@each("odd", ["\ud800", "a\ud800", 1e308, 2**70, {"goal": "\ud800"}])
@each("operation", list(FieldOperation))
def test_what_cannot_be_written_down_is_refused_wherever_it_stands(
    field: Field, operation: FieldOperation, odd: Json
) -> None:
    for way in places(field.message(operation.value, "human", PAYLOADS[operation])):
        before = field.memory.ledger.head().seq
        message = changed(field.message(operation.value, "human", PAYLOADS[operation]), way, odd)
        answer = field.real.send(message, field.credential("human"))
        assert "code" not in answer or answer["code"] in CODES
        assert "code" not in answer or field.memory.ledger.head().seq == before


@each("message", [None, 7, "text", [], [{}], {}, {"operation": "RECORD"}, {"operation": ["x"]}])
def test_what_is_no_message_is_refused(field: Field, message: Json) -> None:
    answer = field.real.send(message, field.credential("human"))
    assert answer["code"] == "INVALID_ENVELOPE"


def test_a_secret_in_a_note_is_refused_and_never_told_back() -> None:
    field = Field().join("human")
    before = field.memory.ledger.head()
    secret = "AKIA" + "Q" * 16
    task: JsonObject = {"action": "create", "task": {"title": f"use {secret}"}}
    answer = field.ask("COORDINATE", "human", task)
    assert (answer["code"], secret in str(answer)) == ("INVALID_PAYLOAD", False)
    assert field.memory.ledger.head() == before


def test_a_unit_past_every_bound_is_refused_and_the_field_goes_on() -> None:
    field = Field().join("human")
    before = field.memory.ledger.head()
    for payload in (finding("x" * 5_000_000), finding("x", confidence={"score": 1, "reasoning": "r" * 500_000})):
        assert field.ask("RECORD", "human", payload)["code"] == "INVALID_PAYLOAD"
    links: list[Json] = [{"type": "supports", "target_id": f"m-{number}"} for number in range(5_000)]
    assert field.ask("RECORD", "human", finding("x", relations=links))["code"] in ("INVALID_PAYLOAD", "UNIT_NOT_FOUND")
    assert field.memory.ledger.head() == before
    assert field.ask("RECORD", "human", finding("The harbour is deep"))["status"] == "accepted"
