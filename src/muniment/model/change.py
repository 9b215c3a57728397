"""A change set: everything one decision wants to write, and the versions it was decided on."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.entry import (
    ConflictChange,
    DocumentRole,
    EntryKind,
    ProposalStateChange,
    RevisionCreated,
    SignedHandover,
    StateChange,
)
from muniment.model.erasure import Certificate, Tombstone
from muniment.model.note import Note
from muniment.model.packed_receipt import PackedAccount
from muniment.model.receipt import Account
from muniment.model.rows import ProposalRow
from muniment.model.times import Instant
from muniment.model.value import Value


class DependencyKey(StrEnum):
    """What a decision may depend on."""

    PROPOSAL = "proposal"
    RECORD = "record"
    TWIN = "twin"
    SLOT = "slot"


class SeenVersion(Value):
    """A thing the decision looked at and the version it saw; 0 stands for "was not there"."""

    key: DependencyKey
    name: str
    version: int


class NewDocument(Value):
    """A document to be kept: what it is to the entry, what it says, and the number the decision refers to it by."""

    doc: int
    role: DocumentRole
    value: Value


class DocumentRedaction(Value):
    """A document that loses words: its number, what it is, and what it says from now on."""

    doc: int
    role: DocumentRole
    value: Value


class ReceiptRedaction(Value):
    """A receipt that loses words: its id and place in the log, and its account from now on."""

    id: str
    seq: int
    account: Account | PackedAccount


class ChangeSet(Value):
    """Decided, not yet done. `commit` applies all of it with one ledger entry, or nothing.

    `position` is where the ledger stood when the facts were fetched. While it stands there, nothing can have moved;
    when it does not, each thing in `decided_on` is looked at again. `refiled` and `reworded` are the
    projections of what is `amended`. The `certificate` of an erasure lacks the hash of the entry, which comes with it.
    """

    kind: EntryKind
    actor: str
    at: Instant
    position: int
    decided_on: tuple[SeenVersion, ...]
    drafts: tuple[NewDocument, ...] = ()
    dropped: tuple[int, ...] = ()
    erased: tuple[Tombstone, ...] = ()
    amended: tuple[DocumentRedaction, ...] = ()
    receipts: tuple[ReceiptRedaction, ...] = ()
    refiled: tuple[ProposalRow, ...] = ()
    reworded: tuple[Note, ...] = ()
    policy: int = 0
    pepper: str | None = None
    key: str | None = None
    handover: SignedHandover | None = None
    births: tuple[RevisionCreated, ...] = ()
    changes: tuple[StateChange, ...] = ()
    filing: ProposalStateChange | None = None
    conflicts: tuple[ConflictChange, ...] = ()
    certificate: Certificate | None = None
