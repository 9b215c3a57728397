"""Many threads and processes open the same new store at once: each of them gets it, and it is made once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.patience import WAIT_S

from muniment.backends.sqlite import connection
from muniment.backends.sqlite.store import SqliteTenant
from muniment_store_conformance.makers import append_next

ROUNDS = 12
OPENERS = 6
PROCESSES = 4
OPEN = """
import sys
from pathlib import Path
from muniment.backends.sqlite.store import SqliteTenant
from muniment_store_conformance.makers import append_next
print("ready", flush=True)
for line in sys.stdin:
    store = SqliteTenant(Path(line.strip()), "a", create=True)
    store.write(append_next)
    store.close()
    print("done", flush=True)
"""


def test_a_store_that_another_makes_between_two_questions_is_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, made = tmp_path / "a.sqlite", list[bool]()
    plain = apsw.Connection

    class Outrun(apsw.Connection):
        """A connection whose first question is answered just before another process makes the store."""

        def pragma(self, name: str, *values: Any, **more: Any) -> Any:
            answer = super().pragma(name, *values, **more)
            if not made:
                made.append(True)
                monkeypatch.setattr(apsw, "Connection", plain)
                SqliteTenant(path, "a", create=True).close()
            return answer

    monkeypatch.setattr(apsw, "Connection", Outrun)
    with closing(SqliteTenant(path, "a", create=True)) as store:
        assert store.write(append_next) == 1
    assert made


def test_a_new_file_that_another_is_making_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, waits = tmp_path / "a.sqlite", list[float]()

    class Waiting:
        monotonic = staticmethod(time.monotonic)

        @staticmethod
        def sleep(seconds: float) -> None:
            waits.append(seconds)

    asked = apsw.Connection.pragma

    def unlocked_at_last(self: apsw.Connection, name: str, *values: Any, **more: Any) -> Any:
        if name == "journal_mode" and not waits:
            raise apsw.BusyError("BusyError: database is locked")  # what SQLite says at once while a log is made
        return asked(self, name, *values, **more)

    class Busy(apsw.Connection):
        pragma = unlocked_at_last

    monkeypatch.setattr(connection, "time", Waiting)
    monkeypatch.setattr(apsw, "Connection", Busy)
    with closing(SqliteTenant(path, "a", create=True)) as store:
        assert store.write(append_next) == 1
    assert len(waits) == 1


def test_threads_that_open_a_new_store_at_once_all_get_it(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        path, together = tmp_path / f"{number}.sqlite", threading.Barrier(OPENERS)
        failed = list[Exception]()

        def opened(path: Path = path, together: threading.Barrier = together, failed: list[Exception] = failed) -> None:
            together.wait(WAIT_S)
            try:
                with closing(SqliteTenant(path, "a", create=True)) as store:
                    store.write(append_next)
            except Exception as error:  # noqa: BLE001  whatever it is, it is looked at
                failed.append(error)

        threads = [threading.Thread(target=opened) for _ in range(OPENERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
        assert failed == []
        with closing(SqliteTenant(path, "a", create=False)) as store:
            assert store.marks()[0] == OPENERS
            assert store.integrity() == ()


def test_processes_that_open_a_new_store_at_once_all_get_it(tmp_path: Path) -> None:
    openers = [
        subprocess.Popen([sys.executable, "-c", OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for number in range(ROUNDS):
        path = tmp_path / f"{number}.sqlite"
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write(f"{path}\n")
            opener.stdin.flush()
        for opener in openers:
            assert opener.stdout is not None
            assert opener.stdout.readline() == "done\n"
        with closing(SqliteTenant(path, "a", create=False)) as store:
            assert store.marks()[0] == PROCESSES
    for opener in openers:
        opener.communicate(timeout=WAIT_S)
        assert opener.returncode == 0
