"""Agents come, go, and say what they want to be told: REGISTER, DEREGISTER, SUBSCRIBE."""

from __future__ import annotations

import msgspec

from muniment.compat.akashik.context import Effect, FieldContext, MessageContext
from muniment.compat.akashik.operation_log import LoggedOperation, log
from muniment.compat.akashik.state import (
    AGENTS,
    SESSIONS,
    TASKS,
    WISHES,
    FieldState,
    RegistrationState,
    SubscriptionState,
    TaskState,
    jot,
    wish_key,
)
from muniment.contracts.akashik.authority import OTHERS, OWN
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.events import failed, joined
from muniment.contracts.akashik.roster import Roster, deregister, register
from muniment.contracts.akashik.subscriptions import SubscriptionBook, subscribe
from muniment.contracts.akashik.tasks import FieldTasks, left
from muniment.contracts.akashik.words import AgentStatus, FieldOperation, SubscribeAction
from muniment.contracts.strict.values import JsonObject
from muniment.model import checks
from muniment.model.note import NoteDraft

FAIL = "FAIL"


def take_in(room: FieldContext, desk: MessageContext) -> JsonObject:
    """REGISTER. The credential has to speak for the agent, and gives it no more authority than it has itself."""
    name = str(desk.letter.payload["id"])
    if not room.lends(desk.letter.credential, name):
        words = "this credential does not speak for that agent"
        return error_document(ErrorCode.UNAUTHENTICATED, FieldOperation.REGISTER, words)
    checks.identifier("id", name)
    credential = desk.letter.credential.actor

    def step(state: FieldState, epoch: int) -> Effect:
        known = state.member(name)
        roster = Roster(level=room.settings.level, members=(known,) if known is not None else ())
        after, answer = register(roster, desk.letter.payload, authority=credential.authority)
        member = after.member(name)
        if answer.get("status") != "registered" or member is None:
            return Effect(answer=answer)
        entry = LoggedOperation(
            what="register", agent=name, words=f"{name} joined", events=(joined(name, epoch=epoch),)
        )
        seat = jot(AGENTS, name, RegistrationState(member=member, by=credential.id))
        return Effect(answer=answer, jots=(*_cleared(state, name), seat, log(entry)))

    return room.turn(desk, step)


def let_go(room: FieldContext, desk: MessageContext) -> JsonObject:
    """DEREGISTER. What the agent recorded stays; its tasks are flagged; what it wanted to be told, and its places in
    sessions, go with it."""
    name = str(desk.letter.payload["agent_id"])
    own = name == desk.member.id
    if (refused := room.barred(desk.member, FieldOperation.DEREGISTER, OWN if own else OTHERS)) is not None:
        return refused
    with room.looking(desk, everything=own) as look:
        units = look.count(author=name)

    def step(state: FieldState, epoch: int) -> Effect:
        known = state.member(name)
        tasks = tuple(held.task for held in state.tasks.values())
        after, orphans = left(FieldTasks(all=tasks), name)
        roster = Roster(level=room.settings.level, members=(known,) if known is not None else ())
        _, answer = deregister(roster, name, units=units, tasks=orphans)
        entry = LoggedOperation(what="deregister", agent=desk.member.id, words=f"{name} left")
        if known is None:
            return Effect(answer=answer, jots=(log(entry),))
        gone = NoteDraft(topic=AGENTS, key=name)
        return Effect(answer=answer, jots=(gone, *_flags(state, after), *_cleared(state, name), log(entry)))

    return room.turn(desk, step)


def give_up(room: FieldContext, desk: MessageContext, name: str, reason: str) -> JsonObject:
    """An operation of our extension: an agent failed, as it says itself, or as somebody found who may let others go.
    What it had in hand is flagged for another; it can do nothing more until it registers again."""
    if name != desk.member.id and (refused := room.barred(desk.member, FieldOperation.DEREGISTER, OTHERS)) is not None:
        return refused

    def step(state: FieldState, epoch: int) -> Effect:
        known = state.agents.get(name)
        if known is None:
            words = "there is no registered agent of this id"
            return Effect(answer=error_document(ErrorCode.AGENT_NOT_REGISTERED, FAIL, words))
        if known.member.status is AgentStatus.FAILED:
            return Effect(answer=error_document(ErrorCode.INVALID_TRANSITION, FAIL, "the agent has failed already"))
        after, orphans = left(FieldTasks(all=tuple(one.task for one in state.tasks.values())), name)
        member = msgspec.structs.replace(known.member, status=AgentStatus.FAILED)
        entry = LoggedOperation(
            what="fail",
            agent=desk.member.id,
            words=f"{name} failed: {reason}",
            events=(failed(name, by=desk.member.id, epoch=epoch),),
        )
        answer: JsonObject = {"status": "failed", "agent": member.document, "tasks_reassigned": orphans, "epoch": epoch}
        seat = jot(AGENTS, name, RegistrationState(member=member, by=known.by))
        return Effect(answer=answer, jots=(seat, *_flags(state, after), log(entry)), keep=False)

    return room.turn(desk, step)


def _flags(state: FieldState, after: FieldTasks) -> list[NoteDraft]:
    return [jot(TASKS, one, TaskState(task=state.tasks[one].task, flagged=True)) for one in sorted(after.flagged)]


def _cleared(state: FieldState, agent: str) -> list[NoteDraft]:
    """What an agent wanted to be told, and its places in sessions, taken away: whoever has its name starts anew."""
    ended = [NoteDraft(topic=WISHES, key=key) for key, wished in state.wishes.items() if wished.wish.agent == agent]
    return [*ended, *_unseated(state, agent)]


def _unseated(state: FieldState, agent: str) -> list[NoteDraft]:
    """The sessions an agent was in, without it."""
    found = []
    for name, session in state.sessions.items():
        others = [one for one in session.members if one.agent_id != agent]
        if len(others) < len(session.members):
            found.append(jot(SESSIONS, name, msgspec.structs.replace(session, members=others)))
    return found


def listen(room: FieldContext, desk: MessageContext) -> JsonObject:
    """SUBSCRIBE. A subscription counts from the epoch at which it was made."""
    if (refused := room.barred(desk.member, FieldOperation.SUBSCRIBE)) is not None:
        return refused
    agent, action = desk.member.id, SubscribeAction(str(desk.letter.payload["action"]))

    def step(state: FieldState, epoch: int) -> Effect:
        mine = {key: one for key, one in state.wishes.items() if one.wish.agent == agent}
        fresh = f"sub-{state.position + 1}"
        after, answer = subscribe(
            SubscriptionBook(wishes=tuple(one.wish for one in mine.values())), agent, desk.letter.payload, fresh=fresh
        )
        if "code" in answer:
            return Effect(answer=answer)
        entry = log(LoggedOperation(what=f"subscribe.{action}", agent=agent, words=f"{agent}: {action}"))
        if action is SubscribeAction.LIST:
            return Effect(answer=answer, jots=(entry,), keep=False)
        left_ = {one.id: one for one in after.wishes}
        made = [one for name, one in left_.items() if wish_key(agent, name) not in mine]
        jots = [
            jot(WISHES, wish_key(agent, one.id), SubscriptionState(wish=one, since=state.position + 1)) for one in made
        ]
        jots += [NoteDraft(topic=WISHES, key=key) for key, one in mine.items() if one.wish.id not in left_]
        return Effect(answer={**answer, "epoch": epoch} if made else answer, jots=(*jots, entry))

    return room.turn(desk, step)
