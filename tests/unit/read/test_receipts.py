"""Receipts: durable before the answer leaves, decided again to the same ids, and nobody else's to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.ledger.past import edit
from tests.unit.world import DAY, SetClock, open_memory

from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.errors import NotFound, StoreUnavailable
from muniment.model.query import Query

SLOT = {"subject": "db", "key": "region"}


def _history(memory: Memory, clock: SetClock) -> list[str]:
    """A little of everything, with a recall after each step; the receipts, in order."""
    receipts = []

    def ask() -> None:
        clock.forward(DAY)
        receipts.extend(
            [
                memory.recall("alpha", limit=2).receipt_id,
                memory.as_actor("worker").recall("alpha dublin", budget_tokens=30).receipt_id,
                memory.recall("alpha", known_at="2026-01-03").receipt_id,
                memory.recall("nothing of the sort").receipt_id,
            ]
        )

    one = memory.remember("alpha one").record_id or ""
    memory.remember("alpha two", sensitivity="secret")
    ask()
    memory.revise(one, "alpha one, revised")
    memory.remember("Dublin alpha", **SLOT, value="eu")  # type: ignore[arg-type]
    ask()
    rival = memory.remember("Boston alpha", **SLOT, value="us").record_id or ""  # type: ignore[arg-type]
    ask()
    memory.review.retract(rival, reason="no")
    memory.remember("gamma, not the first letter", supersedes=one)
    ask()
    return receipts


@pytest.mark.parametrize("replay", [False, True], ids=["decided again", "replayed"])
def test_every_receipt_gives_the_same_ids_after_everything_that_came_later(vault: Path, replay: bool) -> None:
    clock = SetClock()
    with open_memory(vault, clock=clock) as memory:
        for receipt in _history(memory, clock):
            explained = memory.explain(receipt, replay=replay)
            assert explained.same_ids
            assert explained.again == explained.account.selected
            assert explained.replayed is replay


def test_explaining_a_receipt_can_fail(memory: Memory, vault: Path) -> None:
    """The check is worth something: a receipt whose answer was another one is told apart."""
    memory.remember("alpha one")
    receipt = memory.recall("alpha").receipt_id
    memory.close()
    ((account,),) = edit(vault, "SELECT account FROM receipts")
    assert isinstance(account, bytes)
    forged = account.replace(b'"ids":["rec_', b'"ids":["rex_')
    assert forged != account
    edit(vault, "UPDATE receipts SET account = ?", (forged,))
    with Memory.open(vault) as again:
        assert not again.explain(receipt).same_ids
        assert not again.explain(receipt, replay=True).same_ids


def test_a_receipt_tells_who_asked_what_and_why_under_which_rules(memory: Memory) -> None:
    memory.remember("alpha one", kind="risk")
    kept = memory.remember("alpha two").record_id
    answer = memory.as_actor("worker").recall("alpha", purpose="planning", kinds=["observation"])
    explained = memory.explain(answer.receipt_id)
    assert explained.account.actor == Actor(id="worker", roles=("agent",), projects=("default",))
    assert explained.account.query == Query(text="alpha", purpose="planning", kinds=explained.account.query.kinds)
    assert (explained.account.selected, explained.account.excluded) == ((kept,), {"kind": 1})
    assert explained.account.considered == answer.considered == 2
    assert (explained.epoch, explained.grants) == (answer.epoch, ("members-read", "users-read-their-own"))


def test_a_receipt_is_on_disk_before_the_answer_leaves(memory: Memory, vault: Path) -> None:
    memory.remember("alpha")
    receipt = memory.recall("alpha").receipt_id
    assert edit(vault, "SELECT count(*) FROM receipts WHERE id = ?", (receipt,)) == [(1,)]


def test_no_answer_leaves_when_the_receipt_cannot_be_written(memory: Memory, vault: Path) -> None:
    memory.remember("alpha")
    edit(vault, "CREATE TRIGGER full BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(Exception) as refused:  # whichever of ours it is, it is an error
        memory.recall("alpha")
    assert getattr(refused.value, "code", None) in {"integrity_error", StoreUnavailable.code}


def test_reading_does_not_advance_the_ledger(memory: Memory) -> None:
    memory.remember("alpha")
    head = memory.ledger.head()
    answers = [memory.recall("alpha") for _ in range(3)]
    now = memory.ledger.head()
    assert (now.seq, now.hash) == (head.seq, head.hash)
    assert {answer.epoch for answer in answers} == {head.seq}
    assert memory.ledger.verify().receipts == 3


def test_a_stranger_cannot_tell_a_receipt_from_none(memory: Memory) -> None:
    memory.remember("alpha")
    receipt = memory.as_actor("worker").recall("alpha").receipt_id
    assert memory.as_actor("worker").explain(receipt).same_ids
    assert memory.explain(receipt).same_ids  # the owner may audit
    stranger = memory.as_actor("stranger")
    answers = []
    for name in (receipt, "rcp_" + "0" * 32):
        with pytest.raises(NotFound) as refused:
            stranger.explain(name)
        answers.append(str(refused.value).replace(name, "X"))
    assert answers[0] == answers[1]


OPEN = """\
version: 1
name: open
actors: {owner: {type: person, roles: [owner]}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: all-read, member: false}]
review: [{id: all-review, actions: [audit, retract]}]
"""
CLOSED = OPEN.replace("name: open", "name: closed").replace("id: all-read, member: false", "id: none-read, kinds: []")


@pytest.mark.parametrize("replay", [False, True])
def test_an_old_receipt_is_explained_under_the_policy_it_was_given_under(vault: Path, replay: bool) -> None:
    with open_memory(vault, policy=OPEN) as memory:
        kept = memory.remember("alpha").record_id
        receipt = memory.recall("alpha").receipt_id
    with open_memory(vault, policy=CLOSED) as memory:
        assert memory.recall("alpha").records == ()
        explained = memory.explain(receipt, replay=replay)
        assert (explained.again, explained.same_ids) == ((kept,), True)
        assert explained.grants == ("all-read",)


def test_a_receipt_survives_a_restart_and_a_checkpoint_covers_it(vault: Path) -> None:
    with Memory.open(vault) as memory:
        memory.remember("alpha")
        receipt = memory.recall("alpha").receipt_id
    with Memory.open(vault) as memory:
        assert memory.explain(receipt, replay=True).same_ids
        assert memory.ledger.checkpoint().checkpoint.receipts == 1
        assert memory.ledger.verify().ok
