"""Follow the ledger of another store: what is true there becomes true here, as it is there, a bounded part at a time.

Nothing is decided here and nothing is made up. An entry is taken only if it is the next link of the chain that is here,
a document only if its entry commits to it. What the other store has taken away since is taken away first, so that a
part that comes later cannot bring it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from muniment.ledger.chain import ZERO, commitment, link, link_receipt
from muniment.ledger.project import Conclusion, dismissed, project, read_document
from muniment.ledger.receipts import disclosures
from muniment.model.entry import Document, DocumentRef, DocumentRole, Entry, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import LedgerBroken, Stale
from muniment.model.note import NoteDraft
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import Row, ToldRow
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Unit

_ALL = 2**31


class TakenPart(Value):
    """What a run of entries took away: documents that were dropped, documents that lost words and what pins them now,
    and receipts that did."""

    dropped: frozenset[int] = frozenset()
    amended: dict[int, DocumentRef] = msgspec.field(default_factory=dict)
    receipts: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.dropped or self.amended or self.receipts)

    def with_later(self, later: TakenPart) -> TakenPart:
        return TakenPart(
            dropped=self.dropped | later.dropped,
            amended={**self.amended, **later.amended},
            receipts=self.receipts | later.receipts,
        )


class FollowingPart(Value):
    """Entries that follow one another, with those of their documents that are left."""

    entries: tuple[StoredEntry, ...]
    documents: dict[int, Document]


class _Takings(Value, forbid_unknown_fields=False):
    """What of an entry says what it took away. Reading only this keeps the first look at a long ledger short."""

    dropped: tuple[int, ...] = ()
    amended: tuple[DocumentRef, ...] = ()
    receipts: tuple[_Blanked, ...] = ()


class _Blanked(Value, forbid_unknown_fields=False):
    seq: int


def taken_by(entries: Iterable[StoredEntry]) -> TakenPart:
    """What these entries took away."""
    dropped: set[int] = set()
    amended: dict[int, DocumentRef] = {}
    receipts: set[int] = set()
    for stored in entries:
        said = read_canonical(stored.body, _Takings)
        dropped.update(said.dropped)
        amended.update((ref.doc, ref) for ref in said.amended)
        receipts.update(one.seq for one in said.receipts)
    return TakenPart(dropped=frozenset(dropped), amended=amended, receipts=frozenset(receipts))


def take_away(
    unit: Unit, taken: TakenPart, amended: Mapping[int, Document], blanked: Iterable[StoredReceipt], *, after: int
) -> None:
    """Take away here what was taken away there. `amended` and `blanked` are as they are there now; `after` is where
    the ledger here was last seen to end. What is not here is passed over, so that it can be done again."""
    _demand(unit, after)
    gone = sorted(unit.documents.many(taken.dropped))
    if gone:
        unit.erase(gone)
    for doc in gone:
        unit.drop(doc)
    waited = [row for row in unit.desk.held(after=None, limit=_ALL) if row.held in taken.dropped]
    unit.project(tuple(map(dismissed, waited)), {})
    here = sorted(unit.documents.many(amended))
    for doc in here:
        unit.amend(amended[doc])
    _reword(unit, {doc: amended[doc] for doc in here}, taken)
    last = unit.receipts.head()[0]
    for receipt in blanked:
        if receipt.seq <= last:
            unit.blank(receipt.seq, receipt.salt, receipt.account)


def _reword(unit: Unit, amended: Mapping[int, Document], taken: TakenPart) -> None:
    """Let the tables say what the documents say now."""
    reports: dict[int, Conclusion] = {}
    for doc, document in amended.items():
        match taken.amended[doc].role:
            case DocumentRole.NOTE:
                unit.reword(doc, read_canonical(document.body, NoteDraft).body)
            case DocumentRole.REPORT:
                reports[doc] = read_canonical(document.body, Conclusion)
            case DocumentRole.RECORD | DocumentRole.HELD | DocumentRole.POLICY | DocumentRole.ALIAS:
                raise LedgerBroken(f"document {doc} is said to have lost words, which its sort never does")
    if reports:
        filed = [row for row in unit.desk.proposals() if row.report in reports]
        unit.project(tuple(msgspec.structs.replace(row, digest=reports[row.report].digest) for row in filed), {})


def follow(unit: Unit, part: FollowingPart, taken: TakenPart) -> int:
    """Append what of a part is not here yet, with its documents and what follows from them; where the ledger ends then.
    `taken` is everything taken away there since the last entry here."""
    rows: list[Row] = []
    texts: dict[int, str] = {}
    pepper = _pepper(unit, part)
    for stored in part.entries:
        if not _next(unit, stored):
            continue
        entry = read_canonical(stored.body, Entry)
        documents = _documents(entry, part, taken)
        unit.append(stored)
        for document in documents.values():
            unit.keep(document)
        values = {
            ref.doc: value
            for ref in entry.documents
            if ref.doc in documents and (value := read_document(ref.role, documents[ref.doc].body)) is not None
        }
        projection = project(entry, values, pepper=pepper, gone=taken.dropped)
        rows += projection.rows
        texts |= projection.texts
    unit.project(tuple(rows), texts)
    head = unit.ledger.head()
    return head.seq if head is not None else 0


def _next(unit: Unit, stored: StoredEntry) -> bool:
    """Whether an entry is the next link here; False when it is here already. Anything else is another ledger."""
    head = unit.ledger.head()
    seq, before = (head.seq, head.hash) if head is not None else (0, ZERO)
    if stored.seq <= seq:
        here = unit.ledger.entry(stored.seq)
        if here is None or here.hash != stored.hash:
            raise parted(stored.seq)
        return False
    if stored.seq != seq + 1 or link(before, stored.body) != stored.hash:
        raise parted(stored.seq)
    return True


def _pepper(unit: Unit, part: FollowingPart) -> bytes:
    first = unit.ledger.entry(1) or next((stored for stored in part.entries if stored.seq == 1), None)
    if first is None:
        raise LedgerBroken("the ledger has no first entry", seq=1)
    return bytes.fromhex(read_canonical(first.body, Entry).pepper or "")


def _documents(entry: Entry, part: FollowingPart, taken: TakenPart) -> dict[int, Document]:
    """The documents of an entry that are left: each is what was committed to last, and none is missing that nobody has
    dropped."""
    found: dict[int, Document] = {}
    for ref in entry.documents:
        document, due = part.documents.get(ref.doc), taken.amended.get(ref.doc, ref).digest
        if document is None:
            if ref.doc not in taken.dropped:
                raise LedgerBroken(f"document {ref.doc} of entry {entry.seq} is missing", seq=entry.seq)
            continue
        if ref.doc in taken.dropped:
            raise LedgerBroken(f"document {ref.doc} of entry {entry.seq} was dropped and is there", seq=entry.seq)
        if commitment(document.salt, document.body) != due:
            raise LedgerBroken(f"document {ref.doc} of entry {entry.seq} is not what was committed", seq=entry.seq)
        found[ref.doc] = document
    return found


def follow_receipts(unit: Unit, receipts: Sequence[StoredReceipt]) -> int:
    """Add to the log here what of these is not in it yet, and count what they tell of; how long the log is then."""
    told: list[ToldRow] = []
    for receipt in receipts:
        seq, before = unit.receipts.head()
        if receipt.seq <= seq:
            continue
        if receipt.seq != seq + 1 or link_receipt(before, receipt.body) != receipt.hash:
            raise parted(receipt.seq, what="receipt")
        unit.append_receipt(receipt)
        told += disclosures(receipt)
    unit.tell(told)
    return unit.receipts.head()[0]


def follow_seals(
    unit: Unit, checkpoints: Iterable[SignedCheckpoint], certificates: Iterable[SignedCertificate], *, after: int
) -> None:
    """Keep the checkpoints, and those of the certificates that are not here yet, of the entries that are here."""
    _demand(unit, after)
    for signed in checkpoints:
        unit.checkpoint(signed)
    here = {signed.certificate.seq for signed in unit.ledger.certificates()}
    for certificate in certificates:
        if certificate.certificate.seq not in here:
            unit.certify(certificate)


def _demand(unit: Unit, after: int) -> None:
    """Refuse when somebody else has written here."""
    head = unit.ledger.head()
    if (head.seq if head is not None else 0) != after:
        raise parted(after + 1)


def parted(seq: int, *, what: str = "entry") -> Stale:
    """The chains of two stores part at a place."""
    stale = Stale("the ledger of the target", yours=f"{what} {seq} of the source", present="another, or none")
    stale.hint = (
        "Something else was written to the target, or it is of another source; nothing of it was overwritten. "
        "Move to a place where the tenant is not yet."
    )
    return stale
