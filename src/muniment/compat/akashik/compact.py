"""COMPACT: units leave the foreground, are summed up, or are forgotten for good; the log keeps that they were there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec

from muniment.compat.akashik.context import Effect, FieldContext, MessageContext, seated
from muniment.compat.akashik.operation_log import LoggedOperation, log
from muniment.compat.akashik.tombstones import will_go
from muniment.contracts.akashik.authority import HUMAN
from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.commands import CompactCommand
from muniment.contracts.akashik.compact import PURPOSE, compact_response, summaries
from muniment.contracts.akashik.decode import NAMESPACE, decode_compact
from muniment.contracts.akashik.encode import unit_document
from muniment.contracts.akashik.sessions import FieldSessions
from muniment.contracts.akashik.tables import TOLD_AS
from muniment.contracts.akashik.words import CompactStrategy, FieldOperation, UnitStatus
from muniment.contracts.strict.values import JsonObject
from muniment.engine.erasure import forget_each
from muniment.engine.notebook import Pages
from muniment.model.curation import Verdict
from muniment.model.errors import NotFound, NotPermitted, Stale
from muniment.model.note import NoteDraft
from muniment.model.query import Disclosure
from muniment.model.status import CURRENT, Status
from muniment.model.vocabulary import RelationType

REASON = "COMPACT"
FULL_LEVEL = 3
BATCH, PART = 100, 500
"""So many units are summed up or noted at once, and so many are held in hand at a time."""
_ENDED = (Status.SUPERSEDED, Status.DEPRECATED, Status.EXPIRED, Status.ARCHIVED, Status.RETRACTED)


def compact(room: FieldContext, desk: MessageContext) -> JsonObject:
    """Do to every unit that the filter means, and that the caller may see, what the strategy says."""
    command = decode_compact(desk.letter.payload)
    if (refused := room.barred(desk.member, FieldOperation.COMPACT, command.strategy)) is not None:
        return refused
    if command.strategy is CompactStrategy.PURGE and room.settings.level < FULL_LEVEL:
        words = f"{command.strategy} is not supported by a Field of level {room.settings.level}"
        return error_document(ErrorCode.UNSUPPORTED_STRATEGY, FieldOperation.COMPACT, words)
    if (kept := desk.answered(room.notebook)) is not None:
        return kept
    room.keep_up(desk.letter, desk.state)
    inside = _moved(room, desk, command)
    done = _Done()
    chosen = _chosen(room, inside, command)
    while part := list(islice(chosen, PART)):
        if (refused := _compacted(room, inside, command, part, done)) is not None and not done.affected:
            return refused
    answer = compact_response(affected=done.affected, created=done.created, reclaimed=done.reclaimed(command.strategy))
    words = f"{done.affected} units: {command.strategy}"
    entry = log(LoggedOperation(what=f"compact.{command.strategy}", agent=desk.member.id, words=words))
    return room.turn(desk, lambda state, epoch: Effect(answer=answer, jots=(entry,)))


@dataclass(slots=True)
class _Done:
    """What was done so far."""

    affected: int = 0
    created: int = 0
    bytes: int = 0

    def reclaimed(self, strategy: CompactStrategy) -> int | None:
        return self.bytes if strategy is CompactStrategy.PURGE else None


def _compacted(
    room: FieldContext, desk: MessageContext, command: CompactCommand, part: list[Disclosure], done: _Done
) -> JsonObject | None:
    """Do it to some of the units, and count that; why not, if the policy lets it be done to none of them."""
    if command.strategy is CompactStrategy.SUMMARIZE:
        made = _summed_up(desk, part)
        done.created += sum(verdict.committed for verdict in made)
        if not all(verdict.committed for verdict in made):
            words = "the policy did not take every synthesis in, so nothing was archived for it"
            return error_document(ErrorCode.INSUFFICIENT_AUTHORITY, FieldOperation.COMPACT, words)
    if command.strategy is CompactStrategy.PURGE:
        part = [*part, *_echoes(room, desk, part)]
        _announce(room, desk, part)
    gone = _put_away(desk, command.strategy, part)
    done.affected += len(gone)
    done.bytes += sum(len(one.record.content.encode()) for one in gone)
    words = "the policy lets this agent do so to none of these units"
    return None if gone else error_document(ErrorCode.INSUFFICIENT_AUTHORITY, FieldOperation.COMPACT, words)


def _chosen(room: FieldContext, desk: MessageContext, command: CompactCommand) -> Iterator[Disclosure]:
    """The units that are meant, as the Field stood at first: what a COMPACT makes is none of its own business."""
    state = room.state()
    epoch = state.epochs.at(state.position)
    for one in desk.seat.insight.browse(statuses=_statuses(command), namespace=NAMESPACE):
        document = unit_document(one, state.roles, clock=state.epochs.at)
        known = one.standing.since <= state.position and desk.sight.unit(one)
        if known and command.selects(document, epoch=epoch):
            yield one


def _statuses(command: CompactCommand) -> list[str]:
    """Which states are looked at: what speaks for now, unless the filter names states."""
    if command.statuses is None:
        return [status.value for status in CURRENT]
    wanted = set(command.statuses) | (
        {UnitStatus.ACTIVE} if UnitStatus.PENDING_ENRICHMENT in command.statuses else set()
    )
    ended = _ENDED if command.strategy is CompactStrategy.PURGE else (Status.SUPERSEDED,)
    drafts = (Status.DRAFT,) if command.strategy is CompactStrategy.PURGE else ()
    return [status.value for status in (*CURRENT, *ended, *drafts) if TOLD_AS[status] in wanted]


def _summed_up(desk: MessageContext, chosen: list[Disclosure]) -> list[Verdict]:
    claims = summaries(chosen)
    return [
        verdict
        for first in range(0, len(claims), BATCH)
        for verdict in desk.seat.propose(claims[first : first + BATCH])
    ]


def _moved(room: FieldContext, desk: MessageContext, command: CompactCommand) -> MessageContext:
    """The same caller in the session that its filter names, if it takes part in it or is a human operator."""
    session = command.session
    if session is None or desk.letter.session == session or room.settings.level < FULL_LEVEL:
        return desk
    here = session in FieldSessions(all=tuple(desk.state.sessions.values())).of(desk.member.id)
    if not here and desk.member.authority < HUMAN:
        return desk
    letter = msgspec.structs.replace(desk.letter, session=session)
    inside = seated(room, letter, desk.state, desk.member)
    return msgspec.structs.replace(inside, letter=desk.letter)


def _echoes(room: FieldContext, desk: MessageContext, part: list[Disclosure]) -> list[Disclosure]:
    """The syntheses that a COMPACT made of units which are to be purged: they repeat their words."""
    names = {one.record.id for one in part}
    with room.looking(desk) as look:
        rows = (row.rid for row in look.snapshot.links.to(names) if row.type == RelationType.ELABORATES)
        found = [look.unit(card.id) for card in look.snapshot.catalogue.cards(rows).values() if card.id not in names]
    return [one for one in found if one is not None and one.record.claim.intent.purpose == PURPOSE]


def _announce(room: FieldContext, desk: MessageContext, chosen: list[Disclosure]) -> None:
    """Note what will be known of units after they are purged."""
    for first in range(0, len(chosen), BATCH):
        with room.looking(desk) as look:
            jots = tuple(will_go(look.snapshot, one.record.id) for one in chosen[first : first + BATCH])
        room.notebook.turn(desk.member.id, _noting(jots))


def _noting(jots: tuple[NoteDraft, ...]) -> Callable[[Pages], tuple[tuple[NoteDraft, ...], None]]:
    return lambda _: (jots, None)


def _put_away(desk: MessageContext, strategy: CompactStrategy, part: list[Disclosure]) -> list[Disclosure]:
    """Archive or forget units; return those that went: not where the policy does not let the caller, or somebody was
    there before."""
    if strategy is CompactStrategy.PURGE:
        gone = forget_each(desk.seat, [one.record.id for one in part], reason=REASON)
        return [one for one in part if one.record.id in gone]
    return [one for one in part if _archived(desk, one)]


def _archived(desk: MessageContext, one: Disclosure) -> bool:
    try:
        return desk.seat.review.retire(one.record.id, becomes=Status.ARCHIVED.value, reason=REASON).committed
    except (NotFound, NotPermitted, Stale):
        return False
