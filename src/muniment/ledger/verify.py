"""Check a tenant's ledger against itself, its documents, its projections, its checkpoints and an anchored head.

Pure: it is handed streams and reads each of them once, in order, so that memory does not grow with the ledger.
It goes on after a finding, so that one damaged entry is named as one damaged entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from muniment.ledger import merkle
from muniment.ledger.chain import ZERO, commitment, link
from muniment.ledger.project import project, read_document
from muniment.ledger.projection_check import ProjectionComparison, StoredProjections, rest
from muniment.model.entry import (
    Document,
    DocumentRole,
    Entry,
    EntryKind,
    LedgerHead,
    SignedCheckpoint,
    StoredEntry,
    VerifyFinding,
)
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.value import Value, canonical, read_canonical

SignatureCheck = Callable[[SignedCheckpoint], bool]
AttestationCheck = Callable[[SignedCertificate], bool]


class LedgerVerification:
    """One pass over one tenant. Make it, `run` it, read `findings` and `entries`."""

    def __init__(
        self,
        tenant: str,
        *,
        entries: Iterable[StoredEntry],
        documents: Iterable[Document],
        checkpoints: Iterable[SignedCheckpoint],
        certificates: Iterable[SignedCertificate],
        stored: StoredProjections,
        genuine: SignatureCheck,
        attested: AttestationCheck,
        anchor: LedgerHead | None = None,
    ) -> None:
        self.findings: list[VerifyFinding] = []
        self.entries = 0
        self._tenant = tenant
        self._entries = entries
        self._documents = iter(documents)
        self._document = next(self._documents, None)
        self._owed = {signed.checkpoint.seq: signed for signed in checkpoints}
        self._genuine = genuine
        self._certified = {signed.certificate.seq: signed for signed in certificates}
        self._attested = attested
        self._anchor = anchor
        self._projections = ProjectionComparison(stored, self.findings.append)
        self._predecessors: tuple[bytes, ...] = (ZERO,)
        self._peaks: tuple[bytes, ...] = ()
        self._whole = True
        self._unread = False
        self._at = -(2**63)
        self._pepper = b""
        self._gone: set[int] = set()
        self._away: set[int] = set()
        """Documents that are not there; whether they may be is settled when every entry was read."""
        self._held: set[int] = set()
        self._absent: dict[int, tuple[int, DocumentRole]] = {}
        self._differing: dict[int, tuple[str, VerifyFinding]] = {}
        """Documents that are not what their entry committed to: what is there, and what to say if nobody amended it."""
        self.receipts: dict[int, str] = {}
        """The commitments of receipts that lost words, by their place in the log."""
        self._amended: dict[int, str] = {}
        self._lost = False

    def run(self, progress: Callable[[int], None] = lambda _: None) -> list[VerifyFinding]:
        for stored in self._entries:
            self._entry(stored)
            if self.entries % 1000 == 0:
                progress(self.entries)
        self._finish()
        progress(self.entries)
        return self.findings

    def _report(self, code: str, message: str, *, seq: int | None = None, record: str | None = None) -> None:
        self.findings.append(VerifyFinding(code=code, message=message, seq=seq, record=record))

    def _entry(self, stored: StoredEntry) -> None:
        expected = self.entries + 1
        if stored.seq != expected:
            self._gap(expected, stored.seq)
        self.entries = max(stored.seq, self.entries)
        links = [link(before, stored.body) for before in self._predecessors]
        if self._predecessors and stored.hash not in links:
            message = f"entry {stored.seq} does not match its hash or its predecessor"
            self._report("entry_altered", message, seq=stored.seq)
        # Its successor may build on the hash that is stored or on the one that belongs there: only one was altered.
        self._predecessors = tuple(dict.fromkeys((stored.hash, *links)))
        if self._whole:
            _, self._peaks = merkle.grow(stored.seq - 1, self._peaks, (stored.hash,))
        if stored.seq in self._owed:
            self._checkpoint(self._owed.pop(stored.seq), stored)
        if self._anchor is not None and stored.seq == self._anchor.seq and stored.hash != self._anchor.hash:
            self._report("head_differs", f"entry {stored.seq} is not the one that was anchored", seq=stored.seq)
        self._contents(stored)

    def _gap(self, expected: int, found: int) -> None:
        self._whole = False  # a Merkle tree can be grown only over entries that follow one another
        self._predecessors = ()
        if found < expected:
            self._report("entry_inserted", f"position {found} occurs where {expected} belongs", seq=found)
            return
        last = f" to {found - 1}" if found - 1 > expected else ""
        self._report("entry_missing", f"entries {expected}{last} are missing", seq=expected)
        self._unread = self._lost = True
        for seq in range(expected, min(found, expected + 100_000)):
            self._projections.skip(seq)

    def _contents(self, stored: StoredEntry) -> None:
        try:
            entry = read_canonical(stored.body, Entry)
            self._check_entry(entry, stored)
            rows = project(entry, self._documents_of(entry), pepper=self._pepper, gone=self._away).rows
        except IntegrityError as error:
            self._report("entry_unreadable", f"entry {stored.seq} cannot be read: {error}", seq=stored.seq)
            self._unread = self._lost = True
            self._projections.skip(stored.seq)
            return
        for row in rows:
            self._projections.expect(row)

    def _check_entry(self, entry: Entry, stored: StoredEntry) -> None:
        if entry.seq != stored.seq or entry.tenant != self._tenant or canonical(entry) != stored.body:
            message = f"entry {stored.seq} says it belongs elsewhere or is not canonical"
            self._report("entry_misplaced", message, seq=stored.seq)
        if entry.at < self._at:
            self._report("clock_backwards", f"entry {stored.seq} is recorded before its predecessor", seq=stored.seq)
        self._at = max(entry.at, self._at)
        self._gone.update(entry.dropped)
        self.receipts.update((ref.seq, ref.digest) for ref in entry.receipts)
        self._amend(entry)
        if entry.kind is EntryKind.FORGOTTEN:
            self._certificate(entry, stored)
        for doc in sorted(self._held.intersection(entry.dropped)):
            message = f"document {doc}, which entry {entry.seq} dropped, is there again"
            self._report("document_returned", message, seq=entry.seq)
        if entry.kind is EntryKind.GENESIS:
            try:
                self._pepper = bytes.fromhex(entry.pepper or "")
                self._projections.peppered = True
            except ValueError:
                raise IntegrityError("the genesis has no pepper") from None

    def _documents_of(self, entry: Entry) -> dict[int, Value]:
        found: dict[int, Value] = {}
        for ref in entry.documents:
            while self._document is not None and self._document.doc < ref.doc:
                if not self._unread:  # it may belong to an entry that is missing or cannot be read
                    self._report("document_unknown", f"document {self._document.doc} belongs to no entry")
                self._document = next(self._documents, None)
            if self._document is None or self._document.doc > ref.doc:
                # A later entry, not read yet, may have dropped it; settled in `_finish`.
                self._absent[ref.doc] = (entry.seq, ref.role)
                self._away.add(ref.doc)
                continue
            document, self._document = self._document, next(self._documents, None)
            found_digest = commitment(document.salt, document.body)
            if found_digest != ref.digest:
                finding = VerifyFinding(
                    code="document_altered",
                    message=f"the {ref.role} document {ref.doc} of entry {entry.seq} is not what was committed",
                    seq=entry.seq,
                    record=entry.births[0].id if entry.births else None,
                )
                self._differing[ref.doc] = (found_digest, finding)
            if ref.role is DocumentRole.HELD:
                self._held.add(ref.doc)
            value = read_document(ref.role, document.body)
            if value is not None:
                found[ref.doc] = value
        self._unread = self._unread and not entry.documents
        return found

    def _amend(self, entry: Entry) -> None:
        """A document that lost words is what the last entry that says so commits to. One that has them again was put
        back."""
        for ref in entry.amended:
            if ref.doc not in self._differing and ref.doc not in self._away and not self._lost:
                message = f"document {ref.doc}, which entry {entry.seq} took words from, has them again"
                self._report("document_returned", message, seq=entry.seq)
            self._amended[ref.doc] = ref.digest

    def _certificate(self, entry: Entry, stored: StoredEntry) -> None:
        signed = self._certified.pop(entry.seq, None)
        if signed is None and not (entry.erased or entry.amended or entry.receipts or entry.dropped):
            return  # it was refused
        if signed is None:
            self._report("certificate_missing", f"the erasure of entry {entry.seq} has no certificate", seq=entry.seq)
            return
        told, erased = signed.certificate, {stone.id for stone in entry.erased}
        same = told.entry == stored.hash.hex() and told.tenant == self._tenant and told.actor == entry.actor
        if not same or {*told.erased, *told.redacted} != erased:
            message = f"the certificate kept for entry {entry.seq} tells of another erasure"
            self._report("certificate_differs", message, seq=entry.seq)
        if not self._attested(signed):
            message = f"the certificate of entry {entry.seq} is not signed with the vault's key"
            self._report("certificate_forged", message, seq=entry.seq)

    def _checkpoint(self, signed: SignedCheckpoint, stored: StoredEntry) -> None:
        seq = signed.checkpoint.seq
        if not self._genuine(signed):
            self._report(
                "checkpoint_forged", f"the checkpoint at entry {seq} is not signed with the vault's key", seq=seq
            )
        matches = signed.checkpoint.head == stored.hash.hex() and signed.checkpoint.tenant == self._tenant
        if not matches or (self._whole and signed.checkpoint.root != merkle.root(self._peaks).hex()):
            self._report("checkpoint_differs", f"the ledger up to entry {seq} is not the one that was signed", seq=seq)
        if not _peaks_agree(signed):
            self._report("checkpoint_differs", f"the peaks kept with the checkpoint at {seq} are not its own", seq=seq)

    def _finish(self) -> None:
        for seq in sorted(self._owed):
            message = f"a signed checkpoint covers {seq} entries, the ledger has {self.entries}"
            self._report("ledger_truncated", message, seq=seq)
        if self._anchor is not None and self.entries < self._anchor.seq:
            message = f"the anchored head is at {self._anchor.seq}, the ledger ends at {self.entries}"
            self._report("ledger_rolled_back", message, seq=self.entries)
        for doc, (seq, role) in self._absent.items():
            dropped = doc in self._gone or (role is DocumentRole.HELD and self._lost)  # by an entry that cannot be read
            if not dropped:
                self._report("document_missing", f"document {doc} of entry {seq} is missing", seq=seq)
        for document in rest(self._document, self._documents):
            if not self._unread:
                self._report("document_unknown", f"document {document.doc} belongs to no entry")
        for doc, (digest, finding) in self._differing.items():
            if self._amended.get(doc) != digest:
                self.findings.append(finding)
        for seq in sorted(self._certified):
            self._report(
                "certificate_unknown", f"there is a certificate for entry {seq}, which erased nothing", seq=seq
            )
        self._projections.finish()


def _peaks_agree(signed: SignedCheckpoint) -> bool:
    """The peaks are not signed, but they must give the root that is."""
    try:
        peaks = tuple(bytes.fromhex(peak) for peak in signed.peaks)
    except ValueError:
        return False
    return merkle.root(peaks).hex() == signed.checkpoint.root and len(peaks) == signed.checkpoint.seq.bit_count()
