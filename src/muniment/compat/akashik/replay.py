"""REPLAY: which entries of the ledger tell the past of something, found without reading all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import msgspec

from muniment.compat.akashik.conflicts import looked
from muniment.compat.akashik.context import FieldContext, MessageContext
from muniment.compat.akashik.gated_view import GatedView
from muniment.compat.akashik.operation_log import logged
from muniment.compat.akashik.state import FieldState
from muniment.compat.akashik.tombstones import StatusChange, gone, moves_of, task_of, tombstone
from muniment.compat.akashik.visibility import listening
from muniment.contracts.akashik.commands import ReplayCommand
from muniment.contracts.akashik.decode import SESSION, TASK, decode_replay, name
from muniment.contracts.akashik.replay import (
    HistoryEvent,
    ReplayTargets,
    nothing_there,
    past_of,
    replay_response,
    too_large,
)
from muniment.contracts.akashik.words import Depth, ReplayTarget
from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import JsonObject
from muniment.model.card import Card
from muniment.model.curation import CurationReport
from muniment.model.entry import DocumentRole, Entry
from muniment.model.rows import ConflictRow
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import RelationType
from muniment.ports.store import Snapshot


class _Trail(Value):
    """The revisions whose past is told, every state they were in, and the positions of what else concerns them."""

    cards: tuple[Card, ...] = ()
    moves: tuple[StatusChange, ...] = ()
    seqs: frozenset[int] = frozenset()
    tasks: Mapping[str, str] = {}
    ends: Mapping[int, str] = {}
    conflict: ConflictRow | None = None


def replay(room: FieldContext, desk: MessageContext) -> JsonObject:
    """The whole past of what is asked for, as far as the caller may see, or an error."""
    command, state, limit = decode_replay(desk.letter.payload), desk.state, room.settings.replay_limit
    clock = room.keep_up(desk.letter, state)
    with room.looking(_everywhere(room, desk)) as look:
        units, conflict = _meant(look, command, limit)
        notes = list(_noted(look, state, command))
        if not units and not notes:
            return nothing_there(command)
        if command.depth is not Depth.SUMMARY and len(units) > limit:
            return too_large(len(units), limit)
        events = [*_told(look, _trail(look, units, conflict)), *notes]
    looked(room, desk, f"{command.target_type}")
    told = [msgspec.structs.replace(one, epoch=clock.at(one.epoch)) for one in events]
    return replay_response(told, command, limit=limit)


def _everywhere(room: FieldContext, desk: MessageContext) -> MessageContext:
    """The past of a session is its members', wherever they act now: in one that has ended nobody acts."""
    sight = listening(desk.member, desk.state.sessions, room.settings)
    sessions = tuple(one for one in sight.sessions if one is not None)
    seat = room.seat(desk.letter.credential, desk.member, sessions)
    return msgspec.structs.replace(desk, seat=seat, sight=sight)


def _meant(
    look: GatedView, command: ReplayCommand, limit: int
) -> tuple[dict[str, tuple[Card, ...]], ConflictRow | None]:
    """The units whose past is asked for, each with its revisions, and the conflict if it is the past of one."""
    match command.target_type:
        case ReplayTarget.CONFLICT:
            row = look.snapshot.desk.conflict(command.target)
            sides = look.snapshot.catalogue.cards([row.a, row.b]) if row is not None else {}
            seen = {card.id: _revisions(look, card.id) for card in look.cards(sides.values())}
            return (seen, row) if len(seen) == 2 else ({}, None)
        case ReplayTarget.TASK:
            cards = look.about(name(TASK, command.target), keep=limit + 1)
            return _grouped(card for card in cards if task_of(look.snapshot, [card]) == command.target), None
        case ReplayTarget.SESSION:
            cards = look.about(name(SESSION, command.target), keep=limit + 1)
            return _grouped(card for card in cards if card.session_id == command.target), None
        case ReplayTarget.MEMORY_UNIT | ReplayTarget.DECISION:
            return _chain(look, command.target), None


def _revisions(look: GatedView, unit: str) -> tuple[Card, ...]:
    """The revisions of a unit that may be seen, purged or not."""
    there = look.snapshot.catalogue.revisions(unit)
    if there:
        return tuple(look.cards(there))
    known = gone(look.snapshot, unit)
    return tuple(look.cards(known.cards)) if known is not None else ()


def _grouped(cards: Iterable[Card]) -> dict[str, tuple[Card, ...]]:
    found: dict[str, tuple[Card, ...]] = {}
    for card in cards:
        found[card.id] = (*found.get(card.id, ()), card)
    return found


def _chain(look: GatedView, start: str) -> dict[str, tuple[Card, ...]]:
    """A unit with everything that took its place or that it took the place of, however far."""
    found: dict[str, tuple[Card, ...]] = {}
    waiting = [start]
    while waiting:
        unit = waiting.pop()
        cards = _revisions(look, unit) if unit not in found else ()
        if cards:
            found[unit] = cards
            waiting += (card.successor for card in cards if card.successor is not None)
            waiting += (card.id for card in look.snapshot.catalogue.superseded_by(unit))
            links = look.snapshot.links.of(card.rid for card in cards)
            waiting += (row.target for row in links if row.type == RelationType.SUPERSEDES)
    return found


def _trail(look: GatedView, units: Mapping[str, tuple[Card, ...]], conflict: ConflictRow | None) -> _Trail:
    snapshot = look.snapshot
    moves: list[StatusChange] = []
    seqs: set[int] = set()
    tasks: dict[str, str] = {}
    ends: dict[int, str] = {}
    for unit, cards in units.items():
        past = gone(snapshot, unit)
        task = past.task if past is not None else task_of(snapshot, cards)
        tasks |= {unit: task} if task is not None else {}
        moves += (
            past.moves
            if past is not None
            else (move for card in cards for move in moves_of(snapshot.catalogue.standings(card.rid)))
        )
        seqs |= set(past.quarrels) if past is not None else _quarrels(snapshot, cards)
        last = tombstone(snapshot, unit) if past is not None else None
        ends |= {last.seq: unit} if last is not None else {}
    if conflict is not None:
        seqs = _span(conflict)
    every = tuple(card for cards in units.values() for card in cards)
    return _Trail(cards=every, moves=tuple(moves), seqs=frozenset(seqs), tasks=tasks, ends=ends, conflict=conflict)


def _quarrels(snapshot: Snapshot, cards: Iterable[Card]) -> set[int]:
    rows = (row for card in cards for row in snapshot.desk.conflicts_of(card.rid))
    return {seq for row in rows for seq in _span(row)}


def _span(row: ConflictRow) -> set[int]:
    """The positions at which a conflict may have moved: votes are cast in between."""
    return set(range(row.opened, row.changed + 1)) if row.ballots else {row.opened, row.changed}


def _told(look: GatedView, trail: _Trail) -> Iterator[HistoryEvent]:
    snapshot = look.snapshot
    entries = list(_entries(snapshot, {*trail.seqs, *(move.seq for move in trail.moves), *trail.ends}))
    rids = {rid for entry in entries for one in entry.conflicts for rid in (one.a, one.b)}
    others = look.cards(snapshot.catalogue.cards(rids).values())
    lives = [[move for move in trail.moves if move.rid == card.rid] for card in trail.cards]
    cast = ReplayTargets(
        units={card.rid: card.id for card in trail.cards},
        known={card.rid: card.id for card in (*trail.cards, *others)},
        before={(later.rid, later.seq): earlier.status for life in lives for earlier, later in pairwise(life)},
        tasks=trail.tasks,
        ends={seq: (unit, _reason(snapshot, seq)) for seq, unit in trail.ends.items()},
        conflict=trail.conflict.id if trail.conflict is not None else None,
    )
    return past_of(entries, cast)


def _entries(snapshot: Snapshot, seqs: Iterable[int]) -> Iterator[Entry]:
    for seq in sorted(seqs):
        stored = snapshot.ledger.entry(seq)
        if stored is not None:
            yield read_canonical(stored.body, Entry)


def _reason(snapshot: Snapshot, seq: int) -> str:
    """Why an entry was made."""
    stored = snapshot.ledger.entry(seq)
    assert stored is not None, "it was read before"
    refs = read_canonical(stored.body, Entry).documents
    report = next((ref.doc for ref in refs if ref.role is DocumentRole.REPORT), None)
    document = snapshot.documents.get(report) if report is not None else None
    return read_canonical(document.body, CurationReport).reason if document is not None else ""


def _noted(look: GatedView, state: FieldState, command: ReplayCommand) -> Iterator[HistoryEvent]:
    """What was noted of a task or of a session since it began, for those who may know of it."""
    begun = _begun(state, command)
    if begun is None or not look.sight.session(begun[1]):
        return
    for note in look.snapshot.notes.since(state.epochs.first(begun[0]) - 1):
        entry = logged(note)
        if entry is None or command.target not in _about(entry.task, entry.session, command):
            continue
        yield HistoryEvent(epoch=note.seq, what=entry.what, agent=entry.agent, words=entry.words, task=entry.task)


def _about(task: str | None, session: str | None, command: ReplayCommand) -> tuple[str | None, ...]:
    return (task and safe_id(task),) if command.target_type is ReplayTarget.TASK else (session and safe_id(session),)


def _begun(state: FieldState, command: ReplayCommand) -> tuple[int, str | None] | None:
    """At which epoch a task or a session began, and whose business it is."""
    if command.target_type is ReplayTarget.TASK and command.target in state.tasks:
        task = state.tasks[command.target].task
        return task.epoch_created, task.session_id
    if command.target_type is ReplayTarget.SESSION and command.target in state.sessions:
        return state.sessions[command.target].epoch_started, command.target
    return None
