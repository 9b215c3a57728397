"""What a server must be: recent, in UTF-8, with pgvector, writable, durable; and what its users must be allowed."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from tests.postgres.server import schema_of
from tests.postgres.users import acting, database, give, user

from muniment.backends.postgres import schema
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.transaction import Row
from muniment.model.errors import ConfigurationError, StoreUnavailable


@pytest.fixture
def connection(dsn: str) -> Iterator[psycopg.Connection[Row]]:
    with reach(DatabaseAddress.parse(dsn)) as reached:
        yield reached


def test_a_server_that_is_too_old_is_refused(dsn: str) -> None:
    with database(dsn) as elsewhere, reach(DatabaseAddress.parse(elsewhere)) as own:
        own.execute(b"CREATE SCHEMA olden")
        own.execute(
            b"CREATE FUNCTION olden.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT CASE $1 "
            b"WHEN 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting($1) END $$"
        )
        own.execute(b"SET search_path TO olden, pg_catalog")

        with pytest.raises(
            ConfigurationError, match="PostgreSQL 15 or later is needed, the server is of version 14"
        ) as old:
            schema.ensure(own, "muniment", create=True)
        assert "pg_upgrade" in old.value.hint


def test_a_standby_is_refused_as_something_that_may_pass(dsn: str) -> None:
    with database(dsn) as elsewhere, reach(DatabaseAddress.parse(elsewhere)) as own:
        own.execute(b"CREATE SCHEMA copy")
        own.execute(b"CREATE FUNCTION copy.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS $$ SELECT true $$")
        own.execute(b"SET search_path TO copy, pg_catalog")

        with pytest.raises(StoreUnavailable, match="standby") as refused:
            schema.ensure(own, "muniment", create=True)
        assert "target_session_attrs=read-write" in refused.value.hint


def test_a_server_that_writes_nothing_is_refused(dsn: str, connection: psycopg.Connection[Row]) -> None:
    connection.execute(b"SET default_transaction_read_only = on")

    with pytest.raises(ConfigurationError, match="default_transaction_read_only"):
        schema.ensure(connection, schema_of(dsn), create=False)


def test_a_server_that_acknowledges_too_early_is_refused_unless_told(
    dsn: str, connection: psycopg.Connection[Row]
) -> None:
    connection.execute(b"SET synchronous_commit = off")

    with pytest.raises(ConfigurationError, match="synchronous_commit"):
        schema.ensure(connection, schema_of(dsn), create=False)
    assert schema.ensure(connection, schema_of(dsn), create=False, allow_async_commit=True).revision >= 2


@pytest.mark.parametrize("way", ["on", "local", "remote_write", "remote_apply"])
def test_every_other_way_to_acknowledge_is_taken(dsn: str, connection: psycopg.Connection[Row], way: str) -> None:
    connection.execute(f"SET synchronous_commit = {way}".encode())

    assert schema.ensure(connection, schema_of(dsn), create=False).revision >= 2


def test_a_database_in_another_encoding_is_refused(dsn: str) -> None:
    how = "ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"
    with database(dsn, how) as elsewhere, reach(DatabaseAddress.parse(elsewhere)) as own:
        with pytest.raises(ConfigurationError, match="UTF8"):
            schema.ensure(own, "muniment", create=True)
        assert own.execute(b"SELECT FROM pg_namespace WHERE nspname = 'muniment'").fetchall() == []


def test_the_extension_is_added_by_who_may_and_asked_for_by_who_may_not(dsn: str) -> None:
    name = schema_of(dsn)
    with database(dsn, "TEMPLATE template0") as elsewhere, user(dsn, "CREATEROLE") as ana:
        give(elsewhere, "GRANT CREATE ON DATABASE {database} TO {ana}", database=_database(elsewhere), ana=ana)
        try:
            with acting(elsewhere, ana) as hers:
                with pytest.raises(ConfigurationError, match="extension vector") as refused:
                    schema.ensure(hers, "other", create=True)
                assert "CREATE EXTENSION vector;" in refused.value.hint
                assert hers.execute(b"SELECT FROM pg_namespace WHERE nspname = 'other'").fetchall() == []
            with reach(DatabaseAddress.parse(elsewhere)) as own:
                assert schema.ensure(own, name, create=True).path == f'"{name}", "public"'
        finally:
            give(elsewhere, "DROP OWNED BY {ana} CASCADE", ana=ana)
            with reach(DatabaseAddress.parse(elsewhere)) as own:
                own.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'.encode())


def test_an_extension_that_is_too_old_is_refused(dsn: str) -> None:
    with database(dsn, "TEMPLATE template0") as elsewhere, reach(DatabaseAddress.parse(elsewhere)) as own:
        own.execute(b"CREATE EXTENSION vector")
        own.execute(b"UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")

        with pytest.raises(ConfigurationError, match=r"version 0\.7\.4 .*, 0\.8 or later") as refused:
            schema.ensure(own, "muniment", create=True)
        assert "ALTER EXTENSION vector UPDATE" in refused.value.hint


def test_the_extension_may_live_in_any_schema(dsn: str) -> None:
    name = f"{schema_of(dsn)}_e"
    with database(dsn, "TEMPLATE template0") as elsewhere, reach(DatabaseAddress.parse(elsewhere)) as own:
        own.execute(b"CREATE SCHEMA extensions")
        own.execute(b"CREATE EXTENSION vector WITH SCHEMA extensions")
        try:
            assert schema.ensure(own, name, create=True).path == f'"{name}", "extensions"'
        finally:
            schema.drop(own, name)


def test_who_may_make_nothing_is_told_what_to_run(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with user(bare_dsn) as ana, acting(bare_dsn, ana) as hers:
        with pytest.raises(ConfigurationError, match="may not make roles") as refused:
            schema.ensure(hers, name, create=True)
        wanted = refused.value.hint.removeprefix("Let an administrator run: ")

        assert f'CREATE ROLE "muniment_writer_{name}" NOLOGIN' in wanted
        assert f'GRANT "muniment_reader_{name}" TO "{ana}"' in wanted
        with reach(DatabaseAddress.parse(bare_dsn)) as connection:
            connection.execute(wanted.encode())
        with pytest.raises(ConfigurationError, match="no right to do this") as lacking:
            schema.ensure(hers, name, create=True)
        assert f"GRANT muniment_writer_{name} TO …" in lacking.value.hint
        assert "GRANT CREATE ON DATABASE" in lacking.value.hint
        give(bare_dsn, "GRANT CREATE ON DATABASE {database} TO {ana}", database=_database(bare_dsn), ana=ana)
        assert schema.ensure(hers, name, create=True).role == f'"muniment_writer_{name}"'


def test_a_member_of_the_writers_role_opens_what_is_there(dsn: str) -> None:
    name = schema_of(dsn)
    with user(dsn) as ana:
        give(dsn, "GRANT {writer} TO {ana}", writer=f"muniment_writer_{name}", ana=ana)
        with acting(dsn, ana) as hers:
            standing = schema.ensure(hers, name, create=True)

    assert (standing.role, standing.reader) == (f'"muniment_writer_{name}"', None)


def test_a_step_that_has_no_effect_ends_the_run(dsn: str) -> None:
    """A right that is given by who does not own the table is not given, and all the server says is a warning."""
    name = schema_of(dsn)
    with reach(DatabaseAddress.parse(dsn)) as connection:
        if connection.info.server_version < 170_000:
            pytest.skip("the right to sweep can be given from PostgreSQL 17 on")
    with user(dsn) as ana:
        give(dsn, "GRANT {writer} TO {ana}", writer=f"muniment_writer_{name}", ana=ana)
        give(dsn, f"REVOKE MAINTAIN ON {name}.entries FROM {{writer}}", writer=f"muniment_writer_{name}")
        with acting(dsn, ana) as hers, pytest.raises(ConfigurationError, match="upkeep"):
            schema.apply(hers, name)
    with reach(DatabaseAddress.parse(dsn)) as connection:
        assert schema.apply(connection, name) == 1


def test_an_owner_that_is_no_superuser_makes_everything_and_may_take_both_roles(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with user(bare_dsn, "CREATEROLE") as ana:
        give(bare_dsn, "GRANT CREATE ON DATABASE {database} TO {ana}", database=_database(bare_dsn), ana=ana)
        with acting(bare_dsn, ana) as hers:
            standing = schema.ensure(hers, name, create=True)
            for reading in (False, True):
                for setting in standing.settings(reading=reading):
                    hers.execute(setting.encode())
                assert hers.execute(b"SELECT count(*) FROM entries").fetchone() == (0,)
                hers.execute(b"RESET ROLE")


def test_who_was_given_nothing_finds_nothing_out(dsn: str) -> None:
    with user(dsn) as ana, acting(dsn, ana) as hers, pytest.raises(ConfigurationError, match="no right") as refused:
        schema.ensure(hers, schema_of(dsn), create=True)

    assert f"GRANT muniment_writer_{schema_of(dsn)} TO" in refused.value.hint


def _database(dsn: str) -> str:
    with reach(DatabaseAddress.parse(dsn)) as connection:
        row = connection.execute(b"SELECT current_database()").fetchone()
    assert row is not None
    return str(row[0])
