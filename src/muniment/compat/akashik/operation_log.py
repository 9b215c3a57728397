"""What is written down of an operation beside what it changed: who did what to which task or session, and what of it
is announced."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.compat.akashik.state import LOG, jot
from muniment.contracts.akashik.events import FieldEvent
from muniment.model.decoding import decode_json
from muniment.model.entry import DocumentRole, Entry
from muniment.model.note import Note, NoteDraft
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot

_KEY = "log"


class LoggedOperation(Value):
    """One operation. `what` is the operation and its action; `events` are announced to those who may hear of them."""

    what: str
    agent: str
    words: str
    task: str | None = None
    session: str | None = None
    events: tuple[FieldEvent, ...] = ()


def log(entry: LoggedOperation) -> NoteDraft:
    return jot(LOG, _KEY, entry)


def logged(note: Note) -> LoggedOperation | None:
    """What a note of the log says; None for every other note."""
    if note.topic != LOG or note.body is None:
        return None
    return decode_json(note.body, LoggedOperation)


def logged_in(snapshot: Snapshot, entry: Entry) -> Iterator[LoggedOperation]:
    """What an entry says in the log."""
    for ref in entry.documents:
        document = snapshot.documents.get(ref.doc) if ref.role is DocumentRole.NOTE else None
        if document is None:
            continue
        written = read_canonical(document.body, NoteDraft)
        if written.topic == LOG and written.body is not None:
            yield decode_json(written.body, LoggedOperation)
