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
    """Decided, not yet done. `commit` applies all of it with one ledger entry, or nothing.

    `position` is where the ledger stood when the facts were fetched. While it stands there, nothing can have moved;
    when it does not, each thing in `decided_on` is looked at again.
    """

    kind: EntryKind
    actor: str
    at: Instant
    position: int
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
