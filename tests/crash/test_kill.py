"""Real processes, killed at random moments: what was acknowledged is there, what is there is whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S

from muniment.engine.memory import Memory

WRITER = Path(__file__).with_name("writer.py")
SEED = int(os.environ.get("MUNIMENT_TEST_SEED", "20260101"))
VAULTS = int(os.environ.get("MUNIMENT_TEST_VAULTS", "2"))
KILLS = 9
"""Three modes of four vaults of nine kills are 108 deaths in each run of the suite."""


class Victims:
    """Starts writers one after another and kills each after so many lines of what it says."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, str(WRITER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def kill_one(self, vault: Path | str, mode: str, seed: str, *, after: int) -> list[str]:
        """Let a writer say `after` lines, kill it, and return the names of the proposals it acknowledged."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{vault} {mode} {seed}\n")
        self._parent.stdin.flush()
        lines: list[str] = []
        pid: int | None = None
        while not (lines and lines[-1].startswith("end ")):
            lines.append(self._line())
            if lines[-1].startswith("pid "):
                pid = int(lines[-1].split()[1])
            if pid is not None and len(lines) >= after:
                os.kill(pid, signal.SIGKILL)
                lines += iter(self._line, f"end {int(signal.SIGKILL)}")
                break
        else:
            raise AssertionError(f"the writer ended by itself: {lines}")
        return [line.split()[1] for line in lines if line.startswith("ack ")]

    def _line(self) -> str:
        assert self._parent.stdout is not None
        line = self._parent.stdout.readline()
        assert line, "the writers' parent is gone"
        return line.strip()

    def end(self) -> None:
        self._parent.communicate(timeout=WAIT_S)


@pytest.fixture
def victims() -> Iterator[Victims]:
    parent = Victims()
    yield parent
    parent.end()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["single", "batches", "threads"])
def test_a_killed_writer_loses_nothing_it_was_told_and_leaves_nothing_half(
    victims: Victims, tmp_path: Path, mode: str
) -> None:
    rng = random.Random(f"{SEED} {mode}")
    for number in range(VAULTS):
        vault = tmp_path / str(number)
        told: list[str] = []
        for kill in range(KILLS):
            after = rng.choice((1, 2, 3)) if kill % 3 == 0 else rng.randrange(4, 60)
            told += victims.kill_one(vault, mode, f"{number}-{kill}", after=after)
            if (vault / "vault.toml").exists():
                assert_whole(vault, mode, told, f"seed {SEED}, vault {number}, kill {kill} after {after} lines")
        assert told, "some of the writers lived long enough to write"


def assert_whole(vault: Path | str, mode: str, told: list[str], where: str) -> None:
    with Memory.open(vault) as memory:
        assert memory.ledger.verify().findings == (), where
        with memory._session.tenant.store.read() as snapshot:
            rows = {row.id: row for row in snapshot.desk.proposals()}
        lost = [name for name in told if name not in rows]
        assert lost == [], where
        for name in told[-3:]:
            record = rows[name].record
            assert record is not None
            assert memory.get(record).record.proposal == name
    if mode == "batches":
        batches = Counter(name.rpartition("-")[0] for name in rows)
        assert set(batches.values()) <= {5}, f"a batch is whole or absent: {where}"
