"""A process that dies while it copies a vault, or puts it back, leaves nothing that looks whole and is not."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.copies.making import SECRET, furnish, names_in, opened, remembered
from tests.patience import WAIT_S

from muniment.engine.copies.backup import back_up
from muniment.engine.copies.manifest import read_manifest
from muniment.engine.copies.restore import RestoreRequest, restore

COPIER = Path(__file__).with_name("copier.py")
EVERY = 6
"""Of the touches of a long job every third is died at, and each of the last ones, where names are given."""
LAST = 12


class Copiers:
    """Starts copiers one after another, each to die at one touch."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, str(COPIER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def rehearse(self, job: str, folder: Path) -> int:
        """Let a job come to its end; how often it touched the file system."""
        self._order(job, folder, 0)
        touches = int(self._line())
        assert self._line() == "end 0"
        return touches

    def kill(self, job: str, folder: Path, at: int) -> bool:
        """Let a job die at a touch; False if it was done before."""
        self._order(job, folder, at)
        said = self._line()
        if said == f"end {int(signal.SIGKILL)}":
            return True
        assert self._line() == "end 0"
        return False

    def end(self) -> None:
        self._parent.communicate(timeout=WAIT_S)

    def _order(self, job: str, folder: Path, at: int) -> None:
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{job} {folder} {at}\n")
        self._parent.stdin.flush()

    def _line(self) -> str:
        assert self._parent.stdout is not None
        line = self._parent.stdout.readline()
        assert line, "the copiers' parent is gone"
        return line.strip()


@pytest.fixture
def copiers() -> Iterator[Copiers]:
    parent = Copiers()
    yield parent
    parent.end()


def _touches(count: int) -> list[int]:
    assert count > 2 * LAST, "there is something to die at"
    return sorted({*range(1, count + 1, EVERY), *range(count - LAST, count + 1)})


def test_a_backup_that_dies_leaves_nothing_under_its_name_or_all_of_it(copiers: Copiers, tmp_path: Path) -> None:
    furnish(tmp_path / "rehearsal" / "vault", 2)
    touches = _touches(copiers.rehearse("backup", tmp_path / "rehearsal"))
    folder = tmp_path / "real"
    furnish(folder / "vault", 2)
    died = 0
    for touch in touches:
        died += copiers.kill("backup", folder, touch)
        if (folder / "copy").exists():
            read_manifest(folder / "copy")
            shutil.rmtree(folder / "copy")
        hidden = [name for name in names_in(folder) if name != "vault"]
        assert len(hidden) <= 1, "what the one before has left is taken away"
        assert all(name.startswith(".copy.") and name.endswith(".part") for name in hidden)
    assert died > 0.8 * len(touches)
    back_up(folder / "vault", folder / "another")
    assert names_in(folder) == ["another", "vault"]
    with opened(folder / "vault") as memory:
        assert memory.ledger.verify().ok


def test_a_restore_that_dies_leaves_the_vault_as_it_was_or_as_it_is_restored(copiers: Copiers, tmp_path: Path) -> None:
    made = tmp_path / "made"
    furnish(made / "vault", 2)
    with opened(made / "vault") as memory:
        name = remembered(memory, SECRET)
        back_up(made / "vault", made / "copy")
        memory.forget(name, reason="asked to")
    with opened(made / "vault") as memory:
        before = memory.ledger.head()
    shutil.copytree(made, tmp_path / "rehearsal")
    touches = _touches(copiers.rehearse("restore", tmp_path / "rehearsal"))
    outcomes = []
    for touch in touches:
        folder = tmp_path / str(touch)
        shutil.copytree(made, folder)
        died = copiers.kill("restore", folder, touch)
        with opened(folder / "vault") as memory:
            assert memory.ledger.verify().findings == ()
            outcomes.append((died, memory.ledger.head() == before))
            assert memory.recall("zebrafish").records == ()
        restore(RestoreRequest(backup=folder / "copy", vault=folder / "vault"))
        assert not [left for left in names_in(folder) if left.endswith(".restoring")]
        shutil.rmtree(folder)
    assert (True, True) in outcomes, "some died before anything was replaced"
    assert (True, False) in outcomes, "some died after it"
    assert sum(died for died, _ in outcomes) > 0.8 * len(touches)
