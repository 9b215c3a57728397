"""Retention of receipts: take from old ones everything but who was told what, in entries of the ledger that say so.

The log's chain stays as it is: each link holds the commitment to an account, and the entry pins what is left of it, as
an erasure does. Use, disclosures and what a withdrawal has to name are counted from what is left.
"""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.change import ChangeSet, ReceiptRedaction
from muniment.model.entry import EntryKind
from muniment.model.packed_receipt import PackedAccount, read_account, without_details
from muniment.model.receipt import ReceiptEntry, StoredReceipt
from muniment.model.times import Instant
from muniment.model.value import canonical, read_canonical
from muniment.ports.store import Snapshot, Unit
from muniment.write.commit import commit
from muniment.write.pipeline import Bench, next_place

AT_ONCE = 500
"""So many receipts one entry takes from, so that no entry and no transaction grows with the log."""
_WINDOW = 200


def first_whole(snapshot: Snapshot) -> int:
    """The position of the oldest receipt that was not trimmed. They are trimmed from the oldest on, so that the log can
    be halved."""
    low, high = 1, snapshot.receipts.head()[0] + 1
    while low < high:
        middle = (low + high) // 2
        stored = _receipt(snapshot, middle)
        if stored is not None and _is_trimmed(stored):
            low = middle + 1
        else:
            high = middle
    return low


def last_before(snapshot: Snapshot, instant: Instant) -> int:
    """The position of the last receipt that was given before an instant; 0 for none."""
    low, high = 0, snapshot.receipts.head()[0]
    while low < high:
        middle = (low + high + 1) // 2
        stored = _receipt(snapshot, middle)
        if stored is not None and read_canonical(stored.body, ReceiptEntry).at < instant:
            low = middle
        else:
            high = middle - 1
    return low


def last_beyond(snapshot: Snapshot, first: int, most: int) -> int:
    """The position of the last receipt from `first` on that is to be trimmed so that the accounts of all that come
    after it take no more than `most` bytes; 0 if they do not anyway."""
    top, left = snapshot.receipts.head()[0], most
    while top >= first:
        low = max(first, top - _WINDOW + 1)
        for stored in reversed(_stretch(snapshot, low, top)):
            left -= len(stored.account)
            if left < 0:
                return stored.seq
        top = low - 1
    return 0


def trim(unit: Unit, bench: Bench, actor: Actor, first: int, last: int) -> tuple[int, int]:
    """Trim these receipts, as far as they are whole still, in one entry. How many were, and the bytes that it saved."""
    at, head = next_place(unit, bench)
    found = [one for one in _stretch(unit, first, last) if not _is_trimmed(one)]
    if not found:
        return 0, 0
    left = {one.seq: without_details(read_account(one.account), by=head.seq + 1) for one in found}
    change = ChangeSet(
        kind=EntryKind.TRIMMED,
        actor=actor.id,
        at=at,
        position=head.seq,
        decided_on=(),
        policy=bench.policy_doc,
        receipts=tuple(ReceiptRedaction(seq=one.seq, id=one.id, account=left[one.seq]) for one in found),
    )
    commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids)
    return len(found), sum(len(one.account) - len(canonical(left[one.seq])) for one in found)


def _receipt(snapshot: Snapshot, seq: int) -> StoredReceipt | None:
    return next(iter(_stretch(snapshot, seq, seq)), None)


def _stretch(snapshot: Snapshot, first: int, last: int) -> list[StoredReceipt]:
    """The receipts from one position to another, both included."""
    found: list[StoredReceipt] = []
    if first <= last:
        for stored in snapshot.receipts.since(first - 1):
            if stored.seq > last:
                break
            found.append(stored)
            if stored.seq == last:
                break
    return found


def _is_trimmed(stored: StoredReceipt) -> bool:
    account = read_account(stored.account)
    return isinstance(account, PackedAccount) and account.plan is None
