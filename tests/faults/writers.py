"""Two processes that write and erase in one vault, one of which is killed while the other goes on."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from tests.faults.dying import ROOT
from tests.patience import WAIT_S

from muniment import Memory

MORE = 8


class Writer:
    """A process that writes, and what it has said so far."""

    def __init__(self, vault: Path, name: str, pace: str) -> None:
        command = [sys.executable, "-m", "tests.faults.writing", str(vault), name, pace]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        self._lines: list[str] = []

    def write(self, count: int) -> None:
        """Have it write, one after another, each acknowledged before the next is asked for."""
        assert self._process.stdin is not None
        for _ in range(count):
            told = len(self.said("ack"))
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            while len(self.said("ack")) == told:
                self.hear(1)

    def hear(self, count: int) -> None:
        """Listen to so many lines more."""
        assert self._process.stdout is not None
        for _ in range(count):
            line = self._process.stdout.readline()
            assert line, f"it ended by itself after {self._lines[-2:]}"
            self._lines.append(line.strip())

    def kill(self) -> None:
        self._process.kill()
        rest, _ = self._process.communicate(timeout=WAIT_S)
        self._lines += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]

    def said(self, word: str) -> list[list[str]]:
        return [line.split() for line in self._lines if line.startswith(f"{word} ")]


def kill_some(vault: Path, kills: int, rng: random.Random) -> int:
    """Kill one writer after another beside one that goes on, and look at what is there. Says how many writes and
    erasures were acknowledged."""
    Memory.open(vault, embedder=None).close()
    survivor = Writer(vault, "survivor", "asked")
    writers = [survivor]
    try:
        survivor.write(MORE)
        for number in range(kills):
            writers.append(Writer(vault, f"victim{number}", "freely"))
            writers[-1].hear(rng.randrange(1, 20))
            writers[-1].kill()
            survivor.write(MORE)
    finally:
        for writer in writers:
            writer.kill()
    told = [line[1] for writer in writers for line in writer.said("ack")]
    gone = [line[1] for writer in writers for line in writer.said("gone")]
    assert_whole(vault, told, gone)
    return len(told) + len(gone)


def assert_whole(vault: Path, told: list[str], gone: list[str]) -> None:
    """Everything that was acknowledged is there, what was erased is gone, and the ledger verifies."""
    with Memory.open(vault, embedder=None) as memory:
        assert memory.ledger.verify().findings == ()
        with memory._session.tenant.store.read() as snapshot:
            held = {row.id for row in snapshot.desk.proposals()}
            standing = {card.id: card.status for card in snapshot.catalogue.all()}
    assert set(told) <= held, "an acknowledged write is lost"
    assert gone, "something was erased"
    assert [record for record in gone if standing.get(record, "erased") != "erased"] == []
