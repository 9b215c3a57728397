"""The writing half of one tenant's file. Used inside a transaction that `store` opens and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import cast

import apsw
import msgspec

from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX
from muniment.backends.rows import card_from, head_of, proposal_from, standing_columns
from muniment.backends.sqlite.catalogue import SqliteCatalogue
from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.facts import Row as FactRow
from muniment.backends.sqlite.facts import ask
from muniment.backends.sqlite.lexicon import SqliteLexicon
from muniment.backends.sqlite.names import SqliteNames
from muniment.backends.sqlite.tables import (
    Kept,
    SqliteDesk,
    SqliteDocuments,
    SqliteLedger,
    SqliteLinks,
    SqliteNotes,
    SqliteReceipts,
)
from muniment.backends.sqlite.vector_search import SqliteVectors, SqliteVectorSearch
from muniment.model.card import Card
from muniment.model.decoding import decode_json
from muniment.model.entry import Document, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
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
from muniment.model.times import Instant
from muniment.model.value import canonical
from muniment.ports.facts import FactsAsked, FactsFound

_Q = queries()
_PROJECTIONS = (
    "cards",
    "standings",
    "proposals",
    "conflicts",
    "edges",
    "mentions",
    "aliases",
    "notes",
    "told",
    "tombstones",
)
_FILED = len(ProposalRow.__struct_fields__)
_VERSION = "PRAGMA data_version"
"""A number that another connection's commit changes, and ours does not."""


@cache
def _put_rows(name: str, count: int) -> str:
    """One statement for so many rows of three columns: each statement is a turn in which other threads may go first."""
    return f"{_Q[name]}{', (?, ?, ?)' * (count - 1)}"


class _RunningLedger(SqliteLedger):
    """A ledger that remembers its head, as long as `check` does not find that others wrote."""

    known: LedgerHead | None = None
    check: Callable[[], None] | None = None

    def head(self) -> LedgerHead | None:
        if self.check is not None:
            self.check()
        if self.known is None:
            self.known = super().head()
        return self.known


class _RunningReceipts(SqliteReceipts):
    """Receipts of which a writer remembers the last."""

    known: tuple[int, bytes] | None = None
    check: Callable[[], None] | None = None

    def head(self) -> tuple[int, bytes]:
        if self.check is not None:
            self.check()
        if self.known is None:
            self.known = super().head()
        return self.known


class SqliteSnapshot:
    """All reading halves over one connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        tenant: str,
        vectors: SqliteVectors | None = None,
        *,
        kept: Kept | None = None,
    ) -> None:
        self._kept = kept
        self.ledger = _RunningLedger(connection, tenant, kept)
        self.documents = SqliteDocuments(connection, kept)
        self.catalogue = SqliteCatalogue(connection, kept)
        self.links = SqliteLinks(connection)
        self.desk = SqliteDesk(connection)
        self.lexicon = SqliteLexicon(connection)
        self.names = SqliteNames(connection)
        self.meanings = SqliteVectorSearch(vectors, self.catalogue, self.ledger)
        self.notes = SqliteNotes(connection)
        self.receipts = _RunningReceipts(connection)
        self._connection = connection

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        return map(self._facts, asked)

    def _facts(self, asked: FactsAsked) -> FactsFound:
        wanted = self.lexicon.neighbours(asked.words)
        found = self._ask_facts(asked, self.lexicon.unknown(wanted))
        latest = {word: frozenset(rids) for word, rids in self.lexicon.latest(wanted, found["holding"]).items()}
        revisions: dict[str, list[Card]] = {name: [] for name in asked.records}
        for card in sorted(map(card_from, found["revisions"]), key=lambda card: card.revision):
            revisions[card.id].append(card)
        return FactsFound(
            filed=proposal_from(found["filed"][0][:_FILED]) if found["filed"] else None,
            twin=min(map(card_from, found["twin"]), key=_rid, default=None),
            past_twins=_by_rid(found["past_twins"]),
            occupants=_by_rid(found["occupants"]),
            past_answers=tuple(map(card_from, found["past_answers"])),
            revisions={name: tuple(cards) for name, cards in revisions.items()},
            buried=frozenset(str(row[0]) for row in found["buried"]),
            near=self.lexicon.nearest(latest, keep=asked.near_max) if asked.words else (),
            about=tuple(rid for row in found["about"] for rid in decode_json(row[0], tuple[int, ...])),
            pace=Instant(found["pace"][0][0]) if found["pace"] else None,
            heard=tuple(map(card_from, found["heard"])),
        )

    def _ask_facts(self, asked: FactsAsked, terms: Sequence[str]) -> dict[str, list[FactRow]]:
        return ask(self._connection, asked, terms)

    def ahead(self, *asks: Callable[[], object]) -> None:
        """Nothing here is far away."""

    def renew(self) -> None:
        """Take note that another moment is looked at."""
        self.ledger.known = self.receipts.known = None
        self.lexicon.renew()
        if self._kept is not None:
            self._kept.forget()


def _rid(card: Card) -> int:
    return card.rid


def _by_rid(rows: Iterable[FactRow]) -> tuple[Card, ...]:
    return tuple(sorted(map(card_from, rows), key=_rid))


class SqliteUnit(SqliteSnapshot):
    """A snapshot that may write."""

    def __init__(self, connection: apsw.Connection, tenant: str, *, read_only: bool = False) -> None:
        super().__init__(connection, tenant)
        self._execute = connection.execute
        self._tenant = tenant
        self.lexicon = SqliteLexicon(connection, Latest(keep=NEAR_POSTINGS_MAX))
        self._version = -1
        self._checked = False
        self._last: tuple[str, int, bytes] | None = None
        self.ledger.check = self.receipts.check = self.lexicon.check = self._check
        if not read_only:
            connection.execute(_Q["standings_of_the_born"])

    def begin(self) -> None:
        """Take note that a transaction has begun: what is remembered is checked before it is used."""
        self._checked = False
        self._last = None

    def _check(self) -> None:
        """Forget what is remembered if other writers were here since the last transaction."""
        if not self._checked:
            self._see(cast(int, self._execute(_VERSION).get))

    def _see(self, version: int) -> bool:
        """Take note of the version of the file; say whether it is the one that is remembered."""
        same, self._checked = version == self._version, True
        if not same:
            self._version = version
            self.ledger.known = self.receipts.known = None
            self.lexicon.forget()
        return same

    def undone(self, head: LedgerHead | None) -> None:
        """Take note that something was undone; the ledger ends with `head` again, if that is known."""
        self.ledger.known, self.receipts.known = head, None
        self.lexicon.forget()

    def _ask_facts(self, asked: FactsAsked, terms: Sequence[str]) -> dict[str, list[FactRow]]:
        more = () if self._checked else ("version",)
        heads = () if self.ledger.known is not None and self.receipts.known is not None else ("head", "receipts")
        found = ask(self._connection, asked, terms, (*more, *heads))
        if more and not self._see(found["version"][0][0]):
            return self._ask_facts(asked, self.lexicon.unknown(self.lexicon.neighbours(asked.words)))
        if heads:
            self.ledger.known = head_of(self._tenant, *found["head"][0][:4]) if found["head"] else None
            self.receipts.known = found["receipts"][0][:2] if found["receipts"] else (0, bytes(32))
        return found

    def landed(self) -> bool:
        """Whether the last transaction was kept, asked after it is over: its last entry or receipt is there. Without
        either it counts as undone: whatever else a job writes, writing it once more changes nothing."""
        if self._last is None:
            return False
        name, seq, hash_ = self._last
        return bool(self._execute(_Q[f"has_{name}"], (seq, hash_)).get)

    def append(self, entry: StoredEntry) -> None:
        self._execute(_Q["append_entry"], (entry.seq, entry.body, entry.hash))
        self._last = ("entry", entry.seq, entry.hash)
        self.ledger.known = head_of(self._tenant, entry.seq, entry.body, entry.hash)

    def keep(self, *documents: Document) -> None:
        columns = ((document.doc, document.salt, document.body.decode()) for document in documents)
        self._execute(_put_rows("keep_document", len(documents)), tuple(chain.from_iterable(columns)))

    def drop(self, doc: int) -> None:
        self._execute(_Q["drop_document"], (doc,))

    def amend(self, document: Document) -> None:
        self._execute(_Q["amend_document"], (document.salt, document.body.decode(), document.doc))

    def reword(self, doc: int, body: str | None) -> None:
        self._execute(_Q["reword_note"], (body, doc))

    def blank(self, seq: int, salt: bytes, account: bytes) -> None:
        self._execute(_Q["blank_receipt"], (salt, account, seq))

    def certify(self, signed: SignedCertificate) -> None:
        self._execute(_Q["put_certificate"], (signed.certificate.seq, canonical(signed)))

    def erase(self, docs: Iterable[int]) -> None:
        self.lexicon.forget()
        for rid in docs:
            self._execute(_Q["erase_text"], (rid,))
            for table in ("cards", "standings", "edges", "mentions"):
                self._execute(f"DELETE FROM {table} WHERE rid = ?", (rid,))
            self._execute(_Q["drop_alias"], (rid,))

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        mentions: list[tuple[int, str, str]] = []
        for row in rows:
            match row:
                case Card():
                    self._execute(_Q["put_card"], msgspec.structs.astuple(row))  # its fields are the columns, in order
                    self.lexicon.put(row.rid, texts[row.rid])
                case StandingRow(rid=rid, standing=standing):
                    columns = standing_columns(standing)
                    self._execute(_Q["move_card"], (*columns, rid))
                    self._execute(_Q["put_standing"], (rid, *columns))
                case ProposalRow():
                    self._file(row)
                case ConflictRow():
                    self._dispute(row)
                case EdgeRow():
                    self._execute(_Q["put_edge"], (row.rid, row.type, row.target))
                case MentionRow():
                    mentions.append((row.rid, row.entity, row.kind))
                case AliasRow():
                    self._execute(_Q["put_alias"], (row.alias, row.entity, row.seq, row.doc))
                case Note():
                    self._execute(_Q["put_note"], msgspec.structs.astuple(row))
                case TombstoneRow():
                    self._execute(_Q["put_tombstone"], msgspec.structs.astuple(row))
        if mentions:
            self._execute(_put_rows("put_mention", len(mentions)), tuple(chain.from_iterable(mentions)))

    def _dispute(self, row: ConflictRow) -> None:
        matter = (row.id, row.type, row.status, row.a, row.b, row.why, row.contests, row.opened, row.changed)
        ballots = msgspec.json.encode(row.ballots).decode()
        self._execute(_Q["put_conflict"], (*matter, row.strategy, row.winner, ballots))

    def _file(self, row: ProposalRow) -> None:
        columns = (row.seq, row.id, row.at, row.actor, row.outcome, row.disposition, row.digest)
        self._execute(_Q["file_proposal"], (*columns, row.report, row.held, row.record, row.revision))

    def clear_projections(self) -> None:
        for table in _PROJECTIONS:
            self._execute(f"DELETE FROM {table}")
        self._execute("INSERT INTO lexicon (lexicon) VALUES ('delete-all')")
        self.lexicon.forget()

    def append_receipt(self, receipt: StoredReceipt) -> None:
        columns = (receipt.seq, receipt.id, receipt.body, receipt.hash, receipt.salt, receipt.account)
        self._execute(_Q["append_receipt"], columns)
        self._last = ("receipt", receipt.seq, receipt.hash)
        self.receipts.known = (receipt.seq, receipt.hash)

    def tell(self, rows: Sequence[ToldRow]) -> None:
        if rows:
            columns = [(row.rid, row.actor, row.count, row.last) for row in rows]
            self._execute(_Q["tell"], (msgspec.json.encode(columns).decode(),))

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self._execute(_Q["put_checkpoint"], (signed.checkpoint.seq, canonical(signed)))
        self.ledger.known = None
