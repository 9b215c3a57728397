"""Fetch what candidates are, many at a time: the records with what they counted for at the plan's position."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from itertools import islice

from muniment.model.card import Card, standing_of
from muniment.model.entry import Document
from muniment.model.errors import IntegrityError
from muniment.model.record import Record, RecordState
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot
from muniment.read.integrity import check_pinned

KEPT_BYTES_MAX = 4_096
RECORDS_KEPT = 1_024


class RevisionCache:
    """Revisions of one snapshot as of one position. What is brought is asked for in one go; what is missing, singly."""

    def __init__(self, snapshot: Snapshot, as_of: int) -> None:
        self._snapshot = snapshot
        self._as_of = as_of
        self._cards: dict[int, Card] = {}
        self._documents: dict[int, Document] = {}
        self._brought: set[int] = set()

    def bring(self, rids: Iterable[int]) -> None:
        wanted = [rid for rid in dict.fromkeys(rids) if rid not in self._brought]
        if wanted:
            cards = self._snapshot.catalogue.cards(wanted)
            self._cards |= cards
            self._snapshot.ahead(
                partial(self._snapshot.documents.many, wanted),
                *(partial(self._snapshot.ledger.entry, card.seq) for card in islice(cards.values(), 1)),
            )
            self._documents |= self._snapshot.documents.many(wanted)
            self._brought.update(wanted)

    def get(self, rid: int) -> tuple[Record, RecordState] | None:
        """A record and its standing; None if it is not there, or was not yet."""
        self.bring((rid,))
        card, document = self._cards.get(rid), self._documents.get(rid)
        if card is None or document is None:
            return None
        now = card.since <= self._as_of
        standing = standing_of(card) if now else self._snapshot.catalogue.standing_at(rid, self._as_of)
        if standing is None:
            return None
        record = record_of(document.body)
        if card.id != record.id or card.revision != record.revision:
            raise IntegrityError(f"the card {rid} does not belong to the record of that number")
        return record, standing

    def check(self, rid: int) -> None:
        """Refuse a record that is not what the ledger committed to. For those that are about to be told."""
        check_pinned(self._snapshot, self._documents[rid], self._cards[rid].seq)


def record_of(body: bytes) -> Record:
    """Read a record. What was read lately is not read again: the same bytes say the same."""
    return _read(body) if len(body) <= KEPT_BYTES_MAX else read_canonical(body, Record)


@lru_cache(maxsize=RECORDS_KEPT)
def _read(body: bytes) -> Record:
    return read_canonical(body, Record)
