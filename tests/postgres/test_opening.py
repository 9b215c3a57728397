"""A vault in a database: made once by whoever comes first, the same for every process, and clear about what fails."""

from __future__ import annotations

import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.postgres.server import connect, schema_of, wait_until
from tests.postgres.users import give, user
from tests.support.postgres import SMALL, Server, started

from muniment import Memory
from muniment.backends.postgres.server import role_name
from muniment.engine.audit import verify_vault
from muniment.engine.signing import public_keys
from muniment.engine.vault import there_is
from muniment.model.errors import (
    ConfigurationError,
    LedgerBroken,
    Malformed,
    MunimentError,
    NotFound,
    StoreBusy,
    StoreUnavailable,
)

SECRET = "hunter2"


def rows(dsn: str) -> dict[str, bytes]:
    """What the database keeps beside its tenants."""
    with connect(dsn) as connection:
        found = connection.execute("SELECT name, body FROM deployment", binary=True).fetchall()
    return {str(name): body for name, body in found if isinstance(body, bytes)}


def told(error: MunimentError) -> str:
    """Everything that whoever catches an error, or prints it, gets to see."""
    return "".join(traceback.format_exception(error)) + f"{error.hint} {vars(error)}"


def test_an_empty_database_becomes_a_vault_that_others_open(bare_dsn: str) -> None:
    assert not there_is(bare_dsn)
    with Memory.open(bare_dsn) as memory:
        record = memory.remember("The pump is blue", evidence=["ticket:1"]).record_id
        key = memory.ledger.checkpoint().checkpoint.key
    assert there_is(bare_dsn)
    with Memory.open(bare_dsn, create=False) as again:
        assert [found.record.id for found in again.recall("pump").records] == [record]
        assert again.ledger.checkpoint().checkpoint.key == key
    kept = rows(bare_dsn)
    assert kept.keys() == {"signing.key", "signing.pub", "policy.yaml"}
    assert kept["signing.pub"].decode().strip() == key
    assert public_keys(bare_dsn) == (key,)
    assert verify_vault(bare_dsn, "default").findings == ()


def test_who_may_only_read_is_told_so_and_not_that_the_key_is_elsewhere(dsn: str) -> None:
    Memory.open(dsn).close()
    with user(dsn) as ana:
        give(dsn, "GRANT {reader} TO {ana}", reader=role_name(schema_of(dsn), "reader"), ana=ana)
        with pytest.raises(ConfigurationError, match="the user may only read") as refused:
            Memory.open(f"{dsn}&options=-crole%3D{ana}", create=False)
    assert "a member of the schema's writer role" in refused.value.hint


def test_a_statement_that_the_server_cuts_short_while_opening_is_told_as_such(dsn: str) -> None:
    with connect(dsn) as holder, holder.transaction():
        holder.execute("LOCK TABLE schema_migrations")
        with pytest.raises(StoreBusy, match="took longer than the server allows") as refused:
            Memory.open(f"{dsn}&options=-cstatement_timeout%3D100ms", create=False)
    assert "statement_timeout" in refused.value.hint


def test_a_vault_that_is_not_there_is_not_made_unless_that_is_said(bare_dsn: str, dsn: str) -> None:
    for place in (bare_dsn, dsn):  # a database without our tables, and one with tables and no vault
        with pytest.raises(StoreUnavailable) as refused:
            Memory.open(place, create=False)
        assert "`muniment init` makes one" in str(refused.value)
        assert not there_is(place)
    assert rows(dsn) == {}


def test_a_tenant_that_is_not_there_is_not_made_unless_that_is_said(dsn: str) -> None:
    Memory.open(dsn).close()
    with pytest.raises(NotFound):
        Memory.open(dsn, tenant="acme", create=False)
    Memory.open(dsn, tenant="acme").close()
    Memory.open(dsn, tenant="acme", create=False).close()


def test_of_many_who_make_a_vault_at_once_the_first_wins_and_all_have_the_same_key(bare_dsn: str) -> None:
    together, opened, failed = threading.Barrier(6), [], []

    def make(number: int) -> None:
        together.wait(WAIT_S)
        try:
            with Memory.open(bare_dsn, tenant=f"t{number % 3}") as memory:
                memory.remember(f"The pump of {number} is blue")
                opened.append(memory.ledger.checkpoint().checkpoint.key)
        except MunimentError as error:
            failed.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(WAIT_S)
    assert failed == []
    assert set(opened) == {rows(bare_dsn)["signing.pub"].decode().strip()}
    assert [verify_vault(bare_dsn, f"t{number}").findings for number in range(3)] == [(), (), ()]


def test_an_opening_that_fails_leaves_no_connection_behind(dsn: str) -> None:
    Memory.open(dsn).close()
    with connect(dsn) as connection:
        connection.execute("DELETE FROM deployment WHERE name = 'policy.yaml'")
        with pytest.raises(ConfigurationError) as refused:
            Memory.open(dsn)
        assert refused.value.setting == "policy"
        connection.execute("INSERT INTO deployment VALUES ('policy.yaml', '\\xff')")
        with pytest.raises(ConfigurationError) as refused:
            Memory.open(dsn)
        assert "UTF-8" in str(refused.value)
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
        name = dsn.rpartition("application_name=")[2]
        wait_until(lambda: connection.execute(asked, [name]).fetchone() == (0,))


def test_a_signing_key_that_is_lost_or_unreadable_is_not_made_anew(dsn: str) -> None:
    Memory.open(dsn).close()
    for change, expected in (("body = 'no key'", StoreUnavailable), ("name = 'elsewhere'", ConfigurationError)):
        with connect(dsn) as connection:
            connection.execute(f"UPDATE deployment SET {change} WHERE name = 'signing.key'".encode())
        with pytest.raises(expected) as refused:
            Memory.open(dsn)
        assert "signing key" in str(refused.value)
        assert "no key" not in told(refused.value)
    assert "signing.key" not in rows(dsn)


def test_a_witness_outside_the_database_notices_that_it_was_put_back(dsn: str, tmp_path: Path) -> None:
    with Memory.open(dsn, witness=tmp_path) as memory:
        memory.remember("The pump is blue")
    with connect(dsn) as connection:
        connection.execute("UPDATE tenant_head SET seq = 2, hash = (SELECT hash FROM entries WHERE seq = 2)")
        connection.execute("DELETE FROM checkpoints")
        connection.execute("DELETE FROM entries WHERE seq = 3")
    with pytest.raises(LedgerBroken):
        Memory.open(dsn, witness=tmp_path)


def test_content_keys_seal_what_a_database_holds_and_open_it_again(dsn: str, tmp_path: Path) -> None:
    with Memory.open(dsn, content_keys=tmp_path) as memory:
        memory.remember("The pump is blue", evidence=["ticket:1"])
    with connect(dsn) as connection:
        held = connection.execute("SELECT string_agg(encode(body, 'escape'), ' ') FROM documents").fetchone()
    assert "pump" not in str(held)
    with Memory.open(dsn, content_keys=tmp_path) as memory:
        assert [found.record.content for found in memory.recall("pump").records] == ["The pump is blue"]
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(dsn)
    assert refused.value.setting == "content_keys"


@pytest.fixture(scope="module")
def asking() -> Iterator[Server]:
    """A server that listens on a port, asks the user ana for a password, and lets the user bot in nowhere."""
    with started(durable=False, tcp=True, settings=SMALL | {"max_connections": "20"}) as server:
        rules = server.tables / "pg_hba.conf"
        lines = "host all ana 127.0.0.1/32 scram-sha-256\nhost all bot 127.0.0.1/32 reject\n"
        rules.write_text(lines + rules.read_text())
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute("CREATE ROLE ana LOGIN SUPERUSER PASSWORD 'hunter2'")
            connection.execute("CREATE ROLE bot LOGIN")
            connection.execute("CREATE ROLE idle NOLOGIN")
            connection.execute("SELECT pg_reload_conf()")
        yield server


Address = Callable[[Server], str]
WRONG: dict[str, tuple[Address, type[MunimentError], str]] = {
    "wrong password": (
        lambda server: f"postgresql://ana:{SECRET}x@127.0.0.1:{server.port}/postgres",
        ConfigurationError,
        "does not accept this user with this password",
    ),
    "no password": (
        lambda server: f"postgresql://ana@127.0.0.1:{server.port}/postgres?passfile=/dev/null",
        ConfigurationError,
        "does not accept this user with this password",
    ),
    "kept out": (
        lambda server: f"postgresql://bot:{SECRET}@127.0.0.1:{server.port}/postgres",
        ConfigurationError,
        "lets nobody in from here",
    ),
    "no such user": (
        lambda server: f"postgresql://nobody:{SECRET}@127.0.0.1:{server.port}/postgres",
        ConfigurationError,
        "no such user that may log in",
    ),
    "a user that may not log in": (
        lambda server: f"postgresql://idle:{SECRET}@127.0.0.1:{server.port}/postgres",
        ConfigurationError,
        "no such user that may log in",
    ),
    "no such database": (
        lambda server: f"postgresql://postgres:{SECRET}@127.0.0.1:{server.port}/absent",
        ConfigurationError,
        "no such database",
    ),
    "an unknown parameter": (
        lambda server: f"postgresql://postgres:{SECRET}@127.0.0.1:{server.port}/postgres?{SECRET}=1".replace("2=", "="),
        ConfigurationError,
        "a parameter whose name libpq does not know",
    ),
    "a wrong parameter": (
        lambda server: f"postgresql://postgres:{SECRET}@127.0.0.1:{server.port}/postgres?keepalives={SECRET}",
        ConfigurationError,
        "a value that cannot be used",
    ),
    "encryption that is not offered": (
        lambda server: f"postgresql://postgres:{SECRET}@127.0.0.1:{server.port}/postgres?sslmode=require",
        ConfigurationError,
        "do not agree on encryption",
    ),
    "no server": (
        lambda server: f"postgresql://ana:{SECRET}@127.0.0.1:1,127.0.0.1:2/postgres",
        StoreUnavailable,
        "cannot be reached: postgresql://ana@127.0.0.1:1,127.0.0.1:2/postgres",
    ),
    "no socket": (
        lambda server: f"postgresql://ana:{SECRET}@/postgres?host=/absent",
        StoreUnavailable,
        "cannot be reached",
    ),
    "no such name": (
        lambda server: f"postgresql://ana:{SECRET}@absent.invalid/postgres",
        StoreUnavailable,
        "name is not known",
    ),
    "no standby": (
        lambda server: f"postgresql://ana:{SECRET}@127.0.0.1:{server.port}/postgres?target_session_attrs=standby",
        StoreUnavailable,
        "no server that answers is of the sort asked for",
    ),
}


@each("what", WRONG)
@each("create", [True, False])
def test_what_stands_in_the_way_is_told_without_a_password(what: str, create: bool, asking: Server) -> None:
    address, kind, words = WRONG[what]
    with pytest.raises(kind) as refused:
        Memory.open(address(asking), create=create)
    assert words in str(refused.value)
    assert refused.value.hint
    assert SECRET not in told(refused.value)


def test_a_server_that_never_answers_is_waited_for_a_bounded_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        port = silent.getsockname()[1]
        with pytest.raises(StoreUnavailable) as refused:
            Memory.open(f"postgresql://ana:{SECRET}@127.0.0.1:{port}/postgres?connect_timeout=2")
    assert "did not answer in time" in str(refused.value)
    assert SECRET not in told(refused.value)


def test_a_right_password_opens_and_is_shown_nowhere(asking: Server) -> None:
    dsn = f"postgresql://ana:{SECRET}@127.0.0.1:1,127.0.0.1:{asking.port}/postgres?target_session_attrs=read-write"
    with Memory.open(dsn) as memory:
        assert memory.remember("The pump is blue").record_id is not None
        assert SECRET not in repr(vars(memory))
        assert memory._vault is not None
        assert SECRET not in repr(vars(memory._vault))


def test_a_server_with_no_connection_to_spare_is_busy(asking: Server) -> None:
    dsn = f"postgresql://bob@127.0.0.1:{asking.port}/postgres"
    with psycopg.connect(asking.dsn(), autocommit=True) as connection:
        connection.execute("CREATE ROLE bob LOGIN CONNECTION LIMIT 0")
    with pytest.raises(MunimentError) as refused:
        Memory.open(dsn)
    assert refused.value.code == "store_busy"


def test_a_malformed_address_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(Malformed) as refused:
        Memory.open(f"postgresql://ana:{SECRET}@home@127.0.0.1:1/postgres")
    assert SECRET not in told(refused.value)
