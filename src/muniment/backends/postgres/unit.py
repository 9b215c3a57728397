"""All halves of a store over one link: what a snapshot reads, and what a transaction that holds the turn writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from muniment.backends.facts import compose
from muniment.backends.postgres.catalogue import PostgresCatalogue
from muniment.backends.postgres.lexicon import PostgresLexicon
from muniment.backends.postgres.names import PostgresNames
from muniment.backends.postgres.prefetch_cache import PrefetchCache
from muniment.backends.postgres.tables import (
    PostgresDesk,
    PostgresDocuments,
    PostgresLedger,
    PostgresLinks,
    PostgresNotes,
    PostgresReceipts,
)
from muniment.backends.postgres.tenant_row import HeadRow
from muniment.backends.postgres.transaction import Transaction
from muniment.backends.postgres.vector_search import NO_MEANINGS, PostgresVectorSearch
from muniment.backends.postgres.writer_memory import WriterMemory
from muniment.backends.postgres.writer_view import (
    Halves,
    WriterCatalogue,
    WriterDocuments,
    WriterLedger,
    WriterNames,
    WriterProposals,
    WriterReceipts,
    look_up,
)
from muniment.backends.rows import head_of, standing_columns
from muniment.model.card import Card, standing_of
from muniment.model.entry import Document, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
from muniment.model.record import Record
from muniment.model.rows import (
    AliasRow,
    ConflictRow,
    EdgeRow,
    MentionRow,
    ProposalRow,
    Row,
    StandingRow,
    ToldRow,
    TombstoneRow,
)
from muniment.model.value import canonical, read_canonical
from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.vectors import VectorSearch

TOGETHER_MAX = 128
"""What the decisions on so many proposals of a batch may depend on is looked up together."""
_TEXTS_AT_ONCE = 200
_PROJECTIONS = (
    *("cards", "standings", "proposals", "conflicts", "edges", "mentions", "aliases", "notes", "told", "tombstones"),
)
_SLOT, _MARK = Card.__struct_fields__.index("slot"), Card.__struct_fields__.index("fingerprint")


class PostgresSnapshot:
    """All reading halves over one link."""

    def __init__(self, link: Transaction, row: HeadRow) -> None:
        self.link = link
        self.row = row
        self.documents = PostgresDocuments(link)
        self.catalogue: PostgresCatalogue = PostgresCatalogue(link)
        self.ledger: PostgresLedger = PostgresLedger(link, self.catalogue.brought_by)
        self.links = PostgresLinks(link)
        self.desk = PostgresDesk(link)
        self.lexicon = PostgresLexicon(link, None, self._totals)
        self.names: PostgresNames = PostgresNames(link)
        self.meanings: VectorSearch = PostgresVectorSearch(link)
        self.notes = PostgresNotes(link)
        self.receipts: PostgresReceipts = PostgresReceipts(link)

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        return (compose(self, one) for one in asked)

    def ahead(self, *asks: Callable[[], object]) -> None:
        self.link.ahead(*asks)

    def _totals(self) -> tuple[int, int]:
        """How many texts are indexed, and of how many terms."""
        return self.row.texts, self.row.terms


class PostgresUnit(PostgresSnapshot):
    """A snapshot that may write, because it holds the tenant's turn. `row` is where everything stands."""

    def __init__(self, link: Transaction, row: HeadRow, head: LedgerHead | None, latest: WriterMemory) -> None:
        super().__init__(link, row)
        self._latest = latest
        self._known = PrefetchCache()
        self.catalogue = self._catalogue = WriterCatalogue(link, latest, self._known)
        self.ledger = self._ledger = WriterLedger(link)
        self.receipts = self._receipts = WriterReceipts(link, self._known)
        self.desk = self._desk = WriterProposals(link, self._known)
        self.documents = self._documents = WriterDocuments(link, self._known)
        self.names = self._names = WriterNames(link, self._known)
        self.meanings = NO_MEANINGS
        self.lexicon = PostgresLexicon(link, latest, self._totals)
        self.restore(row, head)

    def restore(self, row: HeadRow, head: LedgerHead | None) -> None:
        """Stand where `row` and `head` say, as at first or after something was undone."""
        self._known.forget()
        self.row = row
        self._ledger.known = head
        self._receipts.last = (row.receipts, row.receipts_hash) if row.receipts else (0, bytes(32))

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        halves = Halves(self._catalogue, self._desk, self._documents, self.lexicon, self._names)
        for first in range(0, len(asked), TOGETHER_MAX):
            some = asked[first : first + TOGETHER_MAX]
            look_up(self.link, some, self._known, halves)
            for one in some:
                yield compose(self, one)

    def append(self, entry: StoredEntry) -> None:
        self.link.put("entries", (entry.seq, entry.body, entry.hash))
        self._ledger.known = head_of(self.link.tenant, entry.seq, entry.body, entry.hash)
        self._move(seq=entry.seq, hash=entry.hash)

    def keep(self, *documents: Document) -> None:
        for document in documents:
            salted = self._salted("documents", document.doc, document.salt, document.body)
            self.link.put("documents", (document.doc, *salted))
            self._known.kept(document)

    def drop(self, doc: int) -> None:
        self.link.send("drop_document", doc)
        self._known.dropped(doc)

    def amend(self, document: Document) -> None:
        salted = self._salted("documents", document.doc, document.salt, document.body)
        self.link.send("amend_document", document.doc, *salted)
        self._known.dropped(document.doc)

    def reword(self, doc: int, body: str | None) -> None:
        self.link.send("reword_note", doc, None if body is None else self._closed("notes", doc, body.encode()))

    def blank(self, seq: int, salt: bytes, account: bytes) -> None:
        salted = self._salted("receipts", seq, salt, account)
        if seq <= self.row.receipts_counted and (before := self.link.row("receipt_bytes", seq)) is not None:
            self._move(receipts_bytes=self.row.receipts_bytes + sum(map(len, salted)) - int(before[0]))
        self.link.send("blank_receipt", seq, *salted)

    def certify(self, signed: SignedCertificate) -> None:
        self.link.put("certificates", (signed.certificate.seq, canonical(signed)))
        self._move(erasure=max(self.row.erasure, signed.certificate.seq))

    def erase(self, docs: Iterable[int]) -> None:
        self._known.forget()
        gone = list(docs)
        indexed = self.catalogue.cards(gone)
        texts = {doc: kept.body for doc, kept in self.documents.many(indexed).items()}
        if missing := indexed.keys() - texts.keys():
            raise IntegrityError(f"the text of revision {min(missing)} is missing: its words cannot be taken away")
        taken = self.lexicon.take_away({doc: read_canonical(body, Record).content for doc, body in texts.items()})
        self._move(texts=self.row.texts - taken.texts, terms=self.row.terms - taken.terms)
        self.link.send("hold_reach")
        self.link.send("forget_vectors", gone)
        for table in ("cards", "standings", "edges", "mentions", "aliases"):
            self.link.send(f"erase_{table}", gone)

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        born: dict[int, str] = {}
        for row in rows:
            match row:
                case Card():
                    self._put_card(row)
                    born[row.rid] = texts[row.rid]
                case StandingRow(rid=rid, standing=standing):
                    columns = standing_columns(standing)
                    self.link.send("move_card", rid, *columns)
                    self.link.put("standings", (rid, *columns))
                    self._known.moved(rid, standing)
                case ProposalRow():
                    self._file(row)
                case ConflictRow():
                    self._dispute(row)
                case EdgeRow():
                    self.link.put("edges", (row.rid, row.type, row.target))
                case MentionRow():
                    self.link.put("mentions", (row.rid, self.link.seal.word(row.entity), row.kind))
                    self._known.mentioned(row)
                case AliasRow():
                    word = self.link.seal.word
                    self.link.put("aliases", (word(row.alias), word(row.entity), row.seq, row.doc))
                case Note():
                    self._note(row)
                case TombstoneRow():
                    self.link.put("tombstones", msgspec.structs.astuple(row))
                    self._known.bury(row.id)
        if born:
            put = self.lexicon.put_many(born, last=self.row.last_text)
            last = max(self.row.last_text, put.last)
            self._move(texts=self.row.texts + put.texts, terms=self.row.terms + put.terms, last_text=last)

    def renew_words(self, words: int, progress: Callable[[int, int], None]) -> None:
        """Index every text anew."""
        self.lexicon.clear()
        rids = [rid for (rid,) in self.link.rows("words_born")]
        texts = terms = last = 0
        for start in range(0, len(rids), _TEXTS_AT_ONCE):
            part = rids[start : start + _TEXTS_AT_ONCE]
            progress(start, len(rids))
            put = self.lexicon.put_many(self.lexicon.texts(part), last=last)
            texts, terms, last = texts + put.texts, terms + put.terms, put.last
        progress(len(rids), len(rids))
        self._move(texts=texts, terms=terms, last_text=max(last, self.row.last_text), words=words)

    def _put_card(self, card: Card) -> None:
        columns = list(msgspec.structs.astuple(card))  # its fields are the columns, in order
        if card.slot is not None:
            columns[_SLOT] = self.link.seal.word(card.slot)
        columns[_MARK] = self.link.seal.mark(card.fingerprint)
        self.link.put("cards", columns)
        self.link.put("standings", (card.rid, *standing_columns(standing_of(card))))
        self._latest.wrote(card.actor, (card.rid, card.created_at))
        self._known.born(card)

    def _note(self, note: Note) -> None:
        body = None if note.body is None else self._closed("notes", note.doc, note.body.encode())
        key = self.link.seal.word(note.key)
        self.link.put("notes", (note.topic, key, note.seq, note.doc, note.at, note.actor, body))
        self._move(notes=max(self.row.notes, note.seq))

    def _dispute(self, row: ConflictRow) -> None:
        matter = (row.id, row.type, row.status, row.a, row.b, row.why, row.contests, row.opened, row.changed)
        ballots = msgspec.json.encode(row.ballots).decode()
        self.link.send("put_conflict", *matter, row.strategy, row.winner, ballots)

    def _file(self, row: ProposalRow) -> None:
        digest = self.link.seal.word(row.digest)
        what = (row.seq, row.id, row.at, row.actor, row.outcome, row.disposition, digest)
        columns = (*what, row.report, row.held, row.record, row.revision)
        if self._known.is_new(row.id):
            self.link.put("proposals", columns)
        else:
            self.link.send("file_proposal", *columns)
        self._known.filed(row)

    def clear_projections(self) -> None:
        self._known.forget()
        for table in _PROJECTIONS:
            self.link.send(f"clear_{table}")
        self.lexicon.clear()
        self._move(texts=0, terms=0, last_text=0, notes=0)

    def append_receipt(self, receipt: StoredReceipt) -> None:
        salted = self._salted("receipts", receipt.seq, receipt.salt, receipt.account)
        before = self._receipts_bytes()
        self.link.put("receipts", (receipt.seq, receipt.id, receipt.body, receipt.hash, *salted))
        self._receipts.last = (receipt.seq, receipt.hash)
        bytes_ = before + sum(map(len, (receipt.id, receipt.body, receipt.hash, *salted)))
        self._move(
            receipts=receipt.seq, receipts_hash=receipt.hash, receipts_bytes=bytes_, receipts_counted=receipt.seq
        )

    def _receipts_bytes(self) -> int:
        """What the receipts take. Those written by a release that did not count them are added up once."""
        if self.row.receipts_counted == self.row.receipts:
            return self.row.receipts_bytes
        counted = self.link.row("receipts_bytes")
        assert counted is not None, "whoever writes has the tenant's row"
        return int(counted[0])

    def tell(self, rows: Sequence[ToldRow]) -> None:
        merged: dict[tuple[int, str], tuple[int, int]] = {}
        for row in rows:
            count, last = merged.get((row.rid, row.actor), (0, row.last))
            merged[row.rid, row.actor] = (count + row.count, max(last, row.last))
        if merged:
            who, how = list(merged), list(merged.values())
            columns = ([rid for rid, _ in who], [actor for _, actor in who], [one for one, _ in how])
            self.link.send("tell", *columns, [last for _, last in how])
            self._known.told()

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self.link.send("put_checkpoint", signed.checkpoint.seq, canonical(signed))
        head, seq = self._ledger.known, signed.checkpoint.seq
        if head is not None and head.checkpoint < seq:
            self._ledger.known = msgspec.structs.replace(head, checkpoint=seq)

    def _salted(self, table: str, number: int, salt: bytes, body: bytes) -> tuple[bytes, bytes]:
        """A body with its salt: who has the salt can try what the ledger's commitment to the body was made of."""
        return self._closed(f"{table}.salt", number, salt), self._closed(table, number, body)

    def _closed(self, table: str, number: int, body: bytes) -> bytes:
        return self.link.seal.close(body, b"%s:%d" % (table.encode(), number))

    def _move(self, **columns: int | bytes) -> None:
        self.row = msgspec.structs.replace(self.row, **columns)
