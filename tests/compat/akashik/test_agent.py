"""The native face: a handle that fills in what the protocol repeats, on a vault with the policy it comes with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.akashik.field import a_list, an_object, contents, told

from muniment import Memory
from muniment.compat.akashik import Credential, Field, FieldAgentHandle, FieldSettings
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.strict.values import JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import CallerError, NotPermitted, Unauthenticated


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        yield Field(memory)


def note(agent: FieldAgentHandle, content: str, **more: object) -> str:
    answer = agent.record("finding", content, purpose="to be told", confidence=0.8, reasoning="seen", **more)  # type: ignore[arg-type]  # words of a record
    assert answer["status"] == "accepted", answer
    return str(answer["memory_unit_id"])


def test_agents_record_and_attune_on_a_vault_as_it_comes(field: Field) -> None:
    scout = field.register("scout", "researcher", authority_level=4)
    analyst = field.register("analyst", "keeper of the harbour", interests=["tides"], authority_level=4)
    unit = note(scout, "The harbour is deep", evidence=["log-1"], task_id="t-1")
    answer = analyst.attune(5)
    assert contents(answer) == ["The harbour is deep"]
    assert check_document("attune_response", answer) == ()
    assert "topic" in str(told(answer)[0]["relevance_reason"])
    assert analyst.at == answer["epoch"]
    replayed = analyst.replay("memory_unit", unit, depth="summary")
    assert replayed["agents_involved"] == ["scout"]
    assert analyst.detect()["conflicts"] == []


@pytest.mark.parametrize("kind", ["decision", "constraint", "synthesis", "correction", "contradiction", "question"])
def test_every_type_is_committed_on_the_word_of_a_member(field: Field, kind: str) -> None:
    scout = field.register("scout", "researcher", authority_level=4)
    answer = scout.record(kind, "We sound at low water", purpose="p", confidence=0.2, reasoning="r")
    assert answer["status"] == "accepted"
    refused = scout.record("human_directive", "Close the harbour", purpose="p", confidence=1.0, reasoning="r")
    assert refused["status"] == "rejected"
    human = field.register("human", "operator")
    order = human.record("human_directive", "Close the harbour", purpose="p", confidence=1.0, reasoning="r")
    assert order["status"] == "accepted"


def test_conflicts_are_settled_and_authors_hear_of_it(field: Field) -> None:
    scout, analyst = (field.register(name, "researcher", authority_level=4) for name in ("scout", "analyst"))
    senior = field.register("senior", "lead", authority_level=6)
    old = note(scout, "The market grows at 23 percent a year")
    link: JsonObject = {"type": "contradicts", "target_id": old, "description": "it was 23"}
    answer = analyst.record(
        "finding", "It shrinks", purpose="p", confidence=0.9, reasoning="r", relations=[link], message_id="m-1"
    )
    (conflict,) = a_list(answer["conflicts_detected"])
    start = scout.at
    assert senior.merge(str(conflict), "confidence_weighted", rationale="surer")["status"] == "resolved"
    heard = scout.notices(start).documents
    assert [one["event"] for one in heard] == ["memory.superseded", "conflict.resolved"]


def test_a_session_is_acted_in_once_it_is_joined_until_it_is_left(field: Field) -> None:
    chief = field.register("chief", "lead", authority_level=8)
    scout = field.register("scout", "researcher", authority_level=4)
    analyst = field.register("analyst", "researcher", authority_level=4)
    made = chief.session("create", goal="chart the harbour")
    name = str(an_object(made["session"])["id"])
    assert scout.session("join", session_id=name)["status"] == "ok"
    assert (chief.session_id, scout.session_id) == (name, name)
    note(scout, "The harbour is deep")
    assert contents(chief.attune(5)) == ["The harbour is deep"]
    assert contents(analyst.attune(5)) == []
    task = an_object(scout.coordinate("create", title="Sound it", assignee="scout")["task"])
    assert chief.handoff("accept", str(task["id"]))["code"] == "INVALID_TRANSITION"
    assert scout.handoff("offer", str(task["id"]), to_agent="chief")["status"] == "offered"
    assert chief.handoff("accept", str(task["id"]))["status"] == "accepted"
    scout.session("leave", session_id=name)
    assert scout.session_id is None
    assert contents(scout.attune(5, include_own=True)) == []


def test_a_draft_is_its_authors_is_committed_by_what_takes_its_place_and_can_be_discarded(field: Field) -> None:
    scout = field.register("scout", "researcher", authority_level=4)
    analyst = field.register("analyst", "researcher", authority_level=4)
    first, second = (
        str(scout.record("finding", text, purpose="later", draft=True)["memory_unit_id"])
        for text in ("Perhaps it is deep", "Perhaps it silts up")
    )
    assert contents(analyst.attune(5, include_own=True)) == []
    assert sorted(contents(scout.attune(5, include_own=True))) == ["Perhaps it is deep", "Perhaps it silts up"]
    note(scout, "It is deep", relations=[{"type": "supersedes", "target_id": first}])
    assert scout.retract(second, reason="it does not")["status"] == "retracted"
    assert contents(scout.attune(5, include_own=True)) == ["It is deep"]
    assert contents(analyst.attune(5)) == ["It is deep"]
    assert analyst.retract(second, reason="mine")["code"] == "UNIT_NOT_FOUND"
    assert analyst.replay("memory_unit", second)["code"] == "UNIT_NOT_FOUND"


def test_a_unit_is_taken_back_by_its_author_and_by_nobody_like_it(field: Field) -> None:
    scout, analyst = (field.register(name, "researcher", authority_level=4) for name in ("scout", "analyst"))
    unit = note(scout, "The harbour is deep")
    assert analyst.retract(unit, reason="no")["code"] == "INSUFFICIENT_AUTHORITY"
    answer = scout.retract(unit, reason="silted up")
    assert (answer["status"], answer["memory_unit_id"]) == ("retracted", unit)
    assert contents(analyst.attune(5)) == []
    assert scout.retract("rec_404", reason="r")["code"] == "UNIT_NOT_FOUND"


def test_subscriptions_compacting_and_leaving_are_there_too(field: Field) -> None:
    scout = field.register("scout", "researcher", authority_level=4)
    senior = field.register("senior", "lead", authority_level=6)
    made = senior.subscribe(["memory.recorded"], min_relevance=0.0)
    unit = note(scout, "The harbour is deep")
    assert [one["memory_unit_id"] for one in senior.notices(0).documents] == [unit]
    assert senior.unsubscribe(str(an_object(made["subscription"])["id"]))["status"] == "ok"
    assert senior.compact("archive", types=["finding"])["units_affected"] == 1
    assert scout.deregister() == {"status": "ok", "cleanup": {"units_orphaned": 0, "tasks_reassigned": 0}}
    assert senior.compact("purge")["code"] == "INSUFFICIENT_AUTHORITY"


def test_a_handle_that_cannot_be_made_is_an_error(field: Field) -> None:
    key = Credential(actor=Actor(id="key", authority=4, projects=("default",)), agents=("scout",))
    with pytest.raises(Unauthenticated):
        field.register("analyst", "researcher", credential=key)
    with pytest.raises(NotPermitted):
        field.register("scout", "researcher", credential=key, authority_level=9)
    field.register("scout", "researcher", credential=key)
    with pytest.raises(CallerError):
        field.register("scout", "researcher", credential=key)
    with pytest.raises(CallerError):
        field.register("not an id", "researcher")


@each(
    ("name", "value"),
    [("level", 4), ("level", -1), ("replay_limit", 0), ("detection_timeout_ms", -1), ("answers_kept", 0)],
)
def test_a_setting_that_makes_no_sense_is_refused(name: str, value: int) -> None:
    with pytest.raises(CallerError) as error:
        FieldSettings(**{name: value})  # type: ignore[arg-type]  # each is a whole number
    assert name in str(error.value)
