"""Forgetting a record: its content is gone, that it was there is not, and what stood on it is judged anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from muniment.model.entry import EntryKind
from muniment.model.errors import NotFound, NotPermitted
from muniment.testing.world import simulated_memory

WORDS = "Quince marmalade keeps for eleven months"


def kept(memory: Memory, content: str = WORDS, **options: object) -> str:
    name = memory.remember(content, **options).record_id  # type: ignore[arg-type]  # options are the test's own
    assert name is not None
    return name


def test_what_is_forgotten_is_there_for_nobody() -> None:
    memory = simulated_memory()
    name = kept(memory)
    memory.revise(name, "Quince marmalade keeps for twelve months")
    done = memory.forget(name, reason="asked to by the person it is about")
    assert (done.id, done.revisions) == (name, 2)
    for look in (memory.get, memory.history, memory.lineage):
        with pytest.raises(NotFound):
            look(name)
    assert memory.recall("quince marmalade").records == ()
    assert list(memory.browse()) == []


def test_the_ledger_keeps_that_it_was_there_who_forgot_it_when_and_why() -> None:
    memory = simulated_memory()
    name = kept(memory)
    done = memory.forget(name, reason="asked to")
    assert done.verdict is not None
    entry = memory.ledger.entries()[-1]
    assert (entry.kind, entry.actor, entry.seq) == (EntryKind.FORGOTTEN, "owner", done.verdict.epoch)
    assert entry.filing is not None
    assert entry.filing.record == name
    assert [birth.id for one in memory.ledger.entries() for birth in one.births] == [name]
    assert memory.report(entry.filing.proposal).report.reason == "asked to"


def test_a_dry_run_says_what_would_go_and_changes_nothing() -> None:
    memory = simulated_memory()
    name = kept(memory, confidence=0.9)
    above = kept(memory, "It can be sold until spring", confidence=0.9, derived_from=[name])
    before = memory.ledger.head()
    plan = memory.forget(name, reason="asked to", dry_run=True)
    assert (plan.revisions, plan.falls, plan.verdict) == (1, (above,), None)
    assert memory.ledger.head() == before
    assert memory.get(name).record.content == WORDS


def test_what_stands_on_it_falls_and_its_disputes_are_over() -> None:
    memory = simulated_memory()
    name = kept(memory, "The nightly build takes 40 minutes", confidence=0.9)
    other = kept(memory, "The nightly build takes 55 minutes", confidence=0.9)
    above = kept(memory, "Start the build by nine", confidence=0.9, derived_from=[name])
    assert len(memory.conflicts()) == 1
    assert memory.forget(name, reason="asked to").falls == (above,)
    assert memory.conflicts() == ()
    assert memory.get(other).standing.status == "active"
    assert memory.get(above).standing.footing.support != "standing"


def test_it_takes_a_right_of_its_own_and_a_refusal_is_on_record() -> None:
    memory = simulated_memory()
    scout = memory.as_actor("scout")
    name = kept(scout, kind="observation")
    with pytest.raises(NotPermitted):
        scout.forget(name, reason="mine", dry_run=True)
    done = scout.forget(name, reason="mine")
    assert done.verdict is not None
    assert (done.verdict.outcome, done.revisions) == ("refused", 0)
    assert scout.get(name).record.content == WORDS
    with pytest.raises(NotFound):
        memory.forget("rec-nowhere", reason="x")


def test_the_words_are_in_no_file_and_the_ledger_verifies_and_replays(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=None) as memory:
        name = kept(memory)
        memory.recall("quince")
        memory.forget(name, reason="asked to")
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
        assert memory.ledger.verify().ok
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"marmalade" not in held
    assert b"marmalad" not in held
    with Memory.open(tmp_path, embedder=None) as memory, pytest.raises(NotFound):
        memory.get(name)
