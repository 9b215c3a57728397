"""The past of a unit, a conflict, a task or a session, told from the entries of the ledger and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from muniment.contracts.akashik.codes import ErrorCode, error_document
from muniment.contracts.akashik.commands import ReplayCommand
from muniment.contracts.akashik.tables import TOLD_AS
from muniment.contracts.akashik.words import Depth, FieldOperation
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.entry import ConflictChange, Entry
from muniment.model.status import Status
from muniment.model.times import show
from muniment.model.value import Value

EVENTS_MAX = 10_000
"""More than this is too large to tell in one answer."""


class HistoryEvent(Value):
    """One event. A `key` event is one that changed what a unit, a conflict, a task or a session counts for."""

    epoch: int
    what: str
    agent: str
    words: str
    unit: str | None = None
    task: str | None = None
    key: bool = True


class ReplayTargets(Value):
    """Whose past is told: `units` by the number of a revision, with the task of each if it had one; `conflict` if it
    is the past of one alone; `known` are all units the caller may know of, by number; `before` is what a revision was
    in before an entry; `ends` says which unit was purged in an entry, and why."""

    units: Mapping[int, str]
    known: Mapping[int, str]
    before: Mapping[tuple[int, int], Status]
    tasks: Mapping[str, str] = {}
    ends: Mapping[int, tuple[str, str]] = {}
    conflict: str | None = None


def past_of(entries: Sequence[Entry], cast: ReplayTargets) -> Iterator[HistoryEvent]:
    """Every event of these entries that belongs to the past that is told."""
    for entry in entries:
        for birth in entry.births:
            if birth.rid in cast.units:
                yield _of_unit(entry, cast, birth.rid, "memory.recorded", f"was recorded as {TOLD_AS[birth.status]}")
        for change in entry.changes:
            if change.rid in cast.units:
                yield _changed(entry, cast, change.rid, change.status)
        if entry.seq in cast.ends:
            yield _purged(entry, *cast.ends[entry.seq], cast)
        for conflict in entry.conflicts:
            if _concerns(conflict, cast):
                sides = f"{cast.known[conflict.a]} and {cast.known[conflict.b]}"
                words = f"{sides} disagree: {conflict.status}"
                yield HistoryEvent(epoch=entry.seq, what=f"conflict.{conflict.status}", agent=entry.actor, words=words)


def _purged(entry: Entry, unit: str, reason: str, cast: ReplayTargets) -> HistoryEvent:
    """The tombstone: which unit, when and why."""
    words = f"{unit} was purged at {show(entry.at)}: {reason}"
    task = cast.tasks.get(unit)
    return HistoryEvent(epoch=entry.seq, what="memory.purged", agent=entry.actor, words=words, unit=unit, task=task)


def _changed(entry: Entry, cast: ReplayTargets, rid: int, status: Status) -> HistoryEvent:
    if cast.before.get((rid, entry.seq)) is status:
        return _of_unit(entry, cast, rid, "memory.reassessed", "counts for more or less", key=False)
    if status is Status.ARCHIVED:
        return _of_unit(entry, cast, rid, "memory.archived", "was archived")
    return _of_unit(entry, cast, rid, f"memory.{TOLD_AS[status]}", f"became {TOLD_AS[status]}")


def _of_unit(entry: Entry, cast: ReplayTargets, rid: int, what: str, words: str, *, key: bool = True) -> HistoryEvent:
    unit = cast.units[rid]
    return HistoryEvent(
        epoch=entry.seq,
        what=what,
        agent=entry.actor,
        words=f"{unit} {words}",
        unit=unit,
        task=cast.tasks.get(unit),
        key=key,
    )


def _concerns(conflict: ConflictChange, cast: ReplayTargets) -> bool:
    if conflict.a not in cast.known or conflict.b not in cast.known:
        return False
    if cast.conflict is not None:
        return conflict.id == cast.conflict
    return conflict.a in cast.units or conflict.b in cast.units


def nothing_there(command: ReplayCommand) -> JsonObject:
    words = f"there is no {command.target_type} of this id"
    return error_document(ErrorCode.UNIT_NOT_FOUND, FieldOperation.REPLAY, words)


def replay_response(events: Sequence[HistoryEvent], command: ReplayCommand, *, limit: int = EVENTS_MAX) -> JsonObject:
    """The answer to a REPLAY: the whole of what was asked for, or an error, never a part."""
    ordered = sorted(events, key=lambda one: one.epoch)
    shown = [one for one in ordered if command.depth is Depth.FULL_TRACE or one.key]
    told = [] if command.depth is Depth.SUMMARY else shown
    if len(told) > limit:
        return too_large(len(told), limit)
    agents = sorted({one.agent for one in ordered})
    return {
        "status": "ok",
        "timeline": [_document(one) for one in told],
        "summary": _summary(command, ordered, agents),
        "agents_involved": list[Json](agents),
        "total_events": len(ordered),
    }


def too_large(number: int, limit: int) -> JsonObject:
    words = f"{number} events or more, and at most {limit} are told at once"
    return error_document(ErrorCode.REPLAY_TOO_LARGE, FieldOperation.REPLAY, words)


def _document(one: HistoryEvent) -> JsonObject:
    return {
        "epoch": one.epoch,
        "event_type": one.what,
        "agent_id": one.agent,
        "description": one.words,
        "memory_unit_id": one.unit,
        "task_id": one.task,
    }


def _summary(command: ReplayCommand, events: Sequence[HistoryEvent], agents: Sequence[str]) -> str:
    first, last = events[0], events[-1]
    return (
        f"{command.target_type} {command.target}: {len(events)} events from epoch {first.epoch} to {last.epoch} by "
        f"{', '.join(agents)}. First: {first.words}. Last: {last.words}."
    )
