"""An interrupt (Ctrl-C) may come at any instruction of a write: the vault is never left locked, and what other threads
write in the same commit is kept once and said to be kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dis import opmap
from pathlib import Path
from types import FrameType
from typing import Any

import apsw
import pytest
from tests.patience import WAIT_S

from muniment.backends import group_commit
from muniment.backends.sqlite import store as stores
from muniment.backends.sqlite import writer_lock
from muniment.backends.sqlite.store import SqliteTenant
from muniment.ports.store import Unit
from muniment_store_conformance.makers import append_next

FILES = {str(module.__file__) for module in (group_commit, stores, writer_lock)}
"""The modules in which a write can be interrupted with something in its hands."""
LOOKED_AFTER = {
    opmap[name] for name in ("RESUME", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "JUMP_BACKWARD") if name in opmap
}
Trace = Callable[[FrameType, str, Any], Any]


@contextmanager
def interrupted_at(step: int) -> Iterator[list[str]]:
    """Raise KeyboardInterrupt at a place in these modules, counted from the first in the block; the list says where
    that was. Places are those where the interpreter looks for signals: where a function begins, after a call, and where
    a loop turns back."""
    seen, place = 0, list[str]()
    done: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Trace | None:
        nonlocal seen
        if frame.f_code.co_filename not in FILES:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            last = done.get(frame)
            done[frame] = frame.f_code.co_code[frame.f_lasti]
            seen += last in LOOKED_AFTER
            if seen == step and last in LOOKED_AFTER:
                place.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield place
    finally:
        sys.settrace(before)


def demand_free(store: SqliteTenant, place: str) -> None:
    """Nothing is held: another thread writes, another connection has the lock, another process's turn could be had."""
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(store.write(append_next)), daemon=True)
    assert not store._connection.in_transaction, place
    with closing(apsw.Connection(str(store._path))) as beside:
        beside.execute("BEGIN IMMEDIATE")
        beside.execute("ROLLBACK")
    other.start()
    other.join(WAIT_S)
    assert found == [store.marks()[0]], place
    assert (store._line._queue, store._line._leader, store._writing.locked()) == ([], None, False), place


def test_an_interrupt_at_any_instruction_of_a_write_leaves_nothing_locked(tmp_path: Path) -> None:
    with closing(SqliteTenant(tmp_path / "a.sqlite", "a", create=True)) as store:
        store._connection.pragma("synchronous", "off")
        step, places = 1, set[str]()
        while True:
            before, kept = store.marks()[0], None
            caught: BaseException | None = None
            with interrupted_at(step) as place:
                try:
                    kept = store.write(append_next)
                except KeyboardInterrupt as error:
                    caught = error  # and with it every frame, and whatever they hold
            if not place:
                break
            assert caught is not None or kept is not None, place
            places.update(place)
            demand_free(store, place[0])
            del caught
            assert store.marks()[0] in (before + 1, before + 2), "the interrupted write is there once or not at all"
            step += 1
        assert len(places) > 40, "every line of a write was interrupted"


@pytest.mark.parametrize("others", [1, 3])
def test_what_others_write_is_kept_once_when_their_leader_is_interrupted(tmp_path: Path, others: int) -> None:
    with closing(SqliteTenant(tmp_path / "a.sqlite", "a", create=True)) as store:
        store._connection.pragma("synchronous", "off")
        step = 1
        while True:
            said = list[int | BaseException]()

            def write(said: list[int | BaseException] = said) -> None:
                try:
                    said.append(store.write(append_next))
                except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  whatever it is, it is looked at
                    said.append(error)

            threads = [threading.Thread(target=write, daemon=True) for _ in range(others)]
            before = store.marks()[0]
            with store._writing:  # so that the leader finds the others waiting
                leader = threading.Thread(target=_led, args=(store, step, place := list[str]()), daemon=True)
                leader.start()
                _waiting(store, 1, leader)
                for thread in threads:
                    thread.start()
                _waiting(store, 1 + others, leader)
            for thread in (leader, *threads):
                thread.join(WAIT_S)
            numbers = {one for one in said if isinstance(one, int)}
            assert len(numbers) == len(said) == others, (place, said)
            assert store.marks()[0] - before in (others, others + 1), place
            if not place:
                break
            step += 3
        assert step > 60


def _led(store: SqliteTenant, step: int, place: list[str]) -> None:
    try:
        with interrupted_at(step) as found:
            store.write(append_next)
    except KeyboardInterrupt:
        pass
    finally:
        place += found


def _waiting(store: SqliteTenant, number: int, leader: threading.Thread) -> None:
    """Wait until so many stand in the queue; one less if the leader was interrupted before it came there."""
    never = threading.Event()
    for _ in range(int(WAIT_S * 1_000)):
        if len(store._line._queue) >= number - (not leader.is_alive()):
            return
        never.wait(0.001)
    raise AssertionError("nobody came")


def test_a_job_that_fails_beside_an_interrupt_is_judged_again(tmp_path: Path) -> None:
    """What a job saw of another that was undone is no reason for its failure."""
    with closing(SqliteTenant(tmp_path / "a.sqlite", "a", create=True)) as store:
        said: dict[str, int | BaseException] = {}
        runs = list[None]()

        def demand_first(unit: Unit) -> int:
            if unit.ledger.head() is not None:
                raise LookupError
            return append_next(unit)

        def interrupt_once(unit: Unit) -> int:
            runs.append(None)
            if len(runs) == 1:
                raise KeyboardInterrupt
            return append_next(unit)

        def writing(name: str, job: Callable[[Unit], int]) -> threading.Thread:
            def run() -> None:
                try:
                    said[name] = store.write(job)
                except (KeyboardInterrupt, LookupError) as error:
                    said[name] = error

            return threading.Thread(target=run, daemon=True)

        threads = [writing("leads", append_next), writing("fails", demand_first), writing("interrupts", interrupt_once)]
        with store._writing:
            for number, thread in enumerate(threads, start=1):
                thread.start()
                _waiting(store, number, threads[0])
        for thread in threads:
            thread.join(WAIT_S)
        assert isinstance(said.pop("leads"), KeyboardInterrupt)
        assert said == {"fails": 1, "interrupts": 2}
