"""Receipts: how large they are, what retention leaves of old ones, and that those of earlier releases are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.world import DAY, SetClock, open_memory

from muniment import Memory
from muniment.engine import TrimResult
from muniment.engine.session import window
from muniment.ledger import receipts as log
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.packed_receipt import PackedAccount, pack, read_account
from muniment.model.receipt import Account, Plan, ReceiptState
from muniment.model.value import canonical
from muniment.read import explain, plan

BYTES_OF_TEN = 3_200
"""More than a receipt of ten results takes; it was 8,000 when each repeated its policy and its parts."""


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def memory(vault: Path, clock: SetClock) -> Iterator[Memory]:
    with open_memory(vault, clock=clock) as memory:
        for number in range(30):
            memory.remember(f"the build of crate {number} is green", kind="fact", evidence=["log:1"], source="ci")
        yield memory


def _asked(memory: Memory, clock: SetClock, count: int) -> list[str]:
    found = []
    for number in range(count):
        clock.forward(DAY)
        found.append(memory.recall("green build", limit=3 + number % 3).receipt_id)
    return found


def _sizes(memory: Memory) -> list[int]:
    with window(memory) as snapshot:
        return [len(one.account) for one in snapshot.receipts.all()]


def test_a_receipt_of_ten_results_is_small_and_says_all(memory: Memory) -> None:
    told = memory.recall("green build of a crate")
    assert len(told.records) == 10
    (size,) = _sizes(memory)
    assert size < BYTES_OF_TEN
    account = memory.explain(told.receipt_id).account
    assert account.selected == tuple(one.record.id for one in told.records)
    assert all(one.parts for one in account.candidates)
    with window(memory) as snapshot:
        (stored,) = snapshot.receipts.all()
    packed = read_account(stored.account)
    assert isinstance(packed, PackedAccount)
    assert pack(account) == packed


def test_old_receipts_keep_who_was_told_what_and_the_log_verifies(memory: Memory, clock: SetClock) -> None:
    asked = _asked(memory, clock, 6)
    list(memory.insight.browse())
    told = [memory.explain(one).account.selected for one in asked]
    record = told[0][0]
    before, used = (
        memory.insight.receipts_of(record).receipts,
        memory.erasure.withdraw("source", "ci", reason="odd", dry_run=True),
    )
    sizes = _sizes(memory)
    assert memory.ledger.trim(older_than_days=2.5, dry_run=True) == TrimResult(receipts=3)
    assert _sizes(memory) == sizes
    steps: list[int] = []
    done = memory.ledger.trim(older_than_days=2.5, progress=steps.append)
    assert (done.receipts, steps) == (3, [3])
    assert done.saved_bytes == sum(sizes) - sum(_sizes(memory)) > 0
    assert memory.ledger.trim(older_than_days=2.5) == TrimResult(receipts=0)

    assert memory.ledger.verify().findings == ()
    assert memory.ledger.replay().identical
    assert [one.revision for one in memory.insight.receipts_of(record).receipts] == [one.revision for one in before]
    assert [one.rank for one in memory.insight.receipts_of(record).receipts] == [one.rank for one in before]
    assert memory.erasure.withdraw("source", "ci", reason="odd", dry_run=True) == used
    explained = [memory.explain(one) for one in asked]
    assert [one.state for one in explained] == [ReceiptState.DROPPED] * 3 + [ReceiptState.WHOLE] * 3
    assert [one.account.selected for one in explained] == told
    assert all(one.consistent for one in explained)
    assert memory.explain(asked[0], replay=True).state is ReceiptState.DROPPED
    assert len(list(memory.ledger.receipts())) == 7
    memory.forget(record, reason="asked for")
    assert memory.ledger.verify().findings == ()


def test_the_oldest_are_trimmed_until_the_rest_fits(memory: Memory, clock: SetClock) -> None:
    _asked(memory, clock, 6)
    sizes = _sizes(memory)
    assert memory.ledger.trim(keep_bytes=sum(sizes)).receipts == 0
    assert memory.ledger.trim(keep_bytes=sum(sizes) - sizes[0]).receipts == 1
    assert memory.ledger.trim(keep_bytes=sizes[-1]).receipts == 4
    assert memory.ledger.trim(keep_bytes=0).receipts == 1
    assert memory.ledger.verify().findings == ()


def test_trimming_takes_the_right_to_erase_and_a_bound(memory: Memory) -> None:
    with pytest.raises(NotPermitted):
        memory.as_actor("bot").ledger.trim(older_than_days=1)
    with pytest.raises(Malformed):
        memory.ledger.trim()


def test_receipts_of_earlier_releases_are_read_explained_erased_and_trimmed(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(log, "pack", lambda account: account)
        asked = _asked(memory, clock, 3)
    with window(memory) as snapshot:
        assert all(isinstance(read_account(one.account), Account) for one in snapshot.receipts.all())
    assert memory.ledger.verify().findings == ()
    assert all(memory.explain(one, replay=True).state is ReceiptState.WHOLE for one in asked)
    (erased, *_) = memory.explain(asked[2]).account.selected
    memory.forget(erased, reason="asked for")
    explained = memory.explain(asked[2])
    assert (explained.state, explained.consistent, explained.lost) == (ReceiptState.ERASED, True, (erased,))
    assert memory.ledger.trim(older_than_days=0).receipts == 2
    assert memory.explain(asked[0]).state is ReceiptState.DROPPED
    assert memory.ledger.verify().findings == ()


def test_rules_that_come_out_otherwise_are_said(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = memory.recall("green build").receipt_id
    made = plan.make_plan

    def otherwise(*given: object, **named: object) -> Plan:
        return made(*given, **{**named, "at_head": False})  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(explain, "make_plan", otherwise)
    assert memory.explain(asked).note == explain.OTHERWISE


def test_the_stored_spelling_is_canonical(memory: Memory) -> None:
    memory.recall("green build")
    with window(memory) as snapshot:
        (stored,) = snapshot.receipts.all()
    assert canonical(read_account(stored.account)) == stored.account
