"""The writing half of one tenant's file. Used inside a transaction that `store` opens and ends."""

from __future__ import annotations

import apsw
import msgspec

from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.lexicon import SqliteLexicon
from muniment.backends.sqlite.tables import (
    SqliteCatalogue,
    SqliteDesk,
    SqliteDocuments,
    SqliteLedger,
    SqliteReceipts,
    head_of,
)
from muniment.model.card import Card
from muniment.model.entry import Document, Head, SignedCheckpoint, StoredEntry
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import ConflictRow, ProposalRow, Row, StandingRow
from muniment.model.value import canonical

_Q = queries()


class SqliteSnapshot:
    """All reading halves over one connection."""

    def __init__(self, connection: apsw.Connection, tenant: str) -> None:
        self.ledger = SqliteLedger(connection, tenant)
        self.documents = SqliteDocuments(connection)
        self.catalogue = SqliteCatalogue(connection)
        self.desk = SqliteDesk(connection)
        self.lexicon = SqliteLexicon(connection)
        self.receipts = SqliteReceipts(connection)


class _RunningLedger(SqliteLedger):
    """A ledger that remembers its head within a transaction, where nobody else can move it."""

    known: Head | None = None

    def head(self) -> Head | None:
        if self.known is None:
            self.known = super().head()
        return self.known


class SqliteUnit(SqliteSnapshot):
    """A snapshot that may write."""

    def __init__(self, connection: apsw.Connection, tenant: str) -> None:
        super().__init__(connection, tenant)
        self._execute = connection.execute
        self._tenant = tenant
        self.ledger: _RunningLedger = _RunningLedger(connection, tenant)

    def append(self, entry: StoredEntry) -> None:
        self._execute(_Q["append_entry"], (entry.seq, entry.body, entry.hash))
        self.ledger.known = head_of(self._tenant, entry.seq, entry.body, entry.hash)

    def keep(self, document: Document) -> None:
        self._execute(_Q["keep_document"], (document.doc, document.salt, document.body.decode()))

    def drop(self, doc: int) -> None:
        self._execute(_Q["drop_document"], (doc,))

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        for row in rows:
            match row:
                case Card():
                    self._put_card(row)
                    self._execute(_Q["put_text"], (row.rid, texts[row.rid]))
                case StandingRow(rid=rid, standing=standing):
                    values = (standing.status.value, standing.since, standing.successor)
                    self._execute(_Q["move_card"], (*values, rid))
                    self._execute(_Q["put_standing"], (rid, standing.since, standing.status.value, standing.successor))
                case ProposalRow():
                    self._file(row)
                case ConflictRow():
                    values_ = (row.id, row.status, row.a, row.b, row.why, row.opened, row.changed)
                    self._execute(_Q["put_conflict"], values_)

    def _put_card(self, card: Card) -> None:
        self._execute(_Q["put_card"], msgspec.structs.astuple(card))  # its fields are the columns, in order

    def _file(self, row: ProposalRow) -> None:
        columns = (row.seq, row.id, row.at, row.actor, row.outcome, row.disposition, row.digest)
        self._execute(_Q["file_proposal"], (*columns, row.report, row.held, row.record, row.revision))

    def clear_projections(self) -> None:
        for table in ("cards", "standings", "proposals", "conflicts"):
            self._execute(f"DELETE FROM {table}")
        self._execute("INSERT INTO lexicon (lexicon) VALUES ('delete-all')")

    def append_receipt(self, receipt: StoredReceipt) -> None:
        columns = (receipt.seq, receipt.id, receipt.body, receipt.hash, receipt.salt, receipt.account)
        self._execute(_Q["append_receipt"], columns)

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self._execute(_Q["put_checkpoint"], (signed.checkpoint.seq, canonical(signed)))
