"""Work that is shared: COORDINATE, HANDOFF and SESSION, each a step of its table decided on what stands."""

from __future__ import annotations

from secrets import token_hex

import msgspec

from muniment.compat.akashik.attunement import candidates, telling
from muniment.compat.akashik.context import Effect, FieldContext, MessageContext, seated
from muniment.compat.akashik.operation_log import LoggedOperation, log
from muniment.compat.akashik.state import OFFERS, SESSIONS, TASKS, FieldState, held, jot
from muniment.contracts.akashik.commands import FieldCaller
from muniment.contracts.akashik.coordination import FieldTask, PackageInput
from muniment.contracts.akashik.decode import decode_attune
from muniment.contracts.akashik.encode import attune_response
from muniment.contracts.akashik.handoffs import HandoffState, Offer, hand_over, package_of
from muniment.contracts.akashik.roster import RegisteredAgent, Roster
from muniment.contracts.akashik.sessions import FieldSessions, decide_session
from muniment.contracts.akashik.tasks import LIVE, FieldTasks, TaskContext, coordinate
from muniment.contracts.akashik.words import HandoffAction, SessionAction, TaskAction
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.note import NoteDraft

_TOLD = {TaskAction.GET.value, TaskAction.LIST.value, SessionAction.GET.value, SessionAction.LIST.value}
"""Actions that change nothing."""
UNGUESSED = 12
"""So many random bytes are in the id of a session: who knows it was invited."""


def tasks_here(state: FieldState, session: str | None) -> FieldTasks:
    """The tasks of one session, or of none: for everybody else there are no others."""
    return FieldTasks(all=tuple(one.told for one in state.tasks.values() if one.task.session_id == session))


def tasks_meant(state: FieldState, session: str | None, payload: JsonObject) -> FieldTasks:
    """Those of them that a COORDINATE is about: all for a list, else the one it names and what that waits for."""
    if payload["action"] == TaskAction.LIST:
        return tasks_here(state, session)
    wish = payload.get("task")
    said = wish if isinstance(wish, dict) else {}
    named, waits = state.tasks.get(str(said.get("id"))), said.get("depends_on")
    names = [str(said.get("id")), *(map(str, waits) if isinstance(waits, list) else ())]
    names += named.task.depends_on if named is not None else ()
    found = (state.tasks.get(name) for name in dict.fromkeys(names))
    return FieldTasks(all=tuple(one.told for one in found if one is not None and one.task.session_id == session))


def work(room: FieldContext, desk: MessageContext) -> JsonObject:
    """COORDINATE."""
    action, session = str(desk.letter.payload["action"]), desk.letter.session

    def step(state: FieldState, epoch: int) -> Effect:
        here = tasks_meant(state, session, desk.letter.payload)
        turn = coordinate(
            here,
            desk.letter.payload,
            desk.member,
            epoch=epoch,
            fresh=_fresh(state),
            session=session,
            around=TaskContext(agents=state.agents, taken=state.tasks),
        )
        if "code" in turn.answer:
            return Effect(answer=turn.answer)
        moved = _changed(here, turn.tasks)
        name = moved[0].id if moved else None
        words = f"{name} is {moved[0].status}{_summed(desk)}" if moved else f"{desk.member.id}: {action}"
        entry = LoggedOperation(
            what=f"task.{action}",
            agent=desk.member.id,
            words=words,
            task=name,
            session=session,
            events=turn.events,
        )
        jots = [jot(TASKS, task.id, held(task)) for task in moved]
        jots += [NoteDraft(topic=OFFERS, key=task.id) for task in moved if _lapsed(state, task)]
        return Effect(answer=turn.answer, jots=(*jots, log(entry)), keep=action not in _TOLD)

    return room.turn(desk, step)


def _fresh(state: FieldState) -> str:
    """A name that no task has."""
    name = f"task-{state.position + 1}"
    while name in state.tasks:
        name += "-1"
    return name


def _summed(desk: MessageContext) -> str:
    """What the caller says of the task beside its state; the log is where that is kept."""
    task = desk.letter.payload.get("task")
    summary = task.get("summary") if isinstance(task, dict) else None
    return f": {summary}" if isinstance(summary, str) and summary.strip() else ""


def _lapsed(state: FieldState, task: FieldTask) -> bool:
    """Whether an offer of a task means nothing any more: it is in other hands, or in none."""
    before = state.tasks.get(task.id)
    return task.id in state.offers and (
        task.status not in LIVE or before is None or before.task.assignee != task.assignee
    )


def meet(room: FieldContext, desk: MessageContext) -> JsonObject:
    """SESSION."""
    action = str(desk.letter.payload["action"])
    fresh = f"session-{token_hex(UNGUESSED)}"

    def step(state: FieldState, epoch: int) -> Effect:
        here = FieldSessions(all=tuple(state.sessions.values()))
        sitting = decide_session(here, desk.letter.payload, desk.member, epoch=epoch, fresh=fresh)
        if "code" in sitting.answer:
            return Effect(answer=sitting.answer)
        moved = [one for one in sitting.sessions.all if one is not state.sessions.get(one.id)]
        name = moved[0].id if moved else None
        words = f"{name}: {action}, now {moved[0].status}" if moved else f"{desk.member.id}: {action}"
        entry = LoggedOperation(
            what=f"session.{action}", agent=desk.member.id, words=words, session=name, events=sitting.events
        )
        jots = [jot(SESSIONS, one.id, one) for one in moved]
        return Effect(answer=sitting.answer, jots=(*jots, log(entry)), keep=action not in _TOLD)

    return room.turn(desk, step)


def pass_on(room: FieldContext, desk: MessageContext) -> JsonObject:
    """HANDOFF. What is noted of an offer holds no words of units: the package is made anew for whoever is told it."""
    if (kept := desk.answered(room.notebook)) is not None:
        return kept if "code" in kept else _retold(room, desk, kept)
    action = HandoffAction(str(desk.letter.payload["action"]))
    receiver = _receiver(desk, action)
    told = _told(room, desk, receiver) if action in (HandoffAction.OFFER, HandoffAction.ACCEPT) else _NOTHING
    whole: list[JsonObject] = []

    def step(state: FieldState, epoch: int) -> Effect:
        floor = HandoffState(
            tasks=_one(state, str(desk.letter.payload["task_id"])),
            offers=tuple(one for one in (state.offers.get(str(desk.letter.payload["task_id"])),) if one is not None),
            roster=Roster(members=tuple(one.member for one in state.agents.values())),
            member=desk.member,
            told=told,
            epoch=epoch,
            session=desk.letter.session,
        )
        passed = hand_over(floor, desk.letter.payload)
        if "code" in passed.answer:
            return Effect(answer=passed.answer)
        task = str(desk.letter.payload["task_id"])
        whole[:] = [passed.answer]
        entry = LoggedOperation(
            what=f"handoff.{action}",
            agent=desk.member.id,
            words=f"{task}: {action} by {desk.member.id}",
            task=task,
            session=desk.letter.session,
            events=passed.events,
        )
        asked = _asked(desk, floor.offers)
        bare: JsonObject = {**passed.answer, "package": _bare(passed.answer["package"], asked)}
        offers = _offers(floor.offers, passed.offers, asked)
        return Effect(answer=bare, jots=(*offers, *_moved(floor.tasks, passed.tasks), log(entry)))

    answer = room.turn(desk, step)
    return whole[0] if whole and "code" not in answer else answer


def _one(state: FieldState, name: str) -> FieldTasks:
    """A task alone; whose business it is, a HANDOFF asks itself."""
    found = state.tasks.get(name)
    return FieldTasks(all=(found.told,) if found is not None else ())


_NOTHING: JsonObject = {"record": [], "conflicts": []}


def _receiver(desk: MessageContext, action: HandoffAction) -> RegisteredAgent:
    """For whom a package is made: who is named, somebody of the role that is named, or who accepts it."""
    if action is not HandoffAction.OFFER:
        return desk.member
    name, role = desk.letter.payload.get("to_agent"), desk.letter.payload.get("to_role")
    found = desk.state.member(name) if isinstance(name, str) else None
    if found is None and isinstance(role, str):
        found = next((one.member for one in desk.state.agents.values() if one.member.role == role), None)
    return found if found is not None else desk.member


def _told(room: FieldContext, desk: MessageContext, receiver: RegisteredAgent) -> JsonObject:
    """What an ATTUNE on the task tells the receiver, of that what the caller may see too."""
    wish = desk.letter.payload.get("package")
    budget = wish.get("token_budget") if isinstance(wish, dict) else None
    scope: JsonObject = {"role": receiver.role, "max_units": 100, "include_own": True}
    scope["active_task_id"] = desk.letter.payload["task_id"]
    if isinstance(budget, int) and budget > 0:
        scope["max_tokens"] = budget
    other = seated(room, desk.letter, desk.state, receiver)
    caller = FieldCaller(id=receiver.id, role=receiver.role, session=desk.letter.session)
    command = decode_attune({"scope": scope}, caller)
    with room.looking(other) as look, room.looking(desk) as own:
        every, _ = candidates(look, command)
        found = [one for one in every if receiver is desk.member or own.unit(one.record.id)]
        disputes = look.open_of(one for one in found if one.standing.status.value == "contested")
        disputes = [one for one in disputes if own.unit(one.a.record.id) and own.unit(one.b.record.id)]
    return attune_response(found, disputes, command, caller, epoch=0, telling=telling(room, desk))


def _asked(desk: MessageContext, offers: tuple[Offer, ...]) -> list[str]:
    """The questions that the giver put beside a task."""
    wish = desk.letter.payload.get("package")
    said = wish.get("open_questions") if isinstance(wish, dict) else None
    if isinstance(said, list):
        return [str(one) for one in said]
    offer = next((one for one in offers if one.task == desk.letter.payload["task_id"]), None)
    return offer.package.open_questions if offer is not None else []


def _offers(before: tuple[Offer, ...], after: tuple[Offer, ...], asked: list[str]) -> list[NoteDraft]:
    gone = [NoteDraft(topic=OFFERS, key=one.task) for one in before if one not in after]
    made = [one for one in after if one not in before]
    return [*gone, *(jot(OFFERS, one.task, _stripped(one, asked)) for one in made)]


def _moved(before: FieldTasks, after: FieldTasks) -> list[NoteDraft]:
    return [jot(TASKS, task.id, held(task)) for task in _changed(before, after)]


def _changed(before: FieldTasks, after: FieldTasks) -> list[FieldTask]:
    """The tasks that are others than they were, or new."""
    known = {id(task) for task in before.all}
    return [task for task in after.all if id(task) not in known]


def _stripped(offer: Offer, asked: list[str]) -> Offer:
    """An offer without what its package says of units."""
    package = msgspec.structs.replace(
        offer.package, decisions=[], assumptions=[], unresolved_conflicts=[], relevant_units=[], open_questions=asked
    )
    return msgspec.structs.replace(offer, package=package)


def _bare(package: Json, asked: list[str]) -> Json:
    """What is kept of a package for when its message comes again: what the giver said of it."""
    if not isinstance(package, dict):
        return None
    return {"summary": package["summary"], "open_questions": list[Json](asked), "token_budget": package["token_budget"]}


def _retold(room: FieldContext, desk: MessageContext, kept: JsonObject) -> JsonObject:
    """A kept answer with its package made anew."""
    said = kept["package"]
    if not isinstance(said, dict):
        return kept
    action = HandoffAction(str(desk.letter.payload["action"]))
    task = convert(kept["task"], FieldTask)
    wish = convert(said, PackageInput)
    package = package_of(task, _told(room, desk, _receiver(desk, action)), wish)
    return {**kept, "package": msgspec.to_builtins(package)}
