"""Legal holds: what must not be erased while somebody has a reason to keep it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from muniment.model.erasure import HoldConflict, LegalHold
from muniment.model.errors import IntegrityError, OnHold
from muniment.model.note import Note, NoteDraft
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot
from muniment.write.erase.affected_records import find
from muniment.write.erase.pending_proposals import waiting_on

TOPIC = "legal_hold"
LIFTED = "legal_hold_lifted"


def jot_of(hold: LegalHold) -> NoteDraft:
    return NoteDraft(topic=TOPIC, key=hold.id, body=msgspec.json.encode(hold).decode())


def lifted(hold: str, reason: str) -> tuple[NoteDraft, NoteDraft]:
    """That a hold is over, and why."""
    why = NoteDraft(topic=LIFTED, key=hold, body=msgspec.json.encode({"reason": reason}).decode())
    return NoteDraft(topic=TOPIC, key=hold), why


def holds(snapshot: Snapshot) -> tuple[LegalHold, ...]:
    """Every hold that stands, the oldest first."""
    return tuple(_read(note) for note in snapshot.notes.present(TOPIC))


def _read(note: Note) -> LegalHold:
    if note.body is None:
        raise IntegrityError(f"the hold {note.key} says nothing")
    return read_canonical(note.body.encode(), LegalHold)


def blocking(snapshot: Snapshot, records: AbstractSet[str], proposals: AbstractSet[str]) -> tuple[HoldConflict, ...]:
    """Which holds keep any of these records and waiting proposals, and what each of them keeps."""
    found: list[HoldConflict] = []
    for hold in holds(snapshot):
        meant = find(snapshot, hold.target)
        kept = records & {*meant.records}
        waiting = proposals & {row.id for row in waiting_on(snapshot, hold.target, meant)} if proposals else set()
        if kept or waiting:
            found.append(
                HoldConflict(
                    hold=hold.id, reason=hold.reason, records=tuple(sorted(kept)), proposals=tuple(sorted(waiting))
                )
            )
    return tuple(found)


def refuse_held(found: tuple[HoldConflict, ...]) -> None:
    """Refuse an erasure that a hold stands against."""
    for one in found:
        raise OnHold(one.hold, one.reason, records=len(one.records), proposals=len(one.proposals))
