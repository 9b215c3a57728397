"""The tasks of a Field as a value, and what a COORDINATE makes of them: a step of the table, or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from msgspec import UNSET, structs, to_builtins

from muniment.contracts.akashik.authority import CANCEL, OTHERS, OWN, permitted
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.coordination import CoordinateRequest, FieldTask, TaskInput
from muniment.contracts.akashik.events import FieldEvent
from muniment.contracts.akashik.roster import RegisteredAgent, Roster
from muniment.contracts.akashik.words import AgentStatus, EventName, FieldOperation, TaskAction, TaskStatus
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.value import Value

PRIORITY = 0.5

STEPS: dict[TaskAction, tuple[frozenset[TaskStatus], TaskStatus]] = {
    TaskAction.ASSIGN: (frozenset({TaskStatus.PENDING}), TaskStatus.ASSIGNED),
    TaskAction.CLAIM: (frozenset({TaskStatus.PENDING}), TaskStatus.ASSIGNED),
    TaskAction.RELEASE: (frozenset({TaskStatus.ASSIGNED}), TaskStatus.PENDING),
    TaskAction.START: (frozenset({TaskStatus.ASSIGNED}), TaskStatus.IN_PROGRESS),
    TaskAction.BLOCK: (frozenset({TaskStatus.IN_PROGRESS}), TaskStatus.BLOCKED),
    TaskAction.UNBLOCK: (frozenset({TaskStatus.BLOCKED}), TaskStatus.IN_PROGRESS),
    TaskAction.COMPLETE: (frozenset({TaskStatus.IN_PROGRESS}), TaskStatus.COMPLETED),
    TaskAction.FAIL: (frozenset({TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED}), TaskStatus.FAILED),
    TaskAction.RETRY: (frozenset({TaskStatus.FAILED}), TaskStatus.PENDING),
    TaskAction.CANCEL: (
        frozenset(set(TaskStatus) - {TaskStatus.COMPLETED, TaskStatus.CANCELLED}),
        TaskStatus.CANCELLED,
    ),
}
"""From which states an action leads to which. To give a task in hand to somebody else is a HANDOFF."""

LIVE = (TaskStatus.ASSIGNED, TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED)
OVER = (TaskStatus.COMPLETED, TaskStatus.CANCELLED)
OVER_LISTED = 1_000
"""So many of the tasks that are over are listed, the last that were made."""
IDENTIFIER = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class FieldTasks(Value):
    """All tasks of a Field. `flagged` are those whose agent left."""

    all: tuple[FieldTask, ...] = ()
    flagged: frozenset[str] = frozenset()

    def find(self, name: str) -> FieldTask | None:
        return next((one for one in self.all if one.id == name), None)

    def put(self, task: FieldTask) -> FieldTasks:
        """The same with this task in the place of the one of its id, or beside the others."""
        known = self.find(task.id) is not None
        every = tuple(task if one.id == task.id else one for one in self.all)
        flagged = self.flagged if task.id not in self.flagged else self.flagged - {task.id}
        return FieldTasks(all=every if known else (*every, task), flagged=flagged)


class TaskResult(Value):
    """What became of the tasks, what is answered, and what is announced."""

    tasks: FieldTasks
    answer: JsonObject
    events: tuple[FieldEvent, ...] = ()


class TaskContext(Value):
    """What is around the tasks of a circle: who is registered, and which names of tasks are taken anywhere. What is not
    known, None, is not asked after."""

    agents: Container[str] | None = None
    taken: Container[str] | None = None


NOWHERE = TaskContext()


def coordinate(
    tasks: FieldTasks,
    payload: Json,
    member: RegisteredAgent,
    *,
    epoch: int,
    fresh: str,
    session: str | None = None,
    around: TaskContext = NOWHERE,
) -> TaskResult:
    """Take up a COORDINATE that was found valid. `fresh` names a task that is made, `session` is the caller's: a task
    of another session is not there for it."""
    asked = convert(payload, CoordinateRequest)
    wish = TaskInput() if asked.task is UNSET else asked.task
    if asked.action is TaskAction.LIST:
        return _told(tasks, listed([one for one in tasks.all if one.session_id == session]))
    if wish.session_id is not UNSET and (wish.session_id or None) != session:
        return _refused(
            tasks, ErrorCode.INVALID_PAYLOAD, "task.session_id: a task belongs to the session of its message"
        )
    if asked.action is TaskAction.CREATE:
        return _create(tasks, wish, member, epoch=epoch, fresh=_named(wish, fresh), session=session, around=around)
    task = tasks.find("" if wish.id is UNSET else wish.id)
    if task is None or task.session_id != session:
        return _refused(tasks, ErrorCode.TASK_NOT_FOUND, "there is no task of this id")
    if asked.action is TaskAction.GET:
        return _told(tasks, task)
    refused = _refusal(tasks, task, asked.action, wish, member) or _unmanned(tasks, wish, around)
    if refused is not None:
        return refused
    return _stepped(tasks, task, asked.action, wish, member, epoch)


def listed(tasks: Sequence[FieldTask]) -> list[FieldTask]:
    """What a list tells: everything that is not over, and the last of what is."""
    over = [one.id for one in tasks if one.status in OVER]
    dropped = frozenset(over[: max(0, len(over) - OVER_LISTED)])
    return [one for one in tasks if one.id not in dropped]


def _named(wish: TaskInput, fresh: str) -> str:
    """The name that the caller gives a task, or else a fresh one."""
    return fresh if wish.id is UNSET or not wish.id.strip() else wish.id


def _unmanned(tasks: FieldTasks, wish: TaskInput, around: TaskContext) -> TaskResult | None:
    """Why a task cannot be given to somebody: there is nobody of that name."""
    if around.agents is None or wish.assignee is UNSET or not wish.assignee or wish.assignee in around.agents:
        return None
    return _refused(tasks, ErrorCode.AGENT_NOT_REGISTERED, "task.assignee: there is no registered agent of this id")


def _create(
    tasks: FieldTasks,
    wish: TaskInput,
    member: RegisteredAgent,
    *,
    epoch: int,
    fresh: str,
    session: str | None,
    around: TaskContext,
) -> TaskResult:
    assignee = None if wish.assignee is UNSET or not wish.assignee else wish.assignee
    detail = OWN if assignee in (None, member.id) else OTHERS
    if not permitted(member.authority, FieldOperation.COORDINATE, detail):
        return _barred(tasks)
    if tasks.find(fresh) is not None or (around.taken is not None and fresh in around.taken):
        return _refused(tasks, ErrorCode.INVALID_PAYLOAD, "task.id: this name is taken")
    if IDENTIFIER.fullmatch(fresh) is None:
        return _refused(tasks, ErrorCode.INVALID_PAYLOAD, "task.id: expected letters, digits, and any of . _ : -")
    if (wrong := _unmanned(tasks, wish, around)) is not None:
        return wrong
    depends = [] if wish.depends_on is UNSET else wish.depends_on
    if lost := [name for name in depends if tasks.find(name) is None]:
        return _refused(tasks, ErrorCode.TASK_NOT_FOUND, f"it would depend on what is not there: {', '.join(lost)}")
    task = FieldTask(
        id=fresh,
        title=str(wish.title),
        goal="" if wish.goal is UNSET else wish.goal,
        status=TaskStatus.PENDING if assignee is None else TaskStatus.ASSIGNED,
        assignee=assignee,
        created_by=member.id,
        session_id=session,
        depends_on=depends,
        priority=PRIORITY if wish.priority is UNSET else wish.priority,
        result_unit_ids=[],
        handoffs=[],
        epoch_created=epoch,
        epoch_updated=epoch,
    )
    return _announced(tasks, task, member, epoch)


def _refusal(
    tasks: FieldTasks, task: FieldTask, action: TaskAction, wish: TaskInput, member: RegisteredAgent
) -> TaskResult | None:
    if not _may(task, action, wish, member):
        return _barred(tasks)
    if task.status not in STEPS[action][0]:
        return _refused(tasks, ErrorCode.INVALID_TRANSITION, f"a task that is {task.status} takes no {action}")
    waits = [name for name in task.depends_on if (one := tasks.find(name)) and one.status is not TaskStatus.COMPLETED]
    if action is TaskAction.START and waits:
        return _refused(tasks, ErrorCode.INVALID_TRANSITION, f"it waits for {', '.join(waits)}")
    results = [] if wish.result_unit_ids is UNSET else wish.result_unit_ids
    if action is TaskAction.COMPLETE and not results and not (wish.summary is not UNSET and wish.summary.strip()):
        return _refused(tasks, ErrorCode.INVALID_PAYLOAD, "task.summary or task.result_unit_ids: say what came of it")
    return None


def _may(task: FieldTask, action: TaskAction, wish: TaskInput, member: RegisteredAgent) -> bool:
    """Whether a member may do this to a task: its own with little authority, those of others with more."""
    authority = member.authority
    if action is TaskAction.CANCEL:
        return task.created_by == member.id or permitted(authority, FieldOperation.COORDINATE, CANCEL)
    if action is TaskAction.ASSIGN:
        return permitted(authority, FieldOperation.COORDINATE, OWN if wish.assignee == member.id else OTHERS)
    own = action is TaskAction.CLAIM or task.assignee == member.id or (task.assignee is None and _made(task, member))
    return permitted(authority, FieldOperation.COORDINATE, OWN if own else OTHERS)


def _made(task: FieldTask, member: RegisteredAgent) -> bool:
    return task.created_by == member.id


def _stepped(
    tasks: FieldTasks, task: FieldTask, action: TaskAction, wish: TaskInput, member: RegisteredAgent, epoch: int
) -> TaskResult:
    after = STEPS[action][1]
    assignee = task.assignee
    if action is TaskAction.ASSIGN:
        assignee = None if wish.assignee is UNSET else wish.assignee
    elif action is TaskAction.CLAIM:
        assignee = member.id
    elif after is TaskStatus.PENDING:
        assignee = None
    results = task.result_unit_ids if wish.result_unit_ids is UNSET else wish.result_unit_ids
    flagged = task.flagged if assignee == task.assignee and after in LIVE else UNSET
    moved = structs.replace(
        task, status=after, assignee=assignee, result_unit_ids=results, epoch_updated=epoch, flagged=flagged
    )
    return _announced(tasks, moved, member, epoch)


def _announced(tasks: FieldTasks, task: FieldTask, member: RegisteredAgent, epoch: int) -> TaskResult:
    before = tasks.find(task.id)
    events = announced(task, by=member.id, epoch=epoch, assigned=before is None or before.assignee != task.assignee)
    effects: JsonObject = {
        "events": [one.event.value for one in events],
        "notified_agents": [task.assignee] if task.assignee not in (None, member.id) else [],
    }
    answer: JsonObject = {"status": "ok", "task": to_builtins(task), "side_effects": effects}
    return TaskResult(tasks=tasks.put(task), answer=answer, events=events)


def announced(task: FieldTask, *, by: str, epoch: int, assigned: bool) -> tuple[FieldEvent, ...]:
    """What is told when a task has become what it is: always its state, and whose it is or that it is done."""
    names = [EventName.TASK_STATE_CHANGED]
    if task.status is TaskStatus.ASSIGNED and assigned:
        names.append(EventName.TASK_ASSIGNED)
    if task.status is TaskStatus.COMPLETED:
        names.append(EventName.TASK_COMPLETED)
    concerns = (task.assignee,) if task.assignee is not None else ()
    return tuple(
        FieldEvent(
            event=name,
            epoch=epoch,
            by=by,
            words=f"{task.id} is {task.status}",
            task=task.id,
            session=task.session_id,
            concerns=concerns,
        )
        for name in names
    )


def left(tasks: FieldTasks, agent: str) -> tuple[FieldTasks, int]:
    """The tasks after an agent left: those it had in hand are flagged, and how many they are."""
    orphans = frozenset(one.id for one in tasks.all if one.assignee == agent and one.status in LIVE)
    return structs.replace(tasks, flagged=tasks.flagged | orphans), len(orphans)


def busied(roster: Roster, tasks: FieldTasks) -> Roster:
    """The roster with what each agent does: it works on a task in progress, waits for one that is blocked, is idle
    otherwise. What it has in hand is its current task."""
    held: dict[str, list[FieldTask]] = {}
    for task in tasks.all:
        if task.assignee is not None and task.status in LIVE:
            held.setdefault(task.assignee, []).append(task)
    return structs.replace(roster, members=tuple(_busied(one, held.get(one.id, [])) for one in roster.members))


def _busied(member: RegisteredAgent, mine: Sequence[FieldTask]) -> RegisteredAgent:
    if member.status is AgentStatus.FAILED:
        return structs.replace(member, task=None)
    states = {TaskStatus.IN_PROGRESS: AgentStatus.WORKING, TaskStatus.BLOCKED: AgentStatus.WAITING}
    for status in (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.ASSIGNED):
        for task in mine:
            if task.status is status:
                return structs.replace(member, status=states.get(status, AgentStatus.IDLE), task=task.id)
    return structs.replace(member, status=AgentStatus.IDLE, task=None)


def _told(tasks: FieldTasks, found: FieldTask | list[FieldTask]) -> TaskResult:
    effects: JsonObject = {"events": [], "notified_agents": []}
    name = "tasks" if isinstance(found, list) else "task"
    return TaskResult(tasks=tasks, answer={"status": "ok", name: to_builtins(found), "side_effects": effects})


def _refused(tasks: FieldTasks, code: ErrorCode, words: str) -> TaskResult:
    return TaskResult(tasks=tasks, answer=error_document(code, FieldOperation.COORDINATE, words))


def _barred(tasks: FieldTasks) -> TaskResult:
    return _refused(tasks, ErrorCode.INSUFFICIENT_AUTHORITY, "this takes more authority")
