"""Payloads read as they were meant: nulls that say nothing, numbers with a point, sessions named by their message."""

from __future__ import annotations

from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, contents, finding

from muniment.contracts.strict.values import Json, JsonObject


def test_a_null_for_what_may_be_left_out_says_nothing() -> None:
    field = Field().join("scout", "analyst", "human")
    draft: JsonObject = {"mode": "draft", "type": "finding", "content": "x", "intent": {"purpose": "p"}}
    assert field.ask("RECORD", "scout", {**draft, "confidence": None, "relations": None})["status"] == "accepted"
    sure: JsonObject = {"score": 0.5, "reasoning": "r", "evidence": None, "assumptions": None}
    assert field.ask("RECORD", "scout", finding("It rains", confidence=sure))["status"] == "accepted"
    names = ("since_epoch", "max_tokens", "interests", "active_task_id", "temporal_layers", "relevance_threshold")
    scope: JsonObject = {"role": "r", "max_units": 5, "recency_weight": None, **dict.fromkeys(names)}
    assert contents(field.ask("ATTUNE", "analyst", {"scope": scope, "format": None})) == ["It rains"]
    bounds: JsonObject = {"status": None, "types": None, "involving_agents": None}
    assert field.ask("DETECT", "analyst", {"mode": "list", "filter": bounds})["conflicts"] == []
    wide: JsonObject = {"max_age_epochs": None, "session_id": None, "types": None, "status": None}
    assert field.ask("COMPACT", "human", {"strategy": "archive", "filter": wide})["units_affected"] == 1


@each(
    ("payload", "code"),
    [
        (finding("x", intent=None), "MISSING_INTENT"),
        (finding("x", intent={"purpose": None}), "MISSING_INTENT"),
        ({**finding("x"), "content": None}, "INVALID_PAYLOAD"),
        (finding("x", confidence=None), "MISSING_CONFIDENCE"),
        (finding("x", confidence={"score": 0.5, "reasoning": None}), "MISSING_CONFIDENCE"),
        (finding("x", confidence={"score": None, "reasoning": "r"}), "INVALID_CONFIDENCE"),
        (finding("x", relations=[None]), "INVALID_PAYLOAD"),
    ],
)
def test_a_null_for_what_must_be_there_is_as_if_it_were_missing(payload: Json, code: str) -> None:
    field = Field().join("scout")
    before = field.epoch
    assert field.ask("RECORD", "scout", payload)["code"] == code
    assert field.epoch == before


def test_a_whole_number_may_be_spelled_with_a_point() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding("It rains", confidence={"score": 1.0, "reasoning": "r"}))
    assert contents(field.ask("ATTUNE", "analyst", {"scope": {"role": "r", "max_units": 1.0}})) == ["It rains"]
    assert field.ask("ATTUNE", "analyst", {"scope": {"role": "r", "max_units": 1.5}})["code"] == "INVALID_PAYLOAD"


def test_a_session_operation_means_the_session_of_its_message() -> None:
    field = Field().join("chief", "scout")
    made = field.ask("SESSION", "chief", {"action": "create", "session": {"goal": "chart"}})
    name = str(an_object(made["session"])["id"])
    assert an_object(made["session"])["goal"] == "chart"
    assert field.ask("SESSION", "scout", {"action": "join"}, session=name)["status"] == "ok"
    paused = field.ask("SESSION", "chief", {"action": "pause"}, session=name)
    assert an_object(paused["session"])["status"] == "paused"
    other = str(an_object(field.ask("SESSION", "chief", {"action": "create", "goal": "g"})["session"])["id"])
    told = field.ask("SESSION", "chief", {"action": "get", "session_id": other}, session=name)
    assert an_object(told["session"])["id"] == other
    assert field.ask("SESSION", "chief", {"action": "pause"})["code"] == "INVALID_PAYLOAD"


def test_who_comes_or_goes_does_so_whatever_session_the_message_names() -> None:
    field = Field().join("chief", "scout").meet("S", "chief", "scout")
    coming = field.message("REGISTER", "analyst", {"id": "analyst", "role": "r"}, session="nowhere")
    assert field.send(coming)["status"] == "registered"
    field.ask("SESSION", "chief", {"action": "end", "session_id": "S"})
    assert field.ask("DEREGISTER", "scout", {"agent_id": "scout"}, session="S")["status"] == "ok"


def test_a_conflict_id_that_cannot_be_one_is_not_found() -> None:
    field = Field().join("senior")
    wish: JsonObject = {"conflict_id": "no such thing", "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
    assert field.ask("MERGE", "senior", wish)["code"] == "CONFLICT_NOT_FOUND"


def test_the_same_message_with_and_without_nulls_is_the_same_message() -> None:
    field = Field().join("scout")
    first = field.message("RECORD", "scout", finding("It rains", relations=None))
    answer = field.send(first)
    assert answer["status"] == "accepted"
    assert field.send({**first, "payload": finding("It rains")}) == answer
    listed = field.ask("DETECT", "scout", {"mode": "list"})
    assert a_list(listed["conflicts"]) == []
