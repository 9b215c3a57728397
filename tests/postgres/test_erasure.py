"""What was erased is in no file of any table or index: not in a page, not in a catalogue of the server. The log of
changes still has it, and the tests say so."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Timer

import psycopg
import pytest
from tests.patience import WAIT_S
from tests.postgres.saying import SUBJECT, WORDS, Files, say_everything
from tests.support.postgres import SMALL, Server, started
from tests.support.world import simulated_memory
from tests.unit.engine.erasing import kept

from muniment import Memory
from muniment.backends.postgres import scrubbing
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.partitions import partition_of
from muniment.backends.postgres.scrubbing import Scrubbed, scrub, scrub_all
from muniment.backends.postgres.server import role_name
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Row, tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.errors import Malformed

_numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server whose files nobody else writes to."""
    with started(durable=False, settings=SMALL | {"autovacuum": "off"}) as running:
        yield running


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the usual waits can pass by."""
    monkeypatch.setattr(scrubbing, "WAIT_MS", 1000 * WAIT_S)
    monkeypatch.setattr(scrubbing, "READERS_WAIT_S", WAIT_S)


@pytest.fixture(scope="module")
def files(server: Server) -> Files:
    return Files(server)


@pytest.fixture
def schema(server: Server, files: Files) -> Iterator[str]:
    """A schema that is gone afterwards with all that was in it."""
    name = f"erasure_{next(_numbers)}"
    yield name
    with behind(server, name) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE".encode())
        connection.execute("VACUUM FULL pg_statistic")
    assert files.in_tables() == set(), "nothing is left for the next test to find"


@pytest.fixture
def dsn(server: Server, schema: str) -> str:
    return server.dsn(schema=schema)


@contextmanager
def behind(server: Server, schema: str) -> Iterator[psycopg.Connection[Row]]:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema}, public".encode())
        yield connection


def without_right_to_sweep(connection: psycopg.Connection[Row], schema: str) -> None:
    """Let the writer be as on servers older than 17, where nobody but the owner can write a table anew."""
    if connection.info.server_version >= 170_000:
        writer = role_name(schema, "writer")
        connection.execute(f"REVOKE MAINTAIN ON ALL TABLES IN SCHEMA {schema} FROM {writer}".encode())


def in_half(texts: list[str]) -> list[list[float]]:
    """A vector that is easily known again in a file: three numbers that a half can say exactly."""
    return [[0.6005859375, 0.7998046875, 0.0] if SUBJECT in text else [0.0, 0.0, 1.0] for text in texts]


VECTOR = struct.pack("<3e", 0.6005859375, 0.7998046875, 0.0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cascade", ["erase", "redact"])
def test_no_spelling_of_any_word_is_in_any_table_or_index(
    server: Server, files: Files, schema: str, dsn: str, cascade: str
) -> None:
    with Memory.open(dsn, embedder=in_half) as memory, behind(server, schema) as connection:
        say_everything(memory)
        memory.flush()
        connection.execute("ANALYZE")
        assert {word for part, word in files.in_tables() if part == "base"} == set(WORDS), "the search finds them"
        assert files.hold(VECTOR)
        done = memory.forget(subject=SUBJECT, reason=f"asked to by {SUBJECT}", cascade=cascade)
        assert done.scrubbed
        assert files.in_tables() == set(), "not even while the store is open"
        assert not files.hold(VECTOR)
        connection.execute("ANALYZE")
        assert files.in_tables() == set()
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
    assert files.in_tables() == set()
    assert files.in_log() == set(WORDS), "the log of changes has them still"


def test_what_is_sampled_for_the_planner_is_nothing_that_was_said(
    server: Server, files: Files, schema: str, dsn: str
) -> None:
    with Memory.open(dsn, embedder=None) as memory, behind(server, schema) as connection:
        say_everything(memory)
        connection.execute("ANALYZE")
        sampled = connection.execute("SELECT attname, most_common_vals::text, histogram_bounds::text FROM pg_stats")
        texts = [f"{name} {values} {bounds}" for name, values, bounds in sampled]
        assert len(texts) > 50
        assert [text for text in texts if any(word.lower() in text.lower() for word in WORDS)] == []


@pytest.mark.slow
def test_vacuum_alone_leaves_what_was_deleted_in_the_pages(server: Server, files: Files, schema: str, dsn: str) -> None:
    """Why tables are written anew."""
    with Memory.open(dsn, embedder=None) as memory, behind(server, schema) as connection:
        kept(memory, "The depot opens at nine", confidence=0.9)
        kept(memory, "Nothing of Mulberrystrasse", confidence=0.9)
        for table in ("documents", "postings", "cards", "mentions"):
            connection.execute(f"DELETE FROM {table}".encode())
            connection.execute(f"VACUUM {table}".encode())
        assert ("base", "Mulberrystrasse") in files.in_tables()


def test_who_still_reads_an_older_state_holds_it_up_and_closing_finishes_it(
    server: Server, files: Files, schema: str, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that has never looked at a table of ours makes the server keep what it could see."""
    monkeypatch.setattr(scrubbing, "READERS_WAIT_S", 0.05)
    with Memory.open(dsn, embedder=None) as memory:
        say_everything(memory)
        with psycopg.connect(server.dsn()) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT count(*) FROM pg_class")
            assert not memory.forget(subject=SUBJECT, reason="asked to").scrubbed
            assert files.in_tables() != set()
            with behind(server, schema) as connection:
                assert connection.execute("SELECT erasure <> scrubbed FROM tenant_head").fetchone() == (True,)
        monkeypatch.setattr(scrubbing, "READERS_WAIT_S", 60)
    assert files.in_tables() == set(), "closing has finished it"


def test_who_reads_an_older_state_for_a_moment_is_waited_for(
    server: Server, files: Files, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrubbing, "READERS_WAIT_S", 60)
    with Memory.open(dsn, embedder=None) as memory, psycopg.connect(server.dsn()) as reader:
        say_everything(memory)
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM pg_class")
        ending = Timer(0.2, reader.rollback)
        ending.start()
        assert memory.forget(subject=SUBJECT, reason="asked to").scrubbed
        ending.join()
        assert files.in_tables() == set()


def test_who_holds_a_table_is_waited_for_a_bounded_time(
    server: Server, files: Files, schema: str, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scrubbing, "WAIT_MS", 20)
    with psycopg.connect(server.dsn()) as holder:
        with Memory.open(dsn, embedder=None) as memory:
            say_everything(memory)
            holder.execute(f"LOCK TABLE {schema}.postings IN ACCESS SHARE MODE".encode())
            assert not memory.forget(subject=SUBJECT, reason="asked to").scrubbed
        assert files.in_tables() != set(), "closing could not finish it either"
        holder.rollback()
    monkeypatch.setattr(scrubbing, "WAIT_MS", 60_000)
    with Memory.open(dsn, embedder=None) as memory:
        assert files.in_tables() == set(), "opening has finished it"
        assert memory.ledger.verify().ok


def test_a_user_without_the_right_leaves_it_to_the_owner(server: Server, files: Files, schema: str, dsn: str) -> None:
    user, writer = f"{schema}_user", role_name(schema, "writer")
    PostgresVault(dsn).close()
    with behind(server, schema) as connection:
        connection.execute(f"CREATE ROLE {user} LOGIN".encode())
        connection.execute(f"GRANT {writer} TO {user}".encode())
        without_right_to_sweep(connection, schema)
    with Memory.open(dsn.replace("postgres@", f"{user}@"), embedder=None) as memory:
        say_everything(memory)
        assert not memory.forget(subject=SUBJECT, reason="asked to").scrubbed
    assert files.in_tables() != set()
    with reach(DatabaseAddress.parse(dsn)) as owner:
        assert scrub_all(owner, schema) == Scrubbed(tenants=1, done=True)
        assert scrub_all(owner, schema) == Scrubbed(tenants=0, done=True)
    assert files.in_tables() == set()
    with behind(server, schema) as connection:
        connection.execute(f"DROP OWNED BY {user}".encode())
        connection.execute(f"DROP ROLE {user}".encode())


@pytest.mark.slow
def test_an_owner_who_works_as_the_writer_scrubs_as_the_owner(
    server: Server, files: Files, schema: str, dsn: str
) -> None:
    """On servers older than 17 the writer cannot be given the right; whoever logged in may have it."""
    with Memory.open(dsn, embedder=None) as memory, behind(server, schema) as connection:
        without_right_to_sweep(connection, schema)
        say_everything(memory)
        assert memory.forget(subject=SUBJECT, reason="asked to").scrubbed
    assert files.in_tables() == set()


def forgotten(vault: PostgresVault, tenant: str) -> TenantScope:
    """A tenant that has erased what it was told, with the files still to be cleaned; the way to it."""
    memory = simulated_memory(store := vault.open(tenant, create=True))
    name = kept(memory, "Nothing of Mulberrystrasse", confidence=0.9)
    store.scrub = lambda: False  # type: ignore[method-assign]  # as if somebody had been in the way
    assert not memory.forget(name, reason="asked to").scrubbed
    return TenantScope(vault.pool, tenant)


def test_tables_that_are_large_are_left_for_later_and_then_done_for_everybody_at_once(
    server: Server, files: Files, schema: str, dsn: str
) -> None:
    vault = PostgresVault(dsn)
    blue, red = forgotten(vault, "blue"), forgotten(vault, "red")
    assert not scrub(blue, most=1)
    assert files.in_tables() != set()
    with reach(DatabaseAddress.parse(dsn)) as owner:
        assert scrub_all(owner, schema) == Scrubbed(tenants=2, done=True)
    assert files.in_tables() == set()
    assert scrub(blue, most=1), "there is nothing left to do"
    assert scrub(red, most=1)
    vault.close()


def test_the_address_says_how_large_tables_may_be(files: Files, schema: str, dsn: str) -> None:
    with Memory.open(f"{dsn}&scrub_mb=0", embedder=None) as memory:
        say_everything(memory)
        assert not memory.forget(subject=SUBJECT, reason="asked to").scrubbed
    assert files.in_tables() != set()
    with Memory.open(f"{dsn}&scrub_mb=1000", embedder=None):
        assert files.in_tables() == set()
    for wrong in ("-1", "many", "1.5", "", "999999999"):
        with pytest.raises(Malformed, match="scrub_mb"):
            DatabaseAddress.parse(f"{dsn}&scrub_mb={wrong}")


def files_of(connection: psycopg.Connection[Row]) -> dict[str, int]:
    asked = "SELECT relname, relfilenode FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    return {str(name): int(str(file)) for name, file in connection.execute(f"{asked} AND relkind = 'r'".encode())}


def test_where_nothing_was_erased_no_table_is_touched(server: Server, files: Files, schema: str, dsn: str) -> None:
    with Memory.open(dsn, embedder=None) as memory, behind(server, schema) as connection:
        kept(memory, "The depot opens at nine", confidence=0.9)
        before = files_of(connection)
    vault = PostgresVault(dsn)
    assert vault.open("default", create=False).scrub()
    vault.close()
    with behind(server, schema) as connection:
        assert files_of(connection) == before


def test_every_table_that_an_erasure_touches_is_written_anew(
    server: Server, files: Files, schema: str, dsn: str
) -> None:
    """A large tenant's own partition of vectors too. Ledger and certificates are never rewritten."""
    own = partition_of(tenant_number("default"))
    with Memory.open(dsn, embedder=None) as memory, behind(server, schema) as connection:
        number = tenant_number("default")
        connection.execute(f"CREATE TABLE {own} PARTITION OF vectors FOR VALUES IN ({number})".encode())
        name = kept(memory, "Nothing of Mulberrystrasse", confidence=0.9)
        before = files_of(connection)
        assert memory.forget(name, reason="asked to").scrubbed
        anew = {table for table, file in files_of(connection).items() if before[table] != file}
    assert anew == {*scrubbing.TABLES, own}


def test_a_connection_is_given_back_as_it_was(dsn: str, schema: str) -> None:
    vault = PostgresVault(dsn)
    door = forgotten(vault, "blue")
    assert scrub(door)
    asked = b"SELECT current_user::text, current_setting('lock_timeout')"
    with vault.pool.lend() as one, vault.pool.lend() as other:
        assert [one.execute(asked).fetchone(), other.execute(asked).fetchone()] == [
            (role_name(schema, "writer"), "0"),
            (role_name(schema, "writer"), "0"),
        ]
    vault.close()
