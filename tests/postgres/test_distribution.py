"""What `migrate --citus` asks of a cluster, in which order. A stand-in for the extension writes down what it is asked.

It shows what is sent and that a run can be cut off and gone on with. That a real cluster does it is shown by the
conformance suite on one: `make test-citus DSN=…`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgres.server import schema_of
from tests.postgres.users import acting, database, give, user

from muniment.backends.postgres import schema, schema_check
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.distribution import EVERYWHERE
from muniment.backends.postgres.revisions import read, revisions
from muniment.backends.postgres.steps import MigrationRequest
from muniment.backends.postgres.transaction import Row
from muniment.model.errors import ConfigurationError, StoreUnavailable

CITUS = MigrationRequest(citus=True)
STAND_IN = """
CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY);
GRANT ALL ON pg_dist_partition TO PUBLIC;
CREATE TABLE asked (nth bigint GENERATED ALWAYS AS IDENTITY, call text, relation text, beside text);
GRANT ALL ON asked TO PUBLIC;
CREATE FUNCTION create_reference_table(relation regclass) RETURNS void LANGUAGE sql AS $$
    INSERT INTO asked (call, relation) VALUES ('reference', relation::text);
    INSERT INTO pg_dist_partition VALUES (relation);
$$;
CREATE FUNCTION create_distributed_table(relation regclass, key text, colocate_with text DEFAULT 'default')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO asked (call, relation, beside) VALUES (key, relation::text, colocate_with);
    INSERT INTO pg_dist_partition VALUES (relation);
$$;
CREATE FUNCTION truncate_local_data_after_distributing_table(relation regclass) RETURNS void LANGUAGE sql AS $$
    INSERT INTO asked (call, relation) VALUES ('emptied', relation::text);
$$;
"""


@pytest.fixture
def cluster(bare_dsn: str) -> Iterator[tuple[str, psycopg.Connection[Row]]]:
    """A database with a stand-in for Citus in it."""
    folder = Path(tempfile.mkdtemp(prefix="muniment-citus-"))
    folder.chmod(0o755)
    (folder / "extension").mkdir(mode=0o755)
    (folder / "extension" / "citus.control").write_text("default_version = '1'\nsuperuser = false\n")
    (folder / "extension" / "citus--1.sql").write_text(STAND_IN)
    name = schema_of(bare_dsn)
    try:
        with database(bare_dsn) as dsn, reach(DatabaseAddress.parse(dsn)) as connection:
            if connection.info.server_version < 180_000:
                pytest.skip("an extension can be brought along from PostgreSQL 18 on")
            connection.execute(f"SET extension_control_path = '{folder}:$system'".encode())
            connection.execute(b"CREATE EXTENSION citus WITH SCHEMA public")
            connection.execute(b"CREATE EXTENSION vector WITH SCHEMA public")
            yield dsn, connection
            schema.drop(connection, name)
    finally:
        shutil.rmtree(folder)


def asked(connection: psycopg.Connection[Row], call: str) -> list[str]:
    rows = connection.execute(b"SELECT relation FROM asked WHERE call = $1 ORDER BY nth", (call,)).fetchall()
    return [str(relation).split(".")[1] for (relation,) in rows]


def asking(connection: psycopg.Connection[Row], name: str) -> schema_check.Ask:
    connection.execute(f"SET search_path TO {name}, public".encode())
    for setting in schema_check.SETTINGS:
        connection.execute(setting.replace("SET LOCAL", "SET").encode())
    return lambda text, values: connection.execute(text.encode(), tuple(values)).fetchall()


def tables(connection: psycopg.Connection[Row], name: str) -> set[str]:
    question = b"SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')"
    rows = connection.execute(question + b" AND NOT relispartition", (name,)).fetchall()
    return {str(one) for (one,) in rows}


def test_every_table_is_distributed_once_and_beside_the_first(cluster: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    assert schema.plan(connection, name, CITUS)[-1].title == "distribute"

    schema.apply(connection, name, CITUS)

    all_tables = tables(connection, name)
    assert len(all_tables) >= 22
    assert asked(connection, "reference") == sorted(EVERYWHERE)
    spread = asked(connection, "tenant_id")
    assert spread[0] == "tenant_head"
    assert set(spread) == all_tables - set(EVERYWHERE)
    assert len(spread) == len(set(spread))
    besides = connection.execute(b"SELECT DISTINCT beside FROM asked WHERE nth > 8 AND beside IS NOT NULL").fetchall()
    assert besides == [(f'"{name}"."tenant_head"',)]
    assert set(asked(connection, "emptied")) == all_tables
    assert schema.plan(connection, name, CITUS) == ()
    assert schema.plan(connection, name) == ()


def test_without_the_wish_nothing_is_distributed(cluster: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = cluster
    assert schema.ensure(connection, schema_of(dsn), create=True).citus

    assert schema.plan(connection, schema_of(dsn)) == ()
    assert asked(connection, "reference") == []


def test_a_table_that_comes_later_is_distributed_without_being_told(
    cluster: tuple[str, psycopg.Connection[Row]],
) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    schema.apply(connection, name, CITUS)
    later = (*revisions(), read("0900_a.pre.sql", "CREATE TABLE later (tenant_id bigint PRIMARY KEY);"))

    schema.apply(connection, name, known=later)

    assert asked(connection, "tenant_id")[-1] == "later"


def test_a_run_that_was_cut_off_goes_on_with_the_next_table(cluster: tuple[str, psycopg.Connection[Row]]) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    schema.ensure(connection, name, create=True)
    every = len(schema.plan(connection, name, CITUS))
    connection.execute(b"ALTER FUNCTION create_distributed_table RENAME TO gone")
    with pytest.raises(Exception, match="42883"):
        schema.apply(connection, name, CITUS)

    done_before = ("the roles", "the walls", *EVERYWHERE)
    assert len(schema.plan(connection, name, CITUS)) == every - len(done_before)
    with pytest.raises(StoreUnavailable, match="being spread"):
        schema.check(connection, name)
    connection.execute(b"ALTER FUNCTION gone RENAME TO create_distributed_table")
    schema.apply(connection, name, CITUS)
    assert asked(connection, "reference") == sorted(EVERYWHERE)
    assert schema.plan(connection, name, CITUS) == ()


def test_the_writer_gets_whole_rows_where_columns_cannot_be_given_and_the_ledger_stays_shut(
    cluster: tuple[str, psycopg.Connection[Row]],
) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    schema.apply(connection, name, CITUS)

    question = b"SELECT has_table_privilege($1, $2, 'UPDATE')"
    may = {
        table
        for table in tables(connection, name)
        if connection.execute(question, (f"muniment_writer_{name}", f"{name}.{table}")).fetchone() == (True,)
    }
    assert {"documents", "tenant_head", "cards", "receipts"} <= may
    assert "tenants" in may, "adding to a table that is on every node locks its copies, which wants this right"
    assert not {"entries", "certificates", "tombstones", "schema_migrations"} & may


def test_a_role_that_may_not_log_in_is_not_taken_on_in_a_cluster(
    cluster: tuple[str, psycopg.Connection[Row]],
) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    standing = schema.ensure(connection, name, create=True)
    assert (standing.citus, standing.role, standing.reader) == (True, None, None)

    schema.apply(connection, name, CITUS)
    assert schema.check(connection, name).role == f'"muniment_writer_{name}"'
    connection.execute(f"ALTER ROLE muniment_writer_{name} NOLOGIN".encode())
    with pytest.raises(ConfigurationError, match="not behind the walls"):
        schema.check(connection, name)


def test_the_owner_is_let_through_the_walls_and_moves_rows_of_tenants(
    cluster: tuple[str, psycopg.Connection[Row]],
) -> None:
    dsn, connection = cluster
    name = schema_of(dsn)
    with user(dsn, "CREATEROLE") as ana:
        give(dsn, "GRANT CREATE ON DATABASE {one} TO {ana}", one=str(connection.info.dbname), ana=ana)
        with acting(dsn, ana) as hers:
            schema.ensure(hers, name, create=True)
            assert len(schema.plan(hers, name, CITUS)) >= 22
            hers.execute(b"BEGIN")
            hers.execute(b"SET LOCAL muniment.tenant = '7'")
            hers.execute(f"INSERT INTO {name}.tenant_head (tenant_id) VALUES (7)".encode())
            hers.execute(b"COMMIT")
            assert schema.plan(hers, name) == ()
            schema.apply(hers, name, CITUS)
            assert schema.plan(hers, name, CITUS) == schema.plan(hers, name) == ()
            assert hers.execute(f"SELECT count(*) FROM {name}.tenant_head".encode()).fetchone() == (1,)
            assert schema_check.complaints(asking(hers, name)) == (), "verify knows why the walls let the owner through"
            hers.execute(f"ALTER TABLE {name}.entries DISABLE ROW LEVEL SECURITY".encode())
            assert schema_check.complaints(asking(hers, name)) == ("the table entries is not as it was made",)
