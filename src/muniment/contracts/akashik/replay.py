"""The past of a unit, a conflict, a task or a session, told from the entries of the ledger and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from muniment.contracts.akashik.codes import Code, error_document
from muniment.contracts.akashik.commands import ReplayCommand
from muniment.contracts.akashik.tables import TOLD_AS
from muniment.contracts.akashik.words import Depth, Operation, ReplayTarget
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.entry import ConflictChange, Entry
from muniment.model.status import Status
from muniment.model.value import Value

EVENTS_MAX = 10_000
"""More than this is too large to tell in one answer."""


class Place(Value):
    """Which task and session a unit was recorded for. Tasks and sessions are no part of an entry."""

    task: str | None = None
    session: str | None = None


class _Happened(Value):
    """One event. A `key` event is one that changed what a unit or a conflict counts for."""

    epoch: int
    what: str
    agent: str
    words: str
    unit: str | None
    key: bool


def replay_response(
    entries: Sequence[Entry],
    command: ReplayCommand,
    places: Mapping[str, Place],
    *,
    limit: int = EVENTS_MAX,
) -> JsonObject:
    """The answer to a REPLAY: the whole of what was asked for, or an error, never a part. `places` are the units the
    caller may see; to it there are no others."""
    names = {birth.rid: birth.id for entry in entries for birth in entry.births}
    units, conflicts = _meant(entries, command, names, places)
    units &= places.keys()
    if not units:
        words = f"there is no {command.target_type} of this id"
        return error_document(Code.UNIT_NOT_FOUND, Operation.REPLAY, words)
    events = sorted(_events(entries, names, units, conflicts, places.keys()), key=lambda one: one.epoch)
    shown = [one for one in events if command.depth is Depth.FULL_TRACE or one.key]
    told = [] if command.depth is Depth.SUMMARY else shown
    if len(told) > limit:
        words = f"{len(told)} events, and at most {limit} are told at once"
        return error_document(Code.REPLAY_TOO_LARGE, Operation.REPLAY, words)
    agents = sorted({one.agent for one in events})
    return {
        "status": "ok",
        "timeline": [_document(one, places) for one in told],
        "summary": _summary(command, events, agents),
        "agents_involved": list[Json](agents),
        "total_events": len(events),
    }


def _meant(
    entries: Sequence[Entry], command: ReplayCommand, names: Mapping[int, str], places: Mapping[str, Place]
) -> tuple[set[str], set[str] | None]:
    """The units whose past is asked for, and, if it is asked for one conflict, that one alone."""
    match command.target_type:
        case ReplayTarget.CONFLICT:
            found = [one for entry in entries for one in entry.conflicts if one.id == command.target]
            return {names[rid] for one in found for rid in (one.a, one.b)}, {command.target}
        case ReplayTarget.TASK:
            return {unit for unit, place in places.items() if place.task == command.target}, None
        case ReplayTarget.SESSION:
            return {unit for unit, place in places.items() if place.session == command.target}, None
        case ReplayTarget.MEMORY_UNIT | ReplayTarget.DECISION:
            known = command.target in names.values()
            return _chain(entries, command.target, names) if known else set(), None


def _chain(entries: Sequence[Entry], target: str, names: Mapping[int, str]) -> set[str]:
    """A unit with everything that took its place or that it took the place of, however far."""
    pairs = {
        (names[change.rid], change.successor)
        for entry in entries
        for change in entry.changes
        if change.successor is not None
    }
    found, size = {target}, 0
    while len(found) > size:
        size = len(found)
        found |= {other for pair in pairs if not found.isdisjoint(pair) for other in pair}
    return found


def _events(
    entries: Sequence[Entry],
    names: Mapping[int, str],
    units: set[str],
    conflicts: set[str] | None,
    visible: AbstractSet[str],
) -> Iterator[_Happened]:
    statuses: dict[int, Status] = {}
    for entry in entries:
        for birth in entry.births:
            statuses[birth.rid] = birth.status
            if birth.id in units:
                words = f"{birth.id} was recorded as {TOLD_AS[birth.status]}"
                yield _happened(entry, "memory.recorded", words, birth.id, key=True)
        for change in entry.changes:
            before, statuses[change.rid] = statuses.get(change.rid), change.status
            if (unit := names[change.rid]) in units:
                moved = before is not change.status
                what = f"memory.{TOLD_AS[change.status]}" if moved else "memory.reassessed"
                words = f"{unit} became {TOLD_AS[change.status]}" if moved else f"{unit} counts for more or less"
                yield _happened(entry, what, words, unit, key=moved)
        for conflict in entry.conflicts:
            if _concerns(conflict, names, units, conflicts) and {names[conflict.a], names[conflict.b]} <= visible:
                words = f"{names[conflict.a]} and {names[conflict.b]} disagree: {conflict.status}"
                yield _happened(entry, f"conflict.{conflict.status}", words, None, key=True)


def _concerns(conflict: ConflictChange, names: Mapping[int, str], units: set[str], conflicts: set[str] | None) -> bool:
    if conflicts is not None:
        return conflict.id in conflicts
    return names[conflict.a] in units or names[conflict.b] in units


def _happened(entry: Entry, what: str, words: str, unit: str | None, *, key: bool) -> _Happened:
    return _Happened(epoch=entry.seq, what=what, agent=entry.actor, words=words, unit=unit, key=key)


def _document(one: _Happened, places: Mapping[str, Place]) -> JsonObject:
    place = places.get(one.unit or "", Place())
    return {
        "epoch": one.epoch,
        "event_type": one.what,
        "agent_id": one.agent,
        "description": one.words,
        "memory_unit_id": one.unit,
        "task_id": place.task,
    }


def _summary(command: ReplayCommand, events: Sequence[_Happened], agents: Sequence[str]) -> str:
    first, last = events[0], events[-1]
    return (
        f"{command.target_type} {command.target}: {len(events)} events from epoch {first.epoch} to {last.epoch} by "
        f"{', '.join(agents)}. First: {first.words}. Last: {last.words}."
    )
