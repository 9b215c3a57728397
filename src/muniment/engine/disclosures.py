"""The log of receipts, read from either end, a bounded stretch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from muniment.engine.tenant import policies_of
from muniment.model import checks
from muniment.model.errors import NotFound
from muniment.model.packed_receipt import receipt_summary
from muniment.model.receipt import Account, ReceiptEntry, StoredReceipt
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot
from muniment.read.explain import read_receipt

LOOK_MAX = 2_000
"""So many receipts are looked through at once for those of one record."""
_WINDOW = 100


class Telling(Value):
    """That a record was told: by which receipt, when, to whom and for what, which revision, and how it ranked among
    what was told. `rank` is null where the record stood beside the answer."""

    receipt_id: str
    at: Instant
    actor: str
    purpose: str
    revision: int
    rank: int | None
    score: float


class Tellings(Value):
    """The receipts by which a record was told, the newest first, as far as they were looked for: `looked` of `of`
    receipts. `before` is where the next look begins; null when all were looked at."""

    receipts: tuple[Telling, ...]
    looked: int
    of: int
    before: int | None = None


def receipts_between(
    snapshot: Snapshot, first: int, last: int, *, newest: bool
) -> Iterator[tuple[ReceiptEntry, Account]]:
    """What was told from one position of the log to another, both included, in either order."""
    stretch = _downwards(snapshot, first, last) if newest else _upwards(snapshot, first, last)
    policies = policies_of(snapshot)
    return ((receipt.entry, receipt.account) for receipt in (read_receipt(stored, policies) for stored in stretch))


def _upwards(snapshot: Snapshot, first: int, last: int) -> Iterator[StoredReceipt]:
    return takewhile(lambda stored: stored.seq <= last, snapshot.receipts.since(first - 1))


def _downwards(snapshot: Snapshot, first: int, last: int) -> Iterator[StoredReceipt]:
    top = min(last, snapshot.receipts.head()[0])
    while top >= first:
        low = max(first, top - _WINDOW + 1)
        yield from reversed(list(_upwards(snapshot, low, top)))
        top = low - 1


def receipts_of_record(snapshot: Snapshot, record: str, *, before: int | None, limit: int) -> Tellings:
    """Look through the log backwards for the receipts by which a record was told."""
    checks.identifier("id", record)
    revisions = snapshot.catalogue.revisions(record)
    if not revisions and not snapshot.catalogue.buried(record):
        raise NotFound("record", record)
    end = snapshot.receipts.head()[0]
    if revisions and not any(snapshot.receipts.told(card.rid) for card in revisions):
        return Tellings(receipts=(), looked=end, of=end)
    top = end if before is None else min(before - 1, end)
    low = max(1, top - LOOK_MAX + 1)
    found: list[Telling] = []
    for stored in _downwards(snapshot, low, top):
        found += _tellings(stored, record)
        if len(found) >= limit:
            low = stored.seq
            break
    return Tellings(receipts=tuple(found), looked=end - low + 1, of=end, before=low if low > 1 else None)


def _tellings(stored: StoredReceipt, record: str) -> Iterator[Telling]:
    """Whether a receipt told of the record. Ids need no escaping, so most receipts are passed over unread."""
    if f'"{record}"'.encode() not in stored.account:
        return
    entry, gist = read_canonical(stored.body, ReceiptEntry), receipt_summary(stored.account)
    for candidate in gist.told():
        if candidate.id == record:
            yield Telling(
                receipt_id=entry.id,
                at=entry.at,
                actor=gist.actor.id,
                purpose=gist.query.purpose,
                revision=candidate.revision,
                rank=gist.rank(record),
                score=candidate.score,
            )
