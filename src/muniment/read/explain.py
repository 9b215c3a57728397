"""Read a receipt back and decide it again: the recorded candidates as of the recorded position, or all from nothing.

A receipt may have lost words or records to an erasure, or most of itself to retention. The ledger says so, and so does
the explanation. A receipt that is not what the log commits to, and that no entry of the ledger accounts for, was
altered."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.ledger.chain import commitment
from muniment.model.entry import Entry, EntryKind
from muniment.model.errors import IntegrityError
from muniment.model.packed_receipt import PackedAccount, digest_of_rules, read_account
from muniment.model.receipt import (
    Account,
    Explanation,
    Plan,
    ReceiptEntry,
    ReceiptState,
    StoredReceipt,
    Terms,
)
from muniment.model.rows import VectorCoverage
from muniment.model.value import Value, read_canonical
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot
from muniment.read.pipeline import ReadContext, choose, look
from muniment.read.plan import make_plan
from muniment.read.question import Ask, seek
from muniment.read.rank import order_of
from muniment.read.search import NOTHING

Policies = Callable[[int], Policy]
OTHERWISE = "this release reads the policy of that day in another way than the one that answered"


class StoredReceiptView(Value):
    """A stored receipt as it is read back: its entry in the log, its account, and whether most of it was dropped.
    `otherwise` says that the rules it was decided under do not come out as they were."""

    entry: ReceiptEntry
    account: Account
    dropped: bool = False
    otherwise: bool = False


class ReceiptLoss(Value):
    """What became of a receipt: its state, and which erasures or which entry took from it."""

    state: ReceiptState
    by: tuple[str, ...] = ()


def read_receipt(stored: StoredReceipt, policies: Policies) -> StoredReceiptView:
    """Read a receipt back. The rules it was decided under are made again from the policy of that day."""
    entry, found = read_canonical(stored.body, ReceiptEntry), read_account(stored.account)
    if isinstance(found, Account):
        return StoredReceiptView(entry=entry, account=found)
    candidates = found.candidates.candidates()
    plan = _plan_of(found, entry, policies(found.policy))
    account = Account(
        actor=found.actor,
        query=found.query,
        policy=found.policy,
        plan=plan,
        candidates=candidates,
        opponents=found.opponents,
        excluded=found.excluded,
        considered=found.considered,
        selected=tuple(candidates[place].id for place in found.selected),
        abstained=found.abstained,
        searched=msgspec.structs.replace(found.searched, model=plan.reach.model),
        withdrawn=found.ended,
        notified=found.notified,
    )
    otherwise = found.plan is not None and digest_of_rules(plan) != found.plan.rules
    return StoredReceiptView(entry=entry, account=account, dropped=found.plan is None, otherwise=otherwise)


def _plan_of(found: PackedAccount, entry: ReceiptEntry, policy: Policy) -> Plan:
    aim = found.plan
    plan = make_plan(
        policy,
        found.actor,
        found.query,
        aim.terms if aim is not None else Terms(),
        now=aim.now if aim is not None else entry.at,
        as_of=aim.as_of if aim is not None else entry.epoch,
        at_head=aim.at_head if aim is not None else True,
        reach=aim.reach if aim is not None else VectorCoverage(),
    )
    return msgspec.structs.replace(plan, span=aim.span if aim is not None else None)


def taken_from(snapshot: Snapshot, stored: StoredReceipt) -> ReceiptLoss:
    """Hold a receipt against what the log commits to, and against what entries of the ledger say took from it."""
    pinned = read_canonical(stored.body, ReceiptEntry).digest
    found = commitment(stored.salt, stored.account)
    if found == pinned:
        return ReceiptLoss(state=ReceiptState.WHOLE)
    certificates = {one.certificate.seq: one.certificate.id for one in snapshot.ledger.certificates()}
    by: list[str] = []
    for seq, name in certificates.items():
        if (digest := _pinned_by(snapshot, seq, stored.seq)) is not None:
            by.append(name)
            pinned = digest
    if found == pinned:
        return ReceiptLoss(state=ReceiptState.ERASED, by=tuple(by))
    account = read_account(stored.account)
    at = account.trimmed_by if isinstance(account, PackedAccount) else 0
    if at and _pinned_by(snapshot, at, stored.seq, kind=EntryKind.TRIMMED) == found:
        return ReceiptLoss(state=ReceiptState.DROPPED, by=(f"entry {at}",))
    return ReceiptLoss(state=ReceiptState.ALTERED)


def _pinned_by(snapshot: Snapshot, seq: int, receipt: int, *, kind: EntryKind = EntryKind.FORGOTTEN) -> str | None:
    """What an entry pins a receipt to, if it took something from it."""
    stored = snapshot.ledger.entry(seq)
    entry = read_canonical(stored.body, Entry) if stored is not None else None
    if entry is None or entry.kind is not kind:
        return None
    return next((ref.digest for ref in entry.receipts if ref.seq == receipt), None)


def decide_again(snapshot: Snapshot, receipt: StoredReceiptView, reading: ReadContext) -> Explanation:
    """Take the recorded candidates through gate and selection once more, as things stood then."""
    account = receipt.account
    if _sides_had_places(account):
        return _gate_again(snapshot, receipt, reading)
    chosen = choose(snapshot, account.plan, account.query, reading, account.candidates, account.opponents)
    return _explanation(receipt, tuple(one.record.id for one in chosen.told), replayed=False)


def _sides_had_places(account: Account) -> bool:
    """Whether a receipt was made when the other side of a dispute was told as a record of its own, beyond the limit."""
    return any(
        one.via is not None and one.via.startswith("it is the other side") and one.excluded is None
        for one in account.candidates
    )


def _gate_again(snapshot: Snapshot, receipt: StoredReceiptView, reading: ReadContext) -> Explanation:
    """Take only what was told through the gate again: which others found room was decided by a rule that is gone."""
    account = receipt.account
    told = tuple(one for one in account.candidates if one.excluded is None)
    plan = msgspec.structs.replace(account.plan, limit=len(told), budget_tokens=None)
    chosen = choose(snapshot, plan, account.query, reading, told, ())
    passed = {one.record.id for one in chosen.told}
    again = tuple(name for name in account.selected if name in passed)
    note = "it was made when both sides of a dispute had places of their own, so only the gate was asked again"
    return _explanation(receipt, again, replayed=False, note=note)


def search_again(rebuilt: Snapshot, receipt: StoredReceiptView, reading: ReadContext, ask: Ask) -> Explanation:
    """Search a store that was rebuilt to the receipt's position, from nothing but the query's plan. Vectors are not in
    the ledger: they are those of today, as far as they reached then, if the model is still the same."""
    entry, account = receipt.entry, receipt.account
    head = rebuilt.ledger.head()
    if head is None or head.seq != entry.epoch:
        raise IntegrityError(f"the store was not rebuilt to position {entry.epoch}")
    plan = account.plan
    sought = seek(rebuilt, account.query, ask, as_of=plan.as_of)
    note = None
    if plan.reach.model is not None and plan.reach.model != sought.model:
        note = f"the vectors of {plan.reach.model} are gone, so the search went by words alone"
        plan = msgspec.structs.replace(plan, reach=VectorCoverage())
    order = order_of(account.candidates)
    gathered = look(rebuilt, plan, account.query, sought, order=order) if plan.grants else NOTHING
    chosen = choose(rebuilt, plan, account.query, reading, gathered.candidates, gathered.opponents)
    return _explanation(receipt, tuple(one.record.id for one in chosen.told), replayed=True, note=note)


def only_read(receipt: StoredReceiptView) -> Explanation:
    """A receipt of which too little is left to decide it again."""
    return _explanation(receipt, (), replayed=False)


def differences(snapshot: Snapshot, explained: Explanation, taken: ReceiptLoss) -> Explanation:
    """Say what became of the receipt, and whether anything but that makes a difference."""
    selected, again = explained.account.selected, explained.again
    lost = tuple(name for name in dict.fromkeys(selected) if name not in again and snapshot.catalogue.buried(name))
    state = ReceiptState.ERASED if lost and taken.state is ReceiptState.WHOLE else taken.state
    match state:
        case ReceiptState.WHOLE:
            consistent = explained.same_ids
        case ReceiptState.ERASED:  # what was erased leaves room for what came next
            consistent = [one for one in again if one in selected] == [one for one in selected if one not in lost]
        case ReceiptState.DROPPED:
            consistent = True
        case ReceiptState.ALTERED:
            consistent = False
    by = taken.by or (_erased_by(snapshot, lost) if lost else ())
    return msgspec.structs.replace(explained, state=state, consistent=consistent, by=by, lost=lost)


def _erased_by(snapshot: Snapshot, lost: tuple[str, ...]) -> tuple[str, ...]:
    """The certificates of the erasures that took these records, or revisions of them."""
    told = (one.certificate for one in snapshot.ledger.certificates())
    return tuple(one.id for one in told if not {*one.erased, *one.redacted}.isdisjoint(lost))


def _explanation(
    receipt: StoredReceiptView, again: tuple[str, ...], *, replayed: bool, note: str | None = None
) -> Explanation:
    account = receipt.account
    notes = [one for one in (note, OTHERWISE if receipt.otherwise else None) if one is not None]
    return Explanation(
        receipt_id=receipt.entry.id,
        at=receipt.entry.at,
        epoch=receipt.entry.epoch,
        account=account,
        grants=account.plan.grants,
        again=again,
        same_ids=again == account.selected,
        replayed=replayed,
        note="; ".join(notes) or None,
    )
