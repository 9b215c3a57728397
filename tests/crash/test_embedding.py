"""Kill a process between a write and its vectors, and while they are made: nothing is lost, nothing is twice, and the
next one goes on. And two processes on one vault: one makes the vectors, the other finds by them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Toy

from muniment import Memory

ROOT = Path(__file__).parents[2]
SEED = int(os.environ.get("MUNIMENT_TEST_SEED", "20260101"))
KILLS = 4


class Victim:
    """A process that writes and embeds, and what it has said so far."""

    def __init__(self, vault: Path, mode: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.embedding", str(vault), mode],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []

    def hear(self, start: str) -> None:
        """Listen until it says a line that begins so."""
        assert self._process.stdout is not None
        while not (self.lines and self.lines[-1].startswith(start)):
            line = self._process.stdout.readline()
            assert line, f"it ended by itself after {self.lines[-3:]}"
            self.lines.append(line.strip())

    def hear_more(self, count: int) -> None:
        assert self._process.stdout is not None
        for _ in range(count):
            self.lines.append(self._process.stdout.readline().strip())

    def kill(self) -> list[str]:
        """Kill it, and return the ids of everything it was told is kept."""
        self._process.kill()
        rest, _ = self._process.communicate(timeout=WAIT_S)
        self.lines += [line for line in rest.splitlines() if line.startswith("ack ") and len(line) > 10]
        return [line.split()[1] for line in self.lines if line.startswith("ack ")]


@contextmanager
def victim(vault: Path, mode: str) -> Iterator[Victim]:
    started = Victim(vault, mode)
    try:
        yield started
    finally:
        started.kill()


def assert_whole(vault: Path, told: list[str], where: str) -> None:
    """Everything that was acknowledged is there, is found by its words, and gets its vector once."""
    with Memory.open(vault, embedder=Toy()) as memory:
        assert memory.ledger.verify().findings == (), where
        store = memory._session.tenant.store
        with store.read() as snapshot:
            born = {card.id: card.rid for card in snapshot.catalogue.all()}
        assert [name for name in told if name not in born] == [], where
        assert memory.recall(memory.get(told[-1]).record.content, floor=0.0).records, where
        memory.flush(timeout=WAIT_S)
        assert [row.rid for row in store.vectors.rows(2**62)] == sorted(born.values()), where
        answer = memory.recall("vehicle", floor=0.0)
        assert (answer.searched.trailing, bool(answer.records)) == (0, True), where


def test_a_death_between_a_write_and_its_vectors_loses_nothing(vault: Path) -> None:
    with victim(vault, "stuck") as doomed:
        doomed.hear("embed")
        doomed.hear_more(30)
        told = doomed.kill()
    assert len(told) >= 20, "writes go on while the embedder is stuck"
    assert_whole(vault, told, "stuck")


@pytest.mark.slow
def test_a_death_while_vectors_are_made_leaves_those_that_were_and_the_rest_is_made(vault: Path) -> None:
    rng = random.Random(SEED)
    told: list[str] = []
    for kill in range(KILLS):
        after = rng.randrange(1, 60)
        with victim(vault, "busy") as doomed:
            doomed.hear("embed")
            doomed.hear_more(after)
            told += doomed.kill()
        assert_whole(vault, told, f"seed {SEED}, kill {kill} after {after} lines")


def test_of_two_processes_one_makes_the_vectors_and_the_other_finds_by_them(vault: Path) -> None:
    model = Toy()
    with victim(vault, "still") as other:
        other.hear("flushed")
        with Memory.open(vault, embedder=model) as memory:
            answer = memory.recall("vehicle", floor=0.0)
            assert len(answer.records) == 3
            assert (answer.searched.model, answer.searched.trailing) == ("toy@1", 0)
            assert model.asked == ["vehicle"], "it made none of them itself"
            memory.remember("a physician came")
            memory.flush(timeout=WAIT_S)
            assert memory.recall("doctor").records[0].record.content == "a physician came"
        other.kill()
    with Memory.open(vault, embedder=None) as memory:
        assert memory.ledger.verify().ok
