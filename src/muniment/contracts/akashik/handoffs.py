"""Tasks on their way from one agent to another: the offer, what goes with it, and who has the task afterwards."""

from __future__ import annotations

from msgspec import UNSET, UnsetType, structs, to_builtins

from muniment.contracts.akashik.authority import OTHERS, OWN, permitted
from muniment.contracts.akashik.codes import Code, error_document
from muniment.contracts.akashik.coordination import (
    Handoff,
    HandoffPackage,
    HandoffRequest,
    PackageWish,
    RelevantUnit,
    Task,
)
from muniment.contracts.akashik.happenings import Happened
from muniment.contracts.akashik.roster import Member, Roster
from muniment.contracts.akashik.tasks import LIVE, Tasks, announced
from muniment.contracts.akashik.words import EventName, HandoffAction, Operation, TaskStatus, UnitType
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

    def is_for(self, member: Member) -> bool:
        return member.id != self.giver and (
            member.id == self.agent or (self.agent is None and member.role == self.role)
        )


class Floor(Value):
    """Where a HANDOFF takes place: the tasks and offers there are, who is there, who asks and in which session, and
    what the receiver of an offer is told by an ATTUNE."""

    tasks: Tasks
    offers: tuple[Offer, ...]
    roster: Roster
    member: Member
    told: JsonObject
    epoch: int
    session: str | None = None


class Passing(Value):
    """What became of tasks and offers, what is answered, and what is announced."""

    tasks: Tasks
    offers: tuple[Offer, ...]
    answer: JsonObject
    events: tuple[Happened, ...] = ()


def hand_over(floor: Floor, payload: Json) -> Passing:
    """Take up a HANDOFF that was found valid."""
    asked = convert(payload, HandoffRequest)
    task = floor.tasks.find(asked.task_id)
    if task is None or task.session_id != floor.session:
        return _refused(floor, Code.TASK_NOT_FOUND, "there is no task of this id")
    if asked.action is HandoffAction.OFFER:
        return _offer(floor, task, asked)
    offer = next((one for one in floor.offers if one.task == task.id), None)
    if offer is None:
        return _refused(floor, Code.INVALID_TRANSITION, "the task is not on offer")
    member = floor.member
    mine = offer.giver == member.id if asked.action is HandoffAction.CANCEL else offer.is_for(member)
    if not mine or not permitted(member.authority, Operation.HANDOFF, OWN):
        return _refused(floor, Code.INSUFFICIENT_AUTHORITY, "the offer is not this agent's")
    rest = tuple(one for one in floor.offers if one is not offer)
    if asked.action is HandoffAction.ACCEPT:
        return _accepted(floor, rest, task, offer)
    status = "rejected" if asked.action is HandoffAction.REJECT else "cancelled"
    answer: JsonObject = {"status": status, "task": to_builtins(task), "package": None}
    return Passing(tasks=floor.tasks, offers=rest, answer=answer)


def _offer(floor: Floor, task: Task, asked: HandoffRequest) -> Passing:
    giver = floor.member
    if not permitted(giver.authority, Operation.HANDOFF, OWN if task.assignee == giver.id else OTHERS):
        return _refused(floor, Code.INSUFFICIENT_AUTHORITY, "the task is not this agent's")
    if task.status not in LIVE or any(one.task == task.id for one in floor.offers):
        return _refused(floor, Code.INVALID_TRANSITION, f"it is {task.status}, or on offer already")
    offer = Offer(
        task=task.id,
        giver=giver.id,
        package=package_of(task, floor.told, asked.package),
        agent=_name(asked.to_agent),
        role=_name(asked.to_role),
    )
    receivers = tuple(one.id for one in floor.roster.members if offer.is_for(one))
    if not receivers:
        return _refused(floor, Code.AGENT_NOT_REGISTERED, "there is nobody to take it")
    event = Happened(
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
    return Passing(tasks=floor.tasks, offers=(*floor.offers, offer), answer=answer, events=(event,))


def _accepted(floor: Floor, rest: tuple[Offer, ...], task: Task, offer: Offer) -> Passing:
    if task.status not in LIVE:
        return _refused(floor, Code.INVALID_TRANSITION, f"it is {task.status} by now")
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
    return Passing(tasks=floor.tasks.put(moved), offers=rest, answer=answer, events=events)


def package_of(task: Task, told: JsonObject, added: PackageWish | UnsetType | None = None) -> HandoffPackage:
    """What goes with a task: out of an ATTUNE answer that was made for the receiver, so that it holds nothing the
    receiver may not see, the units of the task and the open conflicts; and what the giver adds."""
    wish = added if isinstance(added, PackageWish) else PackageWish()
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


def _said(package: HandoffPackage) -> PackageWish:
    """What its giver said of a package; the rest is found again."""
    return PackageWish(
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


def _refused(floor: Floor, code: Code, words: str) -> Passing:
    answer = error_document(code, Operation.HANDOFF, words)
    return Passing(tasks=floor.tasks, offers=floor.offers, answer=answer)
