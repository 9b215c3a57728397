"""What changed between two moments, asked in the library, awaited, over HTTP, by MCP and on the command line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.operations.desk import opened
from tests.surfaces.shell import Shell

from muniment import Memory, aio
from muniment.model.errors import Malformed
from muniment.surfaces.mcp.tool_profiles import ToolProfile, chosen


def changes(memory: Memory, since: int | str, until: int | str | None = None) -> dict[str, str]:
    return {one.content: one.change.value for one in memory.insight.diff(since, until).records}


def test_each_record_says_what_became_of_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Memory.open(tmp_path_factory.mktemp("v"), embedder=None) as memory:
        moved = memory.remember("The staging database is in eu-west-1").record_id or ""
        wrong = memory.remember("Die Werkstatt schließt um 18 Uhr").record_id or ""
        same = memory.remember("会議は火曜日です").record_id or ""
        then = memory.ledger.head().seq
        memory.revise(moved, "The staging database is in eu-west-2")
        memory.review.retract(wrong, reason="they moved")
        memory.recall("Wann schließt die Werkstatt?")
        memory.remember("La réunion est à Lyon")
        gone = memory.remember("Her number is in the safe").record_id or ""
        memory.forget(gone, reason="asked")

        found = memory.insight.diff(then)

        assert {one.content: one.change.value for one in found.records} == {
            "The staging database is in eu-west-2": "revised",
            "Die Werkstatt schließt um 18 Uhr": "ended",
            "La réunion est à Lyon": "added",
        }
        by_id = {one.id: one for one in found.records}
        before = by_id[moved].before
        assert before is not None
        assert before.content == "The staging database is in eu-west-1"
        assert by_id[wrong].after.status == "retracted"
        assert [event.reason for event in by_id[wrong].events] == ["they moved"]
        assert same not in by_id, "what was only asked for has not changed"
        assert changes(memory, then, then) == {}
        assert changes(memory, 0, then).keys() == {
            "The staging database is in eu-west-1",
            "Die Werkstatt schließt um 18 Uhr",
            "会議は火曜日です",
        }
        assert memory.insight.diff(0, limit=2).more
        stranger = memory.as_actor("stranger")
        private = memory.remember("Only mine", scope="user", scope_id="ana").record_id
        assert private not in {one.id for one in stranger.insight.diff(0).records}
        for since, until in ((then, then - 1), ("soon", None), (-1, None)):
            with pytest.raises(Malformed):
                memory.insight.diff(since, until)
        assert asyncio.run(aio.Memory(memory).insight.diff(then)).records == memory.insight.diff(then).records


def test_an_instant_is_a_moment_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Memory.open(tmp_path_factory.mktemp("v"), embedder=None) as memory:
        memory.remember("The build is green")
        assert changes(memory, "2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z") == {}
        assert changes(memory, "2001-01-01T00:00:00Z") == {"The build is green": "added"}


def test_the_command_the_route_and_the_tool_say_the_same(shell: Shell, tmp_path: Path) -> None:
    shell("remember", "The lamp is lit")
    said = shell("diff", "--from", "0", "--json").json
    assert [(one["change"], one["content"]) for one in said["records"]] == [("added", "The lamp is lit")]
    assert (said["from"], said["to"]) == (0, 3)
    assert "added" in shell("diff", "--from", "0").out
    assert shell("diff", "--from", "0", "--to", "x").code == 2

    with opened(tmp_path / "served") as desk:
        desk.memory.remember("The lamp is lit")
        told = desk.caller().get("/api/diff", params={"since": "0"}).json()
    assert [(one["change"], one["content"]) for one in told["records"]] == [("added", "The lamp is lit")]
    assert "diff" in {one.words.name for one in chosen(ToolProfile.MEMORY)}
