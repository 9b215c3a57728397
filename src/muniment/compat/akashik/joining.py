"""Agents come, go, and say what they want to be told: REGISTER, DEREGISTER, SUBSCRIBE."""

from __future__ import annotations

import msgspec

from muniment.compat.akashik.log import Logged, log
from muniment.compat.akashik.room import Deed, Desk, Room
from muniment.compat.akashik.state import (
    AGENTS,
    SESSIONS,
    TASKS,
    WISHES,
    FieldState,
    Held,
    Seated,
    Wished,
    jot,
    wish_key,
)
from muniment.contracts.akashik.authority import OTHERS, OWN
from muniment.contracts.akashik.codes import Code, error_document
from muniment.contracts.akashik.happenings import failed, joined
from muniment.contracts.akashik.roster import Roster, deregister, register
from muniment.contracts.akashik.subscriptions import Book, subscribe
from muniment.contracts.akashik.tasks import Tasks, left
from muniment.contracts.akashik.words import AgentStatus, Operation, SubscribeAction
from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment.model.note import Jot

FAIL = "FAIL"


def take_in(room: Room, desk: Desk) -> JsonObject:
    """REGISTER. The credential has to speak for the agent, and gives it no more authority than it has itself."""
    name = str(desk.letter.payload["id"])
    if not room.lends(desk.letter.credential, name):
        words = "this credential does not speak for that agent"
        return error_document(Code.UNAUTHENTICATED, Operation.REGISTER, words)
    checks.identifier("id", name)
    credential = desk.letter.credential.actor

    def step(state: FieldState, epoch: int) -> Deed:
        known = state.member(name)
        roster = Roster(level=room.settings.level, members=(known,) if known is not None else ())
        after, answer = register(roster, desk.letter.payload, authority=credential.authority)
        member = after.member(name)
        if answer.get("status") != "registered" or member is None:
            return Deed(answer=answer)
        entry = Logged(what="register", agent=name, words=f"{name} joined", events=(joined(name, epoch=epoch),))
        seat = jot(AGENTS, name, Seated(member=member, by=credential.id))
        return Deed(answer=answer, jots=(*_cleared(state, name), seat, log(entry)))

    return room.turn(desk, step)


def let_go(room: Room, desk: Desk) -> JsonObject:
    """DEREGISTER. What the agent recorded stays; its tasks are flagged; what it wanted to be told, and its places in
    sessions, go with it."""
    name = str(desk.letter.payload["agent_id"])
    own = name == desk.member.id
    if (refused := room.barred(desk.member, Operation.DEREGISTER, OWN if own else OTHERS)) is not None:
        return refused
    with room.looking(desk, everything=own) as look:
        units = look.count(author=name)

    def step(state: FieldState, epoch: int) -> Deed:
        known = state.member(name)
        tasks = tuple(held.task for held in state.tasks.values())
        after, orphans = left(Tasks(all=tasks), name)
        roster = Roster(level=room.settings.level, members=(known,) if known is not None else ())
        _, answer = deregister(roster, name, units=units, tasks=orphans)
        entry = Logged(what="deregister", agent=desk.member.id, words=f"{name} left")
        if known is None:
            return Deed(answer=answer, jots=(log(entry),))
        gone = Jot(topic=AGENTS, key=name)
        return Deed(answer=answer, jots=(gone, *_flags(state, after), *_cleared(state, name), log(entry)))

    return room.turn(desk, step)


def give_up(room: Room, desk: Desk, name: str, reason: str) -> JsonObject:
    """An operation of our extension: an agent failed, as it says itself, or as somebody found who may let others go.
    What it had in hand is flagged for another; it can do nothing more until it registers again."""
    if name != desk.member.id and (refused := room.barred(desk.member, Operation.DEREGISTER, OTHERS)) is not None:
        return refused

    def step(state: FieldState, epoch: int) -> Deed:
        known = state.agents.get(name)
        if known is None:
            words = "there is no registered agent of this id"
            return Deed(answer=error_document(Code.AGENT_NOT_REGISTERED, FAIL, words))
        if known.member.status is AgentStatus.FAILED:
            return Deed(answer=error_document(Code.INVALID_TRANSITION, FAIL, "the agent has failed already"))
        after, orphans = left(Tasks(all=tuple(one.task for one in state.tasks.values())), name)
        member = msgspec.structs.replace(known.member, status=AgentStatus.FAILED)
        entry = Logged(
            what="fail",
            agent=desk.member.id,
            words=f"{name} failed: {reason}",
            events=(failed(name, by=desk.member.id, epoch=epoch),),
        )
        answer: JsonObject = {"status": "failed", "agent": member.document, "tasks_reassigned": orphans, "epoch": epoch}
        seat = jot(AGENTS, name, Seated(member=member, by=known.by))
        return Deed(answer=answer, jots=(seat, *_flags(state, after), log(entry)), keep=False)

    return room.turn(desk, step)


def _flags(state: FieldState, after: Tasks) -> list[Jot]:
    return [jot(TASKS, one, Held(task=state.tasks[one].task, flagged=True)) for one in sorted(after.flagged)]


def _cleared(state: FieldState, agent: str) -> list[Jot]:
    """What an agent wanted to be told, and its places in sessions, taken away: whoever has its name starts anew."""
    ended = [Jot(topic=WISHES, key=key) for key, wished in state.wishes.items() if wished.wish.agent == agent]
    return [*ended, *_unseated(state, agent)]


def _unseated(state: FieldState, agent: str) -> list[Jot]:
    """The sessions an agent was in, without it."""
    found = []
    for name, session in state.sessions.items():
        others = [one for one in session.members if one.agent_id != agent]
        if len(others) < len(session.members):
            found.append(jot(SESSIONS, name, msgspec.structs.replace(session, members=others)))
    return found


def listen(room: Room, desk: Desk) -> JsonObject:
    """SUBSCRIBE. A subscription counts from the epoch at which it was made."""
    if (refused := room.barred(desk.member, Operation.SUBSCRIBE)) is not None:
        return refused
    agent, action = desk.member.id, SubscribeAction(str(desk.letter.payload["action"]))

    def step(state: FieldState, epoch: int) -> Deed:
        mine = {key: one for key, one in state.wishes.items() if one.wish.agent == agent}
        fresh = f"sub-{state.position + 1}"
        after, answer = subscribe(
            Book(wishes=tuple(one.wish for one in mine.values())), agent, desk.letter.payload, fresh=fresh
        )
        if "code" in answer:
            return Deed(answer=answer)
        entry = log(Logged(what=f"subscribe.{action}", agent=agent, words=f"{agent}: {action}"))
        if action is SubscribeAction.LIST:
            return Deed(answer=answer, jots=(entry,), keep=False)
        left_ = {one.id: one for one in after.wishes}
        made = [one for name, one in left_.items() if wish_key(agent, name) not in mine]
        jots = [jot(WISHES, wish_key(agent, one.id), Wished(wish=one, since=state.position + 1)) for one in made]
        jots += [Jot(topic=WISHES, key=key) for key, one in mine.items() if one.wish.id not in left_]
        return Deed(answer={**answer, "epoch": epoch} if made else answer, jots=(*jots, entry))

    return room.turn(desk, step)
