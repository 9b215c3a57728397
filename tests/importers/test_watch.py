"""A folder of notes and a memory, kept in step both ways: nothing is lost, and nothing overwritten silently."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.engine import Memory
from muniment.importers.kinds import SourceKind
from muniment.importers.watch import Pass, watch_once


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "vault", embedder=None) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    return made


def passed(memory: Memory, folder: Path) -> Pass:
    return watch_once(memory, folder, SourceKind.OBSIDIAN)


def said(memory: Memory) -> set[str]:
    return {one.record.claim.content for one in memory.insight.browse()}


def test_notes_and_records_appear_on_the_other_side_and_then_it_is_quiet(memory: Memory, folder: Path) -> None:
    (folder / "lab.md").write_text("---\nauthor: ada\n---\nDer Prüfstand läuft nachts\n")
    memory.remember("東京オフィスは閉鎖された")
    memory.remember("Ada prefers SI units", user="ada")
    done = passed(memory, folder)
    assert (done.proposed, done.written, done.conflicts) == (1, 1, ())
    assert "Der Prüfstand läuft nachts" in said(memory)
    texts = [one.read_text() for one in folder.glob("*.md")]
    assert any("東京オフィスは閉鎖された" in one for one in texts)
    assert not any("SI units" in one for one in texts), "the memory of single users stays where it is"
    assert passed(memory, folder).quiet


def test_an_edit_is_a_revision_and_a_revision_an_edit(memory: Memory, folder: Path) -> None:
    note = folder / "lab.md"
    note.write_text("Der Prüfstand läuft nachts\n")
    passed(memory, folder)
    (one,) = memory.insight.browse()
    note.write_text("Der Prüfstand läuft tagsüber\n")
    assert passed(memory, folder).proposed == 1
    assert [view.record.claim.content for view in memory.history(one.record.id).revisions] == [
        "Der Prüfstand läuft nachts",
        "Der Prüfstand läuft tagsüber",
    ]
    memory.revise(one.record.id, "Der Prüfstand steht still", expected_revision=2)
    assert passed(memory, folder).written == 1
    assert "Der Prüfstand steht still" in note.read_text()
    assert passed(memory, folder).quiet


def test_where_both_changed_neither_is_overwritten(memory: Memory, folder: Path) -> None:
    note = folder / "lab.md"
    note.write_text("The pump runs at 40 bar\n")
    passed(memory, folder)
    (one,) = memory.insight.browse()
    memory.revise(one.record.id, "The pump runs at 45 bar", expected_revision=1)
    note.write_text("The pump runs at 50 bar\n")
    done = passed(memory, folder)
    assert done.conflicts == ("lab.md",)
    assert done.held == 1
    assert note.read_text() == "The pump runs at 50 bar\n"
    assert "The pump runs at 45 bar" in (folder / "lab.conflict-2.md").read_text()
    assert said(memory) == {"The pump runs at 45 bar"}
    assert [waiting.proposal.claim.content for waiting in memory.review.queue()] == ["The pump runs at 50 bar"]
    again = passed(memory, folder)
    assert (again.proposed, again.held) == (0, 0), "what waits is not proposed again"
    assert note.read_text() == "The pump runs at 50 bar\n"


def test_a_note_that_goes_ends_its_record_and_a_record_that_ends_its_note(memory: Memory, folder: Path) -> None:
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(f"This is what note {name} says\n")
    passed(memory, folder)
    (folder / "one.md").unlink()
    done = passed(memory, folder)
    assert done.deleted == 1
    assert "This is what note one says" not in said(memory)
    assert done.batch is not None
    (two,) = (one for one in memory.insight.browse() if "two" in one.record.claim.content)
    memory.forget(two.record.id, reason="it was private")
    assert passed(memory, folder).removed == 1
    assert sorted(one.name for one in folder.glob("*.md")) == []
    assert passed(memory, folder).quiet
