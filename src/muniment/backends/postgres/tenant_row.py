"""Where a tenant stands: the one row that every write of it updates first, and that saves others from counting."""

from __future__ import annotations

from muniment.backends.postgres.transaction import Row, Transaction
from muniment.backends.rows import head_of
from muniment.model.entry import LedgerHead
from muniment.model.errors import IntegrityError, SchemaMismatch
from muniment.model.value import Value

WORDS = 2
"""The tokenizer this engine searches by. A tenant whose index another made is not opened until it is made anew."""
SETTLED = 3
"""The same, and no process of an older release can have written since."""


class HeadRow(Value):
    """The row. `turn` counts writes, so that a writer knows whether another came between two of its own; `words` tells
    which tokenizer the word index was made by."""

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
    words: int

    @classmethod
    def of(cls, tenant: str, row: Row | None) -> HeadRow:
        if row is None:
            raise IntegrityError(f"tenant {tenant}: the row that says where its ledger stands is missing")
        turn, seq, hash_, notes, erasure, receipts, receipts_hash, *sizes = row
        texts, terms, last_text, receipts_bytes, receipts_counted, words = sizes
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
            words=words,
        )


def demand_words(tenant: str, row: HeadRow) -> None:
    """Refuse a tenant whose texts were taken apart by another tokenizer: half of them would not be found."""
    if row.words < WORDS:
        raise SchemaMismatch(
            found=row.words,
            needed=WORDS,
            what=f"the words of tenant {tenant} are indexed in form",
            hint="Let the schema's owner run `muniment migrate`: it indexes them anew.",
        )


def take_turn(link: Transaction, known: LedgerHead | None) -> tuple[HeadRow, LedgerHead | None]:
    """Wait for the tenant's turn and look where it stands. The last entry is read unless it is the one `known`."""
    row = HeadRow.of(link.tenant, link.row("take_turn"))
    if row.seq == 0:
        return row, None
    if known is not None and (known.seq, known.hash) == (row.seq, row.hash):
        return row, known
    return row, _last(link, row)


def _last(link: Transaction, row: HeadRow) -> LedgerHead:
    found = link.row("last_entry")
    head = None if found is None else head_of(link.tenant, *found)
    if head is None or (head.seq, head.hash) != (row.seq, row.hash):
        raise IntegrityError(f"tenant {link.tenant}: its ledger does not end where it was left; nothing is added to it")
    return head


def move_head(link: Transaction, row: HeadRow) -> None:
    """Leave the tenant where `row` says."""
    places = (row.seq, row.hash, row.notes, row.erasure, row.receipts, row.receipts_hash)
    sizes = (row.texts, row.terms, row.last_text, row.receipts_bytes, row.receipts_counted)
    link.send("move_head", *places, *sizes, row.words)
