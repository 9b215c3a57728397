"""Who makes vectors has a lease, never waits for writers, and never gives back what was erased."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import psycopg
import pytest
from tests.patience import WAIT_S
from tests.postgres.server import connect

from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.transaction import tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.backends.sqlite.store import SqliteVault
from muniment.model.errors import Malformed, MunimentError, StoreBusy
from muniment.model.rows import VectorCoverage, VectorRow
from muniment_store_conformance.makers import append_next, make_card, make_plan, project

TENANT = "acme"
NUMBER = tenant_number(TENANT)
MODEL = "pairs@1"
EAST, NORTH = struct.pack("<2f", 1.0, 0.0), struct.pack("<2f", 0.0, 1.0)


@pytest.fixture
def store(dsn: str) -> Iterator[PostgresTenant]:
    """A tenant of two revisions, each born in an entry of its own."""
    vault = PostgresVault(dsn)
    made = vault.open(TENANT, create=True)
    for rid in (1, 2):
        made.write(append_next)
        made.write(project(make_card(rid), texts={rid: "the build is green"}))
    yield made
    vault.close()


@pytest.fixture
def rival(dsn: str) -> Iterator[PostgresTenant]:
    """The same tenant, opened once more."""
    vault = PostgresVault(dsn)
    yield vault.open(TENANT, create=False)
    vault.close()


def row(rid: int, vector: bytes = EAST) -> VectorRow:
    return VectorRow(rid=rid, start=0, end=9, vector=vector)


def begun(store: PostgresTenant) -> None:
    assert store.vectors.claim()
    store.vectors.begin(MODEL, 2)


def near(store: PostgresTenant, vector: bytes = EAST) -> list[int]:
    with store.read() as snapshot:
        plan = make_plan(reach=VectorCoverage(model=MODEL, upto=2))
        return [one.rid for one in snapshot.meanings.search(plan, vector, keep=9)]


def test_one_at_a_time_makes_vectors_until_it_lets_another(store: PostgresTenant, rival: PostgresTenant) -> None:
    assert store.vectors.claim()
    assert store.vectors.claim(), "who has the lease has it again"
    assert not rival.vectors.claim()
    rival.vectors.release()
    assert not rival.vectors.claim(), "only who has the lease gives it back"
    store.vectors.release()
    assert rival.vectors.claim()
    assert not store.vectors.claim()


def test_who_was_not_heard_of_for_long_has_no_lease(dsn: str, store: PostgresTenant, rival: PostgresTenant) -> None:
    begun(store)
    with connect(dsn) as connection:
        connection.execute("UPDATE reaches SET until = now() - interval '1 second'")
    assert rival.vectors.claim()
    with pytest.raises(StoreBusy):
        store.vectors.add([row(1)], upto=1)
    with pytest.raises(StoreBusy):
        store.vectors.begin("other@1", 2)
    assert rival.vectors.reach() == VectorCoverage(model=MODEL, upto=0)
    store.vectors.release()
    rival.vectors.add([row(2, NORTH)], upto=2)
    assert near(store) == [2]


def test_adding_renews_the_lease(dsn: str, store: PostgresTenant, rival: PostgresTenant) -> None:
    begun(store)
    with connect(dsn) as connection:
        connection.execute("UPDATE reaches SET until = now() - interval '1 second'")
        store.vectors.add([row(1)], upto=1)
    assert not rival.vectors.claim()


def test_nothing_is_added_without_a_lease(store: PostgresTenant) -> None:
    with pytest.raises(StoreBusy):
        store.vectors.begin(MODEL, 2)
    with pytest.raises(StoreBusy):
        store.vectors.add([row(1)], upto=1)
    assert store.vectors.reach() == VectorCoverage()


def test_vectors_are_added_while_a_writer_has_the_turn(dsn: str, store: PostgresTenant) -> None:
    begun(store)
    with connect(dsn) as connection, ThreadPoolExecutor(1) as beside:
        connection.execute("BEGIN")
        connection.execute("UPDATE tenant_head SET turn = turn + 1")
        try:
            beside.submit(store.vectors.add, [row(1), row(2)], upto=2).result(timeout=WAIT_S)
        finally:
            connection.execute("ROLLBACK")
    assert near(store) == [2, 1]


def test_what_was_erased_meanwhile_is_not_given_its_vectors_back(dsn: str, store: PostgresTenant) -> None:
    begun(store)
    store.write(lambda unit: unit.drop(1))
    with connect(dsn) as connection:
        connection.execute("DELETE FROM cards WHERE rid = 1")
        store.vectors.add([row(1), row(2)], upto=2)
        assert connection.execute("SELECT rid FROM vectors").fetchall() == [(2,)]
    assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=2)


@pytest.mark.parametrize("known", [True, False], ids=["with a lease", "before there was a lease"])
def test_who_adds_waits_for_who_erases(dsn: str, store: PostgresTenant, known: bool) -> None:
    """The eraser has taken the row and the card, and has not committed. Whoever adds sees the card until then."""
    if known:
        begun(store)
    with connect(dsn) as connection, ThreadPoolExecutor(1) as beside:
        connection.execute("BEGIN")
        connection.execute(
            "INSERT INTO reaches (tenant_id) VALUES (%s) ON CONFLICT (tenant_id) DO UPDATE SET upto = reaches.upto",
            (NUMBER,),
        )
        connection.execute("DELETE FROM cards WHERE rid = 1")
        adding = beside.submit(_add_all, store)
        try:
            assert waits(adding, connection)
        finally:
            connection.execute("COMMIT")
        adding.result(timeout=WAIT_S)
        assert connection.execute("SELECT rid FROM vectors").fetchall() == [(2,)]


def waits(job: Future[None], connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    """Whether a job comes to wait for what this connection holds, rather than being done without it."""
    ends = monotonic() + WAIT_S
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    while not job.done() and monotonic() < ends:
        if connection.execute(waiting).fetchone() is not None:
            return True
    return False


def _add_all(store: PostgresTenant) -> None:
    if store.vectors.reach() == VectorCoverage():
        begun(store)
    store.vectors.add([row(1), row(2)], upto=2)


def test_forgetting_waits_for_who_adds_and_takes_it_away(dsn: str, store: PostgresTenant) -> None:
    begun(store)
    with connect(dsn) as connection, ThreadPoolExecutor(1) as beside:
        connection.execute("BEGIN")
        connection.execute("UPDATE reaches SET upto = 1, hash = (SELECT hash FROM entries WHERE seq = 1)")
        connection.execute(
            "INSERT INTO vectors (tenant_id, rid, start, stop, vector) VALUES (%s, 1, 0, 9, '[1,0]')", (NUMBER,)
        )
        forgetting = beside.submit(store.vectors.forget, [1])
        try:
            assert waits(forgetting, connection)
        finally:
            connection.execute("COMMIT")
        forgetting.result(timeout=WAIT_S)
        assert connection.execute("SELECT rid FROM vectors").fetchall() == []


def test_vectors_of_another_ledger_count_as_none(dsn: str, store: PostgresTenant) -> None:
    begun(store)
    store.vectors.add([row(1), row(2)], upto=2)
    assert near(store) == [2, 1]
    with connect(dsn) as connection:
        connection.execute("UPDATE reaches SET hash = '\\x00'")
    assert store.vectors.reach() == VectorCoverage()
    assert near(store) == []
    begun(store)
    assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=0)
    with connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)


@pytest.mark.parametrize(
    "vector",
    [
        struct.pack("<3f", 1.0, 0.0, 0.0),
        struct.pack("<f", 1.0),
        b"",
        b"\x00" * 7,
        struct.pack("<2f", float("nan"), 0.0),
        struct.pack("<2f", float("inf"), 0.0),
        struct.pack("<2f", 1e6, 0.0),
    ],
    ids=["wider", "narrower", "empty", "torn", "nan", "inf", "too large"],
)
def test_what_is_no_vector_is_refused_and_changes_nothing(store: PostgresTenant, vector: bytes) -> None:
    begun(store)
    store.vectors.add([row(1)], upto=1)
    with pytest.raises(Malformed):
        store.vectors.add([row(2), row(2, vector)], upto=2)
    assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=1)
    assert near(store) == [1]


def test_vectors_up_to_an_entry_that_is_not_there_are_refused(store: PostgresTenant) -> None:
    begun(store)
    with pytest.raises(MunimentError):
        store.vectors.add([row(1)], upto=3)
    assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=0)
    assert near(store) == []


def test_a_question_of_another_width_finds_nothing(store: PostgresTenant) -> None:
    begun(store)
    store.vectors.add([row(1)], upto=1)
    assert near(store, struct.pack("<3f", 1.0, 0.0, 0.0)) == []
    with store.read() as snapshot:
        assert snapshot.meanings.measure([1], struct.pack("<3f", 1.0, 0.0, 0.0)) == {}
        assert list(snapshot.meanings.measure([1], EAST)) == [1]


@pytest.mark.parametrize("dimensions", [0, 16_001])
def test_a_model_too_wide_for_the_server_is_refused_before_anything_is_dropped(
    store: PostgresTenant, dimensions: int
) -> None:
    begun(store)
    store.vectors.add([row(1)], upto=1)
    with pytest.raises(Malformed):
        store.vectors.begin("wide@1", dimensions)
    assert near(store) == [1]


def test_how_near_something_is_is_told_as_by_the_embedded_store_to_the_last_bit(
    store: PostgresTenant, tmp_path: Path
) -> None:
    rng = random.Random(7)
    rows = [row(rid, _random_unit(rng)) for rid in range(1, 41)]
    asked = _random_unit(rng)
    told = []
    embedded = SqliteVault(tmp_path)
    for place in (embedded.open(TENANT, create=True), store):
        place.write(lambda unit: unit.clear_projections())
        for _ in range(40):
            place.write(append_next)
        place.write(project(*(make_card(rid) for rid in range(1, 41)), texts=dict.fromkeys(range(1, 41), "green")))
        assert place.vectors.claim()
        place.vectors.begin(MODEL, 384)
        place.vectors.add(rows, upto=40)
        with place.read() as snapshot:
            plan = make_plan(reach=VectorCoverage(model=MODEL, upto=40))
            searched = snapshot.meanings.search(plan, asked, keep=30)
            told.append((searched, snapshot.meanings.measure(range(50), asked), snapshot.meanings.alike([3, 99, 1])))
    embedded.close()
    assert len(told[0][0]) == 30
    assert told[0] == told[1]


def _random_unit(rng: random.Random) -> bytes:
    numbers = [rng.gauss(0, 1) for _ in range(384)]
    length = math.hypot(*numbers)
    return struct.pack("<384f", *(number / length for number in numbers))


def test_of_very_many_as_near_the_newest_are_found(store: PostgresTenant) -> None:
    more = range(3, 101)
    store.write(project(*(make_card(rid, seq=2) for rid in more), texts=dict.fromkeys(more, "green")))
    begun(store)
    store.vectors.add([row(rid) for rid in range(1, 101)], upto=2)
    assert near(store) == [100, 99, 98, 97, 96, 95, 94, 93, 92]


def test_a_revision_of_very_many_passages_hides_no_other(store: PostgresTenant) -> None:
    begun(store)
    passages = [VectorRow(rid=1, start=spot, end=spot + 1, vector=EAST) for spot in range(200)]
    store.vectors.add([*passages, row(2, NORTH)], upto=2)
    assert near(store) == [1, 2]
    assert len(list(store.vectors.rows(2))) == 201


def test_a_unit_that_writes_has_no_meanings(store: PostgresTenant) -> None:
    begun(store)
    store.vectors.add([row(1)], upto=1)
    plan = make_plan(reach=VectorCoverage(model=MODEL, upto=1))
    told = store.write(
        lambda unit: (
            unit.meanings.reach(),
            unit.meanings.search(plan, EAST, keep=9),
            unit.meanings.measure([1], EAST),
            unit.meanings.alike([1, 2]),
        )
    )
    assert told == (VectorCoverage(), (), {}, ((0.0, 0.0), (0.0, 0.0)))


def test_another_model_of_another_width_takes_the_place_of_one_with_an_index(dsn: str, store: PostgresTenant) -> None:
    begun(store)
    store.vectors.add([row(1), row(2, NORTH)], upto=2)
    with connect(dsn) as connection:
        _give_own_index(connection.cursor().execute, 2)
    assert near(store) == [1, 2]
    store.vectors.begin("triples@1", 3)
    store.vectors.add([row(1, struct.pack("<3f", 0.0, 0.0, 1.0))], upto=2)
    assert near(store) == []
    assert near(store, struct.pack("<3f", 0.0, 0.0, 1.0)) == [1]


def _give_own_index(execute: object, dimensions: int) -> None:
    """What `muniment migrate` does for a large tenant, for a small one."""
    assert callable(execute)
    own = f"vectors_t{NUMBER}"
    execute(f"CREATE TABLE {own} (LIKE vectors INCLUDING ALL)")
    execute(f"INSERT INTO {own} SELECT * FROM vectors_shared WHERE tenant_id = {NUMBER}")
    execute(f"DELETE FROM vectors_shared WHERE tenant_id = {NUMBER}")
    execute(f"ALTER TABLE vectors ATTACH PARTITION {own} FOR VALUES IN ({NUMBER})")
    execute(
        f"CREATE INDEX {own}_near_{dimensions} ON {own} USING hnsw ((vector::halfvec({dimensions})) halfvec_ip_ops) "
        f"WHERE vector_dims(vector) = {dimensions}"
    )
    execute(f"GRANT SELECT, INSERT, DELETE ON {own} TO PUBLIC")
    execute(f"UPDATE reaches SET indexed = {dimensions} WHERE tenant_id = {NUMBER}")
