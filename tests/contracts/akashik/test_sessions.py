"""Sessions: how they live, what may be written into them, and who sees what is in them."""

from __future__ import annotations

from itertools import product

from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, attune, contents, finding
from tests.contracts.akashik.test_tasks import heard, listen
from tests.contracts.cites import cites

from muniment.contracts.akashik.sessions import TypeRule
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import UnitType
from muniment.contracts.strict.values import Json, JsonObject


def session(field: Field, agent: str, action: str, name: str | None = "s-1", **more: Json) -> JsonObject:
    asked: JsonObject = {"action": action, **more}
    return field.ask("SESSION", agent, asked if name is None else {**asked, "session_id": name})


def state(answer: JsonObject) -> Json:
    assert check_document("session_response", answer) == ()
    return an_object(answer["session"])["status"]


def gathered(*agents: str) -> Field:
    """A Field with a session under `chief`, of which these agents are members."""
    return Field().join("chief", *agents).meet("s-1", "chief", *agents)


@cites("AKAS-086")
def test_a_session_is_made_joined_paused_resumed_left_and_ended() -> None:
    field = listen(Field().join("chief", "scout", "analyst"), "scout", "session.paused", "session.ended")
    answer = session(field, "chief", "create", None, goal="chart the harbour")
    assert state(answer) == "active"
    name = str(an_object(answer["session"])["id"])
    assert session(field, "scout", "create", None, goal="mine")["code"] == "INSUFFICIENT_AUTHORITY"
    assert session(field, "scout", "get", name)["code"] == "INSUFFICIENT_AUTHORITY"
    joined = session(field, "scout", "join", name)
    assert [an_object(one)["agent_id"] for one in a_list(an_object(joined["session"])["members"])] == ["chief", "scout"]
    assert session(field, "scout", "pause", name)["code"] == "INSUFFICIENT_AUTHORITY"
    assert state(session(field, "chief", "pause", name)) == "paused"
    assert state(session(field, "chief", "resume", name)) == "active"
    assert heard(field, "scout") == ["session.paused"]
    assert state(session(field, "chief", "end", name)) == "ended"
    assert heard(field, "scout") == ["session.ended"]
    assert session(field, "scout", "leave", name)["code"] == "INVALID_TRANSITION"
    assert session(field, "scout", "join", "s-404")["code"] == "SESSION_NOT_FOUND"


@cites("AKAS-086")
def test_nothing_is_written_into_a_session_that_is_not_active() -> None:
    field = gathered("scout", "analyst")
    unit = str(field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["memory_unit_id"])
    session(field, "chief", "pause")
    head = field.epoch
    task: JsonObject = {"action": "create", "task": {"title": "t"}}
    for operation, payload in (("RECORD", finding("The quarry is closed")), ("COORDINATE", task)):
        assert field.ask(operation, "scout", payload, session="s-1")["code"] == "INVALID_TRANSITION"
    assert (field.epoch, field.tasks.all) == (head, ())
    assert contents(field.ask("ATTUNE", "analyst", attune(), session="s-1")) == ["The harbour is deep"]
    session(field, "chief", "resume")
    assert field.ask("RECORD", "scout", finding("The quarry is closed"), session="s-1")["status"] == "accepted"
    session(field, "chief", "end")
    assert field.ask("RECORD", "scout", finding("The orchard is large"), session="s-1")["code"] == "INVALID_TRANSITION"
    assert field.ask("ATTUNE", "analyst", attune(), session="s-1")["code"] == "INVALID_TRANSITION"
    target: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
    assert field.ask("REPLAY", "analyst", target, session="s-1")["status"] == "ok"


@each(
    ("before", "action"),
    list(product(["active", "paused", "ended"], ["pause", "resume", "end"])),
)
def test_a_session_takes_these_steps_and_no_others(before: str, action: str) -> None:
    legal = {("active", "pause"): "paused", ("active", "end"): "ended", ("paused", "resume"): "active"}
    legal["paused", "end"] = "ended"
    field = gathered()
    if before != "active":
        session(field, "chief", {"paused": "pause", "ended": "end"}[before])
    answer = session(field, "chief", action)
    if (before, action) in legal:
        assert state(answer) == legal[before, action]
    else:
        assert answer["code"] == "INVALID_TRANSITION"


def test_only_members_act_in_a_session_and_it_has_to_be_there() -> None:
    field = gathered("scout").join("analyst")
    assert field.ask("RECORD", "analyst", finding("x"), session="s-1")["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.ask("RECORD", "scout", finding("x"), session="s-404")["code"] == "SESSION_NOT_FOUND"
    session(field, "scout", "leave")
    assert field.ask("ATTUNE", "scout", attune(), session="s-1")["code"] == "INSUFFICIENT_AUTHORITY"


def test_outside_a_session_nothing_of_it_is_told_detected_replayed_or_pushed() -> None:
    field = gathered("scout", "senior").join("analyst")
    listen(field, "analyst", "memory.recorded", "conflict.detected")
    listen(field, "senior", "memory.recorded")
    unit = str(field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["memory_unit_id"])
    links: list[Json] = [{"type": "contradicts", "target_id": unit}]
    second = field.ask("RECORD", "scout", finding("The harbour is shallow", relations=links), session="s-1")
    (conflict,) = a_list(second["conflicts_detected"])
    assert heard(field, "senior") == ["memory.recorded", "memory.recorded"]
    assert heard(field, "analyst") == []
    assert contents(field.ask("ATTUNE", "analyst", attune())) == []
    assert field.ask("DETECT", "analyst", {"mode": "list"})["conflicts"] == []
    assert field.ask("DETECT", "analyst", {"mode": "check", "target_id": unit})["code"] == "UNIT_NOT_FOUND"
    for kind, target in (("memory_unit", unit), ("conflict", str(conflict)), ("session", "s-1")):
        asked: JsonObject = {"target_type": kind, "target_id": target, "depth": "full_trace"}
        assert field.ask("REPLAY", "analyst", asked)["code"] == "UNIT_NOT_FOUND"
        assert field.ask("REPLAY", "senior", asked, session="s-1")["status"] == "ok"


@cites("AKAS-088")
@each(
    ("effect", "seen"), [("show", ["The harbour is deep"]), ("hide", ["We dredge it"]), (None, ["The harbour is deep"])]
)
def test_the_creator_of_a_session_says_which_types_a_role_is_shown(effect: str | None, seen: list[str]) -> None:
    field = gathered("scout", "senior").join("guest", role="guest")
    assert session(field, "guest", "join")["status"] == "ok"
    listen(field, "guest", "memory.recorded")
    rule: JsonObject = {"role": "guest", "types": ["finding"]}
    rules: JsonObject = {"visibility_rules": [rule if effect is None else {**rule, "effect": effect}]}
    for other in ("scout", "senior", "guest"):
        assert session(field, other, "set_policy", policies=rules)["code"] == "INSUFFICIENT_AUTHORITY"
    assert session(field, "chief", "set_policy", policies=rules)["status"] == "ok"
    made = {
        text: str(field.ask("RECORD", "scout", finding(text, type=kind), session="s-1")["memory_unit_id"])
        for text, kind in (("The harbour is deep", "finding"), ("We dredge it", "decision"))
    }
    assert contents(field.ask("ATTUNE", "guest", attune(), session="s-1")) == seen
    assert len(contents(field.ask("ATTUNE", "senior", attune(), session="s-1"))) == 2
    assert [one["memory_unit_id"] for one in field.mail("guest")] == [made[text] for text in seen]
    for text, unit in made.items():
        asked: JsonObject = {"target_type": "memory_unit", "target_id": unit, "depth": "summary"}
        assert (field.ask("REPLAY", "guest", asked, session="s-1").get("status") == "ok") == (text in seen)


@cites("AKAS-089")
def test_some_types_are_kept_from_agents_of_little_authority() -> None:
    rule = TypeRule(types=frozenset({UnitType.HUMAN_DIRECTIVE}), least=6)
    field = Field(rules=(rule,)).join("human", "scout", "senior")
    listen(field, "scout", "memory.recorded")
    order = field.ask("RECORD", "human", finding("Close the harbour", type="human_directive"))
    field.ask("RECORD", "human", finding("The harbour is deep"))
    assert contents(field.ask("ATTUNE", "scout", attune())) == ["The harbour is deep"]
    assert sorted(contents(field.ask("ATTUNE", "senior", attune()))) == ["Close the harbour", "The harbour is deep"]
    asked: JsonObject = {"target_type": "memory_unit", "target_id": order["memory_unit_id"], "depth": "summary"}
    assert field.ask("REPLAY", "scout", asked)["code"] == "UNIT_NOT_FOUND"
    assert field.ask("REPLAY", "senior", asked)["status"] == "ok"
    check: JsonObject = {"mode": "check", "target_id": order["memory_unit_id"]}
    assert field.ask("DETECT", "scout", check)["code"] == "UNIT_NOT_FOUND"
    assert heard(field, "scout") == ["memory.recorded"]


def test_a_session_may_be_paused_by_who_may_lead_one() -> None:
    field = gathered("scout").join("human")
    assert session(field, "scout", "pause")["code"] == "INSUFFICIENT_AUTHORITY"
    assert state(session(field, "human", "pause")) == "paused"


@cites("AKAS-075", "AKAS-087")
def test_what_a_session_was_is_replayed_by_its_members_from_outside_and_by_nobody_else() -> None:
    field = Field().join("chief", "scout", "analyst").meet("s-1", "chief", "scout")
    unit = str(field.ask("RECORD", "scout", finding("The harbour is deep"), session="s-1")["memory_unit_id"])
    assert session(field, "chief", "end")["status"] == "ok"
    wishes: list[JsonObject] = [
        {"target_type": "session", "target_id": field.names["s-1"], "depth": "full_trace"},
        {"target_type": "memory_unit", "target_id": unit, "depth": "full_trace"},
    ]
    for wish in wishes:
        told = [an_object(one)["memory_unit_id"] for one in a_list(field.ask("REPLAY", "scout", wish)["timeline"])]
        assert unit in told
        assert field.ask("REPLAY", "analyst", wish)["code"] == "UNIT_NOT_FOUND"
