"""A receipt from when both sides of a dispute had places of their own is explained as what it is."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.unit.world import open_memory

from muniment import Memory
from muniment.model.receipt import Account, Explanation, StoredReceipt
from muniment.model.value import canonical
from muniment.read.explain import decide_again, read_receipt
from muniment.read.pipeline import ReadContext


def _as_it_was(account: Account) -> Account:
    """The account as it was written when the other side was told beside its record, beyond the limit."""
    sides = tuple(msgspec.structs.replace(one, excluded=None, inside=False) for one in account.candidates)
    return msgspec.structs.replace(account, candidates=sides, selected=tuple(one.id for one in sides))


def _explained(memory: Memory, stored: StoredReceipt, account: Account) -> Explanation:
    reading = ReadContext(actor=account.actor, policy=memory.insight.policy, policy_doc=account.policy)
    with memory._session.tenant.store.read() as snapshot:
        older = msgspec.structs.replace(stored, account=canonical(account))
        return decide_again(snapshot, read_receipt(older, lambda _: memory.insight.policy), reading)


def test_a_receipt_with_both_sides_of_a_dispute_at_the_limit_of_one_comes_out_the_same(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.remember("It is in Dublin", subject="db", key="region", value="eu")
        rival = memory.remember("Boston hosts it", subject="db", key="region", value="us").record_id or ""
        answer = memory.recall("Dublin", limit=1)
        with memory._session.tenant.store.read() as snapshot:
            stored = snapshot.receipts.get(answer.receipt_id)
        assert stored is not None
        account = _as_it_was(read_receipt(stored, lambda _: memory.insight.policy).account)
        assert len(account.selected) == 2

        told = _explained(memory, stored, account)
        assert told.same_ids
        assert "places of their own" in (told.note or "")

        memory.review.retract(rival, reason="no")
        assert _explained(memory, stored, account).same_ids, "as things stood then"
