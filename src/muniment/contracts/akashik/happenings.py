"""What happened in a Field, as values: out of the ledger's entries, and out of what agents, tasks and sessions do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from muniment.contracts.akashik.tables import TOLD_AS
from muniment.contracts.akashik.words import DisputeStatus, EventName, UnitStatus
from muniment.model.entry import ConflictChange, Entry
from muniment.model.status import Status
from muniment.model.value import Value

_OF_A_UNIT = {
    UnitStatus.SUPERSEDED: EventName.MEMORY_SUPERSEDED,
    UnitStatus.CONTESTED: EventName.MEMORY_CONTESTED,
}
_OF_A_CONFLICT = {
    DisputeStatus.DETECTED: EventName.CONFLICT_DETECTED,
    DisputeStatus.RESOLVED: EventName.CONFLICT_RESOLVED,
}


class Happened(Value):
    """One event. `by` brought it about; `units` are those it speaks of; `concerns` are the agents it is about: authors
    of the units, the assignee of a task. An event that is `addressed` is for those alone."""

    event: EventName
    epoch: int
    by: str
    words: str
    unit: str | None = None
    conflict: str | None = None
    task: str | None = None
    session: str | None = None
    units: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    addressed: bool = False

    @property
    def entity(self) -> str:
        """What the event is about, for telling two events of one thing from those of two."""
        names = (("unit", self.unit), ("conflict", self.conflict), ("task", self.task), ("session", self.session))
        return next((f"{sort} {name}" for sort, name in names if name is not None), f"agent {self.by}")


def happened(
    entries: Sequence[Entry], *, after: int = 0, recorded_by: Mapping[str, str] | None = None
) -> tuple[Happened, ...]:
    """What the entries later than a position tell. `entries` is the whole log: names are in its beginning. An entry
    names who caused it; where that is a reviewer who let a unit in, `recorded_by` says whose unit it is."""
    names = {birth.rid: birth.id for entry in entries for birth in entry.births}
    authors = {birth.id: entry.actor for entry in reversed(entries) for birth in entry.births}
    authors |= recorded_by or {}
    statuses: dict[int, Status] = {}
    found: list[Happened] = []
    for entry in entries:
        told = tuple(_of_entry(entry, names, authors, statuses))
        found += told if entry.seq > after else ()
    return tuple(found)


def _of_entry(
    entry: Entry, names: dict[int, str], authors: dict[str, str], statuses: dict[int, Status]
) -> Iterator[Happened]:
    for birth in entry.births:
        statuses[birth.rid] = birth.status
        if TOLD_AS[birth.status] in (UnitStatus.ACTIVE, UnitStatus.CONTESTED):
            yield _of_unit(entry, EventName.MEMORY_RECORDED, birth.id, "was recorded", authors)
        if TOLD_AS[birth.status] is UnitStatus.CONTESTED:
            yield _of_unit(entry, EventName.MEMORY_CONTESTED, birth.id, "is contested", authors)
    for change in entry.changes:
        before, statuses[change.rid] = statuses.get(change.rid), change.status
        event = _OF_A_UNIT.get(TOLD_AS[change.status])
        if event is not None and before is not change.status and change.status is not Status.ARCHIVED:
            words = f"became {TOLD_AS[change.status]}"
            yield _of_unit(entry, event, names[change.rid], words, authors)
    for conflict in entry.conflicts:
        event = _OF_A_CONFLICT.get(DisputeStatus(conflict.status.value))
        if event is not None:
            yield _of_conflict(entry, event, conflict, names, authors)


def _of_unit(entry: Entry, event: EventName, unit: str, words: str, authors: dict[str, str]) -> Happened:
    return Happened(
        event=event,
        epoch=entry.seq,
        by=authors[unit] if event is EventName.MEMORY_RECORDED else entry.actor,
        words=f"{unit} {words}",
        unit=unit,
        units=(unit,),
        concerns=(authors[unit],),
    )


def _of_conflict(
    entry: Entry, event: EventName, conflict: ConflictChange, names: dict[int, str], authors: dict[str, str]
) -> Happened:
    sides = (names[conflict.a], names[conflict.b])
    return Happened(
        event=event,
        epoch=entry.seq,
        by=entry.actor,
        words=f"{sides[0]} and {sides[1]} disagree: {conflict.status}",
        conflict=conflict.id,
        units=sides,
        concerns=tuple(sorted({authors[side] for side in sides})),
    )


def joined(agent: str, *, epoch: int) -> Happened:
    """An agent registered."""
    return Happened(event=EventName.AGENT_JOINED, epoch=epoch, by=agent, words=f"{agent} joined")
