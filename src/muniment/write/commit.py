"""The only writer. Everything that becomes durable in the ledger, the documents or the projections goes through here.

`commit` applies one change set with its ledger entry, in the transaction of the unit it is given: all or nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.ledger.chain import VERSION, commitment, seal
from muniment.ledger.checkpoint import make_checkpoint
from muniment.ledger.project import project, read_document
from muniment.ledger.receipts import SealedReceipt, disclosures, follow
from muniment.model.change import ChangeSet
from muniment.model.entry import Document, DocumentRef, Entry, LedgerHead, ReceiptBinding, ReceiptRef, SignedCheckpoint
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import LedgerBroken
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.ports.clock_and_ids import Ids, Signer
from muniment.ports.store import Unit
from muniment.ports.store_source import StoreSource
from muniment.write.facts import version


class ConcurrentChange(Exception):
    """What a change set was decided on is no longer so. Never leaves this room: the pipeline decides again."""


def commit(unit: Unit, change: ChangeSet, *, tenant: str, pepper: bytes, ids: Ids) -> Entry:
    """Write a decision down: its documents, its ledger entry, its projections."""
    head = unit.ledger.head()
    if change.position != (head.seq if head else 0):
        for seen in change.decided_on:
            if version(unit, seen) != seen.version:
                raise ConcurrentChange(f"{seen.key} moved")
    blanked = tuple(_Blank(seq=one.seq, salt=ids.salt(), account=canonical(one.account)) for one in change.receipts)
    amended = tuple(Document(doc=one.doc, salt=ids.salt(), body=canonical(one.value)) for one in change.amended)
    documents = tuple(Document(doc=draft.doc, salt=ids.salt(), body=canonical(draft.value)) for draft in change.drafts)
    written = _Written(documents=documents, amended=amended, blanked=blanked)
    entry = _entry(change, written, head, tenant, _bound(unit, head))
    unit.append(seal(entry, head))
    if documents:
        unit.keep(*documents)
    if change.dropped:
        unit.erase(change.dropped)
    for doc in change.dropped:
        unit.drop(doc)
    for document in amended:
        unit.amend(document)
    for blank in blanked:
        unit.blank(blank.seq, blank.salt, blank.account)
    projection = project(entry, {draft.doc: draft.value for draft in change.drafts}, pepper=pepper)
    unit.project((*projection.rows, *change.refiled), projection.texts)
    for note in change.reworded:
        unit.reword(note.doc, note.body)
    return entry


def commit_certified(
    unit: Unit, change: ChangeSet, *, tenant: str, pepper: bytes, ids: Ids, signer: Signer
) -> tuple[Entry, SignedCertificate]:
    """Write an erasure down, and with it its certificate, signed once the hash of the entry is known."""
    entry = commit(unit, change, tenant=tenant, pepper=pepper, ids=ids)
    head = unit.ledger.head()
    assert head is not None, "the entry was just written"
    assert change.certificate is not None, "an erasure is certified"
    certificate = msgspec.structs.replace(change.certificate, seq=entry.seq, entry=head.hash.hex(), key=signer.key_id)
    signed = SignedCertificate(certificate=certificate, signature=signer.sign(canonical(certificate)).hex())
    unit.certify(signed)
    return entry, signed


class _Blank(Value):
    """The account of a receipt as it will be kept."""

    seq: int
    salt: bytes
    account: bytes


class _Written(Value):
    """What a change set puts down beside its entry, spelled out and salted."""

    documents: tuple[Document, ...]
    amended: tuple[Document, ...]
    blanked: tuple[_Blank, ...]


def _bound(unit: Unit, head: LedgerHead | None) -> ReceiptBinding:
    """What there is beside the ledger now: receipts, and the last checkpoint."""
    receipts, receipts_head = unit.receipts.head()
    return ReceiptBinding(
        receipts=receipts,
        receipts_head=receipts_head.hex() if receipts else "",
        checkpoint=head.checkpoint if head is not None else 0,
    )


def _entry(change: ChangeSet, written: _Written, head: LedgerHead | None, tenant: str, bound: ReceiptBinding) -> Entry:
    documents = written.documents
    last_doc = head.last_doc if head else 0
    if any(document.doc != last_doc + number for number, document in enumerate(documents, start=1)):
        raise ConcurrentChange("documents were numbered for another head")
    assert head is None or change.at >= head.at, "the ledger's clock never runs backwards"
    return Entry(
        v=VERSION,
        tenant=tenant,
        seq=head.seq + 1 if head else 1,
        at=change.at,
        kind=change.kind,
        actor=change.actor,
        last_doc=last_doc + len(documents),
        documents=tuple(
            DocumentRef(doc=document.doc, role=draft.role, digest=commitment(document.salt, document.body))
            for draft, document in zip(change.drafts, documents, strict=True)
        ),
        dropped=change.dropped,
        erased=change.erased,
        amended=tuple(
            DocumentRef(doc=document.doc, role=one.role, digest=commitment(document.salt, document.body))
            for one, document in zip(change.amended, written.amended, strict=True)
        ),
        receipts=tuple(ReceiptRef(seq=one.seq, digest=commitment(one.salt, one.account)) for one in written.blanked),
        births=change.births,
        changes=change.changes,
        filing=change.filing,
        conflicts=change.conflicts,
        policy=change.policy,
        pepper=change.pepper,
        key=change.key,
        handover=change.handover,
        bound=bound,
    )


def log_receipt(unit: Unit, sealed: SealedReceipt) -> None:
    """Add a receipt to its own log, and count what it tells of. The ledger does not move."""
    unit.append_receipt(follow(sealed, unit.receipts.head()))
    unit.tell(sealed.told)


def sign_checkpoint(unit: Unit, *, at: Instant, signer: Signer) -> SignedCheckpoint:
    """Sign where ledger and receipt log stand, going on from the last checkpoint."""
    head = unit.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    previous = unit.ledger.last_checkpoint()
    first = previous.checkpoint.seq + 1 if previous else 1
    hashes = (stored.hash for stored in unit.ledger.entries(first, head.seq))
    checkpoint, peaks = make_checkpoint(
        head, hashes, previous=previous, receipts=unit.receipts.head(), at=at, key=signer.key_id
    )
    signed = SignedCheckpoint(checkpoint=checkpoint, signature=signer.sign(canonical(checkpoint)).hex(), peaks=peaks)
    unit.checkpoint(signed)
    return signed


def rebuild(
    unit: Unit, source: StoreSource | None, *, upto: int, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Write the projections again from entries and documents up to `upto`; return how many entries there were.

    With `source` the entries and documents are copied from there into an empty `unit` first.
    """
    origin: StoreSource = source if source is not None else unit
    gone, amended = _taken(origin)
    if source is None:
        unit.clear_projections()
        for stored_receipt in unit.receipts.all():
            unit.tell(disclosures(stored_receipt))
    pepper, count = b"", 0
    for stored in origin.ledger.entries(1, upto):
        entry = read_canonical(stored.body, Entry)
        pepper = pepper or bytes.fromhex(entry.pepper or "")
        documents = {ref.doc: found for ref in entry.documents if (found := origin.documents.get(ref.doc)) is not None}
        for ref in entry.documents:
            due = amended.get(ref.doc, ref.digest)
            if ref.doc in documents and commitment(documents[ref.doc].salt, documents[ref.doc].body) != due:
                raise LedgerBroken(f"document {ref.doc} of entry {entry.seq} is not what was committed", seq=entry.seq)
        if source is not None:
            unit.append(stored)
            if documents:
                unit.keep(*documents.values())
        values = {
            ref.doc: value
            for ref in entry.documents
            if ref.doc in documents and (value := read_document(ref.role, documents[ref.doc].body)) is not None
        }
        projection = project(entry, values, pepper=pepper, gone=gone)
        unit.project(projection.rows, projection.texts)
        count += 1
        if count % 1000 == 0:
            progress(count)
    return count


def _taken(origin: StoreSource) -> tuple[frozenset[int], dict[int, str]]:
    """Which documents were taken away since, and which lost words: those are pinned by the last entry that says so."""
    gone: set[int] = set()
    amended: dict[int, str] = {}
    for stored in origin.ledger.entries(1, 2**63 - 1):
        entry = read_canonical(stored.body, Entry)
        gone.update(entry.dropped)
        amended.update((ref.doc, ref.digest) for ref in entry.amended)
    return frozenset(gone), amended


def adopt(unit: Unit, origin: StoreSource, *, progress: Callable[[int], None] = lambda _: None) -> int:
    """Fill an empty unit with everything that is true of another store, and project it; return how many entries."""
    assert unit.ledger.head() is None, "only an empty store can be filled"
    count = rebuild(unit, origin, upto=2**63 - 1, progress=progress)
    for receipt in origin.receipts.all():
        unit.append_receipt(receipt)
        unit.tell(disclosures(receipt))
    for signed in origin.ledger.checkpoints():
        unit.checkpoint(signed)
    for certificate in origin.ledger.certificates():
        unit.certify(certificate)
    return count
