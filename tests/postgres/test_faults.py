"""Faults of a server in the middle of work: each gives a clear error or is got over, nothing is half-written, and no
connection is left over."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from tests.patience import WAIT_S
from tests.postgres.crew import assert_all_once, proposals
from tests.postgres.cutting import Wire
from tests.postgres.server import connect, schema_of, wait_until
from tests.support.postgres import SMALL, Server, started

from muniment import Memory
from muniment.backends.postgres import pool as pools
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.pool import Pool
from muniment.backends.postgres.server import role_name
from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.errors import StoreBusy, StoreFull, StoreUnavailable
from muniment.ports.store import TenantStore, Unit

OTHERS = (
    "FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
)
Looking = psycopg.Connection[tuple[object, ...]]


def options(dsn: str, *settings: str) -> str:
    """The same place, with settings that every connection begins with."""
    return f"{dsn}&options={quote(' '.join(f'-c {one}' for one in settings))}"


def version(dsn: str) -> int:
    """Which PostgreSQL it is, as the server counts: 150018 is 15.18."""
    with connect(dsn) as looking:
        return looking.info.server_version


def others(looking: Looking, condition: str = "true") -> list[object]:
    """The connections beside this one that a test has open, by number."""
    return [pid for (pid,) in looking.execute(f"SELECT pid {OTHERS} AND {condition}".encode())]


@contextmanager
def held(looking: Looking) -> Iterator[None]:
    """Hold the turn of the only tenant for a block, as another writer does that takes its time."""
    with looking.transaction():
        looking.execute("UPDATE tenant_head SET turn = turn")
        yield


@contextmanager
def unharmed(dsn: str, memory: Memory) -> Iterator[Looking]:
    """Something goes wrong in this block; afterwards everything is as before, and one more write is one more entry."""
    before = memory.ledger.head()
    with connect(dsn) as looking:
        yield looking
        assert memory.ledger.head() == before
        assert memory.remember("written after it went wrong", proposal_id="p-after").committed
        assert memory.ledger.head().seq == before.seq + 1
        assert proposals(memory) == ["p-before", "p-after"]
        assert memory.ledger.verify().findings == ()
        wait_until(lambda: others(looking, "state <> 'idle'") == [])
        assert len(others(looking)) <= 3
        memory.close()
        wait_until(lambda: others(looking) == [])


@contextmanager
def opened(dsn: str) -> Iterator[Memory]:
    with Memory.open(dsn, embedder=None) as memory:
        memory.remember("written before it went wrong", proposal_id="p-before")
        yield memory


def make_tables(dsn: str) -> None:
    """Without the bounds of a test: on a slow machine it takes longer than they allow."""
    PostgresVault(dsn).close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("limit", ["statement_timeout=1500ms", "lock_timeout=150ms", "transaction_timeout=1500ms"])
def test_a_write_that_takes_longer_than_the_server_allows_is_refused_whole(dsn: str, limit: str) -> None:
    if limit.startswith("transaction_timeout") and version(dsn) < 170_000:
        pytest.skip("a transaction can be bounded from PostgreSQL 17 on")
    make_tables(dsn)
    with opened(options(dsn, limit)) as memory, unharmed(dsn, memory) as looking, held(looking):
        with pytest.raises(StoreBusy) as refused:
            memory.remember("it takes too long", proposal_id="p-late")
        assert "pg_stat_activity" in refused.value.hint


def test_a_write_that_is_cancelled_at_the_server_is_refused_whole(dsn: str) -> None:
    with opened(dsn) as memory, unharmed(dsn, memory) as looking, ThreadPoolExecutor(1) as pool, held(looking):
        asked = pool.submit(memory.remember, "it is cancelled", proposal_id="p-cancelled")
        wait_until(lambda: others(looking, "wait_event_type = 'Lock'") != [])
        looking.execute(f"SELECT pg_cancel_backend(pid) {OTHERS} AND wait_event_type = 'Lock'".encode())
        with pytest.raises(StoreBusy, match="cancelled"):
            asked.result(WAIT_S)


def test_a_writer_that_was_stopped_with_the_turn_in_its_hands_holds_others_up_for_a_bounded_time(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where neither the server nor the address has a bound, we have one."""
    bounds = {"lock_timeout": "100ms", "idle_in_transaction_session_timeout": "200ms"}
    monkeypatch.setattr(pools, "_BOUNDS", {name: f"SET LOCAL {name} = '{most}'" for name, most in bounds.items()})
    first, second = PostgresVault(dsn), PostgresVault(f"{dsn}&keepalives=1")
    stopped, writing = first.open("acme", create=True), second.open("acme", create=False)
    inside, go_on = threading.Event(), threading.Event()

    def stop(unit: Unit) -> None:
        inside.set()
        assert go_on.wait(WAIT_S)

    with ThreadPoolExecutor(1) as pool, connect(dsn) as looking:
        holding = pool.submit(stopped.write, stop)
        assert inside.wait(WAIT_S)
        wait_until(lambda: _comes_through(writing))
        wait_until(lambda: others(looking, "state = 'idle in transaction'") == [])
        go_on.set()
        holding.result(WAIT_S)
    first.close()
    second.close()


def _comes_through(store: TenantStore) -> bool:
    try:
        return store.write(lambda unit: True)
    except StoreBusy:
        return False


def test_a_warning_of_anything_else_than_the_commit_changes_nothing(bare_dsn: str) -> None:
    with opened(bare_dsn) as memory, connect(bare_dsn) as looking:
        looking.execute(
            "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE WARNING 'vacuum soon'; RETURN NEW; END $$"
        )
        looking.execute("CREATE TRIGGER warns BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION warn()")
        before = memory.ledger.head().seq
        pids = others(looking)
        assert memory.remember("it is warned of", proposal_id="p-warned").committed
        assert memory.ledger.head().seq == before + 1
        assert others(looking) == pids, "it was kept at the first attempt"


def test_who_is_interrupted_leaves_nothing_behind_and_holds_nobody_up(dsn: str) -> None:
    """Control-C in the middle of a write, while another thread of the process waits for its turn."""
    main = threading.get_ident()
    patient = options(dsn, f"lock_timeout={WAIT_S}s")  # a writer waits longer than a slow machine takes to interrupt it
    with opened(patient) as memory, connect(dsn) as looking, connect(dsn) as own, ThreadPoolExecutor(2) as pool:
        before = memory.ledger.head().seq

        def interrupt() -> None:
            wait_until(lambda: others(own, "wait_event_type = 'Lock'") != [])
            signal.pthread_kill(main, signal.SIGINT)

        with held(looking):
            interrupting = pool.submit(interrupt)
            with pytest.raises(KeyboardInterrupt):
                memory.remember("it is interrupted", proposal_id="p-interrupted")
            interrupting.result(WAIT_S)
            own.close()
            waiting = pool.submit(memory.remember, "it is not", proposal_id="p-waiting")
        assert waiting.result(WAIT_S).committed
        assert memory.ledger.head().seq == before + 1
        assert proposals(memory) == ["p-before", "p-waiting"]
        wait_until(lambda: others(looking, "state <> 'idle'") == [])
        memory.close()
        wait_until(lambda: others(looking) == [])


def test_connections_that_are_ended_at_any_moment_cost_nothing_but_time(dsn: str) -> None:
    """Whenever one of four writers has written, everybody's connection is ended, wherever the other three are."""
    written = threading.Semaphore(0)

    def end_all() -> int:
        with connect(dsn) as own:
            ended = 0
            for _ in range(16):
                assert written.acquire(timeout=WAIT_S)
                ended += len(own.execute(f"SELECT pg_terminate_backend(pid) {OTHERS}".encode()).fetchall())
        return ended

    with Memory.open(f"{dsn}&patience=100", embedder=None) as memory, ThreadPoolExecutor(5) as pool:
        ending = pool.submit(end_all)
        writers = [pool.submit(_write_some, memory, f"w{number}", written) for number in range(4)]
        told = [one for writer in writers for one in writer.result(WAIT_S)]
        assert ending.result(WAIT_S) > 0, "no connection was ended"
        assert_all_once(memory, told)
        assert len(proposals(memory)) == len(told) == 24


def _write_some(memory: Memory, name: str, written: threading.Semaphore) -> list[str]:
    told = [f"p-{name}-{number}" for number in range(6)]
    for proposal in told:
        assert memory.remember(f"note {proposal}", proposal_id=proposal).committed
        written.release()
    return told


def test_a_write_whose_end_nobody_heard_says_so_and_happens_once_when_it_is_sent_again() -> None:
    """The wire breaks after each message of a commit in turn, and whoever wrote has no patience to look again."""
    with (
        started(durable=False) as server,
        TemporaryDirectory(prefix="mw-") as near,
        Wire(Path(near), server.folder) as wire,
        Memory.open(f"postgresql://postgres@/postgres?host={quote(near)}&patience=0", embedder=None) as memory,
    ):
        store = memory._session.tenant.store
        assert isinstance(store, PostgresTenant)
        store._feed._teller.close()  # its own commits would break the wire before the write's do
        kept = []
        for number in range(4):
            wire.break_after_saying(b"\0COMMIT\0", then=number)
            said = _refusal(memory, number)
            assert "may have been kept" in said
            assert "same proposal_id" in said
            kept.append(f"p-{number}" in proposals(memory))
            assert memory.remember(f"broken after {number}", proposal_id=f"p-{number}").committed
        assert kept == [False, False, False, True], "it is kept as soon as the server is told to run it"
        assert proposals(memory) == [f"p-{number}" for number in range(4)]
        assert memory.ledger.verify().findings == ()


def test_a_recall_is_answered_wherever_the_wire_breaks() -> None:
    """Before its moment is fixed, while it reads, and while its receipt is written: it is read anew, and told once."""
    with (
        started(durable=False) as server,
        TemporaryDirectory(prefix="mw-") as near,
        Wire(Path(near), server.folder) as wire,
        Memory.open(f"postgresql://postgres@/postgres?host={quote(near)}&patience=100", embedder=None) as memory,
    ):
        kept = memory.remember("The north gate sticks in winter", evidence=["log:1"]).record_id
        broken = []
        for messages in (0, 2, 5, 9, 14, 20, 40, 70):
            wire.break_after(messages)
            assert [one.record.id for one in memory.recall("which gate sticks?").records] == [kept]
            wire.mend()
            broken.append(wire.broken)
        assert broken[:6] == [1, 2, 3, 4, 5, 6], "each of these is within a recall"
        told = list(memory.ledger.receipts())
        assert len(told) == len(broken)
        assert memory.ledger.verify().findings == ()


def _refusal(memory: Memory, number: int) -> str:
    """What is said when a write is not acknowledged; nothing if it is."""
    try:
        memory.remember(f"broken after {number}", proposal_id=f"p-{number}")
    except StoreUnavailable as error:
        return f"{error} {error.hint}"
    return ""


def test_a_server_that_hangs_up_on_a_write_that_thinks_for_long_is_asked_again(dsn: str) -> None:
    """Only the first time it thinks for too long; a busy machine may make it do so once more."""
    make_tables(dsn)
    vault = PostgresVault(options(dsn, "idle_in_transaction_session_timeout=500ms"))
    store = vault.open("acme", create=True)
    runs: list[int] = []

    with connect(dsn) as looking:

        def think(unit: Unit) -> int:
            if not runs:
                wait_until(lambda: others(looking, "state = 'idle in transaction'") == [])
            runs.append(len(runs))
            return len(runs)

        assert store.write(think) == len(runs)
    assert len(runs) > 1
    vault.close()


def test_a_server_that_was_restarted_is_found_at_once() -> None:
    with started(durable=False) as server, opened(server.dsn(patience="0")) as memory:
        for number in range(3):
            server.restart()
            assert memory.remember(f"after restart {number}").committed
            server.restart()
            assert memory.recall("restart").records


def test_a_server_that_takes_no_more_connections_is_busy_and_reading_goes_on() -> None:
    few = SMALL | {"max_connections": "6", "superuser_reserved_connections": "0"}
    with started(durable=False, settings=few) as server:
        vault = PostgresVault(server.dsn(patience="1"))
        store = vault.open("acme", create=True)
        with ExitStack() as crowd:
            for _ in range(6 - vault.pool.idle()):
                wait_until(lambda: _joined(crowd, server))
            with store.read():
                with pytest.raises(StoreBusy, match="no more connections"), store.read():
                    pass
                assert vault.pool.idle() == 0
            assert store.marks() == (0, 0, 0)
        with store.read(), store.read():
            pass
        assert vault.pool.idle() == 2
        vault.close()


def _joined(crowd: ExitStack, server: Server) -> bool:
    """Whether there was a place for one more; one that was given up is free as soon as the server has seen it."""
    try:
        crowd.enter_context(psycopg.connect(server.dsn()))
    except psycopg.OperationalError:
        return False
    return True


def test_who_finds_no_connection_of_its_own_process_free_is_told_so(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "WAIT_S", 0.05)
    pool = Pool(DatabaseAddress.parse(dsn), most=1)
    with pool.lend(), pytest.raises(StoreBusy, match="in use"), pool.lend():
        pass
    with pool.lend() as connection:
        assert connection.execute(b"SELECT 7").fetchone() == (7,)
    pool._drop_idle()


def test_connections_that_nobody_needs_are_closed(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(DatabaseAddress.parse(dsn))
    with pool.lend(), pool.lend(), pool.lend():
        pass
    assert pool.idle() == 3
    monkeypatch.setattr(pools, "IDLE_S", -1.0)
    with pool.lend():
        pass
    assert pool.idle() == 1
    pool._drop_idle()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("table", ["entries", "documents", "postings", "proposals"])
def test_a_role_that_has_lost_a_right_writes_nothing_at_all(bare_dsn: str, table: str) -> None:
    with opened(bare_dsn) as memory, unharmed(bare_dsn, memory) as looking:
        names = (sql.Identifier(table), sql.Identifier(role_name(schema_of(bare_dsn), "writer")))
        looking.execute(sql.SQL("REVOKE INSERT ON {} FROM {}").format(*names))
        with pytest.raises(StoreUnavailable, match="no right") as refused:
            memory.remember("it may not be written", proposal_id="p-refused")
        assert "writer role" in refused.value.hint
        looking.execute(sql.SQL("GRANT INSERT ON {} TO {}").format(*names))


@pytest.mark.slow
def test_a_server_that_no_longer_takes_writes_is_read_from_and_another_is_looked_for() -> None:
    with started(durable=False) as server, opened(server.dsn(patience="1")) as memory:
        with psycopg.connect(server.dsn(application_name="muniment"), autocommit=True) as looking:
            looking.execute("ALTER ROLE postgres SET default_transaction_read_only = on")
            looking.execute(f"SELECT pg_terminate_backend(pid, 10000) {OTHERS}".encode())
            with pytest.raises(StoreUnavailable, match="read-only") as refused:
                memory.remember("it may not be written", proposal_id="p-refused")
            assert "target_session_attrs" in refused.value.hint
            assert proposals(memory) == ["p-before"]
            looking.execute("SET default_transaction_read_only = off")
            looking.execute("ALTER ROLE postgres RESET default_transaction_read_only")
        assert memory.remember("it may be written", proposal_id="p-after").committed
        assert proposals(memory) == ["p-before", "p-after"]


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A disk of its own that is soon full. Only who may mount has one."""
    with TemporaryDirectory(prefix="mdisk-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0777", "tmpfs", folder], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            pytest.skip("nobody but root can have a disk of its own here")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def test_a_full_disk_keeps_what_was_written_and_says_so_and_writing_goes_on_when_there_is_room() -> None:
    with small_disk("48m") as disk, started(durable=False) as server:
        with psycopg.connect(server.dsn(), autocommit=True) as making:
            place = _own_folder(disk, server)
            making.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(str(place)))
            making.execute("CREATE DATABASE little TABLESPACE small TEMPLATE template0")
        with Memory.open(server.dsn("little"), embedder=None) as memory:
            ballast = disk / "ballast"
            memory.remember("written while there was room", proposal_id="p-0")
            _fill(ballast)
            told = ["p-0"]
            with pytest.raises(StoreFull, match="no room left"):
                _write_until_full(memory, told)
            assert proposals(memory) == told
            assert memory.ledger.verify().findings == ()
            ballast.unlink()
            _write_much(memory, len(told))
            assert_all_once(memory, [*told, f"p-{len(told)}"])
            assert memory._session.tenant.store.integrity() == ()


def _own_folder(disk: Path, server: Server) -> Path:
    """A folder on a disk that belongs to whom the server runs as."""
    place = disk / "tables"
    place.mkdir(mode=0o700)
    owner = server.tables.stat()
    subprocess.run(["chown", f"{owner.st_uid}:{owner.st_gid}", str(place)], check=True)
    return place


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(65_536))
        except OSError:
            return


def _write_until_full(memory: Memory, told: list[str]) -> None:
    for number in range(1, 400):
        _write_much(memory, number)
        told.append(f"p-{number}")


def _write_much(memory: Memory, number: int) -> None:
    words = " ".join(f"valve{number}x{word}" for word in range(400))
    memory.remember(words, proposal_id=f"p-{number}")
