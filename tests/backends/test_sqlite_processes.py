"""Several processes and threads on one SQLite file: writers queue, readers never wait, nobody corrupts."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

import apsw
import pytest
from tests.patience import WAIT_S, until

from muniment.backends.sqlite import connection
from muniment.backends.sqlite.store import SqliteTenant
from muniment.engine.memory import Memory
from muniment.model.errors import IntegrityError, MunimentError, StoreBusy
from muniment.ports.store import Unit
from muniment_store_conformance.contents import contents
from muniment_store_conformance.makers import append_next, keep, make_document

WRITER = Path(__file__).with_name("writer.py")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[SqliteTenant, SqliteTenant]]:
    """The same file opened twice, as two processes would."""
    path = tmp_path / "acme.sqlite"
    one, other = (SqliteTenant(path, "acme", create=True) for _ in range(2))
    yield one, other
    one.close()
    other.close()


def test_four_processes_write_to_one_vault_and_nothing_is_lost(tmp_path: Path) -> None:
    Memory.open(tmp_path).close()
    command = [sys.executable, str(WRITER), str(tmp_path)]
    writers = [
        subprocess.Popen(
            [*command, f"w{number}", "50"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    told: list[str] = []
    for writer in writers:
        out, errors = writer.communicate(timeout=WAIT_S)
        assert (writer.returncode, errors) == (0, "")
        told += out.split()
    assert len(set(told)) == 200
    with Memory.open(tmp_path, create=False) as memory:
        verified = memory.ledger.verify()
        assert verified.findings == ()
        assert verified.entries == 202, "genesis, policy and 200 proposals, without a gap"
        assert {memory.get(name).record.id for name in told} == set(told)


def test_a_vault_that_is_opened_twice_has_one_genesis(tmp_path: Path) -> None:
    with Memory.open(tmp_path, tenant="a") as one, Memory.open(tmp_path, tenant="a") as other:
        one.remember("from one")
        other.remember("from the other")
        assert one.ledger.head() == other.ledger.head()
        assert one.ledger.verify().findings == ()
        assert [entry.kind for entry in one.ledger.entries()] == ["genesis", "policy", "curated", "curated"]


def _remembered(memory: Memory, words: str) -> str:
    """What a caller is told: that it is kept, or why not."""
    try:
        return "kept" if memory.remember(words).committed else "refused"
    except MunimentError as error:
        return error.code


def _in_a_fork(vault: Path, inherited: Memory, ready: Event, alone: Event, told: SimpleQueue[list[str]]) -> None:
    """Write with what was open when this process was forked, and with what it opens for itself, once the process it
    came from has closed all of its own."""
    try:
        own: Memory | None = Memory.open(vault, tenant="acme", embedder=None)
    except MunimentError:
        own = None
    ready.set()
    alone.wait(WAIT_S)
    answers = [_remembered(inherited, "from a copy of the first")]
    answers.append("not opened" if own is None else _remembered(own, "from one of its own"))
    with Memory.open(vault, tenant="other", embedder=None) as other:
        answers.append(_remembered(other, "the first never had this open"))
    told.put(answers)


def test_what_a_forked_process_is_told_is_kept_is_there_when_the_first_has_closed(tmp_path: Path) -> None:
    """It has the first one's account of its locks and none of them: the first would take the log away under it."""
    context = multiprocessing.get_context("fork")
    ready, alone, told = context.Event(), context.Event(), context.SimpleQueue()
    with Memory.open(tmp_path, tenant="acme", embedder=None) as memory:
        memory.remember("from the first")
        child = context.Process(target=_in_a_fork, args=(tmp_path, memory, ready, alone, told))
        child.start()
        assert ready.wait(WAIT_S)
    alone.set()
    child.join(WAIT_S)
    assert child.exitcode == 0
    assert told.get() == ["store_unavailable", "not opened", "kept"]
    with Memory.open(tmp_path, tenant="acme", embedder=None) as memory:
        assert [found.record.content for found in memory.insight.browse()] == ["from the first"]
        assert memory.ledger.verify().ok
        assert memory.remember("from the first, later").committed
    with Memory.open(tmp_path, tenant="other", embedder=None) as memory:
        assert [found.record.content for found in memory.insight.browse()] == ["the first never had this open"]


def test_a_reader_is_not_kept_waiting_by_an_open_write(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    writer, reader = pair
    writer.write(append_next)

    def job(unit: Unit) -> tuple[int, int]:
        append_next(unit)
        return len(contents(reader).entries), len(contents(writer).entries)

    assert writer.write(job) == (1, 1)
    assert len(contents(reader).entries) == 2


def test_a_writer_is_not_kept_waiting_by_an_open_snapshot(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    writer, reader = pair
    with reader.read() as snapshot:
        assert snapshot.ledger.head() is None
        assert writer.write(append_next) == 1
        assert snapshot.ledger.head() is None


def test_a_second_writer_waits_for_the_first_and_then_gets_its_turn(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    one, other = pair
    holding, release = threading.Event(), threading.Event()
    told: list[int] = []

    def hold(unit: Unit) -> int:
        seq = append_next(unit)
        holding.set()
        assert release.wait(WAIT_S)
        return seq

    first = threading.Thread(target=lambda: told.append(one.write(hold)))
    second = threading.Thread(target=lambda: told.append(other.write(append_next)))
    first.start()
    assert holding.wait(WAIT_S)
    second.start()
    second.join(0.05)
    assert second.is_alive(), "the lock is held"
    release.set()
    first.join(WAIT_S)
    second.join(WAIT_S)
    assert told == [1, 2]


def test_a_writer_that_waited_too_long_is_told_that_the_store_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_WAIT_MS", 20)
    path = tmp_path / "acme.sqlite"
    one = SqliteTenant(path, "acme", create=True)
    other = SqliteTenant(path, "acme", create=False)

    def job(unit: Unit) -> str:
        append_next(unit)
        with pytest.raises(StoreBusy) as caught:
            other.write(append_next)
        return caught.value.code

    assert one.write(job) == "store_busy"
    assert other.write(append_next) == 2, "busy is not broken"
    one.close()
    other.close()


def piled(store: SqliteTenant, jobs: int) -> None:
    until(lambda: len(store._line._queue) >= jobs, "all jobs stand in the queue")


@pytest.mark.parametrize(
    "error",
    [IntegrityError("no"), ValueError("no"), KeyError("no")],
    ids=lambda e: type(e).__name__,
)
def test_one_failing_job_of_a_group_takes_nobody_with_it(tmp_path: Path, error: BaseException) -> None:
    """Jobs that stand in the queue together share a transaction; the failing one is third of five."""
    store = SqliteTenant(tmp_path / "acme.sqlite", "acme", create=True)
    outcomes: dict[int, object] = {}

    def hold(_: Unit) -> None:
        for number in range(1, 6):
            threading.Thread(target=run, args=(number,), daemon=True).start()
            piled(store, number)

    def run(number: int) -> None:
        try:
            outcomes[number] = store.write(job_of(number))
        except (MunimentError, ValueError, KeyError, apsw.Error) as raised:
            outcomes[number] = raised

    def job_of(number: int) -> Callable[[Unit], int]:
        def job(unit: Unit) -> int:
            unit.keep(make_document(number))
            if number == 3:
                raise error
            return number

        return job

    before = set(threading.enumerate())
    store.write(hold)
    for thread in set(threading.enumerate()) - before:
        thread.join(WAIT_S)
    assert outcomes == {1: 1, 2: 2, 3: error, 4: 4, 5: 5}
    assert [document.doc for document in contents(store).documents] == [1, 2, 4, 5]
    store.close()


def test_a_driver_error_never_leaves_the_store(tmp_path: Path) -> None:
    """Alone or in a group, what SQLite refuses reaches the caller as an error of ours."""
    store = SqliteTenant(tmp_path / "acme.sqlite", "acme", create=True)
    store.write(keep(make_document(1)))
    raised: list[BaseException] = []

    def again() -> None:
        try:
            store.write(keep(make_document(1)))
        except (IntegrityError, apsw.Error) as error:
            raised.append(error)

    threads = [threading.Thread(target=again) for _ in range(3)]

    def hold(_: Unit) -> None:
        for number, thread in enumerate(threads, start=1):
            thread.start()
            piled(store, number)

    store.write(hold)
    for thread in threads:
        thread.join(WAIT_S)
    assert [type(error) for error in raised] == [IntegrityError] * 3
    store.close()
