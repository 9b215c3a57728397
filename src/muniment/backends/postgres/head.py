"""Where a tenant stands: the one row that every write of it updates first, and that saves others from counting."""

from __future__ import annotations

from muniment.backends.postgres.link import Link, Row
from muniment.backends.rows import head_of
from muniment.model.entry import Head
from muniment.model.errors import IntegrityError
from muniment.model.value import Value


class HeadRow(Value):
    """The row. `turn` counts writes, so that a writer knows whether another came between two of its own."""

    turn: int
    seq: int
    hash: bytes
    notes: int
    erasure: int
    receipts: int
    receipts_hash: bytes
    texts: int
    terms: int
    last_text: int
    receipts_bytes: int
    receipts_counted: int

    @classmethod
    def of(cls, tenant: str, row: Row | None) -> HeadRow:
        if row is None:
            raise IntegrityError(f"tenant {tenant}: the row that says where its ledger stands is missing")
        turn, seq, hash_, notes, erasure, receipts, receipts_hash, *sizes = row
        texts, terms, last_text, receipts_bytes, receipts_counted = sizes
        return cls(
            turn=turn,
            seq=seq,
            hash=hash_,
            notes=notes,
            erasure=erasure,
            receipts=receipts,
            receipts_hash=receipts_hash,
            texts=texts,
            terms=terms,
            last_text=last_text,
            receipts_bytes=receipts_bytes,
            receipts_counted=receipts_counted,
        )


def take_turn(link: Link, known: Head | None) -> tuple[HeadRow, Head | None]:
    """Wait for the tenant's turn and look where it stands. The last entry is read unless it is the one `known`."""
    row = HeadRow.of(link.tenant, link.row("take_turn"))
    if row.seq == 0:
        return row, None
    if known is not None and (known.seq, known.hash) == (row.seq, row.hash):
        return row, known
    return row, _last(link, row)


def _last(link: Link, row: HeadRow) -> Head:
    found = link.row("last_entry")
    head = None if found is None else head_of(link.tenant, *found)
    if head is None or (head.seq, head.hash) != (row.seq, row.hash):
        raise IntegrityError(f"tenant {link.tenant}: its ledger does not end where it was left; nothing is added to it")
    return head


def move_head(link: Link, row: HeadRow) -> None:
    """Leave the tenant where `row` says."""
    places = (row.seq, row.hash, row.notes, row.erasure, row.receipts, row.receipts_hash)
    link.send("move_head", *places, row.texts, row.terms, row.last_text, row.receipts_bytes, row.receipts_counted)
