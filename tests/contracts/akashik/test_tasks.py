"""Tasks: every step of their life and no other, who may take it, what it waits for, and how they change hands."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, finding
from tests.contracts.akashik.test_conflicts import disputed
from tests.contracts.cites import cites

from muniment.contracts.akashik.coordination import FieldTask
from muniment.contracts.akashik.roster import RegisteredAgent
from muniment.contracts.akashik.states import TASK, may_become
from muniment.contracts.akashik.tasks import STEPS, FieldTasks, coordinate
from muniment.contracts.akashik.validation import check_document
from muniment.contracts.akashik.words import TaskAction, TaskStatus
from muniment.contracts.strict.values import Json, JsonObject

LEGAL = {
    ("assign", "pending"): "assigned",
    ("claim", "pending"): "assigned",
    ("release", "assigned"): "pending",
    ("start", "assigned"): "in_progress",
    ("block", "in_progress"): "blocked",
    ("unblock", "blocked"): "in_progress",
    ("complete", "in_progress"): "completed",
    ("fail", "in_progress"): "failed",
    ("fail", "blocked"): "failed",
    ("retry", "failed"): "pending",
    ("cancel", "pending"): "cancelled",
    ("cancel", "assigned"): "cancelled",
    ("cancel", "in_progress"): "cancelled",
    ("cancel", "blocked"): "cancelled",
    ("cancel", "failed"): "cancelled",
}
MOVING = [action.value for action in TaskAction if action.value not in ("create", "get", "list")]
TASK_ = FieldTask(
    id="t-1",
    title="Sound the harbour",
    goal="a chart",
    status=TaskStatus.PENDING,
    assignee="scout",
    created_by="scout",
    session_id=None,
    depends_on=[],
    priority=0.5,
    result_unit_ids=[],
    handoffs=[],
    epoch_created=1,
    epoch_updated=1,
)


def create(field: Field, agent: str, **more: Json) -> JsonObject:
    return field.ask("COORDINATE", agent, {"action": "create", "task": {"title": "Sound the harbour", **more}})


def made(field: Field, agent: str, **more: Json) -> str:
    answer = create(field, agent, **more)
    assert check_document("coordinate_response", answer) == ()
    return str(an_object(answer["task"])["id"])


def step(field: Field, agent: str, action: str, task: str, **more: Json) -> JsonObject:
    return field.ask("COORDINATE", agent, {"action": action, "task": {"id": task, **more}})


def status(answer: JsonObject) -> Json:
    return an_object(answer["task"])["status"]


def listen(field: Field, agent: str, *events: str) -> Field:
    wish: JsonObject = {"action": "subscribe", "subscription": {"events": list[Json](events)}}
    assert field.ask("SUBSCRIBE", agent, wish)["status"] == "ok"
    return field


def heard(field: Field, agent: str) -> list[str]:
    return [str(one["event"]) for one in field.mail(agent)]


@cites("AKAS-082")
@each(("action", "before"), list(product(MOVING, [word.value for word in TaskStatus])))
def test_each_action_takes_a_task_from_where_it_may_and_from_nowhere_else(action: str, before: str) -> None:
    task = replace(TASK_, status=TaskStatus(before))
    payload: JsonObject = {"action": action, "task": {"id": "t-1", "assignee": "scout", "summary": "done"}}
    turn = coordinate(
        FieldTasks(all=(task,)), payload, RegisteredAgent(id="scout", role="r", authority=4), epoch=7, fresh="t-2"
    )
    if (action, before) not in LEGAL:
        assert turn.answer["code"] == "INVALID_TRANSITION"
        assert (turn.tasks.all, turn.events) == ((task,), ())
        return
    after = LEGAL[action, before]
    assert check_document("coordinate_response", turn.answer) == ()
    assert [one.status for one in turn.tasks.all] == [after]
    assert (turn.events[0].event, turn.events[0].task, turn.events[0].epoch) == ("task.state_changed", "t-1", 7)


@cites("AKAS-082")
def test_a_task_goes_through_its_whole_life_and_every_step_is_announced() -> None:
    field = listen(Field().join("scout", "senior"), "senior", "task.state_changed")
    task = made(field, "scout")
    for action, after in (
        ("claim", "assigned"),
        ("start", "in_progress"),
        ("block", "blocked"),
        ("unblock", "in_progress"),
        ("complete", "completed"),
    ):
        assert status(step(field, "scout", action, task, summary="a chart")) == after
    assert heard(field, "senior") == ["task.state_changed"] * 6
    assert step(field, "scout", "start", task)["code"] == "INVALID_TRANSITION"
    assert heard(field, "senior") == []


def test_the_steps_of_actions_are_those_of_the_table() -> None:
    taken = {(before, after) for froms, after in STEPS.values() for before in froms}
    assert all(may_become(TASK, before, after) for before, after in taken)


def test_a_task_is_not_completed_without_saying_what_came_of_it() -> None:
    field = Field().join("scout")
    task = made(field, "scout", assignee="scout")
    step(field, "scout", "start", task)
    assert step(field, "scout", "complete", task)["code"] == "INVALID_PAYLOAD"
    unit = str(field.ask("RECORD", "scout", finding("The harbour is deep"))["memory_unit_id"])
    answer = step(field, "scout", "complete", task, result_unit_ids=[unit])
    assert an_object(answer["task"])["result_unit_ids"] == [unit]


@cites("AKAS-083")
def test_assignments_and_completions_are_announced_and_a_dependency_holds_a_task_back() -> None:
    field = listen(Field().join("scout", "senior", "analyst"), "analyst", "task.assigned", "task.completed")
    first = made(field, "senior", assignee="scout")
    second = made(field, "scout", assignee="scout", depends_on=[first])
    assert heard(field, "analyst") == ["task.assigned", "task.assigned"]
    held = step(field, "scout", "start", second)
    assert (held["code"], first in str(held["message"])) == ("INVALID_TRANSITION", True)
    step(field, "scout", "start", first)
    assert step(field, "scout", "start", second)["code"] == "INVALID_TRANSITION"
    step(field, "scout", "complete", first, summary="charted")
    assert heard(field, "analyst") == ["task.completed"]
    assert status(step(field, "scout", "start", second)) == "in_progress"
    assert create(field, "scout", depends_on=["t-404"])["code"] == "TASK_NOT_FOUND"


@cites("AKAS-084")
def test_tasks_for_others_take_authority_6_own_ones_4_and_cancelling_the_creator_or_8() -> None:
    field = Field().join("observer", "scout", "analyst", "senior", "chief")
    assert create(field, "observer")["code"] == "INSUFFICIENT_AUTHORITY"
    assert create(field, "scout", assignee="analyst")["code"] == "INSUFFICIENT_AUTHORITY"
    assert field.tasks.all == ()
    mine, hers, his = made(field, "scout"), made(field, "senior", assignee="scout"), made(field, "scout")
    assert step(field, "scout", "assign", mine, assignee="analyst")["code"] == "INSUFFICIENT_AUTHORITY"
    assert step(field, "senior", "cancel", mine)["code"] == "INSUFFICIENT_AUTHORITY"
    assert step(field, "scout", "cancel", hers)["code"] == "INSUFFICIENT_AUTHORITY"
    assert status(step(field, "scout", "cancel", mine)) == "cancelled"
    assert status(step(field, "senior", "cancel", hers)) == "cancelled"
    assert status(step(field, "chief", "cancel", his)) == "cancelled"
    assert step(field, "scout", "cancel", "t-404")["code"] == "TASK_NOT_FOUND"


@cites("AKAS-085")
def test_an_agent_that_leaves_has_its_tasks_flagged_and_counted() -> None:
    field = Field().join("scout", "senior", "chief")
    busy, idle, done = (made(field, "senior", assignee="scout") for _ in range(3))
    other = made(field, "senior", assignee="chief")
    step(field, "scout", "start", busy)
    step(field, "scout", "start", done)
    step(field, "scout", "complete", done, summary="charted")
    answer = field.ask("DEREGISTER", "chief", {"agent_id": "scout"})
    assert an_object(answer["cleanup"])["tasks_reassigned"] == 2
    assert field.tasks.flagged == {busy, idle}
    assert other not in field.tasks.flagged
    handed = field.ask("HANDOFF", "senior", {"action": "offer", "task_id": busy, "to_agent": "chief"})
    assert handed["status"] == "offered"
    assert field.ask("HANDOFF", "chief", {"action": "accept", "task_id": busy})["status"] == "accepted"
    assert field.tasks.flagged == {idle}


def test_what_an_agent_has_in_hand_is_seen_on_the_roster() -> None:
    field = Field().join("scout")
    task = made(field, "scout", assignee="scout")
    seen = []
    for action in ("start", "block", "unblock", "complete"):
        step(field, "scout", action, task, summary="charted")
        (member,) = field.roster.members
        assert check_document("agent", member.document) == ()
        seen.append((member.status.value, member.document.get("current_task_id")))
    assert seen == [("working", task), ("waiting", task), ("working", task), ("idle", None)]


@cites("AKAS-080")
def test_a_task_is_handed_over_with_its_context_accepted_and_announced() -> None:
    field = Field().join("scout", "analyst", "senior", "chief", "human", "voter")
    listen(field, "analyst", "handoff.incoming", "task.assigned")
    listen(field, "voter", "handoff.incoming")
    task = made(field, "scout", assignee="scout")
    step(field, "scout", "start", task)
    assert heard(field, "analyst") == ["task.assigned"]
    intent: JsonObject = {"purpose": "the chart", "task_id": task}
    decision = field.ask("RECORD", "scout", finding("We sound at low water", type="decision", intent=intent))
    question = field.ask("RECORD", "senior", finding("Who has the lead line?", type="question", intent=intent))
    field.ask("RECORD", "senior", finding("The orchard is large"))
    _, conflict, *_ = disputed(field)
    offer: JsonObject = {"action": "offer", "task_id": task, "to_agent": "analyst", "package": {"summary": "half done"}}
    answer = field.ask("HANDOFF", "scout", offer)
    assert check_document("handoff_response", answer) == ()
    package = an_object(answer["package"])
    assert an_object(package["task"])["id"] == task
    assert package["summary"] == "half done"
    assert (package["decisions"], package["open_questions"]) == (["We sound at low water"], ["Who has the lead line?"])
    relevant = {str(an_object(one)["memory_unit_id"]) for one in a_list(package["relevant_units"])}
    assert relevant == {str(decision["memory_unit_id"]), str(question["memory_unit_id"])}
    assert package["unresolved_conflicts"] == [conflict]
    (notice,) = field.mail("analyst")
    assert (notice["event"], notice["requires_action"]) == ("handoff.incoming", True)
    assert heard(field, "voter") == []
    assert field.ask("HANDOFF", "voter", {"action": "accept", "task_id": task})["code"] == "INSUFFICIENT_AUTHORITY"
    taken = field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})
    assert (status(taken), an_object(taken["task"])["assignee"]) == ("assigned", "analyst")
    (hands,) = a_list(an_object(taken["task"])["handoffs"])
    assert (an_object(hands)["from_agent"], an_object(hands)["to_agent"]) == ("scout", "analyst")
    current = {one.id: one.task for one in field.roster.members}
    assert (current["scout"], current["analyst"]) == (None, task)
    assert field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})["code"] == "INVALID_TRANSITION"


@pytest.mark.parametrize(
    ("agent", "action", "said"), [("analyst", "reject", "rejected"), ("scout", "cancel", "cancelled")]
)
def test_an_offer_that_is_not_taken_leaves_the_task_where_it_was(agent: str, action: str, said: str) -> None:
    field = Field().join("scout", "analyst")
    task = made(field, "scout", assignee="scout")
    offer: JsonObject = {"action": "offer", "task_id": task, "to_role": "researcher"}
    assert field.ask("HANDOFF", "scout", {**offer, "to_role": "nobody's"})["code"] == "AGENT_NOT_REGISTERED"
    assert field.ask("HANDOFF", "scout", offer)["status"] == "offered"
    assert field.ask("HANDOFF", "scout", offer)["code"] == "INVALID_TRANSITION"
    answer = field.ask("HANDOFF", agent, {"action": action, "task_id": task})
    assert (answer["status"], an_object(answer["task"])["assignee"]) == (said, "scout")
    assert field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})["code"] == "INVALID_TRANSITION"
    assert field.ask("HANDOFF", "scout", {**offer, "task_id": "t-404"})["code"] == "TASK_NOT_FOUND"


def test_a_task_of_a_session_is_not_there_outside_it() -> None:
    field = Field().join("scout", "chief", "analyst").meet("s-1", "chief", "scout")
    inside = field.ask("COORDINATE", "scout", {"action": "create", "task": {"title": "t"}}, session="s-1")
    task = str(an_object(inside["task"])["id"])
    assert step(field, "analyst", "claim", task)["code"] == "TASK_NOT_FOUND"
    assert field.ask("COORDINATE", "analyst", {"action": "list"})["tasks"] == []
    listed = field.ask("COORDINATE", "chief", {"action": "list"}, session="s-1")
    assert [an_object(one)["id"] for one in a_list(listed["tasks"])] == [task]


def test_the_task_of_another_is_not_moved_without_more_authority() -> None:
    field = Field().join("scout", "analyst", "senior")
    task = made(field, "scout", assignee="scout")
    assert step(field, "analyst", "start", task)["code"] == "INSUFFICIENT_AUTHORITY"
    assert status(step(field, "senior", "start", task)) == "in_progress"


def test_nobody_takes_what_it_gave_away_itself_and_nobody_what_is_over() -> None:
    field = Field().join("scout", "analyst")
    task = made(field, "scout", assignee="scout")
    offer: JsonObject = {"action": "offer", "task_id": task, "to_role": "researcher"}
    field.ask("HANDOFF", "scout", offer)
    assert field.ask("HANDOFF", "scout", {"action": "accept", "task_id": task})["code"] == "INSUFFICIENT_AUTHORITY"
    step(field, "scout", "cancel", task)
    assert field.ask("HANDOFF", "analyst", {"action": "accept", "task_id": task})["code"] == "INVALID_TRANSITION"
    (ended,) = field.tasks.all
    assert (ended.status, ended.assignee) == ("cancelled", "scout")


def test_a_task_of_a_session_is_handed_over_and_announced_inside_it_alone() -> None:
    field = Field().join("scout", "chief", "analyst", "senior").meet("s-1", "chief", "scout", "senior")
    listen(field, "analyst", "task.state_changed")
    listen(field, "senior", "task.state_changed")
    wish: JsonObject = {"action": "create", "task": {"title": "t", "assignee": "scout"}}
    task = an_object(field.ask("COORDINATE", "scout", wish, session="s-1")["task"])["id"]
    assert (heard(field, "senior"), heard(field, "analyst")) == (["task.state_changed"], [])
    offer: JsonObject = {"action": "offer", "task_id": task, "to_agent": "senior"}
    assert field.ask("HANDOFF", "scout", offer)["code"] == "TASK_NOT_FOUND"
    assert field.ask("HANDOFF", "scout", offer, session="s-1")["status"] == "offered"
