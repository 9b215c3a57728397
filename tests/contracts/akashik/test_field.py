"""Agents come, record, and go: what a Field answers and keeps, over a real memory."""

from __future__ import annotations

from itertools import pairwise

from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, attune, contents, finding
from tests.contracts.cites import cites

from muniment.contracts.akashik.roster import Roster, deregister, register
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import Json, JsonObject


def register_as(field: Field, agent: str, **more: Json) -> JsonObject:
    return field.ask("REGISTER", agent, {"id": agent, "role": "researcher", **more})


@cites("AKAS-001")
def test_an_agent_that_registers_is_shown_idle() -> None:
    answer = register_as(Field(), "scout", interests=["markets"])
    assert answer["status"] == "registered"
    assert answer["agent"] == {
        "id": "scout",
        "role": "researcher",
        "status": "idle",
        "interests": ["markets"],
        "authority_level": 4,
    }
    assert answer["rejection_reason"] is None
    assert check_document("register_response", answer) == ()


@cites("AKAS-002")
@each("payload", [{}, {"id": "a"}, {"role": "r"}, {"id": "", "role": "r"}, {"id": "a", "role": " "}])
def test_a_registration_without_id_or_role_is_refused(payload: JsonObject) -> None:
    field = Field()
    assert field.ask("REGISTER", "a", payload)["code"] == "INVALID_PAYLOAD"
    assert field.roster.members == ()


@cites("AKAS-003")
def test_an_id_that_is_taken_is_refused_and_the_first_agent_stays() -> None:
    field = Field().join("scout")
    answer = field.ask("REGISTER", "scout", {"id": "scout", "role": "impostor"})
    assert answer["code"] == "AGENT_ID_TAKEN"
    assert [(one.id, one.role) for one in field.roster.members] == [("scout", "researcher")]


@cites("AKAS-004")
def test_an_agent_that_requires_what_is_not_there_is_rejected_with_its_name() -> None:
    field = Field()
    assert register_as(field, "scout", required_operations=["RECORD", "MERGE"])["status"] == "registered"
    answer = register_as(field, "planner", required_operations=["RECORD", "TELEPORT", "DREAM"])
    assert (answer["status"], answer["agent"]) == ("rejected", None)
    assert answer["rejection_reason"] == "not supported here: TELEPORT, DREAM"
    assert [one.id for one in field.roster.members] == ["scout"]


@cites("AKAS-005")
@each("operation", [word.value for word in FieldOperation if word.value != "REGISTER"])
def test_nobody_acts_without_being_registered(operation: str) -> None:
    payloads: dict[str, JsonObject] = {
        "RECORD": finding("It rains"),
        "ATTUNE": attune(),
        "DETECT": {"mode": "list"},
        "MERGE": {"conflict_id": "c", "strategy": "vote", "resolution": {"rationale": "r", "winner_id": "m"}},
        "SUBSCRIBE": {"action": "list"},
        "REPLAY": {"target_type": "task", "target_id": "t", "depth": "summary"},
        "COMPACT": {"strategy": "archive"},
        "DEREGISTER": {"agent_id": "ghost"},
        "COORDINATE": {"action": "list"},
        "HANDOFF": {"action": "accept", "task_id": "t"},
        "SESSION": {"action": "list"},
    }
    answer = Field().ask(operation, "ghost", payloads[operation])
    assert (answer["code"], answer["operation"]) == ("AGENT_NOT_REGISTERED", operation)


@cites("AKAS-006", "AKAS-008")
def test_a_committed_record_is_accepted_and_active() -> None:
    field = Field(level=0).join("scout")
    answer = field.ask("RECORD", "scout", {"type": "finding", "content": "It rains", "intent": {"purpose": "plan"}})
    assert answer["status"] == "accepted"
    assert answer["rejection_reason"] is None
    assert check_document("record_response", answer) == ()
    unit = field.unit(str(answer["memory_unit_id"]))
    assert (unit["status"], unit["mode"], unit["epoch"]) == ("active", "committed", answer["epoch"])
    assert check_document("memory_unit", unit) == ()


@cites("AKAS-007", "AKAS-008")
def test_a_draft_needs_little_and_is_kept_as_a_draft() -> None:
    field = Field().join("scout", "analyst")
    payload: JsonObject = {"mode": "draft", "type": "observation", "content": "Prices?", "intent": {"purpose": "later"}}
    answer = field.ask("RECORD", "scout", payload)
    assert answer["status"] == "accepted"
    unit = field.unit(str(answer["memory_unit_id"]), seen_by="scout")
    assert (unit["status"], unit["mode"], unit["content"]) == ("draft", "draft", "Prices?")


def test_a_draft_is_its_authors_who_sees_it_when_it_asks_for_its_own() -> None:
    field = Field().join("scout", "analyst")
    draft = field.ask("RECORD", "scout", finding("Prices rise?", mode="draft"))
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []
    assert contents(field.ask("ATTUNE", "analyst", attune(include_own=True))) == []
    assert contents(field.ask("ATTUNE", "scout", attune())) == []
    assert contents(field.ask("ATTUNE", "scout", attune(include_own=True))) == ["Prices rise?"]
    asked: JsonObject = {"target_type": "memory_unit", "target_id": draft["memory_unit_id"], "depth": "summary"}
    assert field.ask("REPLAY", "analyst", asked)["code"] == "UNIT_NOT_FOUND"
    assert field.ask("REPLAY", "scout", asked)["status"] == "ok"


@cites("AKAS-013")
@each(
    "forged",
    [{"id": "mem-1"}, {"epoch": 99}, {"source": {"agent_id": "chief"}}, {"status": "superseded"}],
)
def test_what_only_the_field_says_is_refused_from_a_caller(forged: JsonObject) -> None:
    field = Field().join("scout")
    before = field.memory.ledger.head()
    assert field.ask("RECORD", "scout", finding("It rains", **forged))["code"] == "INVALID_PAYLOAD"
    assert field.memory.ledger.head() == before


@cites("AKAS-014")
def test_a_unit_says_who_recorded_it_as_what_when_and_in_which_session() -> None:
    field = Field().join("scout", "chief").meet("s-1", "chief", "scout")
    alone = field.ask("RECORD", "scout", finding("It rains"))
    together = field.ask("RECORD", "scout", finding("The roof leaks"), session="s-1")
    assert field.unit(str(alone["memory_unit_id"]))["source"] == {
        "agent_id": "scout",
        "agent_role": "researcher",
        "session_id": None,
        "timestamp": "2026-01-01T00:00:06Z",
    }
    assert an_object(field.unit(str(together["memory_unit_id"]))["source"])["session_id"] == field.names["s-1"]


@cites("AKAS-015", "AKAS-037")
def test_ids_are_never_given_twice_and_epochs_only_go_up() -> None:
    field = Field().join("scout", "analyst")
    answers = [
        field.ask("RECORD", ("scout", "analyst")[number % 2], finding(f"Measurement {number} of the tide table"))
        for number in range(40)
    ]
    assert len({str(one["memory_unit_id"]) for one in answers}) == 40
    epochs = [int(str(one["epoch"])) for one in answers]
    assert all(later > earlier for earlier, later in pairwise(epochs))


@cites("AKAS-032")
def test_no_operation_changes_the_content_of_a_committed_unit() -> None:
    field = Field().join("scout", "analyst", "senior", "chief")
    first = field.ask("RECORD", "scout", finding("The market grows at 23 percent a year"))
    name = str(first["memory_unit_id"])
    second = field.ask(
        "RECORD",
        "analyst",
        finding("The market grows at 14 percent a year", relations=[{"type": "contradicts", "target_id": name}]),
    )
    field.ask(
        "RECORD", "scout", finding("Nothing is known of it", relations=[{"type": "supersedes", "target_id": name}])
    )
    resolution: JsonObject = {"rationale": "newer"}
    (conflict,) = a_list(second["conflicts_detected"])
    field.ask("MERGE", "senior", {"conflict_id": conflict, "strategy": "last_write_wins", "resolution": resolution})
    field.ask("COMPACT", "senior", {"strategy": "archive"})
    field.ask("DEREGISTER", "chief", {"agent_id": "scout"})
    assert field.unit(name)["content"] == "The market grows at 23 percent a year"
    assert len(field.memory.history(name).revisions) == 1


@cites("AKAS-041")
def test_an_agent_that_leaves_is_gone_and_its_units_stay() -> None:
    field = Field().join("scout", "analyst")
    field.ask("RECORD", "scout", finding("It rains"))
    field.ask("RECORD", "scout", finding("The roof leaks"))
    field.ask("RECORD", "analyst", finding("The cellar is dry"))
    answer = field.ask("DEREGISTER", "scout", {"agent_id": "scout"})
    assert answer == {"status": "ok", "cleanup": {"units_orphaned": 2, "tasks_reassigned": 0}}
    assert field.ask("RECORD", "scout", finding("Still here"))["code"] == "AGENT_NOT_REGISTERED"
    assert sorted(contents(field.ask("ATTUNE", "analyst", attune()))) == ["It rains", "The roof leaks"]
    assert register_as(field, "scout")["status"] == "registered"


@cites("AKAS-042")
def test_letting_an_unknown_agent_go_is_answered_and_not_refused() -> None:
    field = Field().join("chief")
    answer = field.ask("DEREGISTER", "chief", {"agent_id": "ghost"})
    assert answer == {"status": "not_found", "cleanup": {"units_orphaned": 0, "tasks_reassigned": 0}}
    assert deregister(Roster(), "ghost", units=3)[1]["status"] == "not_found"


@cites("AKAS-049")
@each(("level", "strategies"), [(0, 0), (1, 0), (2, 3), (3, 7)])
def test_registration_tells_what_the_field_can_do(level: int, strategies: int) -> None:
    told = an_object(register_as(Field(level=level), "scout")["field_capabilities"])
    assert (told["conformance_level"], told["protocol_version"], told["persistence"]) == (level, "0.1.0", True)
    assert len(a_list(told["conflict_strategies"])) == strategies
    operations = a_list(told["supported_operations"])
    assert {"REGISTER", "RECORD", "ATTUNE"} <= set(map(str, operations))
    assert ("MERGE" in operations) == (level >= 2)
    assert check_document("field_capabilities", told) == ()


@cites("AKAS-051")
def test_the_same_message_twice_records_once() -> None:
    field = Field().join("scout", "analyst")
    message = field.message("RECORD", "scout", finding("It rains"))
    first, again = field.send(message), field.send(message)
    assert first == again
    assert contents(field.ask("ATTUNE", "analyst", attune())) == ["It rains"]


@cites("AKAS-051")
def test_the_same_id_from_another_agent_is_another_message() -> None:
    field = Field().join("scout", "analyst")
    message = field.message("RECORD", "scout", finding("It rains"))
    first = field.send(message)
    other = field.send({**message, "agent_id": "analyst", "payload": finding("The roof leaks")})
    assert other["status"] == "accepted"
    assert other["memory_unit_id"] != first["memory_unit_id"]


@cites("AKAS-090")
def test_more_authority_than_the_credential_gives_cannot_be_claimed() -> None:
    field = Field()
    refused = field.ask("REGISTER", "scout", {"id": "scout", "role": "r", "authority_level": 5})
    assert (refused["code"], field.roster.members) == ("INSUFFICIENT_AUTHORITY", ())
    granted = field.ask("REGISTER", "scout", {"id": "scout", "role": "r", "authority_level": 4})
    assert an_object(granted["agent"])["authority_level"] == 4
    _, answer = register(Roster(), {"id": "a", "role": "r"}, authority=2)
    assert an_object(answer["agent"])["authority_level"] == 2


@cites("AKAS-070")
def test_subscriptions_are_made_listed_and_ended() -> None:
    field = Field().join("scout", "analyst")
    wish: JsonObject = {"events": ["memory.recorded"], "min_relevance": 0.5}
    made = field.ask("SUBSCRIBE", "scout", {"action": "subscribe", "subscription": wish})
    assert check_document("subscribe_response", made) == ()
    name = an_object(made["subscription"])["id"]
    listed = field.ask("SUBSCRIBE", "scout", {"action": "list"})
    assert listed["subscriptions"] == [
        {"id": name, "events": ["memory.recorded"], "min_relevance": 0.5, "debounce_ms": None}
    ]
    assert field.ask("SUBSCRIBE", "analyst", {"action": "list"})["subscriptions"] == []
    ended: JsonObject = {"action": "unsubscribe", "subscription": {"id": name}}
    assert field.ask("SUBSCRIBE", "analyst", ended)["code"] == "SUBSCRIPTION_NOT_FOUND"
    assert field.ask("SUBSCRIBE", "scout", ended)["status"] == "ok"
    assert field.ask("SUBSCRIBE", "scout", {"action": "list"})["subscriptions"] == []
    assert field.ask("SUBSCRIBE", "scout", ended)["code"] == "SUBSCRIPTION_NOT_FOUND"


def test_a_relation_to_nothing_is_said_to_lead_nowhere() -> None:
    field = Field().join("scout")
    answer = field.ask("RECORD", "scout", finding("x", relations=[{"type": "supports", "target_id": "mem-404"}]))
    assert answer["code"] == "UNIT_NOT_FOUND"


def test_names_that_a_record_cannot_hold_are_taken_and_mean_the_same_every_time() -> None:
    field = Field().join("scout", "analyst")
    intent: JsonObject = {"purpose": "plan", "task_id": "tâche n° 1", "question": ""}
    field.ask("RECORD", "scout", finding("The quarry is closed"))
    made = field.ask("RECORD", "scout", finding("The harbour is deep", intent=intent, relations=[]))
    assert made["status"] == "accepted"
    field.ask("RECORD", "scout", finding("The orchard is large"))
    told_ = field.ask("ATTUNE", "analyst", attune(active_task_id="tâche n° 1"))
    assert contents(told_)[0] == "The harbour is deep"
    told_intent = an_object(field.unit(str(made["memory_unit_id"]))["intent"])
    assert told_intent == {"purpose": "plan", "task_id": "tâche n° 1"}
    replayed = field.ask("REPLAY", "scout", {"target_type": "task", "target_id": "tâche n° 1", "depth": "full_trace"})
    assert replayed["total_events"] == 1
    link: list[Json] = [{"type": "supports", "target_id": "mem é"}]
    assert field.ask("RECORD", "scout", finding("x", relations=link))["code"] == "UNIT_NOT_FOUND"


def test_evidence_that_says_nothing_is_none() -> None:
    field = Field().join("scout")
    sure: JsonObject = {"score": 1, "reasoning": "seen", "evidence": ["", "report-1"], "assumptions": [" "]}
    answer = field.ask("RECORD", "scout", finding("The harbour is deep", confidence=sure))
    confidence = an_object(field.unit(str(answer["memory_unit_id"]))["confidence"])
    assert (confidence["evidence"], "assumptions" in confidence) == (["report-1"], False)


@cites("AKAS-014")
def test_the_role_of_a_unit_is_the_one_its_author_had_when_it_recorded() -> None:
    field = Field().join("scout", "analyst", "chief")
    unit = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    field.ask("DEREGISTER", "scout", {"agent_id": "scout"})
    field.join("scout", role="cook")
    later = str(field.ask("RECORD", "scout", finding("The soup is hot"))["memory_unit_id"])
    roles = [an_object(field.unit(name)["source"])["agent_role"] for name in (unit, later)]
    assert roles == ["researcher", "cook"]
