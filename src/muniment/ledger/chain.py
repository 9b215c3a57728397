"""Link entries into a chain and pin documents with salted commitments. No store, no clock, no keys."""

from __future__ import annotations

import hashlib

from muniment.model.entry import Entry, LedgerHead, StoredEntry
from muniment.model.value import canonical

VERSION = 1
_ENTRY = b"muniment entry 1\x00"
_DOCUMENT = b"muniment document 1\x00"
_RECEIPT = b"muniment receipt 1\x00"
ZERO = bytes(32)


def link(previous: bytes, body: bytes) -> bytes:
    """The hash of an entry: over the hash before it and its own canonical bytes."""
    return hashlib.sha256(_ENTRY + previous + body).digest()


def link_receipt(previous: bytes, body: bytes) -> bytes:
    return hashlib.sha256(_RECEIPT + previous + body).digest()


def commitment(salt: bytes, body: bytes) -> str:
    """Pin a document without telling it: once the salt is gone, even a right guess cannot be confirmed.

    >>> commitment(b"a" * 16, b"tea") == commitment(b"b" * 16, b"tea")
    False
    """
    return hashlib.sha256(_DOCUMENT + salt + body).hexdigest()


def seal(entry: Entry, head: LedgerHead | None) -> StoredEntry:
    """Make `entry` the next link after `head`."""
    assert entry.seq == (head.seq if head else 0) + 1, "entries are sealed in order"
    body = canonical(entry)
    return StoredEntry(seq=entry.seq, body=body, hash=link(head.hash if head else ZERO, body))
