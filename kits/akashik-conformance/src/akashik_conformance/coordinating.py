"""Tasks: every step of their life and no other, who may take it, what it waits for, and how they change hands."""

from __future__ import annotations

from itertools import product

from akashik_conformance.bench import Agent, Bench, disputed
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.registering import roster
from akashik_conformance.say import holds, part, parts, refused, same, valid, went, whole, word, words

STATES = ("pending", "assigned", "in_progress", "blocked", "completed", "failed", "cancelled")
MOVES = ("assign", "claim", "release", "start", "block", "unblock", "complete", "fail", "retry", "cancel")
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
"""Where each action leads from where; every other pair is an `INVALID_TRANSITION`."""
WAY_TO: dict[str, tuple[str, ...]] = {
    "pending": (),
    "assigned": ("claim",),
    "in_progress": ("claim", "start"),
    "blocked": ("claim", "start", "block"),
    "completed": ("claim", "start", "complete"),
    "failed": ("claim", "start", "fail"),
    "cancelled": ("cancel",),
}


def create(agent: Agent, **more: Json) -> JsonObject:
    return agent.ask("COORDINATE", {"action": "create", "task": {"title": "Sound the harbour", **more}})


def made(agent: Agent, **more: Json) -> str:
    """A task that must be made; its id."""
    return word(part(went(create(agent, **more), "ok", "a COORDINATE create"), "task"), "id")


def step(agent: Agent, action: str, task: str, **more: Json) -> JsonObject:
    wish: JsonObject = {"id": task, **more}
    if action == "complete" and "summary" not in wish:
        wish["summary"] = "a chart"
    if action == "assign" and "assignee" not in wish:
        wish["assignee"] = agent.name
    return agent.ask("COORDINATE", {"action": action, "task": wish})


def state(answer: JsonObject) -> str:
    return word(part(went(answer, "ok", "a COORDINATE"), "task"), "status")


def akas_080(b: Bench) -> None:
    f = b.field(level=3)
    scout, analyst, voter = f.join("scout"), f.join("analyst"), f.join("voter")
    task = made(scout, assignee=scout.name)
    same(state(step(scout, "start", task)), "in_progress", "a task in hand")
    intent: JsonObject = {"purpose": "the chart", "task_id": task}
    decision = scout.record("We sound at low water", type="decision", intent=intent)
    voter.record("The orchard is large")
    conflict, *_ = disputed(scout, voter, older={"intent": intent}, newer={"intent": intent})
    with f.following(analyst, "handoff.incoming") as feed, f.following(voter, "handoff.incoming") as other:
        offer: JsonObject = {"action": "offer", "task_id": task, "to_agent": analyst.name}
        answer = went(scout.ask("HANDOFF", {**offer, "package": {"summary": "half done"}}), "offered", "an offer")
        notices = feed.heard()
        same([word(one, "event") for one in notices], ["handoff.incoming"], "what the receiver hears")
        same(other.heard(), [], "what somebody else hears of an offer")
    package = valid("handoff_package", part(answer, "package"))
    same(word(part(package, "task"), "id"), task, "the task of the package")
    same(package.get("summary"), "half done", "the summary of the package")
    units = {word(one, "memory_unit_id") for one in parts(package, "relevant_units")}
    holds(decision in units, f"the package lacks a unit of the task: {units}")
    holds(conflict in words(package, "unresolved_conflicts"), "the package lacks an open conflict")
    accept: JsonObject = {"action": "accept", "task_id": task}
    refused(voter.ask("HANDOFF", accept), None, "an offer taken by somebody else")
    taken = went(analyst.ask("HANDOFF", accept), "accepted", "an offer taken")
    same(part(taken, "task").get("assignee"), analyst.name, "who has the task")
    hands = [(one.get("from_agent"), one.get("to_agent")) for one in parts(part(taken, "task"), "handoffs")]
    same(hands, [(scout.name, analyst.name)], "the hands it went through")
    same(roster(scout)[analyst.name].get("current_task_id"), task, "what the receiver has in hand")
    refused(analyst.ask("HANDOFF", accept), "INVALID_TRANSITION", "an offer taken twice")


def akas_082(b: Bench) -> None:
    f = b.field()
    scout, senior = f.join("scout"), f.join("senior", 6)
    with f.following(senior, "task.state_changed") as feed:
        task = made(scout)
        life = (("claim", "assigned"), ("start", "in_progress"), ("block", "blocked"))
        for action, after in (*life, ("unblock", "in_progress"), ("complete", "completed")):
            same(state(step(scout, action, task)), after, f"a task after {action}")
        refused(step(scout, "start", task), "INVALID_TRANSITION", "to start what is completed")
        same(feed.names(), ["task.state_changed"] * 6, "what is announced of a whole life")
    for before, action in product(STATES, MOVES):
        _tried(scout, before, action)


def _tried(agent: Agent, before: str, action: str) -> None:
    """One cell of the matrix: the action on a task in that state."""
    task = made(agent)
    for move in WAY_TO[before]:
        went(step(agent, move, task), "ok", f"{move} on the way to {before}")
    answer = step(agent, action, task)
    if (after := LEGAL.get((action, before))) is not None:
        same(state(answer), after, f"{action} on a task that is {before}")
        return
    refused(answer, "INVALID_TRANSITION", f"{action} on a task that is {before}")
    same(state(agent.ask("COORDINATE", {"action": "get", "task": {"id": task}})), before, f"after a refused {action}")


def akas_083(b: Bench) -> None:
    f = b.field()
    scout, senior, analyst = f.join("scout"), f.join("senior", 6), f.join("analyst")
    with f.following(analyst, "task.assigned", "task.completed") as feed:
        first = made(senior, assignee=scout.name)
        second = made(scout, assignee=scout.name, depends_on=[first])
        same(feed.names(), ["task.assigned"] * 2, "what is announced of two assignments")
        refused(step(scout, "start", second), "INVALID_TRANSITION", "to start what waits for something pending")
        same(state(step(scout, "start", first)), "in_progress", "the task it waits for")
        refused(step(scout, "start", second), "INVALID_TRANSITION", "to start what waits for something unfinished")
        same(state(step(scout, "complete", first)), "completed", "the task it waits for")
        same(feed.names(), ["task.completed"], "what is announced of a completion")
    same(state(step(scout, "start", second)), "in_progress", "a task whose dependency is finished")
    refused(create(scout, depends_on=["no-task"]), None, "a task that depends on nothing there is")


def akas_084(b: Bench) -> None:
    f = b.field()
    low, scout, analyst = f.join("low", 3), f.join("scout"), f.join("analyst", 5)
    senior, seventh, chief = f.join("senior", 6), f.join("seventh", 7), f.join("chief", 8)
    code = "INSUFFICIENT_AUTHORITY"
    refused(create(low), code, "an own task of authority 3")
    refused(create(analyst, assignee=scout.name), code, "a task for somebody else by authority 5")
    listed = went(chief.ask("COORDINATE", {"action": "list"}), "ok", "a COORDINATE list")
    same(listed.get("tasks") if not f.examined.shared else [], [], "tasks after nothing but refusals")
    mine, hers, his = made(scout), made(senior, assignee=scout.name), made(scout)
    refused(step(analyst, "assign", mine, assignee=scout.name), code, "to assign to somebody else by authority 5")
    refused(step(seventh, "cancel", mine), code, "to cancel somebody else's task by authority 7")
    refused(step(scout, "cancel", hers), code, "to cancel by its assignee, who did not make it")
    same(state(step(scout, "cancel", mine)), "cancelled", "cancelled by its creator")
    same(state(step(senior, "cancel", hers)), "cancelled", "cancelled by its creator")
    same(state(step(chief, "cancel", his)), "cancelled", "cancelled by authority 8")
    refused(step(scout, "cancel", "no-task"), None, "to cancel nothing")


def akas_085(b: Bench) -> None:
    f = b.field()
    scout, senior, chief = f.join("scout"), f.join("senior", 6), f.join("chief", 8)
    busy, _idle, done = (made(senior, assignee=scout.name) for _ in range(3))
    made(senior, assignee=chief.name)
    for task in (busy, done):
        went(step(scout, "start", task), "ok", "a start")
    went(step(scout, "complete", done), "ok", "a completion")
    answer = went(chief.ask("DEREGISTER", {"agent_id": scout.name}), "ok", "a DEREGISTER of a busy agent")
    same(whole(part(answer, "cleanup"), "tasks_reassigned"), 2, "tasks_reassigned")
    offer: JsonObject = {"action": "offer", "task_id": busy, "to_agent": chief.name}
    went(senior.ask("HANDOFF", offer), "offered", "a task whose agent left, offered to another")
    taken = went(chief.ask("HANDOFF", {"action": "accept", "task_id": busy}), "accepted", "and taken")
    same(part(taken, "task").get("assignee"), chief.name, "who has the task then")
