"""Keep a folder of Markdown notes and a memory in step, both ways, one pass at a time.

A note is a record. What somebody writes in the folder is proposed; what counts in the memory appears as a note. Where
both changed since the last pass neither is overwritten: the memory's words go into a file beside the note, and the
note's words wait in the queue.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import msgspec

from muniment.compat.exchange.luggage import given_out
from muniment.contracts.names import safe_id
from muniment.engine import Memory
from muniment.importers.export import Outgoing, note_of, outgoing, slug
from muniment.importers.files import note_text, path_of, walk
from muniment.importers.foreign import ForeignRecord, Unread, made_id, text_of
from muniment.importers.kinds import SourceKind
from muniment.importers.readers.notes import INDEX, RULE_FILES, Note, whole
from muniment.importers.takeover import Plan, move_in
from muniment.model.decoding import decode_json
from muniment.model.errors import Malformed, NotFound, SourceUnreadable
from muniment.model.query import Disclosure
from muniment.model.status import CURRENT
from muniment.model.value import Value, canonical
from muniment.model.vocabulary import Kind

STATE = ".muniment-watch.json"
_MARK = ".conflict-"
WATCHED = (SourceKind.CLAUDE_CODE, SourceKind.OBSIDIAN, SourceKind.OMP, SourceKind.BASIC_MEMORY)


class Watched(Value):
    """A note as it was after the last pass: the record it is, its revision, and a digest of the file."""

    path: str
    record: str
    revision: int
    digest: str


class WatchState(Value):
    """What was in step after the last pass."""

    notes: tuple[Watched, ...] = ()


class Pass(Value):
    """What one pass did. `proposed` notes became records or wait, `written` are files that were made or brought up to
    date, `removed` those whose record counts no more, `conflicts` where both sides had changed."""

    proposed: int = 0
    held: int = 0
    refused: int = 0
    deleted: int = 0
    written: int = 0
    removed: int = 0
    conflicts: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    batch: str | None = None

    @property
    def quiet(self) -> bool:
        return self == Pass(unread=self.unread)


def watch_once(memory: Memory, folder: Path, kind: SourceKind) -> Pass:
    """One pass: first what changed in the folder, then what changed in the memory."""
    if kind not in WATCHED:
        raise Malformed("from", "one of " + ", ".join(WATCHED))
    if not path_of(folder).is_dir():
        raise SourceUnreadable(folder.name, "a folder of notes")
    return _Watching(memory, folder, kind).run()


_Named: TypeAlias = "tuple[str, ForeignRecord]"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _Watching:
    """One pass over one folder."""

    def __init__(self, memory: Memory, folder: Path, kind: SourceKind) -> None:
        self._memory, self._folder, self._kind = memory, folder, kind
        self._before = {one.path: one for one in _read_state(folder).notes}
        self._after: dict[str, Watched] = {}
        self._counts: Counter[str] = Counter()
        self._conflicts: list[str] = []
        self._unread: list[Unread] = []

    def run(self) -> Pass:
        told = self._told()
        changed, clashing, gone = self._look(told)
        batches = [
            self._propose(changed, hold=False),
            self._propose(clashing, hold=True),
            self._propose(gone, hold=False),
        ]
        now = self._told()
        self._settle(now, {name for name, _ in (*changed, *clashing)})
        self._give(now)
        _write_state(self._folder, WatchState(notes=tuple(self._after[name] for name in sorted(self._after))))
        return Pass(
            proposed=self._counts["taken"],
            held=self._counts["held"],
            refused=self._counts["refused"],
            deleted=len(gone),
            written=self._counts["written"],
            removed=self._counts["removed"],
            conflicts=tuple(self._conflicts),
            unread=tuple(self._unread),
            batch=next((one for one in batches if one is not None), None),
        )

    def _told(self) -> dict[str, Disclosure]:
        """What is shared and counts. The memory of single users stays out of the folder; so does a record that only
        says that another one ended."""
        return {
            one.record.id: one
            for one in self._memory.insight.browse()
            if one.record.claim.place.user is None and one.record.claim.nature.kind is not Kind.DEPRECATION
        }

    def _look(self, told: dict[str, Disclosure]) -> tuple[list[_Named], list[_Named], list[_Named]]:
        """Notes that changed, notes that changed while their record did too, and records whose notes are gone."""
        changed, clashing = [], []
        seen = set()
        for name, data, record in self._notes():
            seen.add(name)
            known = self._before.get(name)
            if known is not None and known.digest == _digest(data):
                self._after[name] = known
                continue
            own = msgspec.structs.replace(record, id=known.record if known is not None else record.id)
            here = told.get(safe_id(own.id))
            if here is not None and here.record.claim.content == own.text:
                self._keep(name, here, data)
            elif known is not None and self._moved(known, here):
                self._beside(name, known, here)
                clashing.append((name, own))
            else:
                changed.append((name, own))
        gone = []
        for name, known in self._before.items():
            here = told.get(known.record)
            if name in seen or here is None or (self._folder / name).exists():
                continue
            if here.record.revision > known.revision:
                continue  # it changed here since: the note is written again
            gone.append((name, ForeignRecord(id=known.record, text=f"{name} is gone", place=name, deleted=True)))
        return changed, clashing, gone

    def _notes(self) -> Iterator[tuple[str, bytes, ForeignRecord]]:
        for path in walk(self._folder, lambda one: one.suffix == ".md"):
            name = path.relative_to(self._folder).as_posix()
            if path.name in (INDEX, *RULE_FILES) or _MARK in path.name:
                continue
            text = note_text(path, name)
            if isinstance(text, Unread):
                self._unread.append(text)
                continue
            note = Note(path, self._folder, text)
            for item in whole(note, "note"):
                if isinstance(item, ForeignRecord):
                    own = text_of(note.head, "id") or made_id("note", name)
                    yield name, text.encode(), msgspec.structs.replace(item, id=own)
                elif isinstance(item, Unread):
                    self._unread.append(item)

    def _moved(self, known: Watched, here: Disclosure | None) -> bool:
        return here is None or here.record.revision > known.revision

    def _beside(self, name: str, known: Watched, here: Disclosure | None) -> None:
        """Write the memory's words beside a note that changed too. Without a record that counts there is nothing to
        write: the note's words wait all the same."""
        self._conflicts.append(name)
        if here is None:
            return
        path = self._folder / name
        beside = path.with_name(f"{path.stem}{_MARK}{here.record.revision}.md")
        if not beside.exists():
            _write(beside, self._note(here))
            self._counts["written"] += 1

    def _propose(self, found: list[_Named], *, hold: bool) -> str | None:
        """Propose what changed as one batch that can be rolled back. The state of the folder is part of its name, so
        that the same words later are proposed again."""
        if not found:
            return None
        state = _digest(canonical(_read_state(self._folder)))
        with _planned(self._kind, [record for _, record in found], state) as plan:
            moved = move_in(self._memory, plan, hold=hold)
        self._counts.update(taken=moved.taken, held=moved.held, refused=moved.refused)
        return moved.batch

    def _settle(self, now: dict[str, Disclosure], names: set[str]) -> None:
        """Remember the notes that were proposed as they are, whatever was decided: they are not proposed twice."""
        for name, data, record in self._notes():
            if name not in names:
                continue
            known = self._before.get(name)
            own = known.record if known is not None else safe_id(record.id)
            here = now.get(own)
            revision = here.record.revision if here is not None else known.revision if known is not None else 0
            self._after[name] = Watched(path=name, record=own, revision=revision, digest=_digest(data))

    def _keep(self, name: str, here: Disclosure, data: bytes) -> None:
        self._after[name] = Watched(
            path=name, record=here.record.id, revision=here.record.revision, digest=_digest(data)
        )

    def _give(self, now: dict[str, Disclosure]) -> None:
        """Write what counts here and is not in the folder as it is here; take away what counts no more."""
        placed = {one.record: name for name, one in self._after.items()}
        for own, here in now.items():
            name = placed.get(own)
            if name is None:
                self._make(here)
            elif here.record.revision > self._after[name].revision and name not in self._conflicts:
                self._bring_up(name, here)
        for name, one in list(self._after.items()):
            if one.revision > 0 and one.record not in now and name not in self._conflicts and self._ended(one.record):
                path = self._folder / name
                if self._is(name, one.digest):
                    path.unlink()
                    del self._after[name]
                    self._counts["removed"] += 1

    def _is(self, name: str, digest: str) -> bool:
        """Whether a note is still as it was read."""
        text = note_text(self._folder / name, name)
        return not isinstance(text, Unread) and _digest(text.encode()) == digest

    def _ended(self, own: str) -> bool:
        try:
            return all(one.standing.status not in CURRENT for one in self._memory.history(own).revisions)
        except NotFound:
            return True

    def _make(self, here: Disclosure) -> None:
        one = self._outgoing(here)
        path = self._folder / f"{slug(one)}.md"
        while path.exists():
            path = path.with_name(f"{path.stem}-2.md")
        data = self._note(here)
        _write(path, data)
        self._counts["written"] += 1
        self._keep(path.relative_to(self._folder).as_posix(), here, data.encode())

    def _bring_up(self, name: str, here: Disclosure) -> None:
        path = self._folder / name
        if not self._is(name, self._after[name].digest):
            return  # it changed while we were at it: the next pass sees that
        data = self._note(here)
        _write(path, data)
        self._counts["written"] += 1
        self._keep(name, here, data.encode())

    def _outgoing(self, here: Disclosure) -> Outgoing:
        carried, _ = given_out(self._memory, here, ())
        return msgspec.structs.replace(outgoing(carried), id=here.record.id)

    def _note(self, here: Disclosure) -> str:
        one = self._outgoing(here)
        return note_of(one, one.text)


@contextmanager
def _planned(kind: SourceKind, records: list[ForeignRecord], state: str) -> Iterator[Plan]:
    plan = Plan(kind, salt=state)
    try:
        for record in records:
            plan.take(record)
        yield plan
    finally:
        plan.close()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _read_state(folder: Path) -> WatchState:
    path = folder / STATE
    return decode_json(path.read_bytes(), WatchState) if path.is_file() and not path.is_symlink() else WatchState()


def _write_state(folder: Path, state: WatchState) -> None:
    _write(folder / STATE, canonical(state).decode())
