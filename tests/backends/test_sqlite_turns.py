"""Processes that write to one file take turns, and nobody waits without end."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from io import BufferedRandom
from pathlib import Path

import pytest
from tests.patience import WAIT_S

from muniment.backends.sqlite.writer_lock import SUFFIX, WriterLock
from muniment.model.errors import StoreBusy

POLLS = 100 * WAIT_S
HOLD = """
import sys
from pathlib import Path
from muniment.backends.sqlite.writer_lock import WriterLock
with WriterLock(Path(sys.argv[1]), wait_ms=60_000).turn():
    print("mine", flush=True)
    sys.stdin.readline()
"""


def started(code: str, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def waits_at_the_gate(file: BufferedRandom) -> None:
    """Wait until another process stands at the gate, where this one then cannot."""
    never = threading.Event()
    for _ in range(POLLS):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
        except BlockingIOError:
            return
        fcntl.lockf(file, fcntl.LOCK_UN, 1, 0)
        never.wait(WAIT_S / POLLS)
    raise AssertionError("nobody came")


def test_who_has_had_a_turn_lets_those_who_wait_go_first(tmp_path: Path) -> None:
    path, mine = tmp_path / "store.sqlite", WriterLock(tmp_path / "store.sqlite", wait_ms=50)
    with mine.turn():
        pass
    with path.with_name(path.name + SUFFIX).open("r+b") as file:  # to close it would be to give up every lock on it
        with mine.turn():
            waiting = started(HOLD, str(path))
            waits_at_the_gate(file)
        with pytest.raises(StoreBusy), mine.turn():
            raise AssertionError("whoever came later goes first")
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "mine\n"
        waiting.communicate("enough\n", timeout=WAIT_S)
    reached = False
    with mine.turn():
        reached = True
    assert reached


def test_a_turn_that_is_not_given_up_in_time_is_a_busy_store_and_ends_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    holder = started(HOLD, str(path))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "mine\n"
    with pytest.raises(StoreBusy), WriterLock(path, wait_ms=20).turn():
        raise AssertionError("two have the turn at once")
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate(timeout=WAIT_S)
    reached = False
    with WriterLock(path, wait_ms=60_000).turn():
        reached = True
    assert reached


def test_where_no_file_can_be_made_everybody_goes_ahead(tmp_path: Path) -> None:
    reached = False
    with WriterLock(tmp_path / "nowhere" / "store.sqlite", wait_ms=1).turn():
        reached = True
    assert reached
    assert list(tmp_path.iterdir()) == []
