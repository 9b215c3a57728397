"""Do again, in a store that went back, what must not come back with it: erasures, and what is held from erasure.

Knows certificates and what the present store says; which files are put where is not its matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from muniment.model.actor import OWNER, Actor
from muniment.model.entry import DocumentRef, DocumentRole, Entry, LedgerHead, ProposalStateChange
from muniment.model.erasure import Certificate, LegalHold, SignedCertificate, TargetKind
from muniment.model.errors import IntegrityError
from muniment.model.note import Note, NoteDraft
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.ports.store import Snapshot, Unit
from muniment.write.erase.certificate import brought, commitments
from muniment.write.erase.execute import RepeatedErasure, Signing, erase_again
from muniment.write.erase.holds import holds, jot_of
from muniment.write.notes import jot_down
from muniment.write.pipeline import Bench

TOPIC, KEY = "vault", "restored"
"""The note in which a ledger says that it went back."""
_LAST = 2**63 - 1
_LOSES_WORDS = frozenset({DocumentRole.REPORT, DocumentRole.NOTE})
"""Documents that stay and lose words. All others that an erasure names are taken away."""


class CertifiedErasure(Value):
    """An erasure that must not be undone: its certificate, and what the ledger it was done in says it took beside what
    the certificate names. `documents` are commitments, `receipts` and `proposals` ids."""

    signed: SignedCertificate
    proposals: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()

    @property
    def certificate(self) -> Certificate:
        return self.signed.certificate


class NewerState(Value):
    """What a present store knows and a backup may not: where its ledger stands, whether the backup's head lies on the
    way there, what was erased and what is on hold."""

    head: LedgerHead | None = None
    ahead: bool = True
    erasures: tuple[CertifiedErasure, ...] = ()
    holds: tuple[LegalHold, ...] = ()


class ReappliedErasures(Value):
    """What was done again: which erasures, of how many records and waiting proposals, and which holds."""

    certificates: tuple[str, ...] = ()
    records: int = 0
    proposals: int = 0
    holds: tuple[str, ...] = ()


class RestoreNote(Value):
    """What a ledger keeps of having gone back: which backup, what it was put in the place of, what was erased again."""

    made_at: Instant
    backup_seq: int
    backup_hash: str
    lost_seq: int | None
    lost_hash: str | None
    certificates: tuple[str, ...]


def later_than(snapshot: Snapshot, copied: LedgerHead) -> NewerState:
    """What a present store knows beyond the position of the ledger a backup was made at."""
    there = snapshot.ledger.entry(copied.seq)
    return NewerState(
        head=snapshot.ledger.head(),
        ahead=there is not None and there.hash == copied.hash,
        erasures=tuple(_erasures(snapshot)),
        holds=holds(snapshot),
    )


class _Filed(Value, forbid_unknown_fields=False):
    """What of an entry says which proposals wait after it. Reading only this keeps a pass over a long ledger short."""

    documents: tuple[DocumentRef, ...] = ()
    dropped: tuple[int, ...] = ()
    filing: ProposalStateChange | None = None


class _Decided(Value):
    """A proposal that waited and was decided: by which entry, and which record it became."""

    seq: int
    proposal: str
    record: str | None


def _erasures(snapshot: Snapshot) -> Iterator[CertifiedErasure]:
    certificates = tuple(snapshot.ledger.certificates())
    decided = tuple(_decided(snapshot)) if certificates else ()
    for signed in certificates:
        told = signed.certificate
        entry = _entry(snapshot, told.seq)
        gone = {*told.erased, *told.redacted}
        proposals = {
            one.proposal
            for one in decided
            if one.record in gone or (one.record is None and one.seq <= told.seq and told.by is not TargetKind.RECORD)
        }
        numbers = frozenset({*entry.dropped, *(ref.doc for ref in entry.amended)})
        known = bool(told.documents or told.receipts or not (numbers or entry.receipts))
        yield CertifiedErasure(
            signed=signed,
            proposals=tuple(sorted(proposals)),
            documents=() if known else tuple(commitments(snapshot, numbers).values()),
            receipts=() if known else tuple(_receipts(snapshot, {ref.seq for ref in entry.receipts})),
        )


def _decided(snapshot: Snapshot) -> Iterator[_Decided]:
    """Every proposal that waited and no longer does. One that was discarded before an erasure may have spoken of what
    was erased: nobody can say any more, so it must not wait again."""
    waiting: dict[int, str] = {}
    for stored in snapshot.ledger.entries(1, _LAST):
        entry = read_canonical(stored.body, _Filed)
        filing = entry.filing
        for name in (waiting.pop(doc) for doc in entry.dropped if doc in waiting):
            record = filing.record if filing is not None and filing.proposal == name else None
            yield _Decided(seq=stored.seq, proposal=name, record=record)
        if filing is not None:
            waiting |= {ref.doc: filing.proposal for ref in entry.documents if ref.role is DocumentRole.HELD}


def _entry(snapshot: Snapshot, seq: int) -> Entry:
    stored = snapshot.ledger.entry(seq)
    if stored is None:
        raise IntegrityError(f"the entry of the erasure at {seq} is missing")
    return read_canonical(stored.body, Entry)


def _receipts(snapshot: Snapshot, numbers: set[int]) -> Iterator[str]:
    if numbers:
        yield from (stored.id for stored in snapshot.receipts.since(min(numbers) - 1) if stored.seq in numbers)


def reapply(
    unit: Unit, later: NewerState, given: Iterable[CertifiedErasure], bench: Bench, signing: Signing, actor: Actor
) -> ReappliedErasures:
    """Erase again what is gone by certificates this store does not know, and hold again what is on hold. One
    transaction: nobody sees the store with some of it done."""
    known = {signed.certificate.id for signed in unit.ledger.certificates()}
    wanted: dict[str, CertifiedErasure] = {}
    for erasure in (*given, *later.erasures):  # what the present store tells of one says more than its certificate
        if erasure.certificate.tenant == bench.tenant and erasure.certificate.id not in known:
            wanted[erasure.certificate.id] = erasure
    done: list[str] = []
    records = proposals = 0
    for erasure in sorted(wanted.values(), key=lambda one: (one.certificate.at, one.certificate.id)):
        fallen = _erase(unit, erasure, bench, signing, actor)
        if fallen is not None:
            done.append(erasure.certificate.id)
            records += fallen[0]
            proposals += fallen[1]
    return ReappliedErasures(
        certificates=tuple(done),
        records=records,
        proposals=proposals,
        holds=_hold_again(unit, later.holds, bench, actor),
    )


def _erase(
    unit: Unit, erasure: CertifiedErasure, bench: Bench, signing: Signing, actor: Actor
) -> tuple[int, int] | None:
    """Do one erasure again; of how many records and waiting proposals, or None if nothing of it is here. Looks
    afterwards that nothing of it is left."""
    told = erasure.certificate
    present = [record for record in told.erased if unit.catalogue.revisions(record)]
    digests = {*told.documents, *erasure.documents}
    documents = {ref.doc: ref.role for ref in brought(unit) if ref.digest in digests} if digests else {}
    named = {*told.receipts, *erasure.receipts}
    again = RepeatedErasure(
        records=tuple(present),
        redacted=told.redacted,
        proposals=frozenset({*told.proposals, *erasure.proposals}),
        documents=frozenset(documents),
        receipts=frozenset(stored.seq for stored in unit.receipts.all() if stored.id in named)
        if named
        else frozenset(),
        derived=told.derived,
        reason=f"erased by certificate {told.id}; the store was put back to before it",
    )
    done = erase_again(unit, again, actor, bench, signing)
    dropped = [doc for doc, role in documents.items() if role not in _LOSES_WORDS]
    if any(unit.catalogue.revisions(record) for record in told.erased) or unit.documents.many(dropped):
        raise IntegrityError(f"the erasure of certificate {told.id} could not be done again")
    return None if done is None else (len(present), done.plan.traces.proposals)


def _hold_again(unit: Unit, wanted: tuple[LegalHold, ...], bench: Bench, actor: Actor) -> tuple[str, ...]:
    standing = {hold.id for hold in holds(unit)}
    again = [hold for hold in wanted if hold.id not in standing]
    jot_down(unit, [jot_of(hold) for hold in again], actor.id, bench)
    return tuple(hold.id for hold in again)


def returns(snapshot: Snapshot) -> list[tuple[Note, RestoreNote]]:
    """Every time a ledger went back, as far as it still says so, the oldest first."""
    found = (note for note in snapshot.notes.since(0) if (note.topic, note.key) == (TOPIC, KEY))
    return [(note, read_canonical(note.body.encode(), RestoreNote)) for note in found if note.body is not None]


def note_return(unit: Unit, returned: RestoreNote, bench: Bench) -> int:
    """Write into the ledger that it went back; its position after that."""
    return jot_down(unit, [NoteDraft(topic=TOPIC, key=KEY, body=canonical(returned).decode())], OWNER, bench)
