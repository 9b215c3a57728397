"""What is given out for another system is what its reader reads: there and back, nothing is lost that is not told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.sources import SOURCES

from muniment.engine import Memory
from muniment.importers.export import WRITERS, give_out
from muniment.importers.foreign import PLAIN, ForeignRecord
from muniment.importers.kinds import SourceKind, kind_of, read_source
from muniment.importers.takeover import move_in, planned
from muniment.model.errors import Malformed


def taken(path: Path, kind: SourceKind, source: Path) -> Memory:
    memory = Memory.open(path, embedder=None)
    with planned(kind, source, PLAIN) as plan:
        move_in(memory, plan)
    return memory


def test_a_store_goes_there_and_back_by_every_system_that_can_read_it(tmp_path: Path) -> None:
    with taken(tmp_path / "a", SourceKind.MEM0, SOURCES[SourceKind.MEM0](tmp_path)) as memory:
        memory.remember("Der Prüfstand läuft nachts", kind="decision", evidence=["ops:7"], namespace="/ops/lab")
        memory.remember("東京オフィスは閉鎖された", user="ana@example.com")
        own = [memory.get(one.record.id) for one in memory.insight.browse()]
        for kind in WRITERS:
            target = tmp_path / f"out-{kind}" if kind is not SourceKind.LETTA else tmp_path / "out.af"
            given = give_out(memory, kind, target, memory.insight.browse())
            assert given.written == 3
            back = [one for one in read_source(kind, target) if isinstance(one, ForeignRecord)]
            said = "\n".join(one.text for one in back)
            assert all(one.record.claim.content in said for one in own), kind
            lost = {one.what for one in given.lost}
            assert "user" in lost or {one.user for one in back} == {"ada", None, "ana@example.com"}, kind
            assert "author" in lost or any(one.author == "ada" for one in back), kind
            assert "created" in lost or all(one.created for one in back), kind
            assert "earlier revisions" in lost
            assert "evidence" in lost
            with pytest.raises(Malformed):
                give_out(memory, kind, target, memory.insight.browse())


def test_what_came_from_a_store_and_goes_back_is_the_same_store(tmp_path: Path) -> None:
    for kind in (SourceKind.MCP_MEMORY, SourceKind.LANGGRAPH):
        source = SOURCES[kind](tmp_path)
        with taken(tmp_path / f"v-{kind}", kind, source) as memory:
            target = tmp_path / f"back-{kind}"
            give_out(memory, kind, target, memory.insight.browse())
        assert kind_of(target) is kind
        said = [
            {one.text for one in read_source(kind, one) if isinstance(one, ForeignRecord)} for one in (source, target)
        ]
        assert said[0] == said[1]
