"""Read a receipt back and decide it again: the recorded candidates as of the recorded position, or all from nothing."""

from __future__ import annotations

import msgspec

from muniment.model.errors import IntegrityError
from muniment.model.receipt import Account, Explanation, ReceiptEntry, StoredReceipt
from muniment.model.rows import Reach
from muniment.model.value import read_canonical
from muniment.ports.store import Snapshot
from muniment.read.pipeline import Reading, choose, look
from muniment.read.question import Ask, seek
from muniment.read.search import NOTHING


def read_receipt(stored: StoredReceipt) -> tuple[ReceiptEntry, Account]:
    return read_canonical(stored.body, ReceiptEntry), read_canonical(stored.account, Account)


def decide_again(snapshot: Snapshot, stored: StoredReceipt, reading: Reading) -> Explanation:
    """Take the recorded candidates through gate and selection once more, as things stood then."""
    entry, account = read_receipt(stored)
    chosen = choose(snapshot, account.plan, account.query, reading, account.candidates, account.opponents)
    return _explanation(entry, account, tuple(one.record.id for one in chosen.told), replayed=False)


def search_again(rebuilt: Snapshot, stored: StoredReceipt, reading: Reading, ask: Ask) -> Explanation:
    """Search a store that was rebuilt to the receipt's position, from nothing but the query's plan. Vectors are not in
    the ledger: they are those of today, as far as they reached then, if the model is still the same."""
    entry, account = read_receipt(stored)
    head = rebuilt.ledger.head()
    if head is None or head.seq != entry.epoch:
        raise IntegrityError(f"the store was not rebuilt to position {entry.epoch}")
    plan = account.plan
    sought = seek(rebuilt, account.query, ask, as_of=plan.as_of)
    note = None
    if plan.reach.model is not None and plan.reach.model != sought.model:
        note = f"the vectors of {plan.reach.model} are gone, so the search went by words alone"
        plan = msgspec.structs.replace(plan, reach=Reach())
    gathered = look(rebuilt, plan, account.query, sought) if plan.grants else NOTHING
    chosen = choose(rebuilt, plan, account.query, reading, gathered.candidates, gathered.opponents)
    return _explanation(entry, account, tuple(one.record.id for one in chosen.told), replayed=True, note=note)


def _explanation(
    entry: ReceiptEntry, account: Account, again: tuple[str, ...], *, replayed: bool, note: str | None = None
) -> Explanation:
    return Explanation(
        receipt_id=entry.id,
        at=entry.at,
        epoch=entry.epoch,
        account=account,
        grants=account.plan.grants,
        again=again,
        same_ids=again == account.selected,
        replayed=replayed,
        note=note,
    )
