"""Replay rebuilds every projection from entries and documents, and the result is identical to the last byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.ledger.past import ENTRIES, PROJECTIONS, STANDING, edit, tables, verified

from muniment import Memory
from muniment.model.errors import LedgerBroken


def _replay(vault: Path) -> tuple[int, bool]:
    with Memory.open(vault, create=False) as memory:
        rebuilt = memory.ledger.replay()
    return rebuilt.entries, rebuilt.identical


def test_replaying_a_sound_store_changes_nothing(damaged: Path) -> None:
    before = tables(damaged)
    assert all(before.values())
    assert _replay(damaged) == (ENTRIES, True)
    assert tables(damaged) == before


def test_replaying_twice_is_replaying_once(damaged: Path) -> None:
    _replay(damaged)
    once = tables(damaged)
    _replay(damaged)
    assert tables(damaged) == once


@pytest.mark.parametrize("wiped", [*((name,) for name in PROJECTIONS), PROJECTIONS], ids="-".join)
def test_wiped_projections_come_back_as_they_were(damaged: Path, wiped: tuple[str, ...]) -> None:
    before = tables(damaged)
    for name in wiped:
        edit(damaged, f"DELETE FROM {name}")
    assert not verified(damaged).ok
    assert _replay(damaged) == (ENTRIES, False)
    assert tables(damaged) == before
    assert verified(damaged).ok


def test_a_wiped_word_index_comes_back_as_it_was(damaged: Path) -> None:
    before = tables(damaged)
    edit(damaged, "INSERT INTO lexicon (lexicon) VALUES ('delete-all')")
    assert _replay(damaged) == (ENTRIES, False)
    assert tables(damaged) == before
    with Memory.open(damaged, create=False) as memory:
        assert [one.record.content for one in memory.recall("runbook").records] == ["The runbook is on page twelve"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cards SET status = 'active', successor = NULL WHERE status = 'superseded' AND seq = 14",
        "UPDATE cards SET sensitivity = 0, scope_id = 'other'",
        "UPDATE proposals SET outcome = 'committed' WHERE id = 'prp_friday'",
        f"INSERT INTO standings SELECT 3, 9, 'retracted', {STANDING} FROM standings LIMIT 1",
        "UPDATE conflicts SET status = 'resolved'",
        "UPDATE conflicts SET ballots = '[]'",
        "UPDATE cards SET own = 1.0, effective = 1.0",
        "UPDATE standings SET effective = 1.0, support = 'fallen' WHERE since = 17",
        "UPDATE edges SET target = 'rec_other'",
        "DELETE FROM edges",
        "INSERT INTO edges VALUES (3, 'derived_from', 'rec_other')",
        "UPDATE told SET count = count + 1, last = 0",
        "INSERT INTO told VALUES (3, 'mallory', 1, 0)",
    ],
)
def test_altered_projections_are_put_right(damaged: Path, change: str) -> None:
    before = tables(damaged)
    edit(damaged, change)
    assert _replay(damaged) == (ENTRIES, False)
    assert tables(damaged) == before
    assert verified(damaged).ok


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entries SET hash = x'00' WHERE seq = 9",
        "DELETE FROM entries WHERE seq = 9",
        "UPDATE documents SET body = body || ' ' WHERE doc = 4",
        "DELETE FROM documents WHERE doc = 3",
        "DELETE FROM entries WHERE seq > 13",
    ],
)
def test_a_broken_ledger_is_no_ground_to_rebuild_from(damaged: Path, damage: str) -> None:
    edit(damaged, damage)
    before = tables(damaged)
    with Memory.open(damaged, create=False) as memory, pytest.raises(LedgerBroken):
        memory.ledger.replay()
    assert tables(damaged) == before


def test_entries_documents_and_receipts_are_not_touched_by_a_replay(damaged: Path) -> None:
    def truth() -> list[object]:
        return [edit(damaged, f"SELECT * FROM {name} ORDER BY 1") for name in ("entries", "documents", "receipts")]

    before = truth()
    _replay(damaged)
    assert truth() == before
