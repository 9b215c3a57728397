"""Processes that share a database learn of each other's writes: at once by a hint, and without one by looking."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from time import monotonic

import msgspec
import psycopg
import pytest
from tests.patience import WAIT_S
from tests.postgres.otherwhere import Elsewhere, elsewhere
from tests.postgres.server import connect, schema_of
from tests.postgres.users import give, user
from tests.surfaces.http.agents import events, number_at, register, socket, socket_url, subscribe
from tests.surfaces.http.conftest import Served, serving

from muniment import Memory
from muniment.backends.embedders.wrapped import Wrapped
from muniment.backends.postgres import change_feed, listener
from muniment.backends.postgres.server import role_name
from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.transaction import tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.config import ServerSettings
from muniment.model.errors import IntegrityError
from muniment.ports.store import Unit
from muniment_store_conformance.makers import append_next, log, make_receipt

TENANT = "acme"
NUMBER = tenant_number(TENANT)
NEVER_S = 3_600.0
STRANGER = "00c0ffee00c0ffee"
LISTENERS = "SELECT pid FROM pg_stat_activity WHERE application_name = %s AND query LIKE 'LISTEN%%'"


@pytest.fixture(scope="module")
def other_process() -> Iterator[Elsewhere]:
    with elsewhere() as found:
        yield found


@pytest.fixture
def other(other_process: Elsewhere, dsn: str) -> Iterator[Elsewhere]:
    """Another process, which has left the test's schema before that is lent to the next."""
    yield other_process
    other_process.leaves()


@pytest.fixture
def hints_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks without a hint."""
    monkeypatch.setattr(listener, "SWEEP_S", NEVER_S)
    monkeypatch.setattr(listener, "LOOK_S", NEVER_S)


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens, and nobody is woken for want of it."""
    monkeypatch.setattr(listener, "SETTLE_S", NEVER_S)


@contextmanager
def opened(dsn: str, tenant: str = TENANT) -> Iterator[PostgresTenant]:
    with closing(PostgresVault(dsn)) as vault:
        yield vault.open(tenant, create=True)


@contextmanager
def watched(store: PostgresTenant) -> Iterator[threading.Event]:
    """Set whenever whoever watches a store is woken; others are heard by now."""
    woken = threading.Event()
    with store.watching(woken.set) as heard:
        assert woken.wait(WAIT_S), "who begins to listen looks once: it has heard nothing of what was before"
        assert heard()
        woken.clear()
        yield woken


@contextmanager
def overhearing(dsn: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with connect(dsn) as connection:
        connection.execute(f'LISTEN "muniment:{schema_of(dsn)}"'.encode())
        yield connection


def told(connection: psycopg.Connection[tuple[object, ...]], last: int) -> list[tuple[int, int]]:
    """Whose ledger moved and how far, as it was told, until it has moved so far."""
    found: list[tuple[int, int]] = []
    while not found or found[-1][1] < last:
        (said,) = connection.notifies(timeout=WAIT_S, stop_after=1)
        number, seq, _ = said.payload.split(" ")
        found.append((int(number), int(seq)))
    return found


def say(dsn: str, *payloads: str) -> None:
    with connect(dsn) as connection:
        for payload in payloads:
            connection.execute("SELECT pg_notify(%s, %s)", [f"muniment:{schema_of(dsn)}", payload])


def application(dsn: str) -> str:
    return dsn.rpartition("application_name=")[2]


def listeners(dsn: str) -> list[tuple[object, ...]]:
    with connect(dsn) as connection:
        return connection.execute(LISTENERS, [application(dsn)]).fetchall()


def hang_up(dsn: str) -> None:
    """End the connection that this process listens on."""
    with connect(dsn) as connection:
        for (pid,) in listeners(dsn):
            assert connection.execute("SELECT pg_terminate_backend(%s, 20000)", [pid]).fetchone() == (True,)


def test_a_burst_is_told_in_few_messages_and_the_last_of_it_always(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_feed, "GATHER_S", 0.5)
    with overhearing(dsn) as connection, opened(dsn) as store:
        for _ in range(40):
            store.write(append_next)
        found = told(connection, 40)
    assert {number for number, _ in found} == {NUMBER}
    assert [seq for _, seq in found] == sorted({seq for _, seq in found})
    assert len(found) < 20


def test_the_last_words_are_told_before_a_store_is_closed(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_feed, "GATHER_S", NEVER_S)
    with overhearing(dsn) as connection:
        with opened(dsn) as store:
            store.write(append_next)
        assert told(connection, 1) == [(NUMBER, 1)]


def test_what_does_not_move_the_ledger_is_not_told(dsn: str) -> None:
    def undone(unit: Unit) -> None:
        append_next(unit)
        raise IntegrityError("no")

    with overhearing(dsn) as connection, opened(dsn) as store:
        store.write(log(make_receipt(1)))
        with pytest.raises(IntegrityError):
            store.write(undone)
        with opened(dsn, "beta") as second:
            second.write(append_next)
        assert told(connection, 1) == [(tenant_number("beta"), 1)]


@pytest.mark.usefixtures("hints_only")
def test_who_watches_is_woken_by_what_another_process_writes(dsn: str, other: Elsewhere) -> None:
    other.remembers(dsn, TENANT, "The gate is open")
    with opened(dsn) as store, watched(store) as woken:
        before = store.marks()[0]
        other.remembers(dsn, TENANT, "The gate is shut")
        assert woken.wait(WAIT_S)
        assert store.marks()[0] > before


@pytest.mark.usefixtures("hints_only")
def test_who_watches_is_woken_by_what_this_process_writes_before_the_writer_goes_on(dsn: str) -> None:
    with opened(dsn) as store, watched(store) as woken, opened(dsn) as again:
        again.write(append_next)
        assert woken.is_set()


@pytest.mark.usefixtures("hints_only")
def test_what_is_no_news_or_of_another_tenant_wakes_nobody(dsn: str) -> None:
    with opened(dsn) as store, watched(store) as woken, opened(dsn, "beta") as second:
        seen = threading.Event()
        with second.watching(seen.set):
            say(dsn, "", "news", f"{NUMBER}", f"{NUMBER} -1 {STRANGER}", f"{NUMBER} 1 {STRANGER} 2", "9" * 4_000)
            say(dsn, f"{tenant_number('beta')} 7 {STRANGER}")
            assert seen.wait(WAIT_S)
            assert not woken.is_set()
            say(dsn, f"{NUMBER} 7 {STRANGER}")
            assert woken.wait(WAIT_S)


@pytest.mark.usefixtures("hints_only")
def test_a_lost_connection_is_made_anew_and_whoever_watches_looks(dsn: str) -> None:
    with opened(dsn) as store:
        woken = threading.Event()
        with store.watching(woken.set) as heard:
            assert woken.wait(WAIT_S)
            for _ in range(3):
                hang_up(dsn)
                woken.clear()
                while not heard():
                    assert woken.wait(WAIT_S)
                    woken.clear()
            woken.clear()
            say(dsn, f"{NUMBER} 7 {STRANGER}")
            assert woken.wait(WAIT_S)


@contextmanager
def alone(dsn: str) -> Iterator[str]:
    """The address of a user who may have one connection and no more."""
    with user(dsn, "CONNECTION LIMIT 1") as name:
        give(dsn, "GRANT {writer} TO {name}", writer=role_name(schema_of(dsn), "writer"), name=name)
        yield f"{dsn}&user={name}"


def test_who_cannot_listen_is_woken_to_look_for_itself(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "SETTLE_S", 0.0)
    monkeypatch.setattr(listener, "LOOK_S", 0.05)
    with opened(dsn) as writer, alone(dsn) as address, opened(address) as store:
        woken = threading.Event()
        with store.watching(woken.set) as heard:
            for seq in (1, 2, 3):
                writer.write(append_next)
                while store.marks()[0] < seq or not woken.is_set():
                    assert woken.wait(WAIT_S)
                woken.clear()
                assert not heard()


def test_nobody_listens_and_no_thread_is_left_once_all_is_closed(dsn: str) -> None:
    before = set(threading.enumerate())
    with opened(dsn) as store, watched(store):
        store.write(append_next)
        assert len(listeners(dsn)) == 1
        begun = {one.name for one in set(threading.enumerate()) - before}
        assert {"muniment-hearing", "muniment-telling"} <= begun
    assert not {"muniment-hearing", "muniment-telling"} & {one.name for one in set(threading.enumerate()) - before}
    until = monotonic() + WAIT_S
    while listeners(dsn):
        assert monotonic() < until, "a connection was left behind"


class Reader:
    """A model that says what it was given to read."""

    def __init__(self) -> None:
        self._texts: dict[str, threading.Event] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        for text in texts:
            self._of(text).set()
        return [[1.0, float(len(text))] for text in texts]

    def has_read(self, text: str) -> bool:
        return self._of(text).wait(WAIT_S)

    def knows(self, text: str) -> bool:
        return self._of(text).is_set()

    def _of(self, text: str) -> threading.Event:
        return self._texts.setdefault(text, threading.Event())


@pytest.mark.usefixtures("hints_only")
def test_vectors_are_made_here_of_what_another_process_wrote(dsn: str, other: Elsewhere) -> None:
    reader = Reader()
    with Memory.open(dsn, tenant=TENANT, embedder=Wrapped("toy", reader)) as memory:
        for words in ("The mill stands still", "The mill turns", "The mill is sold"):
            other.remembers(dsn, TENANT, words)
            assert reader.has_read(words)
        assert memory.flush(timeout=WAIT_S).model is not None
        assert {one.record.content for one in memory.recall("mill").records} == {
            "The mill stands still",
            "The mill turns",
            "The mill is sold",
        }


@pytest.mark.usefixtures("deaf")
def test_when_the_maker_of_vectors_dies_another_takes_over_without_being_told(dsn: str) -> None:
    reader = Reader()
    with Memory.open(dsn, tenant=TENANT, embedder=None) as memory:
        memory.remember("The mill stands still")
    with opened(dsn) as dead, connect(dsn) as connection:
        assert dead.vectors.claim()
        with Memory.open(dsn, tenant=TENANT, embedder=Wrapped("toy", reader)) as memory:
            until = monotonic() + WAIT_S
            while connection.execute("SELECT upto FROM reaches WHERE xmax <> 0").fetchone() != (0,):
                assert monotonic() < until, "a claim that is refused has locked the row"
            connection.execute("UPDATE reaches SET until = now() - interval '1 second'")
            assert reader.has_read("The mill stands still")
            assert memory.flush(timeout=WAIT_S).model is not None


@pytest.mark.usefixtures("hints_only")
def test_two_models_do_not_take_each_others_vectors_away_when_a_third_process_writes(
    dsn: str, other: Elsewhere
) -> None:
    former, latter = Reader(), Reader()
    with Memory.open(dsn, tenant=TENANT, embedder=Wrapped("former", former)) as memory:
        memory.remember("The mill stands still")
        assert former.has_read("The mill stands still")
        memory.flush(timeout=WAIT_S)
        with Memory.open(dsn, tenant=TENANT, embedder=Wrapped("latter", latter)):
            assert latter.has_read("The mill stands still")
            for words in ("The mill turns", "The mill is sold"):
                other.remembers(dsn, TENANT, words)
                assert latter.has_read(words)
            assert not former.knows("The mill turns")
            memory.remember("The mill burns")
            assert former.has_read("The mill turns"), "who writes here begins anew with the model that is used here"


@contextmanager
def served(dsn: str, **said: object) -> Iterator[Served]:
    plain = {"vault": dsn, "tenant": TENANT, "port": 0, "embedder": "none", "log_level": "error"}
    with serving(msgspec.convert({**plain, **said}, ServerSettings)) as server:
        yield server


@pytest.mark.parametrize("way", ["socket", "events"])
@pytest.mark.usefixtures("hints_only")
def test_a_stream_of_this_server_tells_what_another_process_wrote(dsn: str, other: Elsewhere, way: str) -> None:
    silent = {"watch_ms": 600_000, "recheck_seconds": 300.0, "heartbeat_seconds": 300.0}
    with served(dsn, **silent) as server, server.client() as client, ExitStack() as stack:
        register(client, "ben")
        after = number_at(subscribe(client, "ben"), "epoch")
        if way == "socket":
            line, _ = stack.enter_context(socket(socket_url(server.url, agent_id="ben", after=after)))
        else:
            line = stack.enter_context(events(client, f"/v1/events?agent_id=ben&after={after}"))
        line.next()
        other.remembers(dsn, TENANT, "The ferry is late")
        assert len(line.units(1)) == 1, "by a hint, or when the server had begun to listen"
        other.remembers(dsn, TENANT, "The ferry is there")
        assert len(line.units(2)) == 2


@pytest.mark.usefixtures("deaf")
def test_a_stream_whose_server_cannot_be_told_finds_out_by_looking(dsn: str, other: Elsewhere) -> None:
    with served(dsn, recheck_seconds=300.0, heartbeat_seconds=300.0) as server, server.client() as client:
        register(client, "ben")
        after = number_at(subscribe(client, "ben"), "epoch")
        with socket(socket_url(server.url, agent_id="ben", after=after)) as (line, _):
            line.next()
            other.remembers(dsn, TENANT, "The ferry is late")
            assert len(line.units(1)) == 1
