"""Servers that die and come back, and servers that take another's place: what was acknowledged is never lost, nothing
is written twice, and nobody has to open anything anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import psycopg
import pytest
from tests.patience import WAIT_S
from tests.postgres.crew import Crew, assert_all_once, crew, proposals, write_on
from tests.support.postgres import SMALL, Server, started

from muniment import Memory
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.errors import StoreUnavailable

KILLS = 3
PROCESSES, THREADS = 2, 2
FIRST = SMALL | {"wal_level": "replica", "max_wal_senders": "4", "synchronous_standby_names": "*"}
WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> ALL(%s)"
OURS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'muniment'"
T = TypeVar("T")


@contextmanager
def aside(job: Callable[[], T]) -> Iterator[Future[T]]:
    """Something that is done in a thread meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(job)


def loaded(workers: Crew, dsn: str) -> Callable[[], tuple[list[str], list[str]]]:
    """Let every process of a crew write; what it gives ends them and tells what was acknowledged and what failed."""
    tasks = [workers.start(partial(write_on, dsn, f"w{number}", THREADS)) for number in range(workers.size)]

    def end() -> tuple[list[str], list[str]]:
        workers.signs.over.set()
        results = [task.result(WAIT_S) for task in tasks]
        return [one for told, _ in results for one in told], [one for _, failed in results for one in failed]

    return end


@pytest.mark.slow
def test_a_server_killed_again_and_again_under_load_loses_nothing_and_nobody_notices_but_by_waiting() -> None:
    with started() as server, crew(PROCESSES) as workers:
        dsn = server.dsn(patience="100")
        Memory.open(dsn).close()
        end = loaded(workers, dsn)
        for _ in range(KILLS):
            workers.signs.wait_for_writes(20)
            server.kill()
            server.start()
        workers.signs.wait_for_writes(20)
        told, failed = end()
        assert failed == []
        assert len(told) >= 20 * (KILLS + 1)
        with Memory.open(dsn) as memory:
            assert_all_once(memory, told)


def test_without_a_server_every_call_fails_in_bounded_time_and_the_next_one_finds_it_again() -> None:
    with started(durable=False) as server, Memory.open(server.dsn(patience="1")) as memory:
        memory.remember("the pump is blue", proposal_id="p-1")
        server.kill()
        for call in (lambda: memory.remember("the pump is red", proposal_id="p-2"), lambda: memory.recall("pump")):
            with aside(call) as asked, pytest.raises(StoreUnavailable, match="server"):
                asked.result(WAIT_S)
        server.start()
        assert [found.record.content for found in memory.recall("pump").records] == ["the pump is blue"]
        assert memory.remember("the pump is red", proposal_id="p-2").committed
        assert proposals(memory) == ["p-1", "p-2"]


def test_a_call_that_is_made_while_the_server_is_away_is_done_when_it_is_back() -> None:
    with started(durable=False) as server, Memory.open(server.dsn(patience="100")) as memory:
        memory.remember("the pump is blue")
        server.kill()
        with aside(lambda: memory.recall("pump")) as read, aside(lambda: memory.remember("so is the gate")) as written:
            server.start()
            assert [found.record.content for found in read.result(WAIT_S).records] == ["the pump is blue"]
            assert written.result(WAIT_S).committed


def test_after_an_outage_no_connection_is_left_over_and_no_more_are_made_than_are_needed() -> None:
    with started(durable=False) as server:
        vault = PostgresVault(server.dsn(patience="100"))
        store = vault.open("acme", create=True)
        with store.read(), store.read(), store.read():
            pass
        assert (vault.pool.idle(), _ours(server)) == (3, 3)
        server.kill()
        server.start()
        with store.read():
            assert _ours(server) == 1
        assert (vault.pool.idle(), _ours(server)) == (1, 1)
        vault.close()


class Pair:
    """A server, and another that has everything the first acknowledges."""

    def __init__(self, first: Server, second: Server) -> None:
        self.first = first
        self.second = second
        hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
        self.dsn = f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write&patience=100"

    def fail_over(self) -> None:
        self.first.kill()
        self.second.promote()


@pytest.fixture
def pair() -> Iterator[Pair]:
    with started(tcp=True, settings=FIRST) as first, TemporaryDirectory(prefix="muniment-pg-") as folder:
        second = first.follower(Path(folder))
        second.start()
        try:
            yield Pair(first, second)
        finally:
            second.stop()


def test_clients_go_on_with_the_second_server_and_nothing_acknowledged_is_lost(pair: Pair) -> None:
    with Memory.open(pair.dsn) as memory, crew(PROCESSES) as workers:
        memory.remember("the pump is blue", proposal_id="p-first")
        end = loaded(workers, pair.dsn)
        workers.signs.wait_for_writes(40)
        pair.fail_over()
        assert memory.remember("the gate is red", proposal_id="p-second").committed
        workers.signs.wait_for_writes(40)
        told, failed = end()
        assert failed == []
        assert_all_once(memory, ["p-first", "p-second", *told])
        assert [found.record.content for found in memory.recall("pump").records] == ["the pump is blue"]
    with psycopg.connect(pair.second.dsn(tcp=True)) as second:
        assert second.execute("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)").fetchone() == ("00000002",)


def test_who_opens_a_memory_finds_whichever_server_takes_writes(pair: Pair) -> None:
    other_way = pair.dsn.replace(f"127.0.0.1:{pair.first.port},", "").replace(
        f"{pair.second.port}", f"{pair.second.port},127.0.0.1:{pair.first.port}"
    )
    Memory.open(other_way).close()
    with pytest.raises(StoreUnavailable):
        Memory.open(pair.second.dsn(tcp=True, target_session_attrs="read-write", connect_timeout="2"))
    with pytest.raises(StoreUnavailable, match="standby"):
        Memory.open(pair.second.dsn(tcp=True))
    pair.fail_over()
    for dsn, what in ((pair.dsn, "the pump is blue"), (other_way, "the gate is red")):
        with Memory.open(dsn) as memory:
            assert memory.remember(what).committed


@pytest.mark.sampled(1)
@pytest.mark.parametrize("end", ["pg_cancel_backend", "pg_terminate_backend"])
def test_what_only_the_first_server_has_is_not_acknowledged_however_its_waiting_ends(pair: Pair, end: str) -> None:
    """A server that is told to stop waiting for its copy says "done" or hangs up. Either way the write is there, on the
    first server alone: it is asked for again until the second has it too."""
    with Memory.open(pair.dsn) as memory, psycopg.connect(pair.first.dsn(), autocommit=True) as watching:
        memory.remember("the pump is blue", proposal_id="p-1")
        pair.second.stop()
        with aside(lambda: memory.remember("the gate is red", proposal_id="p-2")) as asked:
            seen: list[int] = []
            for _ in range(3):
                assert not asked.done()
                seen.append(_next_waiting(watching, seen if end == "pg_terminate_backend" else []))
                watching.execute(f"SELECT {end}(%s)", [seen[-1]])
            pair.second.start()
            assert asked.result(WAIT_S).committed
        pair.fail_over()
        assert_all_once(memory, ["p-1", "p-2"])
        assert len(proposals(memory)) == 2


def _next_waiting(watching: psycopg.Connection[tuple[object, ...]], seen: list[int]) -> int:
    """The process of a server that waits for the copy, once there is one that was not seen before."""
    for _ in range(200_000):
        row = watching.execute(WAITING, [seen]).fetchone()
        if row is not None:
            assert isinstance(row[0], int)
            return row[0]
    raise AssertionError("nothing waits for the copy")


def _ours(server: Server) -> object:
    with psycopg.connect(server.dsn()) as asking:
        row = asking.execute(OURS).fetchone()
        return None if row is None else row[0]
