"""What an empty store can be filled from: a snapshot of another store, or an archive of one. Read in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from muniment.model.entry import Document, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.receipt import StoredReceipt


class SourceLedger(Protocol):
    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        """Entries `first` to `last`, both included, by rising position. May be asked for more than once."""

    def checkpoints(self) -> Iterator[SignedCheckpoint]: ...

    def certificates(self) -> Iterator[SignedCertificate]: ...


class SourceDocuments(Protocol):
    def get(self, doc: int) -> Document | None:
        """A document of the entry that was handed out last; None if it is no longer there."""


class SourceReceipts(Protocol):
    def all(self) -> Iterator[StoredReceipt]: ...


class StoreSource(Protocol):
    """Everything that is true of one tenant, without anything that follows from it."""

    @property
    def ledger(self) -> SourceLedger: ...

    @property
    def documents(self) -> SourceDocuments: ...

    @property
    def receipts(self) -> SourceReceipts: ...
