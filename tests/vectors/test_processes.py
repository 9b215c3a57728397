"""Two processes at one index: one adds, the other sees it grow, forgets, and takes over when the first one dies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.vectors.world import DIMENSIONS, MODEL, born, packed, since

from muniment.backends.vectors.index import VectorIndex
from muniment.model.filter import EVERYTHING
from muniment.model.rows import VectorRow

ROOT = Path(__file__).parent.parent.parent
UP = packed(*[0.25] * DIMENSIONS)
HASH = bytes(32)


class Other:
    """A process of its own. Every answer is waited for no longer than the test's own time."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.vectors.reader", str(folder)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=WAIT_S)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Other]:
    process = Other(tmp_path)
    yield process
    process.kill()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    found = VectorIndex(tmp_path, exact_max=0)
    found.sync(100, since(born(*range(1, 50))))
    yield found
    found.close()


def add(index: VectorIndex, *rids: int) -> None:
    index.add([VectorRow(rid=rid, start=0, end=9, vector=UP) for rid in rids], upto=max(rids), hash=HASH)


def test_a_reader_sees_an_index_begin_grow_and_begin_anew(index: VectorIndex, other: Other) -> None:
    assert other.ask("count") == "0"
    assert index.try_lock()

    index.begin(MODEL, DIMENSIONS)
    assert (other.ask("count"), other.ask("model")) == ("0", MODEL)
    add(index, 1, 2)
    assert other.ask("nearest") == "2 1"
    add(index, 5)
    assert (other.ask("nearest"), other.ask("count")) == ("5 2 1", "3")

    index.begin("another@2", DIMENSIONS)
    assert (other.ask("nearest"), other.ask("model")) == ("", "another@2")
    add(index, 3)
    assert other.ask("nearest") == "3"


def test_only_one_process_adds_and_the_next_takes_over_when_it_dies(
    index: VectorIndex, other: Other, tmp_path: Path
) -> None:
    assert other.ask("lock") == "mine"
    assert not index.try_lock()
    with pytest.raises(AssertionError, match="only the appender adds"):
        index.begin(MODEL, DIMENSIONS)

    other.kill()

    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1)
    third = Other(tmp_path)
    assert third.ask("lock") == "somebody else embeds"
    assert third.ask("nearest") == "1"
    third.kill()


def test_whoever_has_nothing_to_add_may_let_another_process_add(index: VectorIndex, other: Other) -> None:
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    assert other.ask("lock") == "somebody else embeds"

    index.release()

    assert other.ask("lock") == "mine"
    assert not index.try_lock()


def test_whoever_erases_need_not_be_the_one_who_adds(index: VectorIndex, other: Other) -> None:
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    add(index, 1, 2, 3)
    assert len(index.search(EVERYTHING, UP, as_of=100, upto=100, keep=9)) == 3

    assert other.ask("forget 2") == "1"

    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=100, upto=100, keep=9)] == [3, 1]
    add(index, 4)
    assert other.ask("nearest") == "4 3 1"
