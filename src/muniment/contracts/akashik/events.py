"""What happened in a Field, as values: out of the ledger's entries, and out of what agents, tasks and sessions do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

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


class FieldEvent(Value):
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


class KnownRevisions(Protocol):
    """What is known of revisions by their number: ids and authors never change, and the past does not either."""

    def name(self, rid: int) -> str | None: ...

    def author(self, rid: int) -> str | None: ...

    def before(self, rid: int, seq: int) -> Status | None:
        """The state a revision was in before an entry."""


def events_of(entry: Entry, known: KnownRevisions) -> Iterator[FieldEvent]:
    """What an entry tells. What nobody knows the name of any more is not told of."""
    for birth in entry.births:
        if TOLD_AS[birth.status] in (UnitStatus.ACTIVE, UnitStatus.CONTESTED):
            yield from _of_unit(entry, EventName.MEMORY_RECORDED, birth.rid, "was recorded", known)
        if TOLD_AS[birth.status] is UnitStatus.CONTESTED:
            yield from _of_unit(entry, EventName.MEMORY_CONTESTED, birth.rid, "is contested", known)
    for change in entry.changes:
        event = _OF_A_UNIT.get(TOLD_AS[change.status])
        told = event is not None and change.status is not Status.ARCHIVED
        if event is not None and told and known.before(change.rid, entry.seq) is not change.status:
            yield from _of_unit(entry, event, change.rid, f"became {TOLD_AS[change.status]}", known)
    for conflict in entry.conflicts:
        event = _OF_A_CONFLICT.get(DisputeStatus(conflict.status.value))
        if event is not None:
            yield from _of_conflict(entry, event, conflict, known)


def _of_unit(entry: Entry, event: EventName, rid: int, words: str, known: KnownRevisions) -> Iterator[FieldEvent]:
    unit, author = known.name(rid), known.author(rid)
    if unit is None or author is None:
        return
    yield FieldEvent(
        event=event,
        epoch=entry.seq,
        by=author if event is EventName.MEMORY_RECORDED else entry.actor,
        words=f"{unit} {words}",
        unit=unit,
        units=(unit,),
        concerns=(author,),
    )


def _of_conflict(
    entry: Entry, event: EventName, conflict: ConflictChange, known: KnownRevisions
) -> Iterator[FieldEvent]:
    sides = tuple(name for name in map(known.name, (conflict.a, conflict.b)) if name is not None)
    authors = {author for author in map(known.author, (conflict.a, conflict.b)) if author is not None}
    if len(sides) < 2:
        return
    yield FieldEvent(
        event=event,
        epoch=entry.seq,
        by=entry.actor,
        words=f"{sides[0]} and {sides[1]} disagree: {conflict.status}",
        conflict=conflict.id,
        units=sides,
        concerns=tuple(sorted(authors)),
    )


def failed(agent: str, *, by: str, epoch: int) -> FieldEvent:
    """An agent failed, as it said itself or somebody found. Why is not for everybody's ears."""
    return FieldEvent(event=EventName.AGENT_FAILED, epoch=epoch, by=by, words=f"{agent} failed")


def joined(agent: str, *, epoch: int) -> FieldEvent:
    """An agent registered."""
    return FieldEvent(event=EventName.AGENT_JOINED, epoch=epoch, by=agent, words=f"{agent} joined")
