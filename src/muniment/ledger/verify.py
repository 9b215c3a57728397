"""Check a tenant's ledger against itself, its documents, its projections, its checkpoints and an anchored head.

Pure: it is handed streams and reads each of them once, in order, so that memory does not grow with the ledger.
It goes on after a finding, so that one damaged entry is named as one damaged entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec

from muniment.ledger import merkle
from muniment.ledger.chain import ZERO, commitment, link
from muniment.ledger.project import project, read_document
from muniment.model.card import Card, standing_of
from muniment.model.entry import Document, Entry, EntryKind, Finding, Head, SignedCheckpoint, StoredEntry
from muniment.model.errors import IntegrityError
from muniment.model.rows import ConflictRow, ProposalRow, StandingRow
from muniment.model.value import Value, canonical, read_canonical

SignatureCheck = Callable[[SignedCheckpoint], bool]
_T = TypeVar("_T")


class Streams:
    """What is stored, each in its natural order: entries by position, documents by number, cards by `rid`,
    proposals by the entry that filed them last, standings and conflicts in any order."""

    def __init__(
        self,
        *,
        entries: Iterable[StoredEntry],
        documents: Iterable[Document],
        cards: Iterable[Card],
        proposals: Iterable[ProposalRow],
        standings: Callable[[int], tuple[StandingRow, ...]],
        conflicts: Iterable[ConflictRow],
        checkpoints: Iterable[SignedCheckpoint],
    ) -> None:
        self.entries = iter(entries)
        self.documents = iter(documents)
        self.cards = iter(cards)
        self.proposals = iter(proposals)
        self.standings = standings
        self.conflicts = conflicts
        self.checkpoints = tuple(checkpoints)


class Verification:
    """One pass over one tenant. Make it, `run` it, read `findings` and `entries`."""

    def __init__(self, tenant: str, streams: Streams, *, genuine: SignatureCheck, anchor: Head | None = None) -> None:
        self.findings: list[Finding] = []
        self.entries = 0
        self._tenant = tenant
        self._streams = streams
        self._genuine = genuine
        self._anchor = anchor
        self._hash = ZERO
        self._at = -(2**63)
        self._pepper = b""
        self._peaks: tuple[bytes, ...] = ()
        self._whole = True
        self._owed = {signed.checkpoint.seq: signed for signed in streams.checkpoints}
        self._document = next(streams.documents, None)
        self._card = next(streams.cards, None)
        self._proposal = next(streams.proposals, None)
        self._unfiled: dict[str, int] = {}
        self._gone: set[int] = set()
        self._absent: dict[int, int] = {}
        self._moved: dict[int, list[StandingRow]] = {}
        self._present: dict[int, Card] = {}
        self._conflicts: dict[str, ConflictRow] = {}

    def run(self, progress: Callable[[int], None] = lambda _: None) -> list[Finding]:
        for stored in self._streams.entries:
            self._entry(stored)
            if self.entries % 1000 == 0:
                progress(self.entries)
        self._finish()
        progress(self.entries)
        return self.findings

    def _report(self, code: str, message: str, *, seq: int | None = None, record: str | None = None) -> None:
        self.findings.append(Finding(code=code, message=message, seq=seq, record=record))

    def _entry(self, stored: StoredEntry) -> None:
        expected = self.entries + 1
        if stored.seq != expected:
            self._gap(expected, stored.seq)
        self.entries = stored.seq
        if link(self._hash, stored.body) != stored.hash:
            self._report(
                "entry_altered", f"entry {stored.seq} does not match its hash or its predecessor", seq=stored.seq
            )
        self._hash = stored.hash
        if self._whole:
            _, self._peaks = merkle.grow(stored.seq - 1, self._peaks, (stored.hash,))
        if stored.seq in self._owed:
            self._checkpoint(self._owed.pop(stored.seq), stored)
        if self._anchor is not None and stored.seq == self._anchor.seq and stored.hash != self._anchor.hash:
            self._report("head_differs", f"entry {stored.seq} is not the one that was anchored", seq=stored.seq)
        self._contents(stored)

    def _gap(self, expected: int, found: int) -> None:
        self._whole = False  # a Merkle tree can be grown only over entries that follow one another
        if found < expected:
            self._report("entry_inserted", f"position {found} occurs where {expected} belongs", seq=found)
        else:
            last = f" to {found - 1}" if found - 1 > expected else ""
            self._report("entry_missing", f"entries {expected}{last} are missing", seq=expected)

    def _contents(self, stored: StoredEntry) -> None:
        try:
            entry = read_canonical(stored.body, Entry)
        except IntegrityError as error:
            self._report("entry_unreadable", f"entry {stored.seq}: {error}", seq=stored.seq)
            return
        if entry.seq != stored.seq or entry.tenant != self._tenant or canonical(entry) != stored.body:
            self._report(
                "entry_misplaced", f"entry {stored.seq} says it belongs elsewhere or is not canonical", seq=stored.seq
            )
        if entry.at < self._at:
            self._report("clock_backwards", f"entry {stored.seq} is recorded before its predecessor", seq=stored.seq)
        self._at = entry.at
        if entry.kind is EntryKind.GENESIS:
            self._pepper = bytes.fromhex(entry.pepper or "")
        self._gone.update(entry.dropped)
        try:
            rows = project(entry, self._documents_of(entry), pepper=self._pepper, gone=self._gone).rows
        except IntegrityError as error:
            self._report("entry_unreadable", f"entry {entry.seq} cannot be projected: {error}", seq=entry.seq)
            self._skip(entry)
            return
        for row in rows:
            match row:
                case Card():
                    self._compare_card(row)
                case ProposalRow():
                    self._compare_proposal(row)
                case StandingRow():
                    self._moved.setdefault(row.rid, []).append(row)
                case ConflictRow():
                    self._conflicts[row.id] = row

    def _documents_of(self, entry: Entry) -> dict[int, Value]:
        found: dict[int, Value] = {}
        for ref in entry.documents:
            while self._document is not None and self._document.doc < ref.doc:
                self._report("document_unknown", f"document {self._document.doc} belongs to no entry")
                self._document = next(self._streams.documents, None)
            if self._document is None or self._document.doc > ref.doc:
                # A later entry, not read yet, may have dropped it; settled in `_finish`.
                self._absent[ref.doc] = entry.seq
                continue
            if commitment(self._document.salt, self._document.body) != ref.digest:
                self._report(
                    "document_altered",
                    f"the {ref.role} document {ref.doc} of entry {entry.seq} is not what was committed",
                    seq=entry.seq,
                    record=_record_of(entry),
                )
            body = self._document.body
            self._document = next(self._streams.documents, None)
            value = read_document(ref.role, body)
            if value is not None:
                found[ref.doc] = value
        return found

    def _skip(self, entry: Entry) -> None:
        """Step over the projections of an unreadable entry, so that its successors are compared with theirs."""
        born = {birth.rid for birth in entry.births}
        while self._card is not None and self._card.rid in born:
            self._card = next(self._streams.cards, None)
        while self._proposal is not None and self._proposal.seq == entry.seq:
            self._proposal = next(self._streams.proposals, None)

    def _compare_card(self, expected: Card) -> None:
        while self._card is not None and self._card.rid < expected.rid:
            self._report("card_unknown", f"card {self._card.rid} belongs to no entry", record=self._card.id)
            self._card = next(self._streams.cards, None)
        actual = self._card
        if actual is None or actual.rid != expected.rid:
            message = f"the card of {expected.id} revision {expected.revision} is missing"
            self._report("card_missing", message, seq=expected.seq, record=expected.id)
            return
        self._card = next(self._streams.cards, None)
        if actual == expected:
            return
        if actual.since == expected.since or not _same_birth(actual, expected):
            message = f"the card of {expected.id} revision {expected.revision} differs from its entry"
            self._report("card_differs", message, seq=expected.seq, record=expected.id)
        self._present[actual.rid] = actual

    def _compare_proposal(self, expected: ProposalRow) -> None:
        self._unfiled.pop(expected.id, None)
        actual = self._proposal
        while actual is not None and actual.seq < expected.seq:
            self._report("proposal_unknown", f"proposal {actual.id} was filed by no entry", seq=actual.seq)
            self._proposal = actual = next(self._streams.proposals, None)
        if actual is None or actual.seq != expected.seq:
            self._unfiled[expected.id] = expected.seq
            return
        self._proposal = next(self._streams.proposals, None)
        if actual != expected:
            message = f"proposal {expected.id} is filed differently than entry {expected.seq} says"
            self._report("proposal_differs", message, seq=expected.seq)

    def _checkpoint(self, signed: SignedCheckpoint, stored: StoredEntry) -> None:
        seq = signed.checkpoint.seq
        if not self._genuine(signed):
            self._report(
                "checkpoint_forged", f"the checkpoint at entry {seq} is not signed with the vault's key", seq=seq
            )
        matches = signed.checkpoint.head == stored.hash.hex() and signed.checkpoint.tenant == self._tenant
        if not matches or (self._whole and signed.checkpoint.root != merkle.root(self._peaks).hex()):
            self._report("checkpoint_differs", f"the ledger up to entry {seq} is not the one that was signed", seq=seq)

    def _finish(self) -> None:
        for seq in sorted(self._owed):
            message = f"a signed checkpoint covers {seq} entries, the ledger has {self.entries}"
            self._report("ledger_truncated", message, seq=seq)
        if self._anchor is not None and self.entries < self._anchor.seq:
            message = f"the anchored head is at {self._anchor.seq}, the ledger ends at {self.entries}"
            self._report("ledger_rolled_back", message, seq=self.entries)
        for doc, seq in self._absent.items():
            if doc not in self._gone:
                self._report("document_missing", f"document {doc} of entry {seq} is missing", seq=seq)
        self._leftovers()
        self._compare_standings()
        self._compare_conflicts()

    def _leftovers(self) -> None:
        for document in _rest(self._document, self._streams.documents):
            self._report("document_unknown", f"document {document.doc} belongs to no entry")
        for card in _rest(self._card, self._streams.cards):
            self._report("card_unknown", f"card {card.rid} belongs to no entry", record=card.id)
        for proposal in _rest(self._proposal, self._streams.proposals):
            self._report("proposal_unknown", f"proposal {proposal.id} was filed by no entry", seq=proposal.seq)
        for proposal_id, seq in self._unfiled.items():
            self._report("proposal_missing", f"proposal {proposal_id} of entry {seq} is not filed", seq=seq)

    def _compare_standings(self) -> None:
        for rid in sorted(self._moved.keys() | self._present.keys()):
            expected = self._moved.get(rid, [])
            card = self._present.get(rid)
            last = expected[-1].standing if expected else None
            shown = standing_of(card) if card is not None else None
            if list(self._streams.standings(rid)) != expected or (last is not None and shown != last):
                record = card.id if card is not None else None
                seq = last.since if last is not None else None
                self._report(
                    "standing_differs",
                    f"the standing of revision {rid} is not what the ledger says",
                    seq=seq,
                    record=record,
                )

    def _compare_conflicts(self) -> None:
        actual = {row.id: row for row in self._streams.conflicts}
        for conflict in sorted(actual.keys() | self._conflicts.keys()):
            if actual.get(conflict) != self._conflicts.get(conflict):
                self._report("conflict_differs", f"conflict {conflict} is not what the ledger says")


def _rest(first: _T | None, others: Iterator[_T]) -> Iterator[_T]:
    if first is not None:
        yield first
        yield from others


def _record_of(entry: Entry) -> str | None:
    return entry.births[0].id if entry.births else None


def _same_birth(actual: Card, expected: Card) -> bool:
    """Whether two cards differ at most in what became of the revision after its birth."""
    return (
        msgspec.structs.replace(actual, status=expected.status, since=expected.since, successor=expected.successor)
        == expected
    )
