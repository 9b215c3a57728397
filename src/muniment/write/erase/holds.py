"""Legal holds: what must not be erased while somebody has a reason to keep it."""

from __future__ import annotations

import msgspec

from muniment.model.erasure import LegalHold
from muniment.model.errors import IntegrityError, OnHold
from muniment.model.note import Jot, Note
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot
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


def refuse_held(snapshot: Snapshot, records: set[str]) -> None:
    """Refuse to touch any of these records while one of them is on hold."""
    for hold in holds(snapshot):
        kept = records.intersection(find(snapshot, hold.target).records)
        if kept:
            raise OnHold(hold.id, hold.reason, records=len(kept))
