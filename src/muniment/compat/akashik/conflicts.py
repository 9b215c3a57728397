"""DETECT and MERGE: which units disagree, and how that ends."""

from __future__ import annotations

from muniment.compat.akashik.context import Effect, FieldContext, MessageContext
from muniment.compat.akashik.gated_view import GatedView, VisibleConflict
from muniment.compat.akashik.operation_log import LoggedOperation, log
from muniment.compat.akashik.record import Recorder
from muniment.compat.akashik.state import FieldState
from muniment.compat.akashik.terms import terms_of
from muniment.compat.akashik.visibility import session_of
from muniment.contracts.akashik.authority import ESCALATED
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.commands import DetectCommand
from muniment.contracts.akashik.decode import decode_detect, decode_merge
from muniment.contracts.akashik.encode import conflict_document, detect_response, merge_response
from muniment.contracts.akashik.roster import Roster, unsettled
from muniment.contracts.akashik.words import DetectMode, DisputeStatus, FieldOperation, MergeStrategy
from muniment.contracts.strict.values import JsonObject
from muniment.engine.conditions import settle_on
from muniment.model.proposal import ResolveRequest
from muniment.model.rows import ConflictRow
from muniment.model.vocabulary import ConflictStatus, Strategy


def detect(room: FieldContext, recorder: Recorder, desk: MessageContext) -> JsonObject:
    """Conflicts as they are known; a check or a scan first compares what was not compared when it was written."""
    if (refused := room.barred(desk.member, FieldOperation.DETECT)) is not None:
        return refused
    command = decode_detect(desk.letter.payload)
    clock = room.keep_up(desk.letter, desk.state)
    fresh = recorder.sweep(desk.state, most=None) if command.mode is not DetectMode.LIST else 0
    with room.looking(desk) as look:
        if command.mode is DetectMode.CHECK and (command.target is None or look.unit(command.target) is None):
            return error_document(ErrorCode.UNIT_NOT_FOUND, FieldOperation.DETECT, "there is no unit of this id")
        scanned = look.count() if command.mode is not DetectMode.CHECK else 1
        found = look.quarrels(rows_of(look, command))
    looked(room, desk, f"{command.mode}")
    return detect_response(found, command, scanned=scanned, fresh=fresh, clock=clock.at)


def rows_of(look: GatedView, command: DetectCommand) -> list[ConflictRow]:
    """The conflicts that may be meant; what is asked of them besides is asked of their documents."""
    if command.mode is not DetectMode.CHECK or command.target is None:
        states = {word.value for word in DisputeStatus} if command.statuses is None else set(command.statuses)
        return [row for row in look.snapshot.desk.conflicts() if row.status in states]
    rids = [card.rid for card in look.snapshot.catalogue.revisions(command.target)]
    return [row for rid in rids for row in look.snapshot.desk.conflicts_of(rid)]


def merge(room: FieldContext, desk: MessageContext) -> JsonObject:
    """Settle a conflict. Of many that try at once one does; the others hear that it is too late."""
    request = decode_merge(desk.letter.payload, desk.caller)
    if (refused := unsettled(Roster(level=room.settings.level), MergeStrategy(request.strategy.value))) is not None:
        return refused
    if (kept := desk.answered(room.notebook)) is not None:
        return _again(room, desk, request, kept)
    clock = room.keep_up(desk.letter, desk.state)
    before = _find(room, desk, request.conflict)
    if before is None:
        return error_document(ErrorCode.CONFLICT_NOT_FOUND, FieldOperation.MERGE, "there is no conflict of this id")
    detail = ESCALATED if before.status is ConflictStatus.ESCALATED else ""
    refused = room.barred(desk.member, FieldOperation.MERGE, detail)
    if refused is not None and (request.strategy is not Strategy.VOTE or detail):
        return refused
    if request.strategy is Strategy.SYNTHESIS and request.synthesis is None:
        return error_document(ErrorCode.MERGE_FAILED, FieldOperation.MERGE, "resolution.synthesis says nothing")
    settled = settle_on(desk.seat, terms_of(room, desk, _session_of(before)), request)
    after = _find(room, desk, request.conflict)
    if after is None or settled.status not in ("resolved", "escalated", "pending_vote"):
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, FieldOperation.MERGE, settled.reason)
    answer = merge_response(settled, after, clock.at)
    _note(room, desk, request, answer)
    return answer


def _find(room: FieldContext, desk: MessageContext, conflict: str) -> VisibleConflict | None:
    with room.looking(desk) as look:
        return look.quarrel(look.snapshot.desk.conflict(conflict))


def _session_of(quarrel: VisibleConflict) -> str | None:
    """The session that both sides belong to, if they belong to one."""
    places = (side.record.claim.place for side in (quarrel.a, quarrel.b))
    sessions = {session_of(place.scope, place.scope_id, place.session_id) for place in places}
    return sessions.pop() if len(sessions) == 1 else None


def _note(room: FieldContext, desk: MessageContext, request: ResolveRequest, answer: JsonObject) -> None:
    """Keep what was answered, without any words of a unit: the conflict is told anew when the message comes again."""
    bare: JsonObject = {"status": answer["status"], "side_effects": answer["side_effects"]}
    words = f"{desk.member.id}: {request.strategy} on {request.conflict}"
    entry = log(LoggedOperation(what="merge", agent=desk.member.id, words=words, session=desk.letter.session))
    room.turn(desk, lambda state, epoch: Effect(answer=bare, jots=(entry,)))


def _again(room: FieldContext, desk: MessageContext, request: ResolveRequest, kept: JsonObject) -> JsonObject:
    if "code" in kept:
        return kept
    found = _find(room, desk, request.conflict)
    if found is None:
        return error_document(ErrorCode.CONFLICT_NOT_FOUND, FieldOperation.MERGE, "there is no conflict of this id")
    clock = room.state().epochs
    return {
        "status": kept["status"],
        "conflict": conflict_document(found, clock.at),
        "side_effects": kept["side_effects"],
    }


def looked(room: FieldContext, desk: MessageContext, target: str) -> None:
    """Note that somebody looked: the log is of all operations."""
    what = desk.letter.operation.lower()
    entry = log(LoggedOperation(what=what, agent=desk.member.id, words=f"{what}: {target}"))

    def step(state: FieldState, epoch: int) -> Effect:
        return Effect(answer={}, jots=(entry,), keep=False)

    room.turn(desk, step)
