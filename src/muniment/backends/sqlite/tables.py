"""The tables of one tenant's file, each behind the protocol it serves. Plain point queries and ordered scans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apsw
import msgspec

from muniment.backends.rows import conflict_from, edge_from, head_of, note_from, proposal_from, receipt_from, told_from
from muniment.backends.sqlite.connection import listed, queries, translated
from muniment.model.card import Card
from muniment.model.entry import Ballot, Document, Entry, Head, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import ConflictRow, EdgeRow, ProposalRow, ToldRow
from muniment.model.value import read_canonical
from muniment.model.vocabulary import Label

_Q = queries()
_FIRST = ""
_CARD = Card.__struct_fields__
_LABELS = tuple(Label)
_ballots = msgspec.json.Decoder(tuple[Ballot, ...])


class SqliteLedger:
    def __init__(self, connection: apsw.Connection, tenant: str) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._tenant = tenant

    def head(self) -> Head | None:
        row = self._execute(_Q["head"]).fetchone()
        if row is None:
            return None
        return head_of(self._tenant, row[0], row[1], row[2])

    def entry(self, seq: int) -> StoredEntry | None:
        row = self._execute(_Q["entry"], (seq,)).fetchone()
        return None if row is None else StoredEntry(seq=row[0], body=row[1], hash=row[2])

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        with translated(self._connection):
            for seq, body, hash_ in self._connection.execute(_Q["entries"], (first, last)):
                yield StoredEntry(seq=seq, body=body, hash=hash_)

    def position_at(self, instant: int) -> int:
        head = self.head()
        low, high = 0, head.seq if head else 0
        while low < high:  # entries never run backwards in time, so their positions can be halved
            middle = (low + high + 1) // 2
            stored = self.entry(middle)
            assert stored is not None, "positions are contiguous"
            if read_canonical(stored.body, Entry).at <= instant:
                low = middle
            else:
                high = middle - 1
        return low

    def checkpoints(self) -> Iterator[SignedCheckpoint]:
        with translated(self._connection):
            misplaced = None
            for seq, body in self._connection.execute(_Q["all_checkpoints"]):
                signed = read_canonical(body, SignedCheckpoint)
                misplaced = seq if signed.checkpoint.seq != seq else misplaced
                yield signed
            if misplaced is not None:
                raise IntegrityError(f"the checkpoint kept under {misplaced} is of another entry")

    def checkpoints_before(self, seq: int, *, limit: int) -> tuple[SignedCheckpoint, ...]:
        rows = self._execute(_Q["checkpoints_before"], (seq, limit))
        return tuple(read_canonical(body, SignedCheckpoint) for (body,) in rows)

    def certificates(self) -> Iterator[SignedCertificate]:
        with translated(self._connection):
            for seq, body in self._connection.execute(_Q["all_certificates"]):
                signed = read_canonical(body, SignedCertificate)
                if signed.certificate.seq != seq:
                    raise IntegrityError(f"the certificate kept under {seq} is of another entry")
                yield signed

    def last_erasure(self) -> int:
        return int(self._execute(_Q["last_erasure"]).get)

    def last_checkpoint(self) -> SignedCheckpoint | None:
        row = self._execute(_Q["last_checkpoint"]).fetchone()
        return None if row is None else read_canonical(row[0], SignedCheckpoint)


class SqliteDocuments:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        rows = self._execute(_Q["many_documents"], (listed(docs),))
        return {doc: Document(doc=doc, salt=salt, body=body) for doc, salt, body in rows}

    def get(self, doc: int) -> Document | None:
        row = self._execute(_Q["document"], (doc,)).fetchone()
        return None if row is None else Document(doc=row[0], salt=row[1], body=row[2])

    def all(self) -> Iterator[Document]:
        with translated(self._connection):
            for doc, salt, body in self._connection.execute(_Q["all_documents"]):
                yield Document(doc=doc, salt=salt, body=body)


class SqliteLinks:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def of(self, rids: Iterable[int]) -> tuple[EdgeRow, ...]:
        return tuple(edge_from(row) for row in self._execute(_Q["edges_of"], (listed(rids),)))

    def to(self, records: Iterable[str]) -> tuple[EdgeRow, ...]:
        return tuple(edge_from(row) for row in self._execute(_Q["edges_to"], (listed(records),)))

    def all(self) -> Iterator[EdgeRow]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_edges"]):
                yield edge_from(row)


class SqliteDesk:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def proposal(self, proposal: str) -> ProposalRow | None:
        row = self._execute(_Q["proposal"], (proposal,)).fetchone()
        return None if row is None else proposal_from(row)

    def held(self, *, after: str | None, limit: int) -> tuple[ProposalRow, ...]:
        return tuple(proposal_from(row) for row in self._execute(_Q["held_proposals"], (after or _FIRST, limit)))

    def proposals(self) -> Iterator[ProposalRow]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_proposals"]):
                yield proposal_from(row)

    def conflict(self, conflict: str) -> ConflictRow | None:
        row = self._execute(_Q["conflict"], (conflict,)).fetchone()
        return None if row is None else conflict_from(row)

    def conflicts(self) -> Iterator[ConflictRow]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_conflicts"]):
                yield conflict_from(row)

    def conflicts_of(self, rid: int) -> tuple[ConflictRow, ...]:
        return tuple(conflict_from(row) for row in self._execute(_Q["conflicts_of"], (rid, rid)))


class SqliteNotes:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def get(self, topic: str, key: str) -> Note | None:
        row = self._execute(_Q["note"], (topic, key)).fetchone()
        return None if row is None or row[-1] is None else note_from(row)

    def present(self, topic: str) -> tuple[Note, ...]:
        return tuple(note_from(row) for row in self._execute(_Q["present_notes"], (topic,)))

    def since(self, seq: int) -> tuple[Note, ...]:
        return tuple(note_from(row) for row in self._execute(_Q["notes_since"], (seq,)))

    def all(self) -> Iterator[Note]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["notes_since"], (0,)):
                yield note_from(row)


class SqliteReceipts:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def head(self) -> tuple[int, bytes]:
        row = self._execute(_Q["receipt_head"]).fetchone()
        return (0, bytes(32)) if row is None else (row[0], row[1])

    def get(self, receipt: str) -> StoredReceipt | None:
        row = self._execute(_Q["receipt"], (receipt,)).fetchone()
        return None if row is None else receipt_from(row)

    def all(self) -> Iterator[StoredReceipt]:
        return self.since(-1)

    def since(self, seq: int) -> Iterator[StoredReceipt]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["receipts_since"], (seq,)):
                yield receipt_from(row)

    def told(self, rid: int) -> tuple[ToldRow, ...]:
        return tuple(told_from(row) for row in self._execute(_Q["told_of"], (rid,)))

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        wanted = list(rids)
        rows = self._execute(_Q["told_to"], (actor, msgspec.json.encode(wanted).decode())) if wanted else ()
        return frozenset(rid for (rid,) in rows)

    def all_told(self) -> Iterator[ToldRow]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_told"]):
                yield told_from(row)
