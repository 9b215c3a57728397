"""Large tenants: their vectors move into a partition of their own behind the same wall, and get an index there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import psycopg
import pytest
from tests.postgres.server import connect, schema_of

from muniment.backends.postgres import partitions, schema
from muniment.backends.postgres.partitions import index_name, partition_of
from muniment.backends.postgres.steps import MigrationStep
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row, tenant_number
from muniment.backends.postgres.vault import PostgresVault

LARGE, SMALL = tenant_number("large"), tenant_number("small")
OWN = partition_of(LARGE)
MANY = 300
TITLES = ["vectors of large", "index of large", "index of large"]


@pytest.fixture
def grown(bare_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, psycopg.Connection[Row]]]:
    """A tenant with one vector more than a small one may have, beside one that has as many as it may."""
    monkeypatch.setattr(partitions, "OWN_PARTITION_FROM", MANY)
    vault = PostgresVault(bare_dsn, create=True)
    for name in ("large", "small"):
        vault.open(name, create=True)
    vault.close()
    with connect(bare_dsn) as connection:
        for number, count in ((LARGE, MANY + 1), (SMALL, MANY)):
            connection.execute(
                "INSERT INTO vectors SELECT %s, n, 0, 1, ARRAY[n %% 7, n %% 11, n %% 13, 1]::real[]::halfvec "
                "FROM generate_series(1, %s) AS n",
                (number, count),
            )
            connection.execute("INSERT INTO reaches (tenant_id, dimensions) VALUES (%s, 4)", (number,))
        yield bare_dsn, connection


def counted(connection: psycopg.Connection[Row], table: str) -> dict[int, int]:
    return dict(connection.execute(f"SELECT tenant_id, count(*) FROM {table} GROUP BY 1".encode()).fetchall())


def test_a_large_tenant_gets_a_partition_and_an_index(grown: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = grown
    name = schema_of(dsn)
    assert [step.title for step in schema.plan(connection, name)] == TITLES
    sums = "SELECT tenant_id, sum(rid), count(DISTINCT rid) FROM vectors GROUP BY 1 ORDER BY 1"
    before = connection.execute(sums).fetchall()

    schema.apply(connection, name)

    assert counted(connection, OWN) == {LARGE: MANY + 1}
    assert counted(connection, "vectors_shared") == {SMALL: MANY}
    assert connection.execute(sums).fetchall() == before
    question = "SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass"
    assert connection.execute(question, (index_name(LARGE, 4),)).fetchall() == [(True,)]
    assert connection.execute("SELECT tenant_id, indexed FROM reaches ORDER BY indexed").fetchall() == [
        (SMALL, 0),
        (LARGE, 4),
    ]
    assert schema.plan(connection, name) == ()


@pytest.mark.parametrize("dimensions", [0, 4001])
def test_vectors_that_no_index_takes_stay_where_they_are(
    grown: tuple[str, psycopg.Connection[Row]], dimensions: int
) -> None:
    dsn, connection = grown
    connection.execute("UPDATE reaches SET dimensions = %s", (dimensions,))

    assert schema.plan(connection, schema_of(dsn)) == ()


def test_the_partition_is_behind_the_wall(grown: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = grown
    schema.apply(connection, schema_of(dsn))
    vault = PostgresVault(dsn, create=False)
    try:
        for tenant, seen in (("large", MANY + 1), ("small", 0)):
            with TenantScope(vault.pool, tenant).reading() as link:
                assert link.ask(f"SELECT count(*) FROM {OWN}", ()) == [(seen,)]
        with TenantScope(vault.pool, "large").touching() as link:
            link.tell(f"DELETE FROM {OWN} WHERE tenant_id = $1 AND rid = 1", (LARGE,))
            link.tell("DELETE FROM vectors WHERE tenant_id = $1 AND rid = 2", (LARGE,))
            link.tell("INSERT INTO vectors VALUES ($1, 1, 0, 1, '[1,0,0,0]')", (LARGE,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege), vault.pool.lend() as bare:
            bare.execute(f"INSERT INTO {OWN} VALUES ({LARGE}, 3, 9, 9, '[1,0,0,0]')".encode())
    finally:
        vault.close()
    assert counted(connection, OWN) == {LARGE: MANY}


def test_an_index_that_was_cut_off_is_built_anew(grown: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = grown
    schema.apply(connection, schema_of(dsn))
    connection.execute(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", (index_name(LARGE, 4),)
    )
    connection.execute("UPDATE reaches SET indexed = 0")

    steps = schema.plan(connection, schema_of(dsn))
    assert [step.title for step in steps] == TITLES[1:]
    assert steps[0].statements[0].startswith("DROP INDEX CONCURRENTLY")
    schema.apply(connection, schema_of(dsn))
    assert connection.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", (index_name(LARGE, 4),)
    ).fetchall() == [(True,)]


def test_a_run_that_ended_after_any_step_goes_on_where_it_stopped(
    grown: tuple[str, psycopg.Connection[Row]],
) -> None:
    dsn, connection = grown
    name = schema_of(dsn)
    begun: list[str] = []
    while schema.plan(connection, name):
        with pytest.raises(Stopped) if len(schema.plan(connection, name)) > 1 else nullcontext():
            schema.apply(connection, name, progress=After(begun))

    sweeps = ["upkeep"] if connection.info.server_version >= 170_000 else []
    assert begun == ["vectors of large", *sweeps, "index of large", "index of large"]
    assert counted(connection, "vectors") == {LARGE: MANY + 1, SMALL: MANY}
    assert counted(connection, OWN) == {LARGE: MANY + 1}
    assert connection.execute("SELECT max(indexed) FROM reaches").fetchall() == [(4,)]


class Stopped(Exception):
    """The end of a run, as if it had been killed."""


class After:
    """Lets one step be done and stops the run before the next."""

    def __init__(self, begun: list[str]) -> None:
        self._begun, self._steps = begun, 0

    def __call__(self, step: MigrationStep) -> None:
        if self._steps:
            raise Stopped
        self._steps += 1
        self._begun.append(step.title)
