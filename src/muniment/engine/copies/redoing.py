"""Do again, in a store that went back, what must not come back with it: erasures, and what is held from erasure.

Knows certificates and what the present store says; which files are put where is not its matter.
"""

from __future__ import annotations

from collections.abc import Iterable

from muniment.engine.memory import Memory
from muniment.engine.notebook import Notebook, Pages
from muniment.engine.seat import window
from muniment.model.actor import OWNER
from muniment.model.entry import Entry, Head
from muniment.model.erasure import Certificate, LegalHold, SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Jot
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.ports.store import Snapshot
from muniment.write.erase.holds import holds, jot_of

TOPIC, KEY = "vault", "restored"
"""The note in which a ledger says that it went back."""


class Erasure(Value):
    """An erasure that must not be undone: its certificate and, as far as they are known, the documents it took away,
    the documents and the receipts it took words from."""

    signed: SignedCertificate
    dropped: tuple[int, ...] = ()
    amended: tuple[int, ...] = ()
    receipts: tuple[int, ...] = ()

    @property
    def certificate(self) -> Certificate:
        return self.signed.certificate


class Later(Value):
    """What a present store knows and a backup may not: where its ledger stands, whether the backup's head lies on the
    way there, what was erased and what is on hold."""

    head: Head | None = None
    ahead: bool = True
    erasures: tuple[Erasure, ...] = ()
    holds: tuple[LegalHold, ...] = ()


class Redone(Value):
    """What was done again: which erasures, of how many records, and which holds."""

    certificates: tuple[str, ...] = ()
    records: int = 0
    holds: tuple[str, ...] = ()


class Return(Value):
    """What a ledger keeps of having gone back: which backup, what it was put in the place of, what was erased again."""

    made_at: Instant
    backup_seq: int
    backup_hash: str
    lost_seq: int | None
    lost_hash: str | None
    certificates: tuple[str, ...]


def later_than(snapshot: Snapshot, copied: Head, receipts: int) -> Later:
    """What a present store knows beyond the positions of ledger and receipt log a backup was made at."""
    there = snapshot.ledger.entry(copied.seq)
    same = there is not None and there.hash == copied.hash
    last = read_canonical(there.body, Entry).last_doc if there is not None and same else 0
    return Later(
        head=snapshot.ledger.head(),
        ahead=same,
        erasures=tuple(
            _erasure(snapshot, signed, last, receipts if same else 0) for signed in snapshot.ledger.certificates()
        ),
        holds=holds(snapshot),
    )


def _erasure(snapshot: Snapshot, signed: SignedCertificate, last: int, receipts: int) -> Erasure:
    """An erasure, and what it took of a backup. Up to its head a number means the same there and in the store."""
    stored = snapshot.ledger.entry(signed.certificate.seq)
    if stored is None:
        raise IntegrityError(f"the entry of the erasure at {signed.certificate.seq} is missing")
    entry = read_canonical(stored.body, Entry)
    return Erasure(
        signed=signed,
        dropped=tuple(doc for doc in entry.dropped if doc <= last),
        amended=tuple(ref.doc for ref in entry.amended if ref.doc <= last),
        receipts=tuple(ref.seq for ref in entry.receipts if ref.seq <= receipts),
    )


def redo(memory: Memory, later: Later, given: Iterable[Erasure]) -> Redone:
    """Erase again what is gone by certificates this store does not know, and hold again what is on hold."""
    with window(memory) as snapshot:
        known = {signed.certificate.id for signed in snapshot.ledger.certificates()}
    wanted: dict[str, Erasure] = {}
    for erasure in (*given, *later.erasures):  # what the present store tells of one says more than its certificate
        if erasure.certificate.tenant == memory.tenant and erasure.certificate.id not in known:
            wanted[erasure.certificate.id] = erasure
    done: list[str] = []
    records = 0
    for erasure in sorted(wanted.values(), key=lambda one: (one.certificate.at, one.certificate.id)):
        fallen = _erase(memory, erasure)
        if fallen is not None:
            done.append(erasure.certificate.id)
            records += fallen
    return Redone(certificates=tuple(done), records=records, holds=_hold_again(memory, later.holds))


def _erase(memory: Memory, erasure: Erasure) -> int | None:
    """Do one erasure again; None if nothing of it is here. Looks afterwards that nothing of it is left."""
    told = erasure.certificate
    with window(memory) as snapshot:
        present = [record for record in told.erased if snapshot.catalogue.revisions(record)]
    again = memory._erase_again(
        present,
        documents=(*erasure.dropped, *erasure.amended),
        receipts=erasure.receipts,
        derived=told.derived,
        reason=f"erased by certificate {told.id}; the store was put back to before it",
    )
    with window(memory) as snapshot:
        left = any(snapshot.catalogue.revisions(record) for record in told.erased)
        if left or snapshot.documents.many(erasure.dropped):
            raise IntegrityError(f"the erasure of certificate {told.id} could not be done again")
    return None if again is None else len(present)


def _hold_again(memory: Memory, wanted: tuple[LegalHold, ...]) -> tuple[str, ...]:
    with window(memory) as snapshot:
        standing = {hold.id for hold in holds(snapshot)}
    again = [hold for hold in wanted if hold.id not in standing]
    if again:
        _jot(memory, [jot_of(hold) for hold in again])
    return tuple(hold.id for hold in again)


def note_return(memory: Memory, returned: Return) -> int:
    """Write into the ledger that it went back; its position after that."""
    return _jot(memory, [Jot(topic=TOPIC, key=KEY, body=canonical(returned).decode())])


def _jot(memory: Memory, jots: list[Jot]) -> int:
    def job(_: Pages) -> tuple[list[Jot], None]:
        return jots, None

    return Notebook.of(memory).turn(OWNER, job)[1]
