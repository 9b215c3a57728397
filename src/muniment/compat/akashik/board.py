"""The board of a Field: its sessions, its tasks and who offers what to whom, as far as the looker may see. A view of
our extension."""

from __future__ import annotations

import hashlib
from collections import Counter

from muniment.compat.akashik.context import FieldContext, MessageContext
from muniment.compat.akashik.state import TaskState
from muniment.compat.akashik.visibility import listening
from muniment.contracts.akashik.coordination import FieldSession
from muniment.contracts.akashik.sessions import FieldSessions
from muniment.contracts.strict.values import Json, JsonObject
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action

WORK = "WORK"
SHOWN_MAX = 200


def work(room: FieldContext, desk: MessageContext) -> JsonObject:
    """What is being worked on, the latest first: all of it for those who may audit. Of a session they take no part in
    they are told that it is there, its state and who does what, and neither its id, which is an invitation, nor what it
    is about."""
    state, actor = desk.state, desk.letter.credential.actor
    audits = decide_review(room.memory.insight.policy, actor, Action.AUDIT, None, None) is not None
    mine = FieldSessions(all=tuple(state.sessions.values())).of(desk.member.id)
    sight = listening(desk.member, state.sessions, room.settings)
    sessions = [one for one in reversed(list(state.sessions.values())) if audits or one.id in mine]
    tasks = [one for one in state.tasks.values() if audits or sight.session(one.task.session_id)]
    tasks.sort(key=lambda one: one.task.epoch_updated, reverse=True)
    told = {one.task.id for one in tasks if sight.session(one.task.session_id)}
    counted = Counter(one.task.session_id for one in state.tasks.values())
    return {
        "status": "ok",
        "sessions": [_session(one, tasks=counted[one.id], inside=one.id in mine) for one in sessions[:SHOWN_MAX]],
        "tasks": [_task(desk, one, inside=one.task.id in told) for one in tasks[:SHOWN_MAX]],
        "left_off": max(0, len(sessions) - SHOWN_MAX) + max(0, len(tasks) - SHOWN_MAX),
    }


def _session(session: FieldSession, *, tasks: int, inside: bool) -> JsonObject:
    return {
        "name": _name(session.id),
        "id": session.id if inside else None,
        "goal": session.goal if inside else None,
        "status": session.status.value,
        "members": [one.agent_id for one in session.members],
        "tasks": tasks,
        "epoch_started": session.epoch_started,
    }


def _task(desk: MessageContext, held: TaskState, *, inside: bool) -> JsonObject:
    task, offer = held.task, desk.state.offers.get(held.task.id)
    offered: Json = (offer.agent or offer.role) if offer is not None else None
    return {
        "id": task.id if inside else None,
        "title": task.title if inside else None,
        "status": task.status.value,
        "assignee": task.assignee,
        "created_by": task.created_by,
        "session": _name(task.session_id) if task.session_id is not None else None,
        "priority": task.priority,
        "waits_for": len(task.depends_on),
        "flagged": held.flagged,
        "offered_to": offered,
        "handoffs": len(task.handoffs),
        "epoch_updated": task.epoch_updated,
    }


def _name(session: str) -> str:
    """A name to tell sessions apart by, which opens none."""
    return "session " + hashlib.sha256(f"muniment session\x00{session}".encode()).hexdigest()[:8]
