"""What happened in a tenant hour by hour, summed up from its ledger and its receipts as they grow.

A chronicle remembers how far it has read and reads only what is new, a bounded number at a time. What it has summed up
follows from the two logs alone, however many readings it took. Nothing of it is kept: it is made again when a tenant
is opened, and when the logs are no longer those it has read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from muniment.model.entry import DocumentRole, EntryKind, StoredEntry
from muniment.model.query import Listing
from muniment.model.receipt import ReceiptEntry, StoredReceipt
from muniment.model.status import CURRENT
from muniment.model.times import HOUR, Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import ConflictStatus, Outcome, Tier
from muniment.ports.store import Snapshot

ENTRIES_AT_ONCE = 2_000
RECEIPTS_AT_ONCE = 2_000
HOURS_KEPT = 24 * 90
"""So far back hours are told apart; what is older is kept by days."""
FINE = 1_000_000
"""Confidence is summed up in millionths: whole numbers add up to the same in any order."""
TIERS = tuple(tier.value for tier in Tier)
_CURRENT = frozenset(status.value for status in CURRENT)
_WRITES = frozenset({EntryKind.CURATED.value, EntryKind.RULED.value})


@dataclass(slots=True)
class ActivityCounts:
    """How often what happened in one stretch of time."""

    committed: int = 0
    held: int = 0
    refused: int = 0
    conflicts_opened: int = 0
    conflicts_resolved: int = 0
    erased: int = 0
    recalls: int = 0
    listings: int = 0
    abstentions: int = 0
    told: int = 0
    kept_back: dict[str, int] = field(default_factory=dict)

    def add(self, other: ActivityCounts) -> None:
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.keep_back(other.kept_back)

    def keep_back(self, rules: dict[str, int]) -> None:
        for rule, number in rules.items():
            self.kept_back[rule] = self.kept_back.get(rule, 0) + number


_NUMBERS = tuple(name for name in ActivityCounts.__slots__ if name != "kept_back")


class ActivityLevel(Value):
    """How things stood at the end of a stretch of time. `confidence` is a sum, in millionths; `tiers` in order."""

    records: int = 0
    confidence: int = 0
    tiers: tuple[int, ...] = (0,) * len(TIERS)
    waiting: int = 0


class ActivityLog:
    """The sums of one tenant. One thread at a time."""

    def __init__(self) -> None:
        self.counts: dict[int, ActivityCounts] = {}
        self.days: dict[int, ActivityCounts] = {}
        self.levels: dict[int, ActivityLevel] = {}
        self.waiting: dict[str, Instant] = {}
        """Proposals that wait, with since when, the longest waiting first."""
        self._held: dict[int, str] = {}
        self.open: set[str] = set()
        self.entries = 0
        self.receipts = 0
        self._hashes = (b"", b"")
        self._hour: int | None = None
        self._standing: dict[int, int] = {}
        self._records = 0
        self._confidence = 0
        self._tiers = [0] * len(TIERS)

    def continues(self, snapshot: Snapshot) -> bool:
        """Whether the logs still hold, where reading stopped, what was read there."""
        entry = snapshot.ledger.entry(self.entries) if self.entries else None
        if (entry.hash if entry is not None else b"") != self._hashes[0]:
            return False
        last, hash_ = snapshot.receipts.head()
        if last != self.receipts and self.receipts:
            receipt = next(snapshot.receipts.since(self.receipts - 1), None)
            hash_ = receipt.hash if receipt is not None else b""
        return not self.receipts or hash_ == self._hashes[1]

    def read_on(self, snapshot: Snapshot) -> tuple[int, int]:
        """Read what is new, up to a bound; how much was read by now, and how much there is. Receipts come after the
        ledger."""
        head = snapshot.ledger.head()
        ends = (head.seq if head is not None else 0, snapshot.receipts.head()[0])
        for entry in snapshot.ledger.entries(self.entries + 1, self.entries + ENTRIES_AT_ONCE):
            self._read_entry(entry)
        if self.entries == ends[0]:
            for receipt in islice(snapshot.receipts.since(self.receipts), RECEIPTS_AT_ONCE):
                self._read_receipt(receipt)
        self._merge()
        return self.entries + self.receipts, sum(ends)

    def level(self) -> ActivityLevel:
        """How things stand after what was read."""
        return ActivityLevel(
            records=self._records, confidence=self._confidence, tiers=tuple(self._tiers), waiting=len(self.waiting)
        )

    def levels_by_hour(self) -> list[tuple[int, ActivityLevel]]:
        """How things stood at the end of every hour after which they were otherwise, by rising hour."""
        present = [(self._hour, self.level())] if self._hour is not None else []
        return [*sorted(self.levels.items()), *present]

    def _read_entry(self, stored: StoredEntry) -> None:
        entry = read_canonical(stored.body, _Entry)
        hour = entry.at // HOUR
        if self._hour is not None and hour > self._hour:
            self.levels[self._hour] = self.level()
        self._hour = hour if self._hour is None else max(hour, self._hour)
        for one in (*entry.changes, *entry.births):
            self._stand(one.rid, one if one.status in _CURRENT else None)
        for stone in entry.erased:
            self._stand(stone.rid, None)
        counts = self._at(self._hour)
        counts.erased += len(entry.erased)
        self._file(entry, counts)
        self._dispute(entry, counts)
        self.entries, self._hashes = stored.seq, (stored.hash, self._hashes[1])

    def _stand(self, rid: int, standing: _Standing | None) -> None:
        """Take note of what a revision counts for from now on; nothing, if it speaks for now no longer."""
        before = self._standing.pop(rid, None)
        if before is not None:
            self._weigh(before, -1)
        if standing is not None:
            packed = round(standing.footing.effective * FINE) * len(TIERS) + TIERS.index(standing.vigour.tier)
            self._standing[rid] = packed
            self._weigh(packed, 1)

    def _weigh(self, packed: int, sign: int) -> None:
        confidence, tier = divmod(packed, len(TIERS))
        self._records += sign
        self._confidence += sign * confidence
        self._tiers[tier] += sign

    def _file(self, entry: _Entry, counts: ActivityCounts) -> None:
        for doc in entry.dropped:  # what waited and was erased
            self.waiting.pop(self._held.pop(doc, ""), None)
        filing = entry.filing
        if filing is None:
            return
        self.waiting.pop(filing.proposal, None)
        if filing.outcome is Outcome.HELD:
            self.waiting[filing.proposal] = Instant(entry.at)
            self._held.update(
                (ref.doc, filing.proposal) for ref in entry.documents if ref.role == DocumentRole.HELD.value
            )
        if entry.kind in _WRITES:
            setattr(counts, filing.outcome.value, getattr(counts, filing.outcome.value) + 1)

    def _dispute(self, entry: _Entry, counts: ActivityCounts) -> None:
        for conflict in entry.conflicts:
            over = conflict.status == ConflictStatus.RESOLVED
            counts.conflicts_opened += not conflict.opened
            counts.conflicts_resolved += over and (not conflict.opened or conflict.id in self.open)
            (self.open.discard if over else self.open.add)(conflict.id)

    def _read_receipt(self, stored: StoredReceipt) -> None:
        entry, account = read_canonical(stored.body, ReceiptEntry), read_canonical(stored.account, _Account)
        counts = self._at(entry.at // HOUR)
        if account.query.listing is not None:
            counts.listings += 1
        else:
            counts.recalls += 1
            counts.abstentions += account.abstained is not None
        counts.told += len(account.selected)
        counts.keep_back(account.excluded)
        self.receipts, self._hashes = stored.seq, (self._hashes[0], stored.hash)

    def _at(self, hour: int) -> ActivityCounts:
        found = self.counts.get(hour)
        if found is None:
            found = self.counts[hour] = ActivityCounts()
        return found

    def _merge(self) -> None:
        """Keep by days what is older than hours are told apart for."""
        newest = max(self.counts, default=0)
        first = (newest - HOURS_KEPT) // 24
        for hour in [hour for hour in self.counts if hour // 24 < first]:
            self.days.setdefault(hour // 24, ActivityCounts()).add(self.counts.pop(hour))
        last: dict[int, int] = {}
        for hour in sorted(hour for hour in self.levels if hour // 24 < first):
            if hour // 24 in last:
                del self.levels[last[hour // 24]]
            last[hour // 24] = hour


def hours(chronicle: ActivityLog, first: int, last: int) -> Iterator[ActivityCounts]:
    """What was counted in these hours, both included."""
    return (found for hour in range(first, last + 1) if (found := chronicle.counts.get(hour)) is not None)


class _Effective(Value, forbid_unknown_fields=False):
    effective: float


class _Vigour(Value, forbid_unknown_fields=False):
    tier: Tier = Tier.WORKING


_FRESH = _Vigour()


class _Standing(Value, forbid_unknown_fields=False):
    rid: int
    status: str
    footing: _Effective
    vigour: _Vigour = _FRESH


class _Filing(Value, forbid_unknown_fields=False):
    proposal: str
    outcome: Outcome


class _Conflict(Value, forbid_unknown_fields=False):
    id: str
    status: str
    opened: int = 0


class _Document(Value, forbid_unknown_fields=False):
    doc: int
    role: str


class _Stone(Value, forbid_unknown_fields=False):
    rid: int


class _Entry(Value, forbid_unknown_fields=False):
    """The parts of an entry that are summed up. Reading only these keeps it fast."""

    at: int
    kind: str
    births: tuple[_Standing, ...] = ()
    changes: tuple[_Standing, ...] = ()
    erased: tuple[_Stone, ...] = ()
    filing: _Filing | None = None
    documents: tuple[_Document, ...] = ()
    dropped: tuple[int, ...] = ()
    conflicts: tuple[_Conflict, ...] = ()


class _Asked(Value, forbid_unknown_fields=False):
    listing: Listing | None = None


class _Account(Value, forbid_unknown_fields=False):
    """The same of a receipt."""

    query: _Asked
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    selected: tuple[int | str, ...] = ()
    abstained: str | None = None
