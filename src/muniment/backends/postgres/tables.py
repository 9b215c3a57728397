"""The tables of one tenant, each behind the protocol it serves. Plain point queries and ordered scans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from muniment.backends.postgres.content_encryption import ContentCipher
from muniment.backends.postgres.transaction import Row, Transaction
from muniment.backends.rows import conflict_from, edge_from, head_of, note_from, proposal_from, receipt_from, told_from
from muniment.model.entry import Document, Entry, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import ConflictRow, EdgeRow, ProposalRow, ToldRow
from muniment.model.times import Instant
from muniment.model.value import read_canonical

T = TypeVar("T")
_FIRST = ""
_PROBES = 8
_KNOWN_MAX = 512
"""So many of a sort of a moment are kept in case they are asked for again."""
_TOGETHER_MAX = 64
_DIGEST = 6
"""Where in the row of a proposal its digest stands."""


class Brought(Generic[T]):
    """What was read of a moment by its number, until something is written. What is asked ahead comes with whatever it
    was asked with."""

    def __init__(self, link: Transaction, read: Callable[[list[int]], Mapping[int, T]]) -> None:
        self._link = link
        self._read = read
        self._told = -1
        self._known: dict[int, T | None] = {}
        self._coming: list[list[int]] = []

    def __contains__(self, number: int) -> bool:
        """Whether it is here, or on its way."""
        self._forget()
        return number in self._known or any(number in some for some in self._coming)

    def of(self, wanted: list[int]) -> dict[int, T]:
        """What is there of these, in their order."""
        missing = [number for number in wanted if number not in self]
        if missing:
            self._bring(missing)
        for some in [some for some in self._coming if any(one in some and one not in self._known for one in wanted)]:
            self._bring(some)
        return {number: found for number in wanted if (found := self._known[number]) is not None}

    def _forget(self) -> None:
        if self._told != self._link.told or len(self._known) > _KNOWN_MAX:
            self._told, self._known, self._coming = self._link.told, {}, []

    def _bring(self, numbers: list[int]) -> None:
        if numbers not in self._coming:
            self._coming.append(numbers)  # it stays there when it is asked ahead
        found = self._read(numbers)
        self._coming.remove(numbers)
        self._known.update(dict.fromkeys(numbers))
        self._known.update(found)


class PostgresLedger:
    """The ledger. Of the entries that are `likely` to be asked for one by one, a few are read together."""

    def __init__(self, link: Transaction, likely: Callable[[], frozenset[int]] = frozenset) -> None:
        self._link = link
        self._head: tuple[int, LedgerHead | None] = (-1, None)
        self._likely = likely
        self._brought = Brought(link, self._entries)

    def head(self) -> LedgerHead | None:
        told, head = self._head
        if told != self._link.told:
            row = self._link.row("last_entry")
            head = None if row is None else head_of(self._link.tenant, *row)
            self._head = (self._link.told, head)
        return head

    def entry(self, seq: int) -> StoredEntry | None:
        likely = self._likely()
        alone = seq in self._brought or seq not in likely or len(likely) > _TOGETHER_MAX
        return self._brought.of([seq] if alone else sorted(likely)).get(seq)

    def _entries(self, seqs: list[int]) -> dict[int, StoredEntry]:
        return {row[0]: _entry_from(row) for row in self._link.rows("some_entries", seqs)}

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        for row in self._link.stream("entries", first, last):
            yield _entry_from(row)

    def position_at(self, instant: int) -> int:
        head = self.head()
        low, high = 0, head.seq if head else 0
        while low < high:  # entries never run backwards in time; a few are looked at in each round trip
            step = -(-(high - low) // _PROBES)
            places = list(range(low + step, high + 1, step))
            for seq, at in self._times(places):
                if at > instant:
                    high = seq - 1
                    break
                low = seq
        return low

    def _times(self, places: list[int]) -> list[tuple[int, int]]:
        rows = self._link.rows("some_entries", places)
        if len(rows) != len(places):
            raise IntegrityError(
                f"tenant {self._link.tenant}: the ledger lacks entries between {places[0]} and its end"
            )
        return [(seq, read_canonical(body, Entry).at) for seq, body, _ in rows]

    def checkpoints(self) -> Iterator[SignedCheckpoint]:
        misplaced = None
        for seq, body in self._link.stream("all_checkpoints"):
            signed = read_canonical(body, SignedCheckpoint)
            misplaced = seq if signed.checkpoint.seq != seq else misplaced
            yield signed
        if misplaced is not None:
            raise IntegrityError(f"the checkpoint kept under {misplaced} is of another entry")

    def checkpoints_before(self, seq: int, *, limit: int) -> tuple[SignedCheckpoint, ...]:
        rows = self._link.rows("checkpoints_before", seq, limit)
        return tuple(read_canonical(body, SignedCheckpoint) for (body,) in rows)

    def certificates(self) -> Iterator[SignedCertificate]:
        for seq, body in self._link.stream("all_certificates"):
            signed = read_canonical(body, SignedCertificate)
            if signed.certificate.seq != seq:
                raise IntegrityError(f"the certificate kept under {seq} is of another entry")
            yield signed

    def last_erasure(self) -> int:
        row = self._link.row("last_erasure")
        return 0 if row is None else int(row[0])

    def last_checkpoint(self) -> SignedCheckpoint | None:
        row = self._link.row("last_checkpoint")
        return None if row is None else read_canonical(row[0], SignedCheckpoint)


class PostgresDocuments:
    """Documents. Those that were given since anything was written are not asked for again."""

    def __init__(self, link: Transaction) -> None:
        self._link = link
        self._brought = Brought(link, self._documents)

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        return self._brought.of(list(docs))

    def _documents(self, docs: list[int]) -> dict[int, Document]:
        return {row[0]: document_from(self._link.seal, row) for row in self._link.rows("many_documents", docs)}

    def get(self, doc: int) -> Document | None:
        row = self._link.row("document", doc)
        return None if row is None else document_from(self._link.seal, row)

    def all(self) -> Iterator[Document]:
        for row in self._link.stream("all_documents"):
            yield document_from(self._link.seal, row)


def document_from(seal: ContentCipher, row: Row) -> Document:
    doc, salt, written = row
    return Document(
        doc=doc, salt=seal.open(salt, b"documents.salt:%d" % doc), body=seal.open(written, b"documents:%d" % doc)
    )


class PostgresLinks:
    def __init__(self, link: Transaction) -> None:
        self._link = link

    def of(self, rids: Iterable[int]) -> tuple[EdgeRow, ...]:
        wanted = list(rids)
        return tuple(edge_from(row) for row in self._link.rows("edges_of", wanted)) if wanted else ()

    def to(self, records: Iterable[str]) -> tuple[EdgeRow, ...]:
        wanted = list(records)
        return tuple(edge_from(row) for row in self._link.rows("edges_to", wanted)) if wanted else ()

    def all(self) -> Iterator[EdgeRow]:
        for row in self._link.stream("all_edges"):
            yield edge_from(row)


class PostgresDesk:
    def __init__(self, link: Transaction) -> None:
        self._link = link
        self._disputes = Brought(link, self._about)

    def proposal(self, proposal: str) -> ProposalRow | None:
        row = self._link.row("proposal", proposal)
        return None if row is None else self.read(row)

    def held(self, *, after: str | None, limit: int) -> tuple[ProposalRow, ...]:
        return tuple(self.read(row) for row in self._link.rows("held_proposals", after or _FIRST, limit))

    def proposals(self) -> Iterator[ProposalRow]:
        for row in self._link.stream("all_proposals"):
            yield self.read(row)

    def conflict(self, conflict: str) -> ConflictRow | None:
        row = self._link.row("conflict", conflict)
        return None if row is None else conflict_from(row)

    def conflicts(self) -> Iterator[ConflictRow]:
        for row in self._link.stream("all_conflicts"):
            yield conflict_from(row)

    def conflicts_of(self, rid: int) -> tuple[ConflictRow, ...]:
        return tuple(conflict_from(row) for row in self._link.rows("conflicts_of", rid))

    def conflicts_about(self, rids: Iterable[int]) -> dict[int, tuple[ConflictRow, ...]]:
        return self._disputes.of(list(rids))

    def _about(self, rids: list[int]) -> dict[int, tuple[ConflictRow, ...]]:
        found = [conflict_from(row) for row in self._link.rows("conflicts_about", rids)]
        return {rid: tuple(row for row in found if rid in (row.a, row.b)) for rid in rids}

    def read(self, row: Row) -> ProposalRow:
        return proposal_from((*row[:_DIGEST], self._link.seal.read(row[_DIGEST]), *row[_DIGEST + 1 :]))


class PostgresNotes:
    def __init__(self, link: Transaction) -> None:
        self._link = link

    def get(self, topic: str, key: str) -> Note | None:
        row = self._link.row("note", topic, self._link.seal.word(key))
        return None if row is None or row[-1] is None else self._note(row)

    def present(self, topic: str) -> tuple[Note, ...]:
        return tuple(self._note(row) for row in self._link.rows("present_notes", topic))

    def since(self, seq: int) -> tuple[Note, ...]:
        return tuple(self._note(row) for row in self._link.rows("notes_since", seq))

    def all(self) -> Iterator[Note]:
        for row in self._link.stream("notes_since", 0):
            yield self._note(row)

    def _note(self, row: Row) -> Note:
        topic, key, seq, doc, at, actor, written = row
        body = None if written is None else self._text(written, b"notes:%d" % doc)
        return note_from((topic, self._link.seal.read(key), seq, doc, at, actor, body))

    def _text(self, written: bytes, place: bytes) -> str:
        try:
            return self._link.seal.open(written, place).decode()
        except UnicodeDecodeError:
            raise IntegrityError("the body of a stored note cannot be read") from None


class PostgresReceipts:
    def __init__(self, link: Transaction) -> None:
        self._link = link

    def head(self) -> tuple[int, bytes]:
        row = self._link.row("receipt_head")
        return (0, bytes(32)) if row is None else (row[0], row[1])

    def get(self, receipt: str) -> StoredReceipt | None:
        row = self._link.row("receipt", receipt)
        return None if row is None else self._receipt(row)

    def all(self) -> Iterator[StoredReceipt]:
        return self.since(-1)

    def since(self, seq: int) -> Iterator[StoredReceipt]:
        for row in self._link.stream("receipts_since", seq):
            yield self._receipt(row)

    def told(self, rid: int) -> tuple[ToldRow, ...]:
        return tuple(told_from(row) for row in self._link.rows("told_of", rid))

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        wanted = list(rids)
        return frozenset(rid for (rid,) in self._link.rows("told_to", actor, wanted)) if wanted else frozenset()

    def told_since(self, actor: str, rids: Iterable[int], since: Instant) -> frozenset[int]:
        wanted = list(rids)
        return (
            frozenset(rid for (rid,) in self._link.rows("told_since", actor, wanted, since)) if wanted else frozenset()
        )

    def all_told(self) -> Iterator[ToldRow]:
        for row in self._link.stream("all_told"):
            yield told_from(row)

    def _receipt(self, row: Row) -> StoredReceipt:
        seq, opened = row[0], self._link.seal.open
        account = opened(row[-1], b"receipts:%d" % seq)
        salt = opened(row[-2], b"receipts.salt:%d" % seq)
        return receipt_from((*row[:-2], salt, account))


def _entry_from(row: Row) -> StoredEntry:
    return StoredEntry(seq=row[0], body=row[1], hash=row[2])
