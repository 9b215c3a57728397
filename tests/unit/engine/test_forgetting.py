"""Forgetting a record: its content is gone, that it was there is not, and what stood on it goes the way it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.world import simulated_memory
from tests.unit.engine.erasing import kept

from muniment import Memory
from muniment.model.entry import EntryKind
from muniment.model.erasure import ERASED, ErasureOutcome
from muniment.model.errors import NotFound, NotPermitted, Stale

WORDS = "Quince marmalade keeps for eleven months"


def test_what_is_forgotten_is_there_for_nobody() -> None:
    memory = simulated_memory()
    name = kept(memory, WORDS)
    memory.revise(name, "Quince marmalade keeps for twelve months")
    done = memory.forget(name, reason="asked to by the person it is about")
    assert [(node.id, node.revisions, node.fate) for node in done.plan.nodes] == [(name, 2, ErasureOutcome.ERASED)]
    for look in (memory.get, memory.history, memory.insight.lineage):
        with pytest.raises(NotFound):
            look(name)
    assert memory.recall("quince marmalade").records == ()
    assert list(memory.insight.browse()) == []


def test_the_ledger_keeps_that_it_was_there_who_forgot_it_when_and_why() -> None:
    memory = simulated_memory()
    name = kept(memory, WORDS)
    done = memory.forget(name, reason="asked to")
    assert done.verdict is not None
    entry = memory.ledger.entries()[-1]
    assert (entry.kind, entry.actor, entry.seq) == (EntryKind.FORGOTTEN, "owner", done.verdict.epoch)
    assert [(stone.id, stone.revision) for stone in entry.erased] == [(name, 1)]
    assert entry.filing is not None
    assert entry.filing.record == name
    assert [birth.id for one in memory.ledger.entries() for birth in one.births] == [name]
    assert memory.review.report(entry.filing.proposal).report.reason == "asked to"


def test_a_dry_run_says_what_would_go_and_changes_nothing() -> None:
    memory = simulated_memory()
    name = kept(memory, WORDS, confidence=0.9)
    above = kept(memory, "It can be sold until spring", confidence=0.9, derived_from=[name])
    before = memory.ledger.head()
    done = memory.forget(name, reason="asked to", dry_run=True)
    assert [(node.id, node.under) for node in done.plan.nodes] == [(name, ()), (above, (name,))]
    assert (done.verdict, done.certificate, done.opening, done.scrubbed) == (None, None, None, False)
    assert memory.ledger.head() == before
    assert memory.get(name).record.content == WORDS


def test_what_is_done_is_what_was_shown_or_nothing() -> None:
    memory = simulated_memory()
    name = kept(memory, WORDS, confidence=0.9)
    shown = memory.forget(name, reason="asked to", dry_run=True).plan
    above = kept(memory, "It can be sold until spring", confidence=0.9, derived_from=[name])
    with pytest.raises(Stale):
        memory.forget(name, reason="asked to", expected=shown.digest)
    assert memory.get(above).record.content == "It can be sold until spring"
    now = memory.forget(name, reason="asked to", dry_run=True).plan
    assert memory.forget(name, reason="asked to", expected=now.digest).plan.of(ErasureOutcome.ERASED) == (name, above)


def test_what_was_derived_goes_too_unless_somebody_shall_look_at_it() -> None:
    memory = simulated_memory()
    name = kept(memory, "The nightly build takes 40 minutes", confidence=0.9)
    other = kept(memory, "The nightly build takes 55 minutes", confidence=0.9)
    above = kept(memory, "Start the build by nine", confidence=0.9, derived_from=[name])
    assert len(memory.review.conflicts()) == 1
    done = memory.forget(name, reason="asked to", cascade="review")
    assert (done.plan.of(ErasureOutcome.ERASED), done.plan.of(ErasureOutcome.REVIEWED)) == ((name,), (above,))
    assert memory.review.conflicts() == ()
    assert memory.get(other).standing.status == "active"
    assert memory.get(above).standing.footing.support != "standing"
    told = memory.recall("start the build").records
    assert above not in [one.record.id for one in told], "it is kept back"


def test_a_derived_record_can_lose_what_it_took_over_and_keep_the_rest() -> None:
    memory = simulated_memory()
    name = kept(memory, "Ottoline lives in Mulberry Lane near the mill", confidence=0.9)
    above = kept(
        memory,
        "Parcels go to Mulberry Lane. They are sent on Mondays.",
        confidence=0.9,
        derived_from=[name],
        evidence=["said by Ottoline", "the schedule"],
    )
    memory.revise(above, "Parcels go to Mulberry Lane. They are sent on Tuesdays.", derived_from=[name])
    done = memory.forget(name, reason="asked to", cascade="redact")
    assert (done.plan.of(ErasureOutcome.ERASED), done.plan.of(ErasureOutcome.REDACTED)) == ((name,), (above,))
    left = memory.get(above)
    assert left.record.content == f"{ERASED} They are sent on Tuesdays."
    assert left.record.revision == 3
    assert [one.record.revision for one in memory.history(above).revisions] == [3]
    assert memory.ledger.verify().findings == ()
    assert memory.ledger.replay().identical


def test_it_takes_a_right_of_its_own_and_a_refusal_is_on_record() -> None:
    memory = simulated_memory()
    scout = memory.as_actor("scout")
    name = kept(scout, WORDS, kind="observation")
    with pytest.raises(NotPermitted):
        scout.forget(name, reason="mine", dry_run=True)
    done = scout.forget(name, reason="mine")
    assert done.verdict is not None
    assert (done.verdict.outcome, done.plan.nodes, done.certificate) == ("refused", (), None)
    assert scout.get(name).record.content == WORDS
    with pytest.raises(NotFound):
        memory.forget("rec-nowhere", reason="x")
    assert memory.ledger.verify().ok, "a refusal needs no certificate"


def test_the_words_are_in_no_file_and_the_ledger_verifies_and_replays(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=None) as memory:
        name = kept(memory, WORDS)
        memory.recall("quince")
        assert memory.forget(name, reason="asked to").scrubbed
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
        assert memory.ledger.verify().ok
    held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"marmalade" not in held
    assert b"marmalad" not in held
    with Memory.open(tmp_path, embedder=None) as memory, pytest.raises(NotFound):
        memory.get(name)
