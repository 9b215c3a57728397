"""The writing half of one tenant's file. Used inside a transaction that `store` opens and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import cast

import apsw
import msgspec

from muniment.backends.latest import Latest
from muniment.backends.nearness import NEAR_POSTINGS_MAX
from muniment.backends.rows import head_of, standing_columns
from muniment.backends.sqlite.catalogue import SqliteCatalogue
from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.lexicon import SqliteLexicon
from muniment.backends.sqlite.names import SqliteNames
from muniment.backends.sqlite.tables import (
    SqliteDesk,
    SqliteDocuments,
    SqliteLedger,
    SqliteLinks,
    SqliteNotes,
    SqliteReceipts,
)
from muniment.backends.sqlite.vector_search import SqliteVectors, SqliteVectorSearch
from muniment.model.card import Card
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
from muniment.model.value import canonical
from muniment.ports.ahead import Ahead

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
_VERSION = "PRAGMA data_version"
"""A number that another connection's commit changes, and ours does not."""


@cache
def _put_mentions(count: int) -> str:
    """One statement for so many rows: each statement is a turn in which other threads may go first."""
    return f"{_Q['put_mention']}{', (?, ?, ?)' * (count - 1)}"


class _RunningLedger(SqliteLedger):
    """A ledger that remembers its head within a transaction, where nobody else can move it."""

    known: LedgerHead | None = None

    def head(self) -> LedgerHead | None:
        if self.known is None:
            self.known = super().head()
        return self.known


class SqliteSnapshot:
    """All reading halves over one connection."""

    def __init__(self, connection: apsw.Connection, tenant: str, vectors: SqliteVectors | None = None) -> None:
        self.ledger = _RunningLedger(connection, tenant)
        self.documents = SqliteDocuments(connection)
        self.catalogue = SqliteCatalogue(connection)
        self.links = SqliteLinks(connection)
        self.desk = SqliteDesk(connection)
        self.lexicon = SqliteLexicon(connection)
        self.names = SqliteNames(connection)
        self.meanings = SqliteVectorSearch(vectors, self.catalogue, self.ledger)
        self.notes = SqliteNotes(connection)
        self.receipts = SqliteReceipts(connection)

    def ahead(self, *asks: Callable[[], object]) -> None:
        """Nothing here is far away."""

    def renew(self) -> None:
        """Take note that another moment is looked at."""
        self.ledger.known = None
        self.lexicon.renew()


class SqliteUnit(SqliteSnapshot):
    """A snapshot that may write."""

    def __init__(self, connection: apsw.Connection, tenant: str) -> None:
        super().__init__(connection, tenant)
        self._execute = connection.execute
        self._tenant = tenant
        self.lexicon = SqliteLexicon(connection, Latest(keep=NEAR_POSTINGS_MAX))
        self._version = -1
        self._last: tuple[str, int, bytes] | None = None

    def begin(self) -> None:
        """Take note that a transaction has begun, and of what other writers did since the last one."""
        self.ledger.known = None
        self._last = None
        version = cast(int, self._execute(_VERSION).get)
        if version != self._version:
            self._version = version
            self.lexicon.forget()

    def undone(self, head: LedgerHead | None) -> None:
        """Take note that something was undone; the ledger ends with `head` again, if that is known."""
        self.ledger.known = head
        self.lexicon.forget()

    def landed(self) -> bool:
        """Whether the last transaction was kept, asked after it is over: its last entry or receipt is there. Without
        either it counts as undone: whatever else a job writes, writing it once more changes nothing."""
        if self._last is None:
            return False
        name, seq, hash_ = self._last
        return bool(self._execute(_Q[f"has_{name}"], (seq, hash_)).get)

    def look_ahead(self, about: Callable[[], Ahead]) -> None:
        """Everything is here: nothing is gained by looking it up before it is asked for."""

    def append(self, entry: StoredEntry) -> None:
        self._execute(_Q["append_entry"], (entry.seq, entry.body, entry.hash))
        self._last = ("entry", entry.seq, entry.hash)
        self.ledger.known = head_of(self._tenant, entry.seq, entry.body, entry.hash)

    def keep(self, document: Document) -> None:
        self._execute(_Q["keep_document"], (document.doc, document.salt, document.body.decode()))

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
                    self._put_card(row)
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
            self._execute(_put_mentions(len(mentions)), tuple(chain.from_iterable(mentions)))

    def _put_card(self, card: Card) -> None:
        self._execute(_Q["put_card"], msgspec.structs.astuple(card))  # its fields are the columns, in order
        self._execute(
            _Q["put_standing"],
            (
                card.rid,
                card.since,
                card.status,
                card.successor,
                card.own,
                card.effective,
                card.label,
                card.support,
                card.helpful,
                card.misleading,
                card.tier,
                card.accesses,
                card.last_access,
            ),
        )

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

    def tell(self, rows: Sequence[ToldRow]) -> None:
        if rows:
            columns = [(row.rid, row.actor, row.count, row.last) for row in rows]
            self._execute(_Q["tell"], (msgspec.json.encode(columns).decode(),))

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self._execute(_Q["put_checkpoint"], (signed.checkpoint.seq, canonical(signed)))
        self.ledger.known = None
