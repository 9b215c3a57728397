"""What somebody needs who checks a ledger with tools of their own: its links as they were hashed, its signing keys."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.backends.clock_and_ids import public_pem, signed_value_by
from muniment.ledger.keys import KeyHistory, KeySpan, follows
from muniment.model.entry import Entry, EntryKind, SignedHandover, StoredEntry
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot
from muniment.write.key_changes import TOPIC, key_in_force

_PEPPER = b'"pepper":"'
_LAST = 2**62


class ChainLink(Value):
    """One link of the chain: `hash` is SHA-256, in hex, over `muniment entry 1`, a zero byte, the hash before it (32
    zero bytes before the first) and `body`. The body of the genesis is withheld, for it holds the tenant's pepper: a
    check begins with its hash."""

    seq: int
    body: str | None
    hash: str


class SigningKey(Value):
    """A key that checkpoints and certificates are signed with, and the entry from which on it is in force. `key` is the
    public half in hex, which is also its name; `pem` the same for other tools."""

    key: str
    pem: str
    since: int


def links_of(snapshot: Snapshot, first: int, last: int) -> Iterator[ChainLink]:
    return (_link(stored) for stored in snapshot.ledger.entries(first, last))


def _link(stored: StoredEntry) -> ChainLink:
    """Bytes that are no text are told as far as they are: whoever hashes them finds that they are not what was
    signed."""
    body = None if _PEPPER in stored.body else stored.body.decode(errors="replace")
    return ChainLink(seq=stored.seq, body=body, hash=stored.hash.hex())


def keys_of(snapshot: Snapshot, tenant: str) -> tuple[SigningKey, ...]:
    """Every key of a ledger in the order they came into force. Each change of keys leaves a note, so a few rows tell;
    where they do not lead to the key in force, the entries themselves are followed."""
    spans = _noted(snapshot)
    if not spans or spans[-1].key != key_in_force(snapshot):
        spans = _followed(snapshot, tenant)
    return tuple(SigningKey(key=span.key, pem=public_pem(span.key), since=span.since) for span in spans)


def _noted(snapshot: Snapshot) -> list[KeySpan]:
    first = _entry(snapshot, 1)
    if first is None or first.key is None:
        return []
    spans = [KeySpan(key=first.key, since=1)]
    for seq in sorted({note.seq for note in snapshot.notes.present(TOPIC)}):
        entry = _entry(snapshot, seq)
        if entry is not None and entry.kind is EntryKind.KEYED and _succeeds(spans[-1].key, entry.handover):
            assert entry.handover is not None
            spans.append(KeySpan(key=entry.handover.handover.new, since=seq, handover=entry.handover))
    return spans


def _succeeds(key: str, signed: SignedHandover | None) -> bool:
    return signed is not None and signed.handover.old == key and follows(signed, signed_value_by)


def _followed(snapshot: Snapshot, tenant: str) -> list[KeySpan]:
    line = KeyHistory(tenant, signed_value_by)
    for _ in line.along(snapshot.ledger.entries(1, _LAST)):
        continue
    return line.spans


def _entry(snapshot: Snapshot, seq: int) -> Entry | None:
    stored = snapshot.ledger.entry(seq)
    return read_canonical(stored.body, Entry) if stored is not None else None
