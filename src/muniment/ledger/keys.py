"""Follow which signing key was in force where in a ledger. No store, no files: signatures are checked by whoever asks.

The genesis names the first key. From then on a key comes into force by an entry that both it and its predecessor
signed, for that very place. What is signed under a key that is not in force there is a forgery, however genuine the
signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from muniment.model.entry import (
    Entry,
    EntryKind,
    Handover,
    SignedCheckpoint,
    SignedHandover,
    StoredEntry,
    VerifyFinding,
)
from muniment.model.errors import IntegrityError
from muniment.model.value import Value, read_canonical

SignedBy = Callable[[Value, str, str], bool]
"""Whether a value was signed, in hex, by the holder of a key."""
_KEYED = f'"kind":"{EntryKind.KEYED.value}"'.encode()


class KeySpan(Value):
    """A key and the entry from which on it is in force; the handover that brought it in, unless it was the first."""

    key: str
    since: int
    handover: SignedHandover | None = None


class KeyHistory:
    """The keys of one ledger in the order they came into force, learned while its entries pass by."""

    def __init__(self, tenant: str, signed_by: SignedBy) -> None:
        self.spans: list[KeySpan] = []
        self.findings: list[VerifyFinding] = []
        self._tenant = tenant
        self._signed_by = signed_by
        self._before = ""
        self._lost = False

    @property
    def key(self) -> str | None:
        """The key in force after the last entry that has passed."""
        return self.spans[-1].key if self.spans else None

    def along(self, entries: Iterable[StoredEntry]) -> Iterator[StoredEntry]:
        """The same entries; each is looked at before it is handed on."""
        for stored in entries:
            if stored.seq == 1 or _KEYED in stored.body:
                self._meet(stored)
            self._before = stored.hash.hex()
            yield stored

    def vouches(self, value: Value, signature: str, key: str) -> bool:
        """Whether a value, met at this place of the ledger, was signed with the key it names, and that one in force."""
        return (key == self.key or self._lost) and self._signed_by(value, signature, key)

    def vouches_for(self, signed: SignedCheckpoint) -> bool:
        return self.vouches(signed.checkpoint, signed.signature, signed.checkpoint.key)

    def _meet(self, stored: StoredEntry) -> None:
        try:
            entry = read_canonical(stored.body, Entry)
        except IntegrityError:  # whoever reads the entries reports it; here it may have been a handover
            self._lost = True
            return
        if stored.seq == 1 and entry.key is not None:
            self.spans.append(KeySpan(key=entry.key, since=1))
        elif entry.kind is EntryKind.KEYED:
            self._hand_over(stored.seq, entry.handover)

    def _hand_over(self, seq: int, signed: SignedHandover | None) -> None:
        if signed is None or not self._sound(seq, signed):
            message = f"entry {seq} names a signing key that its predecessor, or it itself, did not sign for this place"
            self.findings.append(VerifyFinding(code="key_forged", message=message, seq=seq))
            return
        self.spans.append(KeySpan(key=signed.handover.new, since=seq, handover=signed))

    def _sound(self, seq: int, signed: SignedHandover) -> bool:
        said = signed.handover
        due = Handover(tenant=self._tenant, seq=seq, after=self._before, old=self.key or "", new=said.new)
        return said == due and follows(signed, self._signed_by)


def follows(signed: SignedHandover, signed_by: SignedBy) -> bool:
    """Whether a handover bears the signatures of both keys."""
    said = signed.handover
    return signed_by(said, signed.by_old, said.old) and signed_by(said, signed.by_new, said.new)


def key_at(spans: Iterable[KeySpan], seq: int) -> str | None:
    """The key in force after entry `seq`.

    >>> spans = (KeySpan(key="a", since=1), KeySpan(key="b", since=9))
    >>> key_at(spans, 8), key_at(spans, 9), key_at(spans, 0)
    ('a', 'b', None)
    """
    found = None
    for span in spans:
        if span.since <= seq:
            found = span.key
    return found
