"""The second lock: whatever a statement forgets, a row is its tenant's alone, and the ledger is only ever added to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import errors
from tests.postgres.filling import fill, row_of, tenant_tables
from tests.postgres.server import connect, database_of, schema_of
from tests.postgres.users import acting, give, user

from muniment.backends.postgres import schema
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row
from muniment.backends.postgres.vault import PostgresVault

ACME, BLUE = 11, 22
WALL = "(tenant_id = (NULLIF(current_setting('muniment.tenant'::text, true), ''::text))::bigint)"
EVERYBODYS = {"deployment", "schema_migrations", "tenants"}
RIGHTS = {
    "aliases": ("SELECT", "INSERT", "DELETE"),
    "cards": (
        *("SELECT", "INSERT", "DELETE"),
        "UPDATE accesses, effective, helpful, label, last_access, misleading, own, since, status, successor, support, "
        "tier",
    ),
    "certificates": ("SELECT", "INSERT"),
    "checkpoints": ("SELECT", "INSERT", "UPDATE signed"),
    "conflicts": ("SELECT", "INSERT", "DELETE", "UPDATE ballots, changed, contests, status, strategy, winner"),
    "deployment": ("SELECT", "INSERT", "DELETE", "UPDATE body"),
    "documents": ("SELECT", "INSERT", "DELETE", "UPDATE body, salt"),
    "edges": ("SELECT", "INSERT", "DELETE"),
    "entries": ("SELECT", "INSERT"),
    "mentions": ("SELECT", "INSERT", "DELETE"),
    "notes": ("SELECT", "INSERT", "DELETE", "UPDATE body"),
    "postings": ("SELECT", "INSERT", "DELETE", "UPDATE nth, size, spots"),
    "proposals": (
        *("SELECT", "INSERT", "DELETE"),
        "UPDATE actor, at, digest, disposition, held, outcome, record, report, revision, seq",
    ),
    "reaches": ("SELECT", "INSERT", "UPDATE dimensions, hash, indexed, maker, model, until, upto"),
    "receipts": ("SELECT", "INSERT", "UPDATE account, salt"),
    "schema_migrations": ("SELECT",),
    "standings": ("SELECT", "INSERT", "DELETE"),
    "tenant_head": (
        *("SELECT", "INSERT"),
        "UPDATE erasure, hash, last_text, notes, receipts, receipts_bytes, receipts_counted, receipts_hash, scrubbed, "
        "seq, terms, texts, turn, words",
    ),
    "tenants": ("SELECT", "INSERT"),
    "told": ("SELECT", "INSERT", "DELETE", "UPDATE count, last"),
    "tombstones": ("SELECT", "INSERT", "DELETE"),
    "vectors": ("SELECT", "INSERT", "DELETE"),
    "vectors_shared": (),
}
"""All that the writer may do, by table. Another right needs a reason, and a line here."""


@contextmanager
def member(dsn: str, part: str) -> Iterator[psycopg.Connection[Row]]:
    """A connection of a user who has one of the roles and nothing else, its schema first on the path."""
    name = schema_of(dsn)
    with user(dsn) as ana:
        give(dsn, "GRANT {role} TO {ana}", role=f"muniment_{part}_{name}", ana=ana)
        with acting(dsn, ana) as connection:
            connection.execute(f"SET search_path TO {name}, public".encode())
            yield connection


@pytest.fixture
def filled(dsn: str) -> str:
    """Two tenants with a row in every table."""
    with connect(dsn) as connection:
        connection.cursor_factory = psycopg.RawCursor
        for tenant in (ACME, BLUE):
            fill(connection, tenant)
            connection.execute(b"INSERT INTO tenants VALUES ($1, $2)", (tenant, f"t{tenant}"))
    return dsn


@pytest.fixture(params=["writer", "reader"])
def hers(filled: str, request: pytest.FixtureRequest) -> Iterator[psycopg.Connection[Row]]:
    with member(filled, str(request.param)) as connection:
        yield connection


@pytest.fixture
def writer(filled: str) -> Iterator[psycopg.Connection[Row]]:
    with member(filled, "writer") as connection:
        yield connection


def inside(connection: psycopg.Connection[Row], tenant: int | None) -> None:
    connection.execute(b"BEGIN")
    if tenant is not None:
        connection.execute(f"SET LOCAL muniment.tenant = '{tenant}'".encode())


def seen(connection: psycopg.Connection[Row], table: str) -> set[int]:
    return {int(row[0]) for row in connection.execute(f"SELECT tenant_id FROM {table}".encode()).fetchall()}


def unwalled(connection: psycopg.Connection[Row]) -> set[str]:
    """The tables that have a tenant's rows and not exactly our wall."""
    question = b"""
        SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, count(p.oid), min(pg_get_expr(p.polqual, c.oid)),
            bool_and(p.polpermissive AND p.polcmd = '*' AND p.polroles = '{0}' AND p.polwithcheck IS NULL)
        FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'f', 'm') GROUP BY c.oid
    """
    walls = {row[0]: row[1:] for row in connection.execute(question).fetchall()}
    return {name for name, wall in walls.items() if wall != (True, 1, WALL, True)} - EVERYBODYS


def test_every_table_has_the_wall_and_one_without_it_is_noticed(dsn: str) -> None:
    with connect(dsn) as connection:
        assert len(tenant_tables_plain(connection)) >= 20
        assert unwalled(connection) == set()
        with connection.transaction(force_rollback=True):
            connection.execute("CREATE TABLE later (tenant_id bigint, PRIMARY KEY (tenant_id))")
            connection.execute("ALTER TABLE entries NO FORCE ROW LEVEL SECURITY")
            connection.execute("CREATE POLICY open ON cards USING (true)")
            assert unwalled(connection) == {"later", "entries", "cards"}


def tenant_tables_plain(connection: psycopg.Connection[Row]) -> list[str]:
    connection.cursor_factory = psycopg.RawCursor
    return tenant_tables(connection)


def test_without_a_tenant_nothing_is_there(hers: psycopg.Connection[Row]) -> None:
    looked = 0
    inside(hers, None)
    for table in tenant_tables(hers):
        if table != "vectors_shared":
            assert seen(hers, table) == set(), table
            looked += 1
    assert looked >= 19


def test_inside_one_tenant_nothing_of_another_is_there(hers: psycopg.Connection[Row]) -> None:
    for tenant in (ACME, BLUE):
        inside(hers, tenant)
        for table in tenant_tables(hers):
            if table != "vectors_shared":
                assert seen(hers, table) == {tenant}, table
        hers.execute(b"COMMIT")


def test_after_a_transaction_nothing_is_left_of_its_tenant(hers: psycopg.Connection[Row]) -> None:
    inside(hers, ACME)
    hers.execute(b"COMMIT")

    assert seen(hers, "entries") == set()


def test_a_partition_is_not_a_way_round(hers: psycopg.Connection[Row]) -> None:
    inside(hers, ACME)
    with pytest.raises(errors.InsufficientPrivilege):
        seen(hers, "vectors_shared")


def test_nothing_is_written_into_another_tenant(writer: psycopg.Connection[Row]) -> None:
    for table in tenant_tables(writer):
        if table == "vectors_shared":
            continue
        for tenant in (None, ACME):
            inside(writer, tenant)
            with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
                writer.execute(row_of(writer, table, 33))
            writer.execute(b"ROLLBACK")


def test_nothing_of_another_tenant_is_changed_or_taken_away(writer: psycopg.Connection[Row]) -> None:
    inside(writer, ACME)
    for statement in (
        b"UPDATE documents SET body = '' WHERE tenant_id = 22",
        b"UPDATE tenant_head SET turn = 0 WHERE tenant_id = 22",
        b"DELETE FROM documents WHERE tenant_id = 22",
        b"DELETE FROM cards WHERE tenant_id = 22",
        b"DELETE FROM vectors WHERE tenant_id = 22",
    ):
        assert writer.execute(statement).rowcount == 0, statement


def rights(connection: psycopg.Connection[Row], role: str, table: str) -> tuple[str, ...]:
    """What a role may do with a table, as `RIGHTS` says it."""
    kinds = ("SELECT", "INSERT", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "UPDATE")
    held = [
        kind
        for kind in kinds
        if connection.execute(b"SELECT has_table_privilege($1, $2, $3)", (role, table, kind)).fetchone() == (True,)
    ]
    columns = connection.execute(
        b"SELECT string_agg(attname, ', ' ORDER BY attname) FROM pg_attribute WHERE attrelid = $2::regclass "
        b"AND attnum > 0 AND NOT attisdropped AND has_column_privilege($1, attrelid, attnum, 'UPDATE')",
        (role, table),
    ).fetchone()
    assert columns is not None
    return (*held, *((f"UPDATE {columns[0]}",) if columns[0] else ()))


def test_the_writer_may_do_what_is_written_here_and_nothing_else(dsn: str) -> None:
    with connect(dsn) as connection:
        connection.cursor_factory = psycopg.RawCursor
        tables = {*tenant_tables(connection), *EVERYBODYS}
        found = {table: rights(connection, f"muniment_writer_{schema_of(dsn)}", table) for table in tables}

    assert found == RIGHTS


def test_the_reader_may_only_look(dsn: str) -> None:
    with connect(dsn) as connection:
        connection.cursor_factory = psycopg.RawCursor
        tables = {*tenant_tables(connection), *EVERYBODYS}
        found = {table: rights(connection, f"muniment_reader_{schema_of(dsn)}", table) for table in tables}

    assert {table for table, may in found.items() if may not in (("SELECT",), ())} == set()
    assert {table for table, may in found.items() if not may} == {"vectors_shared"}


@pytest.mark.parametrize("part", ["writer", "reader"])
def test_nobody_but_the_owner_makes_anything_in_the_schema(dsn: str, part: str) -> None:
    with member(dsn, part) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(f"CREATE TABLE {schema_of(dsn)}.mine (a bigint)".encode())


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "statement",
    [
        b"UPDATE entries SET body = ''",
        b"UPDATE entries SET hash = '' WHERE tenant_id = 11",
        b"DELETE FROM entries WHERE tenant_id = 11",
        b"TRUNCATE entries",
        b"UPDATE certificates SET signed = ''",
        b"DELETE FROM certificates",
        b"DELETE FROM checkpoints",
        b"DELETE FROM receipts",
        b"UPDATE receipts SET hash = ''",
        b"UPDATE receipts SET body = ''",
        b"DELETE FROM tenant_head",
        b"UPDATE cards SET tenant_id = 22",
        b"UPDATE cards SET fingerprint = ''",
        b"UPDATE documents SET tenant_id = 22",
        b"DELETE FROM tenants",
        b"DELETE FROM schema_migrations",
        b"ALTER TABLE entries DISABLE ROW LEVEL SECURITY",
        b"DROP POLICY tenant_wall ON entries",
        b"DROP TABLE entries",
    ],
)
def test_what_was_recorded_cannot_be_changed_by_the_writer(writer: psycopg.Connection[Row], statement: bytes) -> None:
    inside(writer, ACME)
    with pytest.raises(errors.InsufficientPrivilege):
        writer.execute(statement)


def test_the_reader_gets_the_public_half_of_the_keys_and_the_policy(dsn: str) -> None:
    kept = ("signing.key", "signing.next", "signing.old", "signing.pub", "k1.pub", "policy.yaml", "api-keys.json")
    with connect(dsn) as connection:
        for name in kept:
            connection.execute("INSERT INTO deployment VALUES (%s, 'x')", (name,))
    with member(dsn, "reader") as connection:
        rows = connection.execute(b"SELECT name FROM deployment ORDER BY name").fetchall()
        assert rows == [("k1.pub",), ("policy.yaml",), ("signing.pub",)]
    with member(dsn, "writer") as connection:
        rows = connection.execute(b"SELECT name FROM deployment").fetchall()
        assert {name for (name,) in rows} == set(kept)


def test_the_owner_is_behind_the_wall_too(bare_dsn: str) -> None:
    with user(bare_dsn, "CREATEROLE") as ana:
        give(bare_dsn, "GRANT CREATE ON DATABASE {database} TO {ana}", database=database_of(bare_dsn), ana=ana)
        with acting(bare_dsn, ana) as hers:
            schema.ensure(hers, schema_of(bare_dsn), create=True)
            hers.execute(f"SET search_path TO {schema_of(bare_dsn)}, public".encode())
            inside(hers, ACME)
            fill(hers, ACME)
            hers.execute(b"COMMIT")
            assert seen(hers, "entries") == set()
            inside(hers, ACME)
            assert seen(hers, "entries") == {ACME}


def test_whoever_logs_in_the_store_works_as_the_writer(dsn: str) -> None:
    """The session's server is used by a superuser, for whom no wall stands and no right is missing."""
    vault = PostgresVault(dsn, create=False)
    try:
        with reach(DatabaseAddress.parse(dsn)) as plain:
            row = plain.execute(b"SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
            assert row == (True,), "this test needs a superuser to show anything"
        with vault.pool.lend() as connection:
            assert connection.execute(b"SELECT current_user").fetchone() == (f"muniment_writer_{schema_of(dsn)}",)
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(b"DELETE FROM entries")
    finally:
        vault.close()


def test_the_store_asks_inside_a_wall(dsn: str) -> None:
    vault = PostgresVault(dsn, create=True)
    try:
        for name in ("acme", "blue"):
            vault.open(name, create=True)
        door = TenantScope(vault.pool, "acme")
        with door.reading() as link:
            assert link.ask("SELECT tenant_id FROM tenant_head", ()) == [(door.number,)]
    finally:
        vault.close()
