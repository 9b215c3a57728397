"""The tables of one tenant's file, each behind the protocol it serves. Plain point queries and ordered scans."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

import apsw
import msgspec

from muniment.backends.rows import conflict_from, edge_from, head_of, note_from, proposal_from, receipt_from, told_from
from muniment.backends.sqlite.connection import listed, queries
from muniment.backends.sqlite.reading import BEFORE_ALL, BODIES_MAX, Row, paged
from muniment.model.card import Card
from muniment.model.decoding import json_decoder
from muniment.model.entry import Document, Entry, LedgerHead, SignedCheckpoint, StoredEntry, Vote
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import ConflictRow, EdgeRow, ProposalRow, ToldRow
from muniment.model.times import Instant
from muniment.model.value import read_canonical
from muniment.model.vocabulary import Label

_Q = queries()
_FIRST = ""
_OPENED = 7
"""Where in the row of a conflict the entry stands that opened it."""
_CARD = Card.__struct_fields__
_LABELS = tuple(Label)
_ballots = json_decoder(tuple[Vote, ...])


_KEPT_MAX = 512
_TOGETHER_MAX = 64
T = TypeVar("T")


class Kept:
    """What was read of one moment by its number. What is asked for again, alone or among others, is not read again.
    `brought_by` are the entries of the cards that were given last."""

    def __init__(self) -> None:
        self.cards: dict[int, Card | None] = {}
        self.documents: dict[int, Document | None] = {}
        self.entries: dict[int, StoredEntry | None] = {}
        self.brought_by: Collection[int] = ()

    def some(
        self, known: dict[int, T | None], wanted: Collection[int], read: Callable[[list[int]], Mapping[int, T]]
    ) -> dict[int, T]:
        """Those of these that are there, in their order. What is not known is read together."""
        missing = [number for number in wanted if number not in known]
        if len(known) + len(missing) > _KEPT_MAX:
            known.clear()
            missing = list(wanted)
        if missing:
            known.update(dict.fromkeys(missing))
            known.update(read(missing))
        return {number: found for number in wanted if (found := known[number]) is not None}

    def forget(self) -> None:
        """Take note that another moment is looked at."""
        for known in (self.cards, self.documents, self.entries):
            known.clear()
        self.brought_by = ()


class SqliteLedger:
    def __init__(self, connection: apsw.Connection, tenant: str, kept: Kept | None = None) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._tenant = tenant
        self._kept = kept

    def head(self) -> LedgerHead | None:
        row = self._execute(_Q["head"]).fetchone()
        if row is None:
            return None
        return head_of(self._tenant, *row)

    def entry(self, seq: int) -> StoredEntry | None:
        """An entry. Of the cards that were given last the entries that brought them are read together: who tells of one
        card looks at its entry, and then at the next."""
        if self._kept is not None and seq in self._kept.brought_by and len(self._kept.brought_by) <= _TOGETHER_MAX:
            return self._kept.some(self._kept.entries, self._kept.brought_by, self._some).get(seq)
        row = self._execute(_Q["entry"], (seq,)).fetchone()
        return None if row is None else StoredEntry(seq=row[0], body=row[1], hash=row[2])

    def _some(self, seqs: list[int]) -> dict[int, StoredEntry]:
        rows: list[Row] = self._execute(_Q["some_entries"], (listed(seqs),)).fetchall()
        return {seq: StoredEntry(seq=seq, body=body, hash=hash_) for seq, body, hash_ in rows}

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        rows = paged(self._connection, "entries", (0,), (max(first - 1, BEFORE_ALL),), last, most=BODIES_MAX)
        return (StoredEntry(seq=seq, body=body, hash=hash_) for seq, body, hash_ in rows)

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
        misplaced = None
        for seq, body in paged(self._connection, "all_checkpoints", (0,), (BEFORE_ALL,)):
            signed = read_canonical(body, SignedCheckpoint)
            misplaced = seq if signed.checkpoint.seq != seq else misplaced
            yield signed
        if misplaced is not None:
            raise IntegrityError(f"the checkpoint kept under {misplaced} is of another entry")

    def checkpoints_before(self, seq: int, *, limit: int) -> tuple[SignedCheckpoint, ...]:
        rows: list[Row] = self._execute(_Q["checkpoints_before"], (seq, limit)).fetchall()
        return tuple(read_canonical(body, SignedCheckpoint) for (body,) in rows)

    def certificates(self) -> Iterator[SignedCertificate]:
        for seq, body in paged(self._connection, "all_certificates", (0,), (BEFORE_ALL,), most=BODIES_MAX):
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
    def __init__(self, connection: apsw.Connection, kept: Kept | None = None) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._kept = kept

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        wanted = list(docs)
        return self._many(wanted) if self._kept is None else self._kept.some(self._kept.documents, wanted, self._many)

    def _many(self, docs: list[int]) -> dict[int, Document]:
        rows: list[Row] = self._execute(_Q["many_documents"], (listed(docs),)).fetchall()
        return {doc: Document(doc=doc, salt=salt, body=body) for doc, salt, body in rows}

    def get(self, doc: int) -> Document | None:
        row = self._execute(_Q["document"], (doc,)).fetchone()
        return None if row is None else Document(doc=row[0], salt=row[1], body=row[2])

    def all(self) -> Iterator[Document]:
        rows = paged(self._connection, "all_documents", (0,), (BEFORE_ALL,), most=BODIES_MAX)
        return (Document(doc=doc, salt=salt, body=body) for doc, salt, body in rows)


class SqliteLinks:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def of(self, rids: Iterable[int]) -> tuple[EdgeRow, ...]:
        return tuple(edge_from(row) for row in self._execute(_Q["edges_of"], (listed(rids),)).fetchall())

    def to(self, records: Iterable[str]) -> tuple[EdgeRow, ...]:
        return tuple(edge_from(row) for row in self._execute(_Q["edges_to"], (listed(records),)).fetchall())

    def all(self) -> Iterator[EdgeRow]:
        return map(edge_from, paged(self._connection, "all_edges", (0, 1, 2), (BEFORE_ALL, "", "")))


class SqliteDesk:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def proposal(self, proposal: str) -> ProposalRow | None:
        row = self._execute(_Q["proposal"], (proposal,)).fetchone()
        return None if row is None else proposal_from(row)

    def held(self, *, after: str | None, limit: int) -> tuple[ProposalRow, ...]:
        return tuple(
            proposal_from(row) for row in self._execute(_Q["held_proposals"], (after or _FIRST, limit)).fetchall()
        )

    def proposals(self) -> Iterator[ProposalRow]:
        return map(proposal_from, paged(self._connection, "all_proposals", (0,), (BEFORE_ALL,)))

    def conflict(self, conflict: str) -> ConflictRow | None:
        row = self._execute(_Q["conflict"], (conflict,)).fetchone()
        return None if row is None else conflict_from(row)

    def conflicts(self) -> Iterator[ConflictRow]:
        return map(conflict_from, paged(self._connection, "all_conflicts", (_OPENED, 0), (BEFORE_ALL, "")))

    def conflicts_of(self, rid: int) -> tuple[ConflictRow, ...]:
        return tuple(conflict_from(row) for row in self._execute(_Q["conflicts_of"], (rid, rid)).fetchall())

    def conflicts_about(self, rids: Iterable[int]) -> dict[int, tuple[ConflictRow, ...]]:
        found: dict[int, list[ConflictRow]] = {rid: [] for rid in rids}
        rows: list[Row] = self._execute(_Q["conflicts_about"], (listed(found),)).fetchall() if found else []
        for *columns, rid in rows:
            found[rid].append(conflict_from(tuple(columns)))
        return {rid: tuple(conflicts) for rid, conflicts in found.items()}


class SqliteNotes:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def get(self, topic: str, key: str) -> Note | None:
        row = self._execute(_Q["note"], (topic, key)).fetchone()
        return None if row is None or row[-1] is None else note_from(row)

    def present(self, topic: str) -> tuple[Note, ...]:
        return tuple(note_from(row) for row in self._execute(_Q["present_notes"], (topic,)).fetchall())

    def since(self, seq: int) -> tuple[Note, ...]:
        return tuple(note_from(row) for row in self._execute(_Q["notes_since"], (seq,)).fetchall())

    def all(self) -> Iterator[Note]:
        rows = paged(self._connection, "all_notes", (2, 3), (0, BEFORE_ALL), most=BODIES_MAX)
        return map(note_from, rows)


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
        return map(receipt_from, paged(self._connection, "receipts_since", (0,), (seq,), most=BODIES_MAX))

    def told(self, rid: int) -> tuple[ToldRow, ...]:
        return tuple(told_from(row) for row in self._execute(_Q["told_of"], (rid,)).fetchall())

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        wanted = list(rids)
        if not wanted:
            return frozenset()
        rows: list[Row] = self._execute(_Q["told_to"], (actor, msgspec.json.encode(wanted).decode())).fetchall()
        return frozenset(rid for (rid,) in rows)

    def told_since(self, actor: str, rids: Iterable[int], since: Instant) -> frozenset[int]:
        wanted = list(rids)
        if not wanted:
            return frozenset()
        given = (actor, msgspec.json.encode(wanted).decode(), since)
        rows: list[Row] = self._execute(_Q["told_since"], given).fetchall()
        return frozenset(rid for (rid,) in rows)

    def all_told(self) -> Iterator[ToldRow]:
        return map(told_from, paged(self._connection, "all_told", (0, 1), (BEFORE_ALL, "")))
