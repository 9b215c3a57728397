"""Legal holds: what must not be erased while somebody has a reason to keep it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from muniment.model.erasure import Blocked, LegalHold
from muniment.model.errors import IntegrityError, OnHold
from muniment.model.note import Jot, Note
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot
from muniment.write.erase.dismiss import waiting_on
from muniment.write.erase.reach import find

TOPIC = "legal_hold"
LIFTED = "legal_hold_lifted"


def jot_of(hold: LegalHold) -> Jot:
    return Jot(topic=TOPIC, key=hold.id, body=msgspec.json.encode(hold).decode())


def lifted(hold: str, reason: str) -> tuple[Jot, Jot]:
    """That a hold is over, and why."""
    why = Jot(topic=LIFTED, key=hold, body=msgspec.json.encode({"reason": reason}).decode())
    return Jot(topic=TOPIC, key=hold), why


def holds(snapshot: Snapshot) -> tuple[LegalHold, ...]:
    """Every hold that stands, the oldest first."""
    return tuple(_read(note) for note in snapshot.notes.present(TOPIC))


def _read(note: Note) -> LegalHold:
    if note.body is None:
        raise IntegrityError(f"the hold {note.key} says nothing")
    return read_canonical(note.body.encode(), LegalHold)


def blocking(snapshot: Snapshot, records: AbstractSet[str], proposals: AbstractSet[str]) -> tuple[Blocked, ...]:
    """Which holds keep any of these records and waiting proposals, and what each of them keeps."""
    found: list[Blocked] = []
    for hold in holds(snapshot):
        meant = find(snapshot, hold.target)
        kept = records & {*meant.records}
        waiting = proposals & {row.id for row in waiting_on(snapshot, hold.target, meant)} if proposals else set()
        if kept or waiting:
            found.append(
                Blocked(hold=hold.id, reason=hold.reason, records=tuple(sorted(kept)), proposals=tuple(sorted(waiting)))
            )
    return tuple(found)


def refuse_held(found: tuple[Blocked, ...]) -> None:
    """Refuse an erasure that a hold stands against."""
    for one in found:
        raise OnHold(one.hold, one.reason, records=len(one.records), proposals=len(one.proposals))
