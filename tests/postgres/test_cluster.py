"""On a real Citus cluster: every call goes to one worker, a shard moves and a worker dies while everybody works, and
nothing that was acknowledged is lost. `make test-citus DSN=…`; without a cluster all of it is left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tests.copies.erased import WORDS, say
from tests.patience import WAIT_S
from tests.postgres.cluster import (
    ONLY_THERE,
    Connection,
    Overheard,
    crash,
    demand,
    loud,
    move,
    place_of,
    residue,
    workers,
)
from tests.postgres.crew import Crew, assert_all_once, crew, write_on
from tests.postgres.moving import everything, furnish
from tests.postgres.moving import move as move_vault
from tests.postgres.server import CITUS, connect, schema_of
from tests.postgres.users import user

from muniment import Memory
from muniment.backends.postgres import partitions, schema
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.distribution import EVERYWHERE
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.scrubbing import scrub_all
from muniment.backends.postgres.steps import MigrationRequest, MigrationStep
from muniment.backends.postgres.transaction import tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.claim import Claim
from muniment.model.errors import ConfigurationError, StoreUnavailable

pytestmark = ONLY_THERE
SPREAD = MigrationRequest(citus=True)
TENANTS = ("acme", "borealis", "cobalt", "delta", "ember", "fjord", "garnet", "heron")
PROCESSES, THREADS = 2, 4
PATIENT = "patience=100"


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> None:
    if os.environ.get(CITUS):
        demand()


@pytest.fixture
def admin(dsn: str) -> Iterator[Connection]:
    with connect(dsn) as connection:
        yield connection


def _loaded(team: Crew, dsn: str) -> Callable[[], tuple[list[str], list[str]]]:
    tasks = [team.start(partial(write_on, dsn, f"w{number}", THREADS)) for number in range(team.size)]

    def end() -> tuple[list[str], list[str]]:
        team.signs.over.set()
        results = [task.result(WAIT_S) for task in tasks]
        return [one for told, _ in results for one in told], [one for _, failed in results for one in failed]

    return end


def _as(dsn: str, name: str) -> str:
    """The same address for somebody else, who needs no password."""
    scheme, _, rest = dsn.partition("//")
    return f"{scheme}//{name}@{rest.rpartition('@')[2]}"


def test_every_call_speaks_to_one_worker_and_commits_in_one_phase(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    overheard = Overheard(monkeypatch)
    with Memory.open(loud(dsn), embedder=None) as memory:
        agent = memory.as_actor("marta")
        first = memory.remember("The staging database of Heron is in Lisbon", evidence=["ticket:1"]).record_id
        assert first is not None
        calls: dict[str, Callable[[], object]] = {
            "remember": lambda: memory.remember("Heron keeps its backups in the harbour vault", evidence=["ticket:2"]),
            "remember what disagrees": lambda: memory.remember("The staging database of Heron is in Porto"),
            "remember as an agent": lambda: agent.remember("哈尔滨的仓库周一开门", kind="observation"),
            "recall": lambda: memory.recall("Where is the staging database of Heron?"),
            "recall as an agent": lambda: agent.recall("¿Dónde está la base de datos?"),
            "recall by an instant": lambda: memory.recall("Heron", known_at=memory.get(first).record.created_at),
            "revise": lambda: memory.revise(first, "The staging database of Heron is in Faro"),
            "get": lambda: memory.get(first),
            "alias": lambda: memory.review.alias("the bird", "Heron"),
            "conflicts": memory.review.conflicts,
            "many": lambda: memory.propose([Claim(content=f"Crate {number} was weighed") for number in range(30)]),
            "verify": memory.ledger.verify,
            "forget": lambda: memory.forget(first, reason="ticket:3"),
        }
        heard = overheard.of_each(calls)
    assert {name: said.odd for name, said in heard.items() if said.odd} == {}
    assert {name: sorted(said.nodes) for name, said in heard.items() if len(said.nodes) != 1} == {}


def test_tenants_are_spread_over_the_workers_and_all_of_one_is_on_one(dsn: str, admin: Connection) -> None:
    vault = PostgresVault(dsn)
    try:
        for tenant in TENANTS:
            vault.open(tenant, create=True)
    finally:
        vault.close()
    tables = schema_tables(admin, dsn)
    where = {tenant: {place_of(admin, dsn, tenant, table)[1:] for table in tables} for tenant in TENANTS}
    assert {tenant: places for tenant, places in where.items() if len(places) != 1} == {}
    assert len(set.union(*where.values())) >= 2, "all tenants are on one worker"


def schema_tables(admin: Connection, dsn: str) -> list[str]:
    asked = "SELECT tablename FROM pg_tables WHERE schemaname = %s AND NOT tablename = ANY(%s)"
    return [str(name) for (name,) in admin.execute(asked, (schema_of(dsn), list(EVERYWHERE)))]


def test_a_tenant_is_moved_from_worker_to_worker_under_eight_writers(dsn: str, admin: Connection) -> None:
    with crew(PROCESSES) as team:
        place = f"{dsn}&{PATIENT}"
        Memory.open(place, embedder=None).close()
        end = _loaded(team, place)
        been = []
        for mode in ("force_logical", "force_logical", "block_writes"):
            team.signs.wait_for_writes(20)
            been.append(move(admin, dsn, "default", mode=mode))
        team.signs.wait_for_writes(20)
        told, failed = end()
    assert failed == []
    assert been[0] != been[1]
    with Memory.open(dsn, embedder=None) as memory:
        assert_all_once(memory, told)
        assert memory._session.tenant.store.integrity() == ()


@pytest.mark.alone
def test_a_worker_that_is_killed_under_load_loses_nothing_and_nobody_notices_but_by_waiting(
    dsn: str, admin: Connection
) -> None:
    place = f"{dsn}&{PATIENT}"
    with crew(PROCESSES) as team, Memory.open(place, embedder=None) as memory:
        memory.remember("The quay is closed on Fridays", proposal_id="p-first")
        end = _loaded(team, place)
        for _ in range(2):
            team.signs.wait_for_writes(20)
            _, host, port = place_of(admin, dsn, "default")
            crash(admin, host, port)
            assert memory.recall("quay closed Fridays").records, "a recall waits for the worker too"
        team.signs.wait_for_writes(20)
        told, failed = end()
    assert failed == []
    with Memory.open(dsn, embedder=None) as memory:
        assert_all_once(memory, [*told, "p-first"])


def test_a_vault_moves_onto_the_cluster_and_off_it(vault: Path, dsn: str, tmp_path: Path) -> None:
    furnish(vault)
    furnish(vault, 5, tenant="acme")
    move_vault(vault, dsn)
    move_vault(dsn, tmp_path / "back")
    for tenant in ("default", "acme"):
        assert everything(vault, tenant) == everything(dsn, tenant) == everything(tmp_path / "back", tenant)


def test_what_is_forgotten_is_in_no_file_of_any_node_once_the_owner_has_scrubbed(dsn: str, admin: Connection) -> None:
    words = (*WORDS["record"], *WORDS["quarantined"], *WORDS["accepted"])
    with Memory.open(dsn, embedder=None) as memory:
        told = say(memory)
        assert residue(admin, dsn, words), "the search finds what is there"
        done = memory.forget(subject="Quillon Vantaggio", reason="ticket:77", cascade="erase")
        assert done.certificate is not None
        assert not done.scrubbed
        assert told.record
    with reach(DatabaseAddress.parse(dsn)) as connection:
        swept = scrub_all(connection, schema_of(dsn))
        assert (swept.tenants, swept.done) == (1, True)
        assert scrub_all(connection, schema_of(dsn)).tenants == 0
    assert residue(admin, dsn, words) == []


def test_a_user_in_the_writers_role_sees_one_tenant_at_a_time_on_every_node(dsn: str, admin: Connection) -> None:
    name = schema_of(dsn)
    with user(dsn, f"IN ROLE muniment_writer_{name}") as app:
        place = _as(dsn, app)
        with Memory.open(place, tenant="acme", embedder=None) as memory:
            assert memory.remember("The lake is frozen", evidence=["log:1"]).committed
            assert memory.recall("lake").records
        for node in (None, *(host_port.rpartition(":") for host_port in workers(admin))):
            there = {} if node is None else {"host": node[0], "port": int(node[2])}
            with psycopg.connect(admin.info.dsn, user=app, autocommit=True, **there) as hers:  # type: ignore[arg-type]
                tables = hers.execute(
                    "SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relnamespace = %s::regnamespace "
                    "AND c.relkind IN ('r', 'p') AND c.relrowsecurity AND NOT c.relname LIKE 'deployment%%'",
                    (name,),
                ).fetchall()
                for (table,) in tables:
                    if hers.execute("SELECT has_table_privilege(%s, 'SELECT')", (table,)).fetchone() == (True,):
                        count = hers.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.SQL(str(table))))
                        assert count.fetchone() == (0,), table
        with psycopg.connect(admin.info.dsn, user=app) as hers:
            hers.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            hers.execute(f"SET LOCAL muniment.tenant = '{tenant_number('acme')}'")
            mine = f"SELECT count(*) FROM {name}.entries WHERE tenant_id = {tenant_number('acme')}"
            counted = hers.execute(mine.encode()).fetchone()
            assert counted is not None
            assert counted[0] > 0
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                hers.execute(f"DELETE FROM {name}.entries WHERE tenant_id = {tenant_number('acme')}".encode())


def test_the_owner_does_not_serve_where_the_writers_role_cannot_be_taken_on(dsn: str, admin: Connection) -> None:
    role = f"muniment_writer_{schema_of(dsn)}"
    admin.execute(f"ALTER ROLE {role} NOLOGIN".encode())
    try:
        with pytest.raises(ConfigurationError, match="not behind the walls"):
            PostgresVault(dsn)
    finally:
        admin.execute(f"ALTER ROLE {role} LOGIN".encode())


def test_a_setting_under_which_nothing_can_be_planned_is_refused(dsn: str) -> None:
    with pytest.raises(ConfigurationError, match="force_generic_plan"):
        PostgresVault(f"{dsn}&options=-c%20plan_cache_mode%3Dforce_generic_plan")


def test_the_owner_spreads_a_vault_with_tenants_and_a_run_that_was_cut_short_is_gone_on_with(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with user(bare_dsn, "CREATEROLE") as owner:
        with reach(DatabaseAddress.parse(bare_dsn)) as connection:
            connection.execute(
                sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(
                    sql.Identifier(connection.info.dbname), sql.Identifier(owner)
                )
            )
        place = _as(bare_dsn, owner)
        for tenant in ("acme", "default"):
            with Memory.open(place, tenant=tenant, embedder=None) as memory:
                memory.remember(f"The vault of {tenant} is in the harbour", proposal_id="p-1")
        before = everything(place, "acme")
        with reach(DatabaseAddress.parse(place)) as connection:
            connection.execute(b"SET citus.shard_count = 2")
            planned = schema.plan(connection, name, SPREAD)
            assert len(planned) >= 24
            with pytest.raises(_Stopped):
                schema.apply(connection, name, SPREAD, progress=_After(len(planned) // 2))
            with pytest.raises(StoreUnavailable, match="being spread"):
                PostgresVault(place)
            assert schema.apply(connection, name, SPREAD) == len(planned) - len(planned) // 2
            assert schema.plan(connection, name, SPREAD) == schema.plan(connection, name) == ()
        assert everything(place, "acme") == before
        with Memory.open(place, tenant="acme", embedder=None) as memory:
            assert memory.remember("It is opened on Mondays", proposal_id="p-2").committed
            assert len(memory.recall("harbour vault").records) == 1
            assert memory._session.tenant.store.integrity() == ()
        with reach(DatabaseAddress.parse(bare_dsn)) as connection:
            schema.drop(connection, name)


def test_a_large_tenants_vectors_get_a_partition_and_an_index_and_belong_to_the_owner(
    dsn: str, admin: Connection, schemas: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    del schemas
    monkeypatch.setattr(partitions, "OWN_PARTITION_FROM", 300)
    number = tenant_number("large")
    vault = PostgresVault(dsn)
    vault.open("large", create=True)
    vault.close()
    admin.execute(
        "INSERT INTO vectors SELECT %s, n, 0, 1, ARRAY[n %% 7, n %% 11, n %% 13, 1]::real[]::halfvec "
        "FROM generate_series(1, 301) AS n",
        (number,),
    )
    admin.execute("INSERT INTO reaches (tenant_id, dimensions) VALUES (%s, 4)", (number,))
    with reach(DatabaseAddress.parse(dsn)) as connection:
        assert [step.title for step in schema.plan(connection, schema_of(dsn))] == [
            "vectors of large",
            "index of large",
            "index of large",
        ]
        schema.apply(connection, schema_of(dsn))
        assert schema.plan(connection, schema_of(dsn)) == ()
    assert admin.execute(f"SELECT count(*) FROM {partition_of(number)}".encode()).fetchone() == (301,)
    assert admin.execute(b"SELECT count(*) FROM vectors_shared").fetchone() == (0,)
    owners = admin.execute(
        "SELECT count(DISTINCT relowner) FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'p')",
        (schema_of(dsn),),
    )
    assert owners.fetchone() == (1,)


class _Stopped(Exception):
    """The end of a run, as if it had been killed."""


class _After:
    """Stops a run after so many steps."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def __call__(self, step: MigrationStep) -> None:
        if self._left == 0:
            raise _Stopped(step.title)
        self._left -= 1
