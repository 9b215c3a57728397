"""A record is told only if its document is the one the ledger committed to: an edit behind our back is never told.

One look at the entry that brought it. That the entry itself is genuine is for `verify` to say.
"""

from __future__ import annotations

from muniment.ledger.chain import commitment
from muniment.model.entry import Document, Entry
from muniment.model.errors import LedgerBroken
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot


def check_pinned(snapshot: Snapshot, document: Document, seq: int) -> None:
    """Refuse a document that entry `seq` did not commit to, and that no later entry took words from."""
    stored = snapshot.ledger.entry(seq)
    digest = commitment(document.salt, document.body)
    # The entry is not read but searched: it is canonical, and nobody finds a document whose digest occurs by chance.
    if stored is not None and digest.encode() in stored.body:
        return
    head = snapshot.ledger.head()
    for later in snapshot.ledger.entries(seq + 1, head.seq if head is not None else 0):
        if digest.encode() in later.body and _amends(read_canonical(later.body, Entry), document.doc, digest):
            return
    raise LedgerBroken(f"document {document.doc} is not what entry {seq} committed to", seq=seq)


def _amends(entry: Entry, doc: int, digest: str) -> bool:
    return any((ref.doc, ref.digest) == (doc, digest) for ref in entry.amended)
