"""Bring the ledger of one tenant, and all that is true beside it, from one store to another that follows it.

The source may be written to meanwhile. Each step looks at one moment of it and writes a bounded part; where to go on is
what the target itself says, so that it does not matter when a step is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from muniment.model.entry import Document, Entry, SignedCheckpoint, StoredEntry
from muniment.model.errors import Malformed
from muniment.model.receipt import StoredReceipt
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot, TenantStore
from muniment.write.following import (
    FollowingPart,
    TakenPart,
    follow,
    follow_receipts,
    follow_seals,
    parted,
    take_away,
    taken_by,
)

ENTRIES_AT_ONCE = 256
ASKED_AT_ONCE = 32
"""Of so many entries the documents are asked for together."""
RECEIPTS_AT_ONCE = 256
SEALS_AT_ONCE = 1_000
BYTES_AT_ONCE = 4 * 2**20
"""So much, and one more, goes into one transaction of the target."""
PARTS_A_STEP = 64
"""After so many transactions the source is looked at anew, so that no moment of it is held on to for long."""
LAST = 2**63 - 1
Told = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""
T = TypeVar("T")


def silent(what: str, done: int, whole: int) -> None:
    return None


class LedgerPosition(Value):
    """Where a ledger and its receipt log stand."""

    seq: int = 0
    hash: bytes = bytes(32)
    receipts: int = 0
    receipts_hash: bytes = bytes(32)


def place_of(snapshot: Snapshot) -> LedgerPosition:
    head, (receipts, receipts_hash) = snapshot.ledger.head(), snapshot.receipts.head()
    return LedgerPosition(
        seq=head.seq if head is not None else 0,
        hash=head.hash if head is not None else bytes(32),
        receipts=receipts,
        receipts_hash=receipts_hash,
    )


def genesis_hash(snapshot: Snapshot) -> str | None:
    """By what a ledger is known from every other; None before it has begun."""
    first = snapshot.ledger.entry(1)
    return None if first is None else first.hash.hex()


def demand_same_way(source: Snapshot, target: Snapshot) -> None:
    """Refuse a target of another ledger, and one that has gone on on its own."""
    here = place_of(target)
    if here.seq and genesis_hash(source) != genesis_hash(target):
        raise Malformed(
            "to", "a place where the tenant is not yet, or the same one; there it has a ledger of another origin"
        )
    there = source.ledger.entry(here.seq) if here.seq else None
    if here.seq and (there is None or there.hash != here.hash):
        raise parted(here.seq)
    last = next(source.receipts.since(here.receipts - 1), None) if here.receipts else None
    if here.receipts and (last is None or last.hash != here.receipts_hash):
        raise parted(here.receipts, what="receipt")


class LedgerFollower:
    """One tenant's way from a source to a target."""

    def __init__(self, source: TenantStore, target: TenantStore, *, progress: Told = silent) -> None:
        self.source = source
        self.target = target
        self.forgot = False
        """Whether something was taken away at the target that it had before."""
        self.wrote = False
        """Whether anything was written to the target."""
        self._progress = progress
        self._here = self._stands()
        self._looked = self._here.seq
        self._taken = TakenPart()

    def behind(self, snapshot: Snapshot) -> int:
        """How many entries and receipts of the source are not at the target."""
        there = place_of(snapshot)
        return max(0, there.seq - self._here.seq) + max(0, there.receipts - self._here.receipts)

    def step(self, snapshot: Snapshot, *, parts: int = PARTS_A_STEP) -> bool:
        """Go on by a bounded number of parts; whether the target stands then where the snapshot does."""
        self._forget(snapshot)
        there = place_of(snapshot)
        for _ in range(parts):
            if self._here.seq < there.seq:
                self._entries(snapshot, there)
            elif self._here.receipts < there.receipts:
                self._receipts(snapshot, there)
            else:
                self._seals(snapshot)
                return True
        return False

    def _arrived(self) -> None:
        self._here, self.wrote = self._stands(), True

    def _stands(self) -> LedgerPosition:
        with self.target.read() as snapshot:
            return place_of(snapshot)

    def _forget(self, snapshot: Snapshot) -> None:
        """Take away what the source has taken away since it was last looked at. Comes before anything is brought: what
        is brought is as it is now."""
        there = place_of(snapshot)
        news = taken_by(snapshot.ledger.entries(self._looked + 1, there.seq))
        self._looked = max(self._looked, there.seq)
        if not news:
            return
        self._taken = self._taken.with_later(news)
        if not self._here.seq:
            return
        amended, after = snapshot.documents.many(news.amended), self._here.seq
        blanked = list(_blanked(snapshot, news, upto=self._here.receipts))
        self.target.write(lambda unit: take_away(unit, news, amended, blanked, after=after))
        self.wrote = self.forgot = True

    def _entries(self, snapshot: Snapshot, there: LedgerPosition) -> None:
        self._progress("entries", self._here.seq, there.seq)
        part = _part(snapshot, self._here.seq + 1)
        taken = self._taken
        self.target.write(lambda unit: follow(unit, part, taken))
        self._arrived()

    def _receipts(self, snapshot: Snapshot, there: LedgerPosition) -> None:
        for some in _bounded(snapshot.receipts.since(self._here.receipts), RECEIPTS_AT_ONCE, _receipt_bytes):
            self._progress("receipts", self._here.receipts, there.receipts)
            _add_receipts(self.target, some)
            self._arrived()

    def _seals(self, snapshot: Snapshot) -> None:
        """Bring checkpoints and certificates. A checkpoint may have been signed anew at the entry of the last one."""
        with self.target.read() as here:
            last = here.ledger.last_checkpoint()
            certified = here.ledger.last_erasure()
        if last == snapshot.ledger.last_checkpoint() and certified == snapshot.ledger.last_erasure():
            return
        first = last.checkpoint.seq if last is not None else 0
        checkpoints = (one for one in snapshot.ledger.checkpoints() if one.checkpoint.seq >= first)
        certificates = list(snapshot.ledger.certificates())
        for some in _bounded(checkpoints, SEALS_AT_ONCE, lambda _: 0):
            _add_checkpoints(self.target, some, self._here.seq)
        self.target.write(lambda unit: follow_seals(unit, (), certificates, after=self._here.seq))


def _add_receipts(target: TenantStore, some: Sequence[StoredReceipt]) -> None:
    target.write(lambda unit: follow_receipts(unit, some))


def _add_checkpoints(target: TenantStore, some: Sequence[SignedCheckpoint], after: int) -> None:
    target.write(lambda unit: follow_seals(unit, some, (), after=after))


def _part(snapshot: Snapshot, first: int) -> FollowingPart:
    """The next entries, with those of their documents that are there: so many, or about so many bytes."""
    entries: list[StoredEntry] = []
    documents: dict[int, Document] = {}
    size = 0
    for some in _bounded(snapshot.ledger.entries(first, first + ENTRIES_AT_ONCE - 1), ASKED_AT_ONCE, _entry_bytes):
        found = snapshot.documents.many(
            [ref.doc for stored in some for ref in read_canonical(stored.body, Entry).documents]
        )
        entries += some
        documents |= found
        size += sum(map(_entry_bytes, some)) + sum(len(one.body) for one in found.values())
        if size >= BYTES_AT_ONCE:
            break
    return FollowingPart(entries=tuple(entries), documents=documents)


def _entry_bytes(stored: StoredEntry) -> int:
    return len(stored.body)


def _blanked(snapshot: Snapshot, taken: TakenPart, *, upto: int) -> Iterator[StoredReceipt]:
    wanted = sorted(seq for seq in taken.receipts if seq <= upto)
    if wanted:
        for receipt in snapshot.receipts.since(wanted[0] - 1):
            if receipt.seq > wanted[-1]:
                return
            if receipt.seq in taken.receipts:
                yield receipt


def _receipt_bytes(receipt: StoredReceipt) -> int:
    return len(receipt.body) + len(receipt.account)


def _bounded(stream: Iterator[T], count: int, size: Callable[[T], int]) -> Iterator[list[T]]:
    """A stream in lists of so many, or of so many bytes."""
    some: list[T] = []
    held = 0
    for one in stream:
        some.append(one)
        held += size(one)
        if len(some) >= count or held >= BYTES_AT_ONCE:
            yield some
            some, held = [], 0
    if some:
        yield some
