"""The tables of one tenant's file, each behind the protocol it serves. Plain point queries and ordered scans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import apsw

from muniment.backends.sqlite.connection import queries, translated
from muniment.model.card import Card, standing_of
from muniment.model.entry import Document, Entry, Head, SignedCheckpoint, StoredEntry
from muniment.model.errors import CallerError, IntegrityError
from muniment.model.receipt import StoredReceipt
from muniment.model.record import Standing
from muniment.model.rows import ConflictRow, ProposalRow, StandingRow
from muniment.model.status import read_status
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical

_Q = queries()
_FIRST = ""


class _Tip(Value, forbid_unknown_fields=False):
    """What a head repeats of its entry."""

    at: Instant
    last_doc: int = 0
    policy: int = 0


def head_of(tenant: str, seq: int, body: bytes, hash_: bytes) -> Head:
    tip = read_canonical(body, _Tip)
    return Head(tenant=tenant, seq=seq, hash=hash_, at=tip.at, last_doc=tip.last_doc, policy=tip.policy)


def card_from(row: tuple[Any, ...]) -> Card:  # a row of `cards`, whose columns are the fields of Card in order
    (rid, id_, revision, seq, kind, memory_class, scope, scope_id, namespace, session_id, sensitivity, trust, label) = (
        row[:13]
    )
    (confidence, provenance, actor, created_at, valid_from, valid_until, expires_at, fingerprint, slot) = row[13:22]
    return Card(
        rid=rid,
        id=id_,
        revision=revision,
        seq=seq,
        kind=kind,
        memory_class=memory_class,
        scope=scope,
        scope_id=scope_id,
        namespace=namespace,
        session_id=session_id,
        sensitivity=sensitivity,
        trust=trust,
        label=label,
        confidence=confidence,
        provenance=provenance == 1,
        actor=actor,
        created_at=created_at,
        valid_from=valid_from,
        valid_until=valid_until,
        expires_at=expires_at,
        fingerprint=fingerprint,
        slot=slot,
        born=row[22],
        status=row[23],
        since=row[24],
        successor=row[25],
    )


def proposal_from(row: tuple[Any, ...]) -> ProposalRow:
    seq, id_, at, actor, outcome, disposition, digest, report, held, record, revision = row
    return ProposalRow(
        id=id_,
        seq=seq,
        at=at,
        actor=actor,
        outcome=outcome,
        disposition=disposition,
        digest=digest,
        report=report,
        held=held,
        record=record,
        revision=revision,
    )


def conflict_from(row: tuple[Any, ...]) -> ConflictRow:
    id_, status, a, b, why, opened, changed = row
    return ConflictRow(id=id_, status=status, a=a, b=b, why=why, opened=opened, changed=changed)


def _standing_from(row: tuple[Any, ...]) -> StandingRow:
    return StandingRow(rid=row[0], standing=_standing(since=row[1], status=row[2], successor=row[3]))


def _standing(*, since: int, status: str, successor: str | None) -> Standing:
    try:
        return Standing(status=read_status(status), since=since, successor=successor)
    except CallerError as error:
        raise IntegrityError(f"a stored standing cannot be read: {error}") from None


def _rid(card: Card) -> int:
    # A handful of cards is put in order here: `ORDER BY rid LIMIT 1` makes SQLite fourteen times slower.
    return card.rid


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

    def last_checkpoint(self) -> SignedCheckpoint | None:
        row = self._execute(_Q["last_checkpoint"]).fetchone()
        return None if row is None else read_canonical(row[0], SignedCheckpoint)


class SqliteDocuments:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def get(self, doc: int) -> Document | None:
        row = self._execute(_Q["document"], (doc,)).fetchone()
        return None if row is None else Document(doc=row[0], salt=row[1], body=row[2])

    def all(self) -> Iterator[Document]:
        with translated(self._connection):
            for doc, salt, body in self._connection.execute(_Q["all_documents"]):
                yield Document(doc=doc, salt=salt, body=body)


class SqliteCatalogue:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def _one(self, name: str, *values: object) -> Card | None:
        row = self._execute(_Q[name], values).fetchone()
        return None if row is None else card_from(row)

    def _many(self, name: str, *values: object) -> tuple[Card, ...]:
        return tuple(card_from(row) for row in self._execute(_Q[name], values))

    def card(self, rid: int) -> Card | None:
        return self._one("card", rid)

    def current(self, record: str) -> Card | None:
        return self._one("current_card", record)

    def revisions(self, record: str) -> tuple[Card, ...]:
        return self._many("revisions", record)

    def twin(self, fingerprint: bytes) -> Card | None:
        return min(self._many("twin", fingerprint), key=_rid, default=None)

    def occupants(self, slot: str) -> tuple[Card, ...]:
        return tuple(sorted(self._many("occupants", slot), key=_rid))

    def superseded_by(self, record: str) -> tuple[Card, ...]:
        return self._many("superseded_by", record)

    def standings(self, rid: int) -> tuple[StandingRow, ...]:
        return tuple(_standing_from(row) for row in self._execute(_Q["standings"], (rid,)))

    def moves(self) -> Iterator[StandingRow]:
        with translated(self._connection):
            unreadable = None
            for row in self._connection.execute(_Q["all_standings"]):
                try:
                    standing = _standing_from(row)
                except IntegrityError as error:
                    unreadable = error  # the others are worth reading; whoever reads to the end is told
                else:
                    yield standing
            if unreadable is not None:
                raise unreadable

    def standing_at(self, rid: int, seq: int) -> Standing | None:
        card = self.card(rid)
        if card is None or card.seq > seq:
            return None
        if card.since <= seq:
            return standing_of(card)
        row = self._execute(_Q["standing_at"], (rid, seq)).fetchone()
        if row is None:
            return Standing(status=read_status(card.born), since=card.seq)
        return _standing(since=row[0], status=row[1], successor=row[2])

    def all(self) -> Iterator[Card]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_cards"]):
                yield card_from(row)

    def count(self) -> dict[str, int]:
        return {str(status): cast(int, number) for status, number in self._execute(_Q["count_cards"])}


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


class SqliteReceipts:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def head(self) -> tuple[int, bytes]:
        row = self._execute(_Q["receipt_head"]).fetchone()
        return (0, bytes(32)) if row is None else (row[0], row[1])

    def get(self, receipt: str) -> StoredReceipt | None:
        row = self._execute(_Q["receipt"], (receipt,)).fetchone()
        return None if row is None else _receipt_from(row)

    def all(self) -> Iterator[StoredReceipt]:
        with translated(self._connection):
            for row in self._connection.execute(_Q["all_receipts"]):
                yield _receipt_from(row)


def _receipt_from(row: tuple[Any, ...]) -> StoredReceipt:
    seq, id_, body, hash_, salt, account = row
    return StoredReceipt(seq=seq, id=id_, body=body, hash=hash_, salt=salt, account=account)
