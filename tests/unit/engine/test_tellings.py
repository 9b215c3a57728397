"""The log of receipts from either end, and what a record was told for."""

from __future__ import annotations

import pytest

from muniment import Memory
from muniment.engine import disclosures
from muniment.model.errors import Malformed, NotFound, NotPermitted


def asked(memory: Memory, times: int, text: str = "does the mill stand still") -> list[str]:
    """Ask so often; the ids of the receipts."""
    return [memory.recall(text, floor=0.0).receipt_id for _ in range(times)]


@pytest.mark.parametrize("window", [1, 2, 3, 100])
def test_receipts_are_told_from_either_end(memory: Memory, monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(disclosures, "_WINDOW", window)
    memory.remember("The mill stands still")
    names = asked(memory, 7)

    def told(first: int, last: int, *, newest: bool) -> list[str]:
        return [entry.id for entry, _ in memory.ledger.receipts(first, last, newest=newest)]

    assert told(1, 99, newest=False) == names
    assert told(1, 99, newest=True) == names[::-1]
    assert told(3, 5, newest=False) == names[2:5]
    assert told(3, 5, newest=True) == names[2:5][::-1]
    assert told(8, 99, newest=True) == []
    assert told(0, 1, newest=True) == names[:1]


def test_a_record_names_the_receipts_that_told_it(memory: Memory) -> None:
    mill = memory.remember("The mill stands still").record_id or ""
    other = memory.remember("Carts arrive on Mondays").record_id or ""
    (first,) = asked(memory.as_actor("owner"), 1)
    asked(memory, 1, "when do carts arrive")
    second = memory.recall("the mill", floor=0.0, purpose="plan")

    found = memory.insight.receipts_of(mill)

    assert [one.receipt_id for one in found.receipts] == [second.receipt_id, first]
    newest = found.receipts[0]
    assert (newest.actor, newest.purpose, newest.revision, newest.rank) == ("owner", "plan", 1, 1)
    assert newest.score == memory.explain(second.receipt_id).account.candidates[0].score
    assert (found.looked, found.of, found.before) == (3, 3, None)
    assert len(memory.insight.receipts_of(other).receipts) == 1


def test_a_page_goes_on_where_the_last_one_ended(memory: Memory) -> None:
    mill = memory.remember("The mill stands still").record_id or ""
    names = asked(memory, 5)
    told: list[str] = []
    before = None
    while True:
        page = memory.insight.receipts_of(mill, before=before, limit=2)
        assert len(page.receipts) <= 2
        told += [one.receipt_id for one in page.receipts]
        before = page.before
        if before is None:
            break

    assert told == names[::-1]
    assert (page.looked, page.of) == (5, 5)


def test_one_look_goes_so_far_and_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disclosures, "LOOK_MAX", 3)
    mill = memory.remember("The mill stands still").record_id or ""
    (only,) = asked(memory, 1)
    asked(memory, 7, "nothing of the kind")

    first = memory.insight.receipts_of(mill)
    second = memory.insight.receipts_of(mill, before=first.before)
    third = memory.insight.receipts_of(mill, before=second.before)

    assert [(one.looked, one.of, one.before) for one in (first, second, third)] == [(3, 8, 6), (6, 8, 3), (8, 8, None)]
    assert [one.receipt_id for one in third.receipts] == [only]
    assert first.receipts == second.receipts == ()


def test_a_record_that_nobody_was_told_of_needs_no_look(memory: Memory) -> None:
    asked(memory, 3)
    mill = memory.remember("The mill stands still").record_id or ""

    found = memory.insight.receipts_of(mill)

    assert (found.receipts, found.looked, found.of, found.before) == ((), 3, 3, None)


def test_every_revision_counts_and_says_which_it_is(memory: Memory) -> None:
    mill = memory.remember("The mill stands still").record_id or ""
    asked(memory, 1)
    memory.revise(mill, "The mill turns again")
    asked(memory, 1, "does the mill turn")

    assert [one.revision for one in memory.insight.receipts_of(mill).receipts] == [2, 1]


def test_nothing_is_told_of_a_record_that_there_is_not(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.insight.receipts_of("rec_nothing")
    with pytest.raises(Malformed):
        memory.insight.receipts_of("not an id")


def test_whoever_may_not_audit_is_told_nothing_be_it_there_or_not(memory: Memory) -> None:
    mill = memory.remember("The mill stands still").record_id or ""
    for name in (mill, "rec_nothing"):
        with pytest.raises(NotPermitted):
            memory.as_actor("stranger").insight.receipts_of(name)
