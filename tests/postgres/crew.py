"""Processes that work on one database at once, and what each of them was told."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext
from multiprocessing.synchronize import Barrier, Event, Semaphore
from typing import TypeVar

from tests.patience import WAIT_S

from muniment import Memory
from muniment.model.errors import OperationalError

T = TypeVar("T")


class Signs:
    """What the processes of a crew and whoever leads them tell each other."""

    def __init__(self, context: ForkServerContext, size: int) -> None:
        self.ready: Barrier = context.Barrier(size)
        self.over: Event = context.Event()
        self.written: Semaphore = context.Semaphore(0)

    def together(self) -> None:
        """Wait until every process is as far as this one."""
        self.ready.wait(WAIT_S)

    def wait_for_writes(self, count: int) -> None:
        for _ in range(count):
            assert self.written.acquire(timeout=WAIT_S), "nobody can write any more"


class Crew:
    """So many processes, each with one task."""

    def __init__(self, size: int) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["muniment.engine.memory", "muniment.backends.postgres.vault"])
        self.size = size
        self.signs = Signs(context, size)
        self._pool = ProcessPoolExecutor(size, mp_context=context, initializer=_join, initargs=(self.signs,))

    def start(self, task: Callable[[Signs], T]) -> Future[T]:
        return self._pool.submit(_run, task)

    def end(self) -> None:
        self.signs.over.set()
        self._pool.shutdown()


_signs: list[Signs] = []


def _join(signs: Signs) -> None:
    _signs.append(signs)


def _run(task: Callable[[Signs], T]) -> T:
    return task(_signs[0])


@contextmanager
def crew(size: int) -> Iterator[Crew]:
    made = Crew(size)
    try:
        yield made
    finally:
        made.end()


def write_on(dsn: str, name: str, threads: int, signs: Signs) -> tuple[list[str], list[str]]:
    """Write until it is over: the proposals that were acknowledged, and the codes of what failed. What fails is sent
    again under the same name."""
    told: list[str] = []
    failed: list[str] = []
    with Memory.open(dsn, embedder=None) as memory:
        at_once = [
            threading.Thread(target=_write_on, args=(memory, f"{name}-{number}", signs, told, failed))
            for number in range(threads)
        ]
        for thread in at_once:
            thread.start()
        for thread in at_once:
            thread.join()
    return told, failed


def _write_on(memory: Memory, name: str, signs: Signs, told: list[str], failed: list[str]) -> None:
    number = 0
    while not signs.over.is_set():
        proposal = f"p-{name}-{number}"
        try:
            memory.remember(f"note {number} of {name}", proposal_id=proposal)
        except OperationalError as error:
            failed.append(error.code)
            continue
        told.append(proposal)
        number += 1
        signs.written.release()


def proposals(memory: Memory) -> list[str]:
    """The proposals that a tenant holds."""
    with memory._session.tenant.store.read() as snapshot:
        return [row.id for row in snapshot.desk.proposals()]


def assert_all_once(memory: Memory, told: list[str]) -> None:
    """Everything that was acknowledged is there, nothing is there twice, and the ledger is whole."""
    kept = proposals(memory)
    assert len(set(kept)) == len(kept), "a proposal was written twice"
    assert set(told) <= set(kept), "acknowledged and lost"
    with memory._session.tenant.store.read() as snapshot:
        seqs = [entry.seq for entry in snapshot.ledger.entries(1, 2**62)]
    assert seqs == list(range(1, len(seqs) + 1))
    assert memory.ledger.verify().findings == ()
