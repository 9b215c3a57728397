"""Tasks in a Field: names, hands, offers that lapse, words that are kept, lists that end."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object

from muniment.contracts.akashik import tasks
from muniment.contracts.akashik.coordination import FieldTask
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import TaskStatus
from muniment.contracts.strict.values import Json, JsonObject


def at_work() -> Field:
    return Field().join("scout", "analyst", "keeper", "senior", "chief")


def do(field: Field, agent: str, action: str, **task: Json) -> JsonObject:
    answer = field.ask("COORDINATE", agent, {"action": action, "task": task})
    assert answer.get("status") == "ok", answer
    return an_object(answer["task"])


def test_a_task_has_the_name_its_maker_gives_it() -> None:
    field = at_work()
    assert do(field, "scout", "create", id="chart-1", title="T")["id"] == "chart-1"
    assert do(field, "analyst", "get", id="chart-1")["title"] == "T"
    twice = field.ask("COORDINATE", "analyst", {"action": "create", "task": {"id": "chart-1", "title": "U"}})
    assert twice["code"] == "INVALID_PAYLOAD"
    odd = field.ask("COORDINATE", "analyst", {"action": "create", "task": {"id": "chart one", "title": "U"}})
    assert odd["code"] == "INVALID_PAYLOAD"
    field.meet("S", "chief")
    inside: JsonObject = {"action": "create", "task": {"id": "chart-1", "title": "U"}}
    assert field.ask("COORDINATE", "chief", inside, session="S")["code"] == "INVALID_PAYLOAD"


def test_a_fresh_name_is_never_one_that_somebody_chose() -> None:
    field = at_work()
    chosen = f"task-{field.epoch + 2}"
    do(field, "scout", "create", id=chosen, title="T")
    made = do(field, "scout", "create", title="U")
    assert made["id"] != chosen
    assert do(field, "scout", "get", id=chosen)["title"] == "T"


@pytest.mark.parametrize("action", ["create", "assign"])
def test_a_task_is_given_to_nobody_who_is_not_there(action: str) -> None:
    field = at_work()
    name = do(field, "senior", "create", title="T")["id"] if action == "assign" else None
    wish: JsonObject = {"assignee": "ghost", **({"id": name} if name is not None else {"title": "T"})}
    before = field.epoch
    assert field.ask("COORDINATE", "senior", {"action": action, "task": wish})["code"] == "AGENT_NOT_REGISTERED"
    assert field.epoch == before


def test_a_task_for_nobody_waits() -> None:
    made = do(at_work(), "senior", "create", title="T", assignee="")
    assert (made["status"], made["assignee"]) == ("pending", None)


def test_a_task_belongs_to_the_session_of_its_message() -> None:
    field = at_work().meet("S", "chief")
    outside: JsonObject = {"action": "create", "task": {"title": "T", "session_id": "S"}}
    assert field.ask("COORDINATE", "chief", outside)["code"] == "INVALID_PAYLOAD"
    made = an_object(field.ask("COORDINATE", "chief", outside, session="S")["task"])
    assert made["session_id"] == field.names["S"]


def test_an_offer_lapses_when_its_task_changes_hands_another_way() -> None:
    field = at_work()
    name = do(field, "scout", "create", title="T", assignee="scout")["id"]
    offer: JsonObject = {"action": "offer", "task_id": name, "to_agent": "analyst"}
    assert field.ask("HANDOFF", "scout", offer)["status"] == "offered"
    do(field, "scout", "release", id=name)
    do(field, "keeper", "claim", id=name)
    late = field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": name})
    assert late["code"] == "INVALID_TRANSITION"
    assert do(field, "keeper", "get", id=name)["assignee"] == "keeper"
    assert field.ask("HANDOFF", "keeper", offer)["status"] == "offered"


def test_an_offer_lapses_when_its_task_is_over_and_stands_while_it_goes_on() -> None:
    field = at_work()
    name = do(field, "scout", "create", title="T", assignee="scout")["id"]
    offer: JsonObject = {"action": "offer", "task_id": name, "to_role": "researcher"}
    field.ask("HANDOFF", "scout", offer)
    do(field, "scout", "start", id=name)
    assert field.ask("HANDOFF", "scout", offer)["code"] == "INVALID_TRANSITION"
    do(field, "scout", "fail", id=name)
    do(field, "scout", "retry", id=name)
    do(field, "keeper", "claim", id=name)
    assert field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": name})["code"] == "INVALID_TRANSITION"


def test_the_summary_of_a_task_is_kept_and_told_by_its_replay() -> None:
    field = at_work()
    name = str(do(field, "scout", "create", title="T", assignee="scout")["id"])
    do(field, "scout", "start", id=name)
    do(field, "scout", "complete", id=name, summary="Eleven metres at low water")
    wish: JsonObject = {"target_type": "task", "target_id": name, "depth": "full_trace"}
    timeline = [an_object(one) for one in a_list(field.ask("REPLAY", "analyst", wish)["timeline"])]
    assert timeline[-1]["event_type"] == "task.complete"
    assert str(timeline[-1]["description"]).endswith("is completed: Eleven metres at low water")


def test_a_flag_stays_until_somebody_else_has_the_task() -> None:
    field = at_work()
    name = do(field, "scout", "create", title="T", assignee="scout")["id"]
    do(field, "scout", "start", id=name)
    field.ask("DEREGISTER", "scout", {"agent_id": "scout"})
    listed = field.ask("COORDINATE", "senior", {"action": "list"})
    assert [an_object(one).get("flagged") for one in a_list(listed["tasks"])] == [True]
    assert check_document("coordinate_response", listed) == ()
    assert do(field, "senior", "block", id=name)["flagged"] is True
    assert "flagged" not in do(field, "senior", "fail", id=name)
    assert "flagged" not in do(field, "senior", "retry", id=name)


@each("priority", [0, 1, 5, 0.25])
def test_how_much_a_task_matters_is_on_the_scale_of_those_who_share_it(priority: float) -> None:
    assert do(at_work(), "scout", "create", title="T", priority=priority)["priority"] == priority


def test_a_list_tells_everything_that_is_not_over_and_the_last_of_what_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "OVER_LISTED", 2)
    made = [_task(number, TaskStatus.COMPLETED if number != 1 else TaskStatus.FAILED) for number in range(6)]
    assert [one.id for one in tasks.listed(made)] == ["t-1", "t-4", "t-5"]


def _task(number: int, status: TaskStatus) -> FieldTask:
    return FieldTask(
        id=f"t-{number}",
        title="T",
        goal="",
        status=status,
        assignee=None,
        created_by="scout",
        session_id=None,
        depends_on=[],
        priority=0.5,
        result_unit_ids=[],
        handoffs=[],
        epoch_created=1,
        epoch_updated=1,
    )
