"""RECORD, and taking back what was recorded: each the one ledger entry that the engine makes of it."""

from __future__ import annotations

import time

import msgspec

from muniment.compat.akashik.context import FieldContext, MessageContext
from muniment.compat.akashik.settings import ParsedMessage
from muniment.compat.akashik.state import DEFERRED, FieldState
from muniment.compat.akashik.terms import disputes_in, terms_of
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.commands import RecordCommand
from muniment.contracts.akashik.decode import decode_record, proposal_name
from muniment.contracts.akashik.encode import known_already, record_response
from muniment.contracts.akashik.words import FieldOperation, Mode
from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import JsonObject
from muniment.engine.conditions import detect_on, propose_on
from muniment.engine.session import window
from muniment.engine.terms import WriteTerms
from muniment.engine.vector_indexer import NO_MODEL
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed, NotFound
from muniment.model.note import NoteDraft
from muniment.policy.rules import DetectorEffect

REDUNDANT = "redundant"
"""The rule by which what the same author said already is no second record."""
SWEPT_AT_ONCE = 16
"""So many units that were not compared when they were written are compared on the way of another operation."""
LOST = 10_000
"""After so many entries a unit that was announced and is not there was never written."""
MILLISECOND = 1_000_000


class Recorder:
    """Takes units in. Knows whether comparing them took too long the last time."""

    def __init__(self, room: FieldContext) -> None:
        self._room = room
        self._slow = False

    def knows(self, letter: ParsedMessage) -> bool:
        """Whether a message made a proposal of its agent before."""
        name = proposal_name(letter.agent, letter.id)
        with window(self._room.memory) as snapshot:
            filed = snapshot.desk.proposal(name)
        return filed is not None and filed.actor == letter.agent

    def record(self, desk: MessageContext) -> JsonObject:
        command = decode_record(desk.letter.payload, desk.caller, message=desk.letter.id)
        detail = Mode.DRAFT if command.draft else Mode.COMMITTED
        if (refused := self._room.barred(desk.member, FieldOperation.RECORD, detail)) is not None:
            return refused
        if command.claim.lineage.relations and not self._linkable(desk, command):
            words = "it is linked to what is not there"
            return error_document(ErrorCode.UNIT_NOT_FOUND, FieldOperation.RECORD, words)
        clock = self._room.keep_up(desk.letter, desk.state)
        terms = terms_of(self._room, desk, command.claim.place.session_id)
        looks = terms.disputes is None or terms.disputes.detector is not DetectorEffect.IGNORE
        deferred = looks and not command.draft and self._defers()
        try:
            verdict = self._propose(desk, command, terms, detect=not deferred)
        except Malformed as error:
            if error.field != "proposal_id":
                raise
            words = "a message of this id said something else before"
            return error_document(ErrorCode.INVALID_ENVELOPE, FieldOperation.RECORD, words)
        told = self._visible(desk, verdict)
        answer = record_response(told, enriched=not troubled(self._room), deferred=deferred, clock=clock.at)
        if told.rule == REDUNDANT and told.duplicate_of is not None and not command.claim.lineage.relations:
            revised = self._surer(desk, command, terms, told.duplicate_of)
            if revised is None:
                return known_already(answer, told.duplicate_of)
            return record_response(revised, enriched=not troubled(self._room), clock=clock.at)
        return answer

    def _surer(self, desk: MessageContext, command: RecordCommand, terms: WriteTerms, unit: str) -> Verdict | None:
        """Revise a unit of the caller's that says the same with another confidence or other evidence; None if nothing
        of it is new."""
        standing = desk.seat.get(unit)
        if command.draft or command.claim.belief == standing.record.claim.belief:
            return None
        assert command.proposal is not None, "a message has an id"
        name = safe_id(f"{command.proposal} again")
        return propose_on(desk.seat, terms, command.claim, name=name, draft=False, detect=False, target=unit)

    def _linkable(self, desk: MessageContext, command: RecordCommand) -> bool:
        """Whether the caller may see everything it links to. The engine asks the policy; here the Field is asked."""
        with self._room.looking(desk) as look:
            return all(look.card(link.target) is not None for link in command.claim.lineage.relations)

    def _visible(self, desk: MessageContext, verdict: Verdict) -> Verdict:
        """The verdict without what it says of units that the Field keeps from the caller."""
        if desk.sight.plain or not (verdict.conflict_ids or verdict.duplicate_of):
            return verdict
        with self._room.looking(desk) as look:
            rows = {name: look.snapshot.desk.conflict(name) for name in verdict.conflict_ids}
            shown = tuple(name for name, row in rows.items() if look.quarrel(row) is not None)
            known = verdict.duplicate_of is None or look.card(verdict.duplicate_of) is not None
        hidden = {"duplicate_of": None, "reason": "it was not taken in"} if not known else {}
        return msgspec.structs.replace(verdict, conflict_ids=shown, **hidden)

    def _defers(self) -> bool:
        wait = self._room.settings.detection_timeout_ms
        return wait is not None and (wait == 0 or self._slow)

    def _propose(self, desk: MessageContext, command: RecordCommand, terms: WriteTerms, *, detect: bool) -> Verdict:
        assert command.proposal is not None, "a message has an id"
        if not detect:
            note = NoteDraft(topic=DEFERRED, key=command.proposal, body=msgspec.json.encode(desk.member.id).decode())
            self._room.notebook.turn(desk.member.id, lambda _: ((note,), None))
        began = time.monotonic_ns()
        verdict = propose_on(desk.seat, terms, command.claim, name=command.proposal, draft=command.draft, detect=detect)
        if (wait := self._room.settings.detection_timeout_ms) and detect:
            self._slow = time.monotonic_ns() - began > wait * MILLISECOND
        return verdict

    def sweep(self, state: FieldState, *, most: int | None = SWEPT_AT_ONCE) -> int:
        """Compare units that were not compared when they were written, the oldest first, and return how many conflicts
        that found."""
        waiting = sorted(state.deferred, key=lambda name: (state.deferred[name], name))
        found, done = 0, []
        for name in waiting if most is None else waiting[:most]:
            began = time.monotonic_ns()
            conflicts = self._compared(state, name)
            self._slow = time.monotonic_ns() - began > (self._room.settings.detection_timeout_ms or 0) * MILLISECOND
            if conflicts is not None or state.position - state.deferred[name] > LOST:
                found += conflicts or 0
                done.append(NoteDraft(topic=DEFERRED, key=name))
        if done:
            self._room.notebook.turn(self._room.memory.actor.id, lambda _: (tuple(done), None))
        return found

    def _compared(self, state: FieldState, proposal: str) -> int | None:
        """How many conflicts a unit turned out to be in; None if it is not written yet, which it may never be."""
        try:
            record = self._room.memory.review.report(proposal).record_id
        except NotFound:
            return None
        try:
            if record is None:
                return 0
            session = self._room.memory.get(record).record.claim.place.session_id
            terms = WriteTerms(disputes=disputes_in(self._room, state, session))
            return len(detect_on(self._room.memory, terms, record))
        except NotFound:
            return 0


def troubled(room: FieldContext) -> bool:
    """Whether vectors are known not to be made. Where there is no model at all nobody waits for any."""
    why = room.memory.insight.searching().why
    return why is not None and why != NO_MODEL


def retract(desk: MessageContext, unit: str, reason: str) -> JsonObject:
    """Take back what one recorded, or discard a draft. Who else may do so is the policy's to say."""
    operation = "RETRACT"
    try:
        found = desk.seat.get(unit)
    except NotFound:
        found = None
    if found is None or not desk.sight.unit(found):
        return error_document(ErrorCode.UNIT_NOT_FOUND, operation, "there is no unit of this id")
    verdict = desk.seat.review.retract(unit, reason=reason)
    if not verdict.committed:
        return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, operation, verdict.reason)
    epoch = desk.state.epochs.at(verdict.epoch)
    return {"status": "retracted", "memory_unit_id": unit, "epoch": epoch}
