"""The three views of a Field: how it stands, who is there, what is in dispute, each as far as the looker may see."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.compat.akashik.conflicts import rows_of
from muniment.compat.akashik.context import FieldContext, MessageContext
from muniment.contracts.akashik.authority import permitted
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.decode import decode_detect
from muniment.contracts.akashik.encode import detect_response
from muniment.contracts.akashik.nouns import VERSION
from muniment.contracts.akashik.roster import RegisteredAgent, Roster
from muniment.contracts.akashik.tasks import FieldTasks, busied
from muniment.contracts.akashik.validation import check_payload
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.finding import Finding, Severity
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import shown

STATUS, AGENTS, CONFLICTS = "STATUS", "AGENTS", "CONFLICTS"


def status(room: FieldContext, desk: MessageContext) -> JsonObject:
    """How a Field stands. `events` counts everything that was written down: entries of the ledger and receipts."""
    with room.looking(desk) as look:
        head, receipts = look.snapshot.ledger.head(), look.snapshot.receipts.head()[0]
        units = look.count()
        disputes = len(look.open_rows())
    position = head.seq if head is not None else 0
    return {
        "status": "ok",
        "epoch": desk.state.epochs.at(position),
        "conformance_level": room.settings.level,
        "protocol_version": VERSION,
        "events": position + receipts,
        "agents": len(desk.state.agents),
        "units": units,
        "conflicts": disputes,
        "field_capabilities": Roster(level=room.settings.level).capabilities,
    }


def agents(room: FieldContext, desk: MessageContext) -> JsonObject:
    """Who is registered and what each does. A task of a session is named to those who act in it."""
    every = tuple(held.task for held in desk.state.tasks.values())
    here = tuple(task for task in every if desk.sight.session(task.session_id))
    roster = Roster(members=tuple(one.member for one in desk.state.agents.values()))
    busy, seen = busied(roster, FieldTasks(all=every)), busied(roster, FieldTasks(all=here))
    named = {one.id: one.task for one in seen.members}
    return {"status": "ok", "agents": [_document(one, named[one.id]) for one in busy.members]}


def _document(member: RegisteredAgent, task: str | None) -> JsonObject:
    found = member.document
    found.pop("current_task_id", None)
    return found if task is None else {**found, "current_task_id": task}


def conflicts(room: FieldContext, desk: MessageContext, bounds: JsonObject | None) -> JsonObject:
    """What is in dispute, chosen as a DETECT list chooses."""
    if room.settings.level == 3 and not permitted(desk.member.authority, FieldOperation.ATTUNE):
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, CONFLICTS, "this takes more authority")
    payload: JsonObject = {"mode": "list"} if bounds is None else {"mode": "list", "filter": bounds}
    if wrong := errors_in(check_payload(FieldOperation.DETECT, payload, room.settings.level)):
        return refused_for(wrong[0], CONFLICTS)
    command = decode_detect(payload)
    with room.looking(desk) as look:
        found = look.quarrels(rows_of(look, command))
    answer = detect_response(found, command, scanned=0, clock=desk.state.epochs.at)
    return {"status": "ok", "conflicts": answer["conflicts"]}


def refused_for(found: Finding, operation: str) -> JsonObject:
    """The error document for something that is wrong with a message: where, and what."""
    return error_document(ErrorCode(found.code), operation, f"{shown(found.path)}: {found.message}")


def errors_in(found: Sequence[Finding]) -> list[Finding]:
    return [one for one in found if one.severity is Severity.ERROR]
