"""Tasks on their way from one agent to another: the offer, what goes with it, and who has the task afterwards."""

from __future__ import annotations

from msgspec import UNSET, UnsetType, structs, to_builtins

from muniment.contracts.akashik.authority import OTHERS, OWN, permitted
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.coordination import (
    FieldTask,
    Handoff,
    HandoffPackage,
    HandoffRequest,
    PackageInput,
    RelevantUnit,
)
from muniment.contracts.akashik.events import FieldEvent
from muniment.contracts.akashik.roster import RegisteredAgent, Roster
from muniment.contracts.akashik.tasks import LIVE, FieldTasks, announced
from muniment.contracts.akashik.words import EventName, FieldOperation, HandoffAction, TaskStatus, UnitType
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.value import Value


class Offer(Value):
    """A task that somebody gives away and nobody has taken yet."""

    task: str
    giver: str
    package: HandoffPackage
    agent: str | None = None
    role: str | None = None

    def is_for(self, member: RegisteredAgent) -> bool:
        return member.id != self.giver and (
            member.id == self.agent or (self.agent is None and member.role == self.role)
        )


class HandoffState(Value):
    """Where a HANDOFF takes place: the tasks and offers there are, who is there, who asks and in which session, and
    what the receiver of an offer is told by an ATTUNE."""

    tasks: FieldTasks
    offers: tuple[Offer, ...]
    roster: Roster
    member: RegisteredAgent
    told: JsonObject
    epoch: int
    session: str | None = None


class HandoffResult(Value):
    """What became of tasks and offers, what is answered, and what is announced."""

    tasks: FieldTasks
    offers: tuple[Offer, ...]
    answer: JsonObject
    events: tuple[FieldEvent, ...] = ()


def hand_over(floor: HandoffState, payload: Json) -> HandoffResult:
    """Take up a HANDOFF that was found valid."""
    asked = convert(payload, HandoffRequest)
    task = floor.tasks.find(asked.task_id)
    if task is None or task.session_id != floor.session:
        return _refused(floor, ErrorCode.TASK_NOT_FOUND, "there is no task of this id")
    if asked.action is HandoffAction.OFFER:
        return _offer(floor, task, asked)
    offer = next((one for one in floor.offers if one.task == task.id), None)
    if offer is None:
        return _refused(floor, ErrorCode.INVALID_TRANSITION, "the task is not on offer")
    member = floor.member
    mine = offer.giver == member.id if asked.action is HandoffAction.CANCEL else offer.is_for(member)
    if not mine or not permitted(member.authority, FieldOperation.HANDOFF, OWN):
        return _refused(floor, ErrorCode.INSUFFICIENT_AUTHORITY, "the offer is not this agent's")
    rest = tuple(one for one in floor.offers if one is not offer)
    if asked.action is HandoffAction.ACCEPT:
        return _accepted(floor, rest, task, offer)
    status = "rejected" if asked.action is HandoffAction.REJECT else "cancelled"
    answer: JsonObject = {"status": status, "task": to_builtins(task), "package": None}
    return HandoffResult(tasks=floor.tasks, offers=rest, answer=answer)


def _offer(floor: HandoffState, task: FieldTask, asked: HandoffRequest) -> HandoffResult:
    giver = floor.member
    if not permitted(giver.authority, FieldOperation.HANDOFF, OWN if task.assignee == giver.id else OTHERS):
        return _refused(floor, ErrorCode.INSUFFICIENT_AUTHORITY, "the task is not this agent's")
    if task.status not in LIVE or any(one.task == task.id for one in floor.offers):
        return _refused(floor, ErrorCode.INVALID_TRANSITION, f"it is {task.status}, or on offer already")
    offer = Offer(
        task=task.id,
        giver=giver.id,
        package=package_of(task, floor.told, asked.package),
        agent=_name(asked.to_agent),
        role=_name(asked.to_role),
    )
    receivers = tuple(one.id for one in floor.roster.members if offer.is_for(one))
    if not receivers:
        return _refused(floor, ErrorCode.AGENT_NOT_REGISTERED, "there is nobody to take it")
    event = FieldEvent(
        event=EventName.HANDOFF_INCOMING,
        epoch=floor.epoch,
        by=giver.id,
        words=f"{task.id} is offered by {giver.id}",
        task=task.id,
        session=task.session_id,
        concerns=receivers,
        addressed=True,
    )
    answer: JsonObject = {"status": "offered", "task": to_builtins(task), "package": to_builtins(offer.package)}
    return HandoffResult(tasks=floor.tasks, offers=(*floor.offers, offer), answer=answer, events=(event,))


def _accepted(floor: HandoffState, rest: tuple[Offer, ...], task: FieldTask, offer: Offer) -> HandoffResult:
    if task.status not in LIVE:
        return _refused(floor, ErrorCode.INVALID_TRANSITION, f"it is {task.status} by now")
    taker = floor.member.id
    hands = Handoff(from_agent=offer.giver, to_agent=taker, epoch=floor.epoch)
    moved = structs.replace(
        task,
        status=TaskStatus.ASSIGNED,
        assignee=taker,
        handoffs=[*task.handoffs, hands],
        epoch_updated=floor.epoch,
        flagged=UNSET,
    )
    package = package_of(task, floor.told, _said(offer.package))
    answer: JsonObject = {"status": "accepted", "task": to_builtins(moved), "package": to_builtins(package)}
    events = announced(moved, by=taker, epoch=floor.epoch, assigned=True)
    return HandoffResult(tasks=floor.tasks.put(moved), offers=rest, answer=answer, events=events)


def package_of(task: FieldTask, told: JsonObject, added: PackageInput | UnsetType | None = None) -> HandoffPackage:
    """What goes with a task: out of an ATTUNE answer that was made for the receiver, so that it holds nothing the
    receiver may not see, the units of the task and the open conflicts; and what the giver adds."""
    wish = added if isinstance(added, PackageInput) else PackageInput()
    units = [(one, _unit(one)) for one in _objects(told["record"]) if _of_task(one, task.id)]

    def contents(kind: UnitType) -> list[str]:
        return [str(unit["content"]) for _, unit in units if unit["type"] == kind]

    return HandoffPackage(
        task=task,
        summary=wish.summary or f"{task.title}: {task.status}, {len(units)} units",
        open_questions=[*(wish.open_questions or []), *contents(UnitType.QUESTION)],
        decisions=contents(UnitType.DECISION),
        assumptions=contents(UnitType.ASSUMPTION),
        unresolved_conflicts=[str(one["id"]) for one in _objects(told["conflicts"])],
        relevant_units=[
            RelevantUnit(memory_unit_id=str(unit["id"]), relevance_score=float(str(one["relevance_score"])))
            for one, unit in units
        ],
        token_budget=None if isinstance(wish.token_budget, UnsetType) else wish.token_budget,
    )


def _said(package: HandoffPackage) -> PackageInput:
    """What its giver said of a package; the rest is found again."""
    return PackageInput(
        summary=package.summary, open_questions=package.open_questions, token_budget=package.token_budget
    )


def _name(value: str | UnsetType | None) -> str | None:
    return value if isinstance(value, str) and value else None


def _of_task(scoped: JsonObject, task: str) -> bool:
    intent = _unit(scoped).get("intent")
    return isinstance(intent, dict) and intent.get("task_id") == task


def _unit(scoped: JsonObject) -> JsonObject:
    found = scoped.get("memory_unit")
    return found if isinstance(found, dict) else {}


def _objects(value: Json) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _refused(floor: HandoffState, code: ErrorCode, words: str) -> HandoffResult:
    answer = error_document(code, FieldOperation.HANDOFF, words)
    return HandoffResult(tasks=floor.tasks, offers=floor.offers, answer=answer)
