"""The writing half of the reference store: changes one copy of the tables, and refuses what contradicts them.

Used inside a transaction that `store` opens and ends; knows nothing of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from tests.support.memory_store.lexicon import MemoryLexicon
from tests.support.memory_store.meanings import MemoryMeanings, MemoryVectors
from tests.support.memory_store.names import MemoryNames
from tests.support.memory_store.tables import (
    MemoryCatalogue,
    MemoryDesk,
    MemoryDocuments,
    MemoryLedger,
    MemoryLinks,
    MemoryNotes,
    MemoryReceipts,
    Tables,
)

from muniment.backends.facts import compose
from muniment.backends.tokens import tokenize
from muniment.model.card import Card, moved, standing_of
from muniment.model.entry import Document, Entry, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.receipt import StoredReceipt
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
from muniment.model.status import CURRENT
from muniment.model.value import read_canonical
from muniment.ports.facts import FactsAsked, FactsFound


class MemorySnapshot:
    """All reading halves over one moment's tables."""

    def __init__(self, tables: Tables, tenant: str, vectors: MemoryVectors) -> None:
        self.ledger = MemoryLedger(tables, tenant)
        self.documents = MemoryDocuments(tables)
        self.catalogue = MemoryCatalogue(tables)
        self.links = MemoryLinks(tables)
        self.desk = MemoryDesk(tables)
        self.lexicon = MemoryLexicon(tables)
        self.names = MemoryNames(tables)
        self.meanings = MemoryMeanings(tables, vectors)
        self.notes = MemoryNotes(tables)
        self.receipts = MemoryReceipts(tables)

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        return (compose(self, one) for one in asked)

    def ahead(self, *asks: Callable[[], object]) -> None:
        """Nothing here is far away."""


class MemoryUnit(MemorySnapshot):
    """A snapshot that may write."""

    def __init__(self, tables: Tables, tenant: str, vectors: MemoryVectors) -> None:
        super().__init__(tables, tenant, vectors)
        self._tables = tables

    def append(self, entry: StoredEntry) -> None:
        _refuse(entry.seq in self._tables.entries, "an entry of this number is there already")
        read_canonical(entry.body, Entry)
        self._tables.entries[entry.seq] = entry

    def keep(self, *documents: Document) -> None:
        for document in documents:
            _refuse(document.doc in self._tables.documents, "a document of this number is there already")
            self._tables.documents[document.doc] = document

    def drop(self, doc: int) -> None:
        self._tables.documents.pop(doc, None)

    def amend(self, document: Document) -> None:
        _refuse(document.doc not in self._tables.documents, "there is no document of this number")
        self._tables.documents[document.doc] = document

    def reword(self, doc: int, body: str | None) -> None:
        self._tables.notes[doc] = msgspec.structs.replace(self._tables.notes[doc], body=body)

    def blank(self, seq: int, salt: bytes, account: bytes) -> None:
        self._tables.receipts[seq] = msgspec.structs.replace(self._tables.receipts[seq], salt=salt, account=account)

    def certify(self, signed: SignedCertificate) -> None:
        _refuse(signed.certificate.seq in self._tables.certificates, "this entry has a certificate already")
        self._tables.certificates[signed.certificate.seq] = signed

    def erase(self, docs: Iterable[int]) -> None:
        tables = self._tables
        gone = set(docs)
        for rid in gone:
            tables.cards.pop(rid, None)
            tables.terms.pop(rid, None)
        for key in [key for key in tables.standings if key[0] in gone]:
            del tables.standings[key]
        tables.edges.difference_update({edge for edge in tables.edges if edge.rid in gone})
        tables.mentions.difference_update({mention for mention in tables.mentions if mention.rid in gone})
        tables.aliases.difference_update({alias for alias in tables.aliases if alias.doc in gone})

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        for row in rows:
            match row:
                case Card():
                    self._put_card(row)
                    self._tables.terms[row.rid] = tokenize(texts[row.rid])
                case StandingRow():
                    self._move(row)
                case ProposalRow():
                    self._file(row)
                case ConflictRow():
                    self._dispute(row)
                case EdgeRow():
                    _refuse(row in self._tables.edges, "this link is there already")
                    self._tables.edges.add(row)
                case MentionRow():
                    known = {(other.rid, other.entity) for other in self._tables.mentions}
                    _refuse((row.rid, row.entity) in known, "this mention is there already")
                    self._tables.mentions.add(row)
                case AliasRow():
                    given = {(other.alias, other.seq) for other in self._tables.aliases}
                    _refuse((row.alias, row.seq) in given, "this name is there already")
                    self._tables.aliases.add(row)
                case Note():
                    _refuse(row.doc in self._tables.notes, "this note is there already")
                    self._tables.notes[row.doc] = row
                case TombstoneRow():
                    _refuse(row.rid in self._tables.tombstones, "this revision has a tombstone already")
                    self._tables.tombstones[row.rid] = row

    def _put_card(self, card: Card) -> None:
        _refuse(card.rid in self._tables.cards, "a card of this number is there already")
        siblings = self.catalogue.revisions(card.id)
        _refuse(card.revision in {sibling.revision for sibling in siblings}, "this revision is there already")
        self._refuse_second_current(card)
        self._tables.cards[card.rid] = card
        self._tables.standings[card.rid, card.since] = StandingRow(rid=card.rid, standing=standing_of(card))

    def _refuse_second_current(self, card: Card) -> None:
        others = [other for other in self.catalogue.revisions(card.id) if other.rid != card.rid]
        speaks = card.status in CURRENT and any(other.status in CURRENT for other in others)
        _refuse(speaks, "two revisions of one record cannot speak at once")

    def _move(self, row: StandingRow) -> None:
        standing = row.standing
        card = self._tables.cards.get(row.rid)
        if card is not None:
            after = moved(card, standing)
            self._refuse_second_current(after)
            self._tables.cards[row.rid] = after
        _refuse((row.rid, standing.since) in self._tables.standings, "this entry changed the revision already")
        self._tables.standings[row.rid, standing.since] = row

    def _file(self, row: ProposalRow) -> None:
        others = (other.seq for other in self._tables.proposals.values() if other.id != row.id)
        _refuse(row.seq in others, "this entry filed another proposal already")
        self._tables.proposals[row.id] = row

    def _dispute(self, row: ConflictRow) -> None:
        known = self._tables.conflicts.get(row.id)
        if known is not None:
            row = msgspec.structs.replace(
                known,
                status=row.status,
                contests=row.contests,
                changed=row.changed,
                strategy=row.strategy,
                winner=row.winner,
                ballots=row.ballots,
            )
        self._tables.conflicts[row.id] = row

    def clear_projections(self) -> None:
        tables = self._tables
        for projection in (
            tables.cards,
            tables.standings,
            tables.proposals,
            tables.conflicts,
            tables.terms,
            tables.told,
            tables.notes,
            tables.tombstones,
        ):
            projection.clear()
        tables.edges.clear()
        tables.mentions.clear()
        tables.aliases.clear()

    def append_receipt(self, receipt: StoredReceipt) -> None:
        taken = receipt.seq in self._tables.receipts or self.receipts.get(receipt.id) is not None
        _refuse(taken, "a receipt of this number or id is there already")
        self._tables.receipts[receipt.seq] = receipt

    def tell(self, rows: Sequence[ToldRow]) -> None:
        for row in rows:
            known = self._tables.told.get((row.rid, row.actor))
            count, last = (known.count, known.last) if known is not None else (0, row.last)
            told = ToldRow(rid=row.rid, actor=row.actor, count=count + row.count, last=max(last, row.last))
            self._tables.told[row.rid, row.actor] = told

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self._tables.checkpoints[signed.checkpoint.seq] = signed


def _refuse(contradicts: bool, why: str) -> None:
    if contradicts:
        raise IntegrityError(f"the store refused a write that contradicts what it holds: {why}")
