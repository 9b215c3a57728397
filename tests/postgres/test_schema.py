"""The schema: made where nothing is, brought forward by numbered scripts, refused when behind, ahead or altered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from tests.cases import each
from tests.postgres.server import schema_of

from muniment.backends.postgres import schema
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.revisions import MINIMUM, Revision, newest, read, revisions, split
from muniment.backends.postgres.steps import MigrationRequest
from muniment.backends.postgres.transaction import Row
from muniment.model.errors import ConfigurationError, IntegrityError, SchemaMismatch, StoreUnavailable

BOTH = MigrationRequest(phases=("pre", "post"))


def asked(connection: psycopg.Connection[Row], question: str) -> list[Row]:
    return connection.execute(question.encode()).fetchall()


def written(connection: psycopg.Connection[Row], name: str) -> list[Row]:
    return asked(connection, f"SELECT revision, phase FROM {name}.schema_migrations ORDER BY revision, phase DESC")


def more(*scripts: Revision) -> tuple[Revision, ...]:
    return (*revisions(), *scripts)


def test_an_empty_database_gets_its_schema(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        assert not schema.there(connection, name)
        standing = schema.ensure(connection, name, create=True)

        assert standing.revision == newest(revisions())
        assert standing.role == f'"muniment_writer_{name}"'
        assert schema.there(connection, name)
        assert written(connection, name)[:2] == [(1, "pre"), (2, "pre")]
        assert schema.plan(connection, name) == ()


def test_what_is_there_is_left_as_it_is(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.ensure(connection, name, create=True)
        before = asked(connection, f"SELECT oid, relname FROM pg_class WHERE relnamespace = '{name}'::regnamespace")
        schema.ensure(connection, name, create=True)

        after = asked(connection, f"SELECT oid, relname FROM pg_class WHERE relnamespace = '{name}'::regnamespace")
        assert len(before) > 40
        assert sorted(after) == sorted(before)


def test_nothing_is_made_unless_that_is_wished_for(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        with pytest.raises(ConfigurationError, match="holds nothing of ours"):
            schema.ensure(connection, name, create=False)
        assert len(schema.plan(connection, name)) >= 4
        assert asked(connection, f"SELECT FROM pg_namespace WHERE nspname = '{name}'") == []


def test_who_was_cut_off_while_making_a_schema_is_finished_by_who_may_make_it(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, name, known=revisions()[:1])
        with pytest.raises(SchemaMismatch):
            schema.ensure(connection, name, create=False)
        assert schema.ensure(connection, name, create=True).revision == newest(revisions())


def test_a_schema_that_is_behind_is_refused_and_can_be_brought_forward(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, name, known=revisions()[:1])
        connection.execute(f"INSERT INTO {name}.deployment VALUES ('signing.pub', '')".encode())

        with pytest.raises(SchemaMismatch) as refused:
            schema.ensure(connection, name, create=True)
        assert (refused.value.found, refused.value.needed) == (1, MINIMUM)
        assert "muniment migrate" in refused.value.hint
        assert written(connection, name) == [(1, "pre")]

        assert [step.title for step in schema.plan(connection, name)][:1] == ["0002 walls (pre)"]
        schema.apply(connection, name)
        assert schema.check(connection, name).revision == newest(revisions())


def test_a_newer_release_may_add_to_the_schema_but_what_it_takes_away_locks_this_one_out(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    later = more(
        read("0900_added.pre.sql", "CREATE TABLE added (a bigint);"),
        read("0900_added.post.sql", "DROP TABLE {schema}.added;"),
    )
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.ensure(connection, name, create=True)
        sweeps = connection.info.server_version >= 170_000
        assert schema.apply(connection, name, known=later) == 1 + sweeps, "the table, and the right to sweep it"
        assert schema.ensure(connection, name, create=False).revision == 900

        assert [step.title for step in schema.plan(connection, name, BOTH, known=later)] == ["0900 added (post)"]
        schema.apply(connection, name, BOTH, known=later)
        with pytest.raises(SchemaMismatch) as refused:
            schema.ensure(connection, name, create=True)
        assert (refused.value.found, refused.value.needed) == (900, newest(revisions()))
        assert "Upgrade Muniment" in refused.value.hint
        with pytest.raises(SchemaMismatch):
            schema.plan(connection, name)


def test_on_an_empty_database_scripts_of_both_phases_are_run(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    later = more(read("0900_a.pre.sql", "CREATE TABLE a (a bigint);"), read("0900_a.post.sql", "DROP TABLE a;"))
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, name, known=later)

        assert written(connection, name)[-2:] == [(900, "pre"), (900, "post")]


def test_a_script_that_was_altered_after_it_was_applied_is_refused(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    first = read("0900_a.pre.sql", "CREATE TABLE a (a bigint);")
    other = read("0900_a.pre.sql", "CREATE TABLE a (a bigint, b bigint);")
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, name, known=more(first))

        with pytest.raises(IntegrityError, match="0900 a"):
            schema.plan(connection, name, known=more(other))
        with pytest.raises(IntegrityError, match="0900 a"):
            schema.apply(connection, name, known=more(other, read("0901_b.pre.sql", "CREATE TABLE b (b bigint);")))
        assert written(connection, name)[-1] == (900, "pre")


def test_a_script_that_fails_leaves_nothing_behind_and_can_be_run_again(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    wrong = read("0900_a.pre.sql", "CREATE TABLE a (a bigint);\nSELECT 1 / 0;\n")
    right = read("0900_a.pre.sql", "CREATE TABLE a (a bigint);\n")
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.ensure(connection, name, create=True)
        with pytest.raises(StoreUnavailable, match="22012"):
            schema.apply(connection, name, known=more(wrong))

        assert asked(connection, f"SELECT to_regclass('{name}.a')") == [(None,)]
        assert (900, "pre") not in written(connection, name)
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        schema.apply(connection, name, known=more(right))
        assert (900, "pre") in written(connection, name)


def test_a_script_alone_runs_what_no_transaction_can_hold(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    index = "CREATE INDEX CONCURRENTLY IF NOT EXISTS by_hash ON {schema}.entries (tenant_id, hash);"
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, name, known=more(read("0900_a.pre.sql", f"-- alone\n{index}\n")))

        assert asked(connection, f"SELECT to_regclass('{name}.by_hash') IS NOT NULL") == [(True,)]
        assert written(connection, name)[-1] == (900, "pre")
        with pytest.raises(StoreUnavailable, match="25001"):
            schema.apply(connection, name, known=more(read("0901_b.pre.sql", index.replace("by_hash", "more"))))


def test_of_many_runs_at_once_each_script_is_run_once(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)

    def run(_: int) -> int:
        with reach(DatabaseAddress.parse(bare_dsn)) as connection:
            return schema.ensure(connection, name, create=True).revision

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(run, range(6))) == [newest(revisions())] * 6
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        assert written(connection, name) == [(one.number, one.phase) for one in revisions()]


def test_progress_tells_each_step_before_it_is_done(bare_dsn: str) -> None:
    told: list[str] = []
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        name = schema_of(bare_dsn)
        planned = [step.title for step in schema.plan(connection, name)]
        done = schema.apply(connection, name, progress=lambda step: told.append(step.title))

    assert told == planned
    assert done == len(planned)


def test_a_schema_of_somebody_else_is_left_alone(bare_dsn: str) -> None:
    name = schema_of(bare_dsn)
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
        connection.execute(f"CREATE TABLE {name}.theirs (a bigint)".encode())

        with pytest.raises(ConfigurationError, match="not ours"):
            schema.ensure(connection, name, create=True)
        assert asked(connection, f"SELECT relname FROM pg_class WHERE relnamespace = '{name}'::regnamespace") == [
            ("theirs",)
        ]


@each("name", ["", "Big", "a b", "1st", 'a"b', "a;b", "x" * 41, "pg_toast", "ä"])
def test_a_schema_has_a_name_that_needs_no_care(dsn: str, name: str) -> None:
    with reach(DatabaseAddress.parse(dsn)) as connection, pytest.raises(ConfigurationError, match="40 small letters"):
        schema.ensure(connection, name, create=True)


def test_the_longest_name_still_has_roles_of_its_own(bare_dsn: str) -> None:
    name = "x" * 40
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        try:
            standing = schema.ensure(connection, name, create=True)
            assert standing.role == f'"muniment_writer_{name}"'
            assert standing.reader == f'"muniment_reader_{name}"'
        finally:
            schema.drop(connection, name)
        assert asked(connection, f"SELECT FROM pg_roles WHERE rolname LIKE '%{name}'") == []


def test_scripts_are_numbered_without_a_gap_and_minimum_is_one_of_them() -> None:
    numbers = sorted({one.number for one in revisions()})

    assert numbers == list(range(1, len(numbers) + 1))
    assert MINIMUM in numbers
    assert all(one.phase == "pre" for one in revisions() if one.number <= 2)


def test_a_script_is_cut_into_statements_at_semicolons_that_end_a_line() -> None:
    text = "-- why; because;\nCREATE TABLE a (\n    b text DEFAULT 'x;y' -- kept\n);\n\nDROP TABLE c;  \n"

    assert split(text) == ("CREATE TABLE a (\n    b text DEFAULT 'x;y' -- kept\n)", "DROP TABLE c")
