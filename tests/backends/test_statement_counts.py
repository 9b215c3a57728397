"""How many SQL statements a file is asked for a single write and for a recall: each costs every user of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment import Memory

WRITE_MOST = 8
RECALL_MOST = 30
SENTENCES = (
    "The build server is called Otto and stands in room {}",
    "Ana moved the staging database {} to Oslo last week",
    "Die Rechnungen von Kunde {} werden am Freitag bezahlt",
)


def letters(texts: list[str]) -> list[list[float]]:
    """A model that tells texts apart by how often each letter stands in them."""
    return [[1.0 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


@contextmanager
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every statement of this thread on every connection that is opened meanwhile."""
    statements, own = list[str](), threading.get_ident()

    def note(_: apsw.Cursor, sql: str, __: Any) -> bool:  # as apsw hands it over
        if threading.get_ident() == own:  # and not the thread that makes vectors
            statements.append(sql)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    monkeypatch.setattr(apsw, "connection_hooks", [*apsw.connection_hooks, watch])
    yield statements


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    with traced(monkeypatch) as found:
        yield found


@pytest.fixture
def memory(statements: list[str], tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=None) as opened:
        for number in range(60):
            opened.remember(SENTENCES[number % 3].format(number), evidence=["ticket:OPS-7"])
        opened.recall("where is the staging database?")
        statements.clear()
        yield opened


@pytest.mark.parametrize("text", ["Deploys freeze on Fridays", "Quarterly zebras juggle xylophones quietly"])
def test_a_single_write_asks_few_statements(memory: Memory, statements: list[str], text: str) -> None:
    memory.remember(text, confidence=0.8)
    assert len(statements) <= WRITE_MOST, statements


def test_a_recall_by_words_asks_a_bounded_number_of_statements(memory: Memory, statements: list[str]) -> None:
    told = memory.recall("who moved the staging database to Oslo, and which Rechnungen are paid?", limit=20)
    assert len(told.records) > 5
    assert len(statements) <= RECALL_MOST, statements


def test_a_recall_with_vectors_does_not_ask_for_each_record(statements: list[str], tmp_path: Path) -> None:
    """Scores of what is only near in meaning are asked for together, and so are entries, disputes and documents."""
    with Memory.open(tmp_path, embedder=letters) as memory:
        for number in range(150):
            memory.remember(SENTENCES[number % 3].format(number), evidence=["ticket:OPS-7"])
        memory.flush()
        memory.recall("where is the staging database?")
        counts = list[int]()
        for _ in range(3):  # one of them may open a connection, while the thread that makes vectors has the other
            statements.clear()
            assert len(memory.recall("who moved the staging database to Oslo?", limit=20).records) > 5
            counts.append(len(statements))
    assert min(counts) <= RECALL_MOST, counts


def test_a_write_after_another_process_wrote_asks_for_what_it_remembered(
    memory: Memory, statements: list[str], tmp_path: Path
) -> None:
    with Memory.open(tmp_path, embedder=None) as other:
        kept = other.remember("The lift is out of order", confidence=0.9).record_id
        statements.clear()
        said = memory.remember("The lift is out of order", confidence=0.9)
    assert said.duplicate_of == kept
    assert memory.ledger.verify().ok
