"""Many processes and threads on one database at once: one chain a tenant, nothing lost, nobody in anybody's way."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.queues import SimpleQueue

import psycopg
import pytest
from psycopg import sql
from tests.patience import WAIT_S
from tests.postgres.crew import Signs, assert_all_once, crew, proposals
from tests.postgres.server import connect
from tests.scope import LONG
from tests.support.postgres import SMALL, started

from muniment import Memory
from muniment.backends.postgres.vault import PostgresVault
from muniment.engine.notebook import Notebook
from muniment.model.errors import CallerError, NotFound, StoreUnavailable
from muniment.model.note import NoteDraft
from muniment.ports.store import TenantStore, Unit

PROCESSES = 8
WRITES = 12
CLIENTS = 64
MIXED_S = 60.0 if LONG else 4.0
CALLS = ("remember", "recall", "revise", "forget", "retract", "attune", "note")
WRITTEN = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"


def write_some(dsn: str, tenant: str, name: str, signs: Signs) -> list[str]:
    """Write as fast as it goes, begun when all are ready; the proposals that were acknowledged."""
    with Memory.open(dsn, tenant=tenant, embedder=None) as memory:
        signs.together()
        for number in range(WRITES):
            assert memory.remember(f"note {number} of {name}", proposal_id=f"{name}-{number}").committed
    return [f"{name}-{number}" for number in range(WRITES)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("tenants", [1, PROCESSES])
def test_eight_processes_at_once_write_one_chain_a_tenant_and_lose_nothing(dsn: str, tenants: int) -> None:
    names = [f"tenant-{number % tenants}" for number in range(PROCESSES)]
    for name in set(names):
        Memory.open(dsn, tenant=name, embedder=None).close()
    with crew(PROCESSES) as workers:
        tasks = [workers.start(partial(write_some, dsn, name, f"w{at}")) for at, name in enumerate(names)]
        told = [task.result(WAIT_S) for task in tasks]
    for name in set(names):
        mine = [one for at, of in enumerate(names) if of == name for one in told[at]]
        with Memory.open(dsn, tenant=name, embedder=None) as memory:
            assert_all_once(memory, mine)
            assert len(proposals(memory)) == len(mine) == WRITES * PROCESSES // tenants


def propose_the_same(dsn: str, signs: Signs) -> list[tuple[bool, str | None]]:
    with Memory.open(dsn, embedder=None) as memory:
        signs.together()
        verdicts = [memory.remember(f"fact {number}", proposal_id=f"p-{number}") for number in range(WRITES)]
    return [(verdict.committed, verdict.record_id) for verdict in verdicts]


def test_a_proposal_that_all_processes_make_at_once_is_one_record_and_one_answer(dsn: str) -> None:
    Memory.open(dsn, embedder=None).close()
    with crew(PROCESSES) as workers:
        tasks = [workers.start(partial(propose_the_same, dsn)) for _ in range(PROCESSES)]
        answers = [task.result(WAIT_S) for task in tasks]
    assert all(answer == answers[0] for answer in answers)
    assert all(committed for committed, _ in answers[0])
    with Memory.open(dsn, embedder=None) as memory:
        assert sorted(proposals(memory)) == sorted(f"p-{number}" for number in range(WRITES))
        assert len(memory.recall("fact", limit=50).records) == WRITES
        assert memory.ledger.verify().findings == ()


class Mixed:
    """A client that does one of everything, again and again, on records that others change at the same time."""

    def __init__(self, memory: Memory, name: str) -> None:
        self.memory = memory
        self.name = name
        self.done: Counter[str] = Counter()
        self._rng = random.Random(name)
        self._notebook = Notebook.of(memory)

    def work(self, until: float) -> None:
        number = 0
        while number == 0 or time.monotonic() < until:
            call = self._rng.choice(CALLS)
            try:
                self._call(call, number)
            except CallerError as error:  # the record was revised or forgotten by somebody else meanwhile
                self.done[error.code] += 1
            self.done[call] += 1
            number += 1

    def _call(self, call: str, number: int) -> None:
        words = f"{self.name} saw valve {self._rng.randrange(40)} at {number}"
        match call:
            case "remember":
                self.memory.remember(words)
            case "recall":
                self.memory.recall(f"valve {self._rng.randrange(40)}", limit=5)
            case "attune":
                self.memory.attune(role="engineer", interests=("valve",), limit=5)
            case "note":
                jot = NoteDraft(topic="agents", key=self.name, body=f'{{"at": {number}}}')
                self._notebook.turn("owner", lambda pages: ([jot], None))
            case "revise":
                self.memory.revise(self._any(), words)
            case "retract":
                self.memory.review.retract(self._any(), reason="seen wrongly")
            case "forget":
                self.memory.forget(self._any(), reason="asked to")

    def _any(self) -> str:
        found = self.memory.recall("valve", limit=10).records
        if not found:
            raise NotFound("record", "any")
        return found[self._rng.randrange(len(found))].record.id


def work_mixed(dsn: str, name: str, clients: int, signs: Signs) -> Counter[str]:
    with Memory.open(dsn, embedder=None) as memory, ThreadPoolExecutor(clients) as pool:
        mixed = [Mixed(memory, f"{name}x{number}") for number in range(clients)]
        signs.together()
        until = time.monotonic() + MIXED_S
        for task in [pool.submit(one.work, until) for one in mixed]:
            task.result(MIXED_S + WAIT_S)
    return sum((one.done for one in mixed), Counter())


@pytest.mark.slow
def test_sixty_four_clients_that_do_everything_at_once_meet_no_failure(dsn: str) -> None:
    with Memory.open(dsn, embedder=None) as memory:
        for number in range(20):
            memory.remember(f"valve {number} is shut")
    with crew(4) as workers:
        share = CLIENTS // workers.size
        tasks = [workers.start(partial(work_mixed, dsn, f"m{at}", share)) for at in range(workers.size)]
        done = sum((task.result(MIXED_S + 2 * WAIT_S) for task in tasks), Counter[str]())
    assert set(CALLS) <= set(done) <= {*CALLS, "not_found", "stale"}
    with Memory.open(dsn, embedder=None) as memory:
        assert memory.ledger.verify().findings == ()
        assert memory._session.tenant.store.integrity() == ()


def test_a_process_that_was_forked_is_refused_what_was_opened_before_and_may_open_its_own(dsn: str) -> None:
    """It has the very sockets of the first: each would take the other's answers for its own."""
    context = multiprocessing.get_context("fork")
    with Memory.open(dsn, embedder=None) as memory:
        memory.remember("the pump is blue", proposal_id="p-1")
        told = context.SimpleQueue()
        child = context.Process(target=_forked, args=(memory, dsn, told))
        child.start()
        child.join(WAIT_S)
        assert child.exitcode == 0
        assert told.get() == ("store_unavailable", ["the pump is blue"])
        assert memory.remember("the gate is red", proposal_id="p-2").committed
        assert proposals(memory) == ["p-1", "p-2"]


def _forked(memory: Memory, dsn: str, told: SimpleQueue[tuple[str, list[str]]]) -> None:
    code = ""
    try:
        memory.recall("pump")
    except StoreUnavailable as error:
        code = error.code
    with Memory.open(dsn, embedder=None) as own:
        told.put((code, [found.record.content for found in own.recall("pump").records]))


def test_a_read_does_not_wait_for_a_write_that_is_under_way(dsn: str) -> None:
    vault, other = PostgresVault(dsn), PostgresVault(dsn)
    store, reader = vault.open("acme", create=True), other.open("acme", create=False)
    inside, go_on = threading.Event(), threading.Event()

    def hold(unit: Unit) -> int:
        inside.set()
        assert go_on.wait(WAIT_S)
        return 7

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(store.write, hold)
        assert inside.wait(WAIT_S)
        for one in (store, reader):
            with one.read() as snapshot:
                assert snapshot.ledger.head() is None
            assert one.marks() == (0, 0, 0)
        assert not writing.done()
        go_on.set()
        assert writing.result(WAIT_S) == 7
    vault.close()
    other.close()


def test_reading_writes_nothing_and_a_recall_its_receipt_alone() -> None:
    """A thousand reads of every sort leave the server's log where it was."""
    with (
        started(durable=False, settings=SMALL | {"autovacuum": "off"}) as server,
        Memory.open(server.dsn(), embedder=None) as memory,
        connect(server.dsn(schema="muniment")) as looking,
    ):
        for number in range(30):
            memory.remember(f"valve {number} of the harbour is shut", proposal_id=f"p-{number}")
        record = memory.recall("valve").records[0].record.id
        store = memory._session.tenant.store
        rows = _rows(looking)
        moved = [_moved(looking, store, record) for _ in range(3)]
        assert 0 in moved, "whoever comes first after a write tidies up, and others are told of it; then nothing moves"
        before = looking.execute(WRITTEN).fetchone()
        memory.recall("valve")
        after = _rows(looking)
        assert {table: after[table] - rows[table] for table in rows if after[table] != rows[table]} == {"receipts": 1}
        assert looking.execute(WRITTEN).fetchone() != before


def _moved(looking: psycopg.Connection[tuple[object, ...]], store: TenantStore, record: str) -> int:
    """By how much a thousand reads move the end of the server's log."""
    before = looking.execute(WRITTEN).fetchone()
    for _ in range(100):
        _read_everything(store, record)
    after = looking.execute(WRITTEN).fetchone()
    assert before is not None
    assert after is not None
    return int(str(after[0])) - int(str(before[0]))


def _read_everything(store: TenantStore, record: str) -> None:
    with store.read() as snapshot:
        head = snapshot.ledger.head()
        assert head is not None
        assert snapshot.ledger.entry(head.seq) is not None
        card = snapshot.catalogue.current(record)
        assert card is not None
        assert snapshot.catalogue.twin(b"nothing like it") is None
        words = snapshot.lexicon.tokens("valve")
        assert list(snapshot.lexicon.holding(words).values()) == [30]
        assert snapshot.lexicon.near(("valve", "harbour"), keep=3)
        assert snapshot.desk.proposal("p-7") is not None
        assert snapshot.links.of((card.rid,)) == ()
        assert snapshot.names.mentions((card.rid,)) is not None
        assert snapshot.documents.get(1) is not None
    assert store.marks()[0] == head.seq


def _rows(looking: psycopg.Connection[tuple[object, ...]]) -> dict[str, int]:
    """How many rows each table of the schema has."""
    names = [str(name) for (name,) in looking.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'muniment'")]
    counted = (looking.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))) for name in names)
    return {name: int(str(row[0])) for name, found in zip(names, counted, strict=True) for row in found}
