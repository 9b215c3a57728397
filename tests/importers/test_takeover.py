"""Taking a store over in parts: a run that was broken off goes on where it ended, and the batch is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.sources import SOURCES

from muniment.engine import Memory
from muniment.importers import takeover
from muniment.importers.foreign import PLAIN
from muniment.importers.kinds import SourceKind
from muniment.importers.takeover import move_in, planned


class PowerCut(Exception):
    """The run ends here."""


def test_a_run_that_was_broken_off_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takeover, "PART", 4)
    path = tmp_path / "own.csv"
    path.write_text("id,text\n" + "".join(f"r{number},The pump {number} is on line {number}\n" for number in range(11)))

    def cut(done: int) -> None:
        if done == 8:
            raise PowerCut

    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        with planned(SourceKind.CSV, path, PLAIN) as plan, pytest.raises(PowerCut):
            move_in(memory, plan, progress=cut)
        assert len(list(memory.insight.browse())) == 8
        with planned(SourceKind.CSV, path, PLAIN) as plan:
            moved = move_in(memory, plan)
        assert (moved.taken, moved.already) == (3, 8)
        assert len(list(memory.insight.browse())) == 11
        undone = memory.imports.roll_back(moved.batch, reason="a try")
        assert len(undone.retracted) == 11
        assert list(memory.insight.browse()) == []


def test_every_kind_can_be_taken_over_twice_and_is_there_once(tmp_path: Path) -> None:
    for kind, make in SOURCES.items():
        home = tmp_path / kind.value
        home.mkdir()
        source = make(home)
        with Memory.open(tmp_path / f"vault-{kind}", embedder=None) as memory:
            for turn in range(2):
                with planned(kind, source, PLAIN) as plan:
                    moved = move_in(memory, plan)
                assert moved.refused == 0, moved.refusals
                assert (moved.already == 0) is (turn == 0), kind
                assert moved.taken + moved.held + moved.already == plan.live
            assert moved.taken == 0


def test_a_fact_keeps_its_times_its_entities_and_what_it_stands_on(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        with planned(SourceKind.GRAPHITI, SOURCES[SourceKind.GRAPHITI](tmp_path), PLAIN) as plan:
            move_in(memory, plan)
        claim = memory.get("edge-1").record.claim
        assert claim.times.valid_from is not None
        assert claim.times.valid_until is not None
        assert claim.lineage.entities == ("Ada", "Acme")
        assert claim.lineage.derived_from == ("episode-1",)
