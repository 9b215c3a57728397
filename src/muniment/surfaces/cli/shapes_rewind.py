"""What turning back came to, as the JSON that the command line and the tools promise. Decides nothing."""

from __future__ import annotations

from typing import TypedDict

from muniment.model.curation import AffectedReceipt, RewindResult
from muniment.model.times import show


class RewoundReceiptShape(TypedDict):
    receipt: str
    at: str
    actor: str
    purpose: str
    records: list[str]


class RewindShape(TypedDict):
    to: int
    epoch: int
    changed: int
    restored: list[str]
    withdrawn: list[str]
    judged: list[str]
    conflicts: list[str]
    kept: list[str]
    erased: int
    receipts: list[RewoundReceiptShape]
    dry_run: bool


def rewind_shape(done: RewindResult, *, dry_run: bool) -> RewindShape:
    return {
        "to": done.to,
        "epoch": done.epoch,
        "changed": done.changed,
        "restored": list(done.restored),
        "withdrawn": list(done.withdrawn),
        "judged": list(done.judged),
        "conflicts": list(done.conflicts),
        "kept": list(done.kept),
        "erased": done.erased,
        "receipts": [_used(one) for one in done.receipts],
        "dry_run": dry_run,
    }


def _used(one: AffectedReceipt) -> RewoundReceiptShape:
    return {
        "receipt": one.receipt,
        "at": show(one.at),
        "actor": one.actor,
        "purpose": one.purpose,
        "records": list(one.records),
    }
