"""Sums that are kept while the ledger stands: the same as counted anew, after every write, for every caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from muniment.engine import cached_counts
from muniment.engine.cached_counts import Tallies
from muniment.engine.session import window
from muniment.model.filter import EVERYTHING, OneOf


def test_what_is_kept_is_what_would_be_counted_after_every_write(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        for number in range(4):
            record = memory.remember(f"Shelf {number} holds rope", evidence=("count:1",)).record_id
            assert record is not None
            if number == 2:
                memory.review.retract(record, reason="miscounted")
            elif number == 3:
                memory.forget(record, reason="ticket:1")
            assert memory.insight.directory() == memory.insight.directory()
            with window(memory) as snapshot:
                assert memory.insight.stats().revisions == snapshot.catalogue.count(EVERYTHING)
                assert sum(one.records for one in memory.insight.directory().knowers) == memory.insight.stats().current


def test_a_second_look_counts_nothing_and_a_write_makes_it_count_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        memory.remember("The gate is green", evidence=("photo:1",))
        with window(memory) as snapshot:
            sums, asked = Tallies(), []

            def counting(visible: object) -> dict[str, int]:
                asked.append(visible)
                return {"active": 1}

            for _ in range(3):
                assert sums._kept(sums._counts, snapshot, EVERYTHING, counting) == {"active": 1}
        memory.remember("The gate is locked", evidence=("photo:2",))
        with window(memory) as snapshot:
            sums._kept(sums._counts, snapshot, EVERYTHING, counting)
    assert len(asked) == 2


def test_what_is_told_cannot_be_changed_by_who_is_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        memory.remember("The gate is green", evidence=("photo:1",))
        memory.insight.stats().revisions.clear()
        assert memory.insight.stats().revisions == {"active": 1}


def test_callers_with_other_eyes_have_other_sums(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        memory.remember("The safe opens at nine", evidence=("memo:1",), sensitivity="secret")
        memory.remember("The gate is green", evidence=("photo:1",))
        assert sum(one.records for one in memory.insight.directory().knowers) == 2
        assert sum(one.records for one in memory.as_actor("scout").insight.directory().knowers) == 1


def test_only_so_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_counts, "KEPT_MAX", 3)
    with Memory.open(tmp_path / "vault", embedder=None) as memory, window(memory) as snapshot:
        sums = Tallies()
        for number in range(9):
            sums.survey(snapshot, OneOf(field="actor", words=(f"agent-{number}",)))
        assert len(sums._surveys) == 3
