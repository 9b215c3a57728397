"""COMPACT: units leave the foreground, are summed up, or are forgotten for good; the log keeps that they were there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from muniment.compat.akashik.gone import will_go
from muniment.compat.akashik.log import Logged, log
from muniment.compat.akashik.room import Deed, Desk, Room, seated
from muniment.contracts.akashik.authority import HUMAN
from muniment.contracts.akashik.codes import Code, error_document
from muniment.contracts.akashik.commands import CompactCommand
from muniment.contracts.akashik.compact import compact_response, summaries
from muniment.contracts.akashik.decode import NAMESPACE, decode_compact
from muniment.contracts.akashik.encode import unit_document
from muniment.contracts.akashik.sessions import Sessions
from muniment.contracts.akashik.tables import TOLD_AS
from muniment.contracts.akashik.words import CompactStrategy, Operation, UnitStatus
from muniment.contracts.strict.values import JsonObject
from muniment.engine.notebook import Pages
from muniment.model.curation import Verdict
from muniment.model.errors import NotFound, NotPermitted, Stale
from muniment.model.note import Jot
from muniment.model.query import Disclosure
from muniment.model.status import CURRENT, Status

REASON = "COMPACT"
FULL_LEVEL = 3
BATCH = 100
_ENDED = (Status.SUPERSEDED, Status.DEPRECATED, Status.EXPIRED, Status.ARCHIVED, Status.RETRACTED)


def compact(room: Room, desk: Desk) -> JsonObject:
    """Do to every unit that the filter means, and that the caller may see, what the strategy says."""
    command = decode_compact(desk.letter.payload)
    if (refused := room.barred(desk.member, Operation.COMPACT, command.strategy)) is not None:
        return refused
    if command.strategy is CompactStrategy.PURGE and room.settings.level < FULL_LEVEL:
        words = f"{command.strategy} is not supported by a Field of level {room.settings.level}"
        return error_document(Code.UNSUPPORTED_STRATEGY, Operation.COMPACT, words)
    if (kept := desk.answered(room.notebook)) is not None:
        return kept
    room.keep_up(desk.letter, desk.state)
    desk = _moved(room, desk, command)
    chosen = list(_chosen(room, desk, command))
    created = 0
    if command.strategy is CompactStrategy.SUMMARIZE and chosen:
        made = _summed_up(desk, chosen)
        if not all(verdict.committed for verdict in made):
            words = "the policy did not take the synthesis in, so nothing was archived"
            return error_document(Code.INSUFFICIENT_AUTHORITY, Operation.COMPACT, words)
        created = len(made)
    if command.strategy is CompactStrategy.PURGE:
        _announce(room, desk, chosen)
    done = [one for one in chosen if _put_away(desk, command.strategy, one)]
    if chosen and not done:
        words = "the policy lets this agent do so to none of these units"
        return error_document(Code.INSUFFICIENT_AUTHORITY, Operation.COMPACT, words)
    purged = command.strategy is CompactStrategy.PURGE
    reclaimed = sum(len(one.record.content.encode()) for one in done) if purged else None
    answer = compact_response(affected=len(done), created=created, reclaimed=reclaimed)
    words = f"{len(done)} units: {command.strategy}"
    entry = log(Logged(what=f"compact.{command.strategy}", agent=desk.member.id, words=words))
    return room.turn(desk, lambda state, epoch: Deed(answer=answer, jots=(entry,)))


def _chosen(room: Room, desk: Desk, command: CompactCommand) -> Iterator[Disclosure]:
    state = room.state()
    epoch = state.epochs.at(state.position)
    for one in desk.seat.browse(statuses=_statuses(command), namespace=NAMESPACE):
        document = unit_document(one, state.roles, clock=state.epochs.at)
        if desk.sight.unit(one) and command.selects(document, epoch=epoch):
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


def _summed_up(desk: Desk, chosen: list[Disclosure]) -> list[Verdict]:
    claims = summaries(chosen)
    return [
        verdict
        for first in range(0, len(claims), BATCH)
        for verdict in desk.seat.propose_many(claims[first : first + BATCH])
    ]


def _moved(room: Room, desk: Desk, command: CompactCommand) -> Desk:
    """The same caller in the session that its filter names, if it takes part in it or is a human operator."""
    session = command.session
    if session is None or desk.letter.session == session or room.settings.level < FULL_LEVEL:
        return desk
    here = session in Sessions(all=tuple(desk.state.sessions.values())).of(desk.member.id)
    if not here and desk.member.authority < HUMAN:
        return desk
    letter = msgspec.structs.replace(desk.letter, session=session)
    inside = seated(room, letter, desk.state, desk.member)
    return msgspec.structs.replace(inside, letter=desk.letter)


def _announce(room: Room, desk: Desk, chosen: list[Disclosure]) -> None:
    """Note what will be known of units after they are purged."""
    for first in range(0, len(chosen), BATCH):
        with room.looking(desk) as look:
            jots = tuple(will_go(look.snapshot, one.record.id) for one in chosen[first : first + BATCH])
        room.notebook.turn(desk.member.id, _noting(jots))


def _noting(jots: tuple[Jot, ...]) -> Callable[[Pages], tuple[tuple[Jot, ...], None]]:
    return lambda _: (jots, None)


def _put_away(desk: Desk, strategy: CompactStrategy, one: Disclosure) -> bool:
    """Archive or forget one unit; False if the policy does not let the caller, or somebody was there before."""
    try:
        if strategy is CompactStrategy.PURGE:
            verdict = desk.seat.forget(one.record.id, reason=REASON).verdict
            return verdict is not None and verdict.committed
        return desk.seat.retire(one.record.id, becomes=Status.ARCHIVED.value, reason=REASON).committed
    except (NotFound, NotPermitted, Stale):
        return False
