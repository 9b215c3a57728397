"""A change set: everything one decision wants to write, and the versions it was decided on."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.entry import Birth, Change, ConflictChange, EntryKind, Filing, Role
from muniment.model.times import Instant
from muniment.model.value import Value


class Key(StrEnum):
    """What a decision may depend on."""

    PROPOSAL = "proposal"
    RECORD = "record"
    TWIN = "twin"
    SLOT = "slot"


class Seen(Value):
    """A thing the decision looked at and the version it saw; 0 stands for "was not there"."""

    key: Key
    name: str
    version: int


class Draft(Value):
    """A document to be kept: what it is to the entry, what it says, and the number the decision refers to it by."""

    doc: int
    role: Role
    value: Value


class ChangeSet(Value):
    """Decided, not yet done. `commit` applies all of it with one ledger entry, or nothing."""

    kind: EntryKind
    actor: str
    at: Instant
    decided_on: tuple[Seen, ...]
    drafts: tuple[Draft, ...] = ()
    dropped: tuple[int, ...] = ()
    policy: int = 0
    pepper: str | None = None
    key: str | None = None
    births: tuple[Birth, ...] = ()
    changes: tuple[Change, ...] = ()
    filing: Filing | None = None
    conflicts: tuple[ConflictChange, ...] = ()
