"""The notebook: turns are whole, in order, durable, and covered by verify and replay."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.engine.notebook import Notebook, Pages
from muniment.model.entry import EntryKind
from muniment.model.errors import Malformed
from muniment.model.note import NoteDraft


def counted(pages: Pages) -> tuple[list[NoteDraft], int]:
    """One more than stands."""
    note = pages.get("count", "n")
    number = int(note.body or "0") + 1 if note is not None else 1
    return [NoteDraft(topic="count", key="n", body=str(number))], number


def test_a_turn_is_one_entry_and_what_it_noted_stands() -> None:
    memory = simulated_memory()
    notebook = Notebook.of(memory)
    jots = [NoteDraft(topic="agents", key=name, body="{}") for name in ("scout", "analyst")]
    result, position = notebook.turn("scout", lambda pages: (jots, "done"))
    entry = memory.ledger.entries()[-1]
    assert (result, position, entry.kind, entry.actor) == ("done", entry.seq, EntryKind.NOTED, "scout")
    assert [note.key for note in notebook.read("agents")] == ["scout", "analyst"]
    assert notebook.since(position - 1)[0] == notebook.read("agents")


def test_a_turn_without_anything_to_note_leaves_no_entry() -> None:
    memory = simulated_memory()
    before = memory.ledger.head()
    assert Notebook.of(memory).turn("scout", lambda pages: ((), pages.head)) == (before.seq, before.seq)
    assert memory.ledger.head() == before


def test_a_turn_that_fails_notes_nothing() -> None:
    memory = simulated_memory()
    before = memory.ledger.head()

    def fails(pages: Pages) -> tuple[list[NoteDraft], None]:
        raise Malformed("title", "text")

    with pytest.raises(Malformed, match="title"):
        Notebook.of(memory).turn("scout", fails)
    with pytest.raises(Malformed, match="body"):
        Notebook.of(memory).turn(
            "scout", lambda pages: ([NoteDraft(topic="t", key="k", body='"AKIAIOSFODNN7EXAMPLE"')], None)
        )
    assert memory.ledger.head() == before


def test_turns_of_many_threads_come_one_after_the_other(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=None) as memory:
        notebook, seen = Notebook.of(memory), list[int]()

        def count() -> None:
            for _ in range(20):
                seen.append(notebook.turn("scout", counted)[0])

        threads = [threading.Thread(target=count) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=WAIT_S)
        assert sorted(seen) == list(range(1, 161))


def test_notes_are_there_again_after_closing_and_after_a_replay(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=None) as memory:
        Notebook.of(memory).turn("scout", counted)
    with Memory.open(tmp_path, embedder=None) as memory:
        assert Notebook.of(memory).turn("scout", counted)[0] == 2
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical
        assert [note.body for note in Notebook.of(memory).since(0)[0]] == ["1", "2"]


def test_a_note_that_was_changed_behind_our_back_is_noticed(tmp_path: Path) -> None:
    apsw = pytest.importorskip("apsw")
    with Memory.open(tmp_path, embedder=None) as memory:
        Notebook.of(memory).turn("scout", counted)
    connection = apsw.Connection(str(tmp_path / "default.sqlite"))
    connection.execute("UPDATE notes SET body = '9'")
    connection.close()
    with Memory.open(tmp_path, embedder=None) as memory:
        assert [finding.code for finding in memory.ledger.verify().findings] == ["note_differs", "note_differs"]
