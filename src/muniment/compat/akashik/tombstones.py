"""What is still known of a unit that was purged: who may hear that there was one, and which entries tell of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.compat.akashik.state import jot
from muniment.model.card import Card
from muniment.model.decoding import decode_json
from muniment.model.entry import Entry, EntryKind
from muniment.model.note import NoteDraft
from muniment.model.record import Record
from muniment.model.rows import StandingRow
from muniment.model.status import Status
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot

PURGED = "purged"
PAGE = 1_024


class StatusChange(Value):
    """A revision's state from a position on."""

    rid: int
    seq: int
    status: Status


class PurgedUnit(Value):
    """A purged unit: the cards of its revisions without what their content could be guessed by, its task, every state
    it was in, and the positions of the conflicts it was in. Noted before the purge, so that none is without."""

    cards: tuple[Card, ...]
    moves: tuple[StatusChange, ...]
    quarrels: tuple[int, ...] = ()
    task: str | None = None


def will_go(snapshot: Snapshot, unit: str) -> NoteDraft:
    """The note on a unit that is about to be purged. It holds nothing of what the unit says."""
    cards = snapshot.catalogue.revisions(unit)
    moves = tuple(move for card in cards for move in moves_of(snapshot.catalogue.standings(card.rid)))
    rows = [row for card in cards for row in snapshot.desk.conflicts_of(card.rid)]
    seqs = {seq for row in rows for seq in (row.opened, row.changed)}
    bare = tuple(msgspec.structs.replace(card, fingerprint=b"", slot=None) for card in cards)
    gone = PurgedUnit(cards=bare, moves=moves, quarrels=tuple(sorted(seqs)), task=task_of(snapshot, cards))
    return jot(PURGED, unit, gone)


def moves_of(rows: Sequence[StandingRow]) -> list[StatusChange]:
    return [StatusChange(rid=row.rid, seq=row.standing.since, status=row.standing.status) for row in rows]


def task_of(snapshot: Snapshot, cards: Sequence[Card]) -> str | None:
    """For which task a unit was recorded, as long as its content is there."""
    documents = (snapshot.documents.get(card.rid) for card in cards)
    records = (read_canonical(document.body, Record) for document in documents if document is not None)
    return next((task for record in records if (task := record.claim.place.task_id) is not None), None)


def gone(snapshot: Snapshot, unit: str) -> PurgedUnit | None:
    """What is known of a unit that is no longer there; None if it is there, or nobody purged it."""
    note = snapshot.notes.get(PURGED, unit)
    if note is None or note.body is None or snapshot.catalogue.revisions(unit):
        return None
    return decode_json(note.body, PurgedUnit)


def tombstone(snapshot: Snapshot, unit: str) -> Entry | None:
    """The entry in which a unit was purged."""
    note, head = snapshot.notes.get(PURGED, unit), snapshot.ledger.head()
    if note is None or head is None:
        return None
    for first in range(note.seq, head.seq + 1, PAGE):
        for stored in snapshot.ledger.entries(first, first + PAGE - 1):
            entry = read_canonical(stored.body, Entry)
            if entry.kind is EntryKind.FORGOTTEN and entry.filing is not None and entry.filing.record == unit:
                return entry
    return None
