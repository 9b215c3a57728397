"""The writing half of one tenant's file. Used inside a transaction that `store` opens and ends."""

from __future__ import annotations

import apsw

from muniment.backends.sqlite.connection import queries
from muniment.backends.sqlite.lexicon import SqliteLexicon
from muniment.backends.sqlite.tables import SqliteCatalogue, SqliteDesk, SqliteDocuments, SqliteLedger, SqliteReceipts
from muniment.model.card import Card
from muniment.model.entry import Document, Entry, Head, SignedCheckpoint, StoredEntry
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import ConflictRow, ProposalRow, Row, StandingRow
from muniment.model.value import canonical, read_canonical

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
        read = read_canonical(entry.body, Entry)
        self.ledger.known = Head(
            tenant=self._tenant, seq=entry.seq, hash=entry.hash, at=read.at, last_doc=read.last_doc, policy=read.policy
        )

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
        columns = (card.rid, card.id, card.revision, card.seq, card.kind, card.memory_class, card.scope, card.scope_id)
        columns2 = (card.namespace, card.session_id, card.sensitivity, card.trust, card.label, card.confidence)
        columns3 = (card.provenance, card.actor, card.created_at, card.valid_from, card.valid_until, card.expires_at)
        columns4 = (card.fingerprint, card.slot, card.born, card.status, card.since, card.successor)
        self._execute(_Q["put_card"], columns + columns2 + columns3 + columns4)

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
