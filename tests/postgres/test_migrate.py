"""`muniment migrate`: it shows what is to be done, asks, does it, and leaves a database that keeps memories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.postgres.server import connect, schema_of
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.backends.postgres import schema
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.revisions import revisions


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


def test_the_plan_is_shown_and_nothing_is_done(shell: Shell, bare_dsn: str) -> None:
    said = shell.bare("migrate", bare_dsn, "--plan")

    assert said.code == 0
    for words in (f"schema {schema_of(bare_dsn)}", "0001 tables (pre)", "0002 walls (pre)", "who writes, who reads"):
        assert words in said.out
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        assert not schema.there(connection, schema_of(bare_dsn))


def test_nobody_to_ask_means_nothing_is_done(shell: Shell, bare_dsn: str) -> None:
    said = shell.bare("migrate", bare_dsn, "--json")

    assert (said.code, said.error["code"], said.error["field"]) == (2, "malformed", "yes")
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        assert not schema.there(connection, schema_of(bare_dsn))


def test_it_is_done_step_by_step_and_once(shell: Shell, bare_dsn: str) -> None:
    said = shell.bare("migrate", bare_dsn, "--yes", "--json")

    assert said.code == 0
    titles = [step["title"] for step in said.json["steps"]]
    assert [title for title in titles if title[:4].isdigit()] == [one.title for one in revisions()]
    assert said.json["done"] == len(titles)
    assert "0001 tables (pre): adds to the schema" in said.err
    again = shell.bare("migrate", bare_dsn, "--yes")
    assert again.code == 0
    assert "is up to date" in again.out
    with Memory.open(bare_dsn) as memory:
        assert memory.remember("It works").record_id is not None


def test_the_setting_and_the_shared_option_name_the_database_too(
    shell: Shell, bare_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell.bare("--vault", bare_dsn, "migrate", "--plan", "--json").json["steps"]
    assert shell.bare("migrate", "--store", bare_dsn, "--plan", "--json").json["steps"]
    monkeypatch.setenv("MUNIMENT_VAULT", bare_dsn)
    assert shell.bare("migrate", "--plan", "--json").json["steps"]


def test_a_database_that_is_behind_is_refused_with_this_command_as_the_way_out(shell: Shell, bare_dsn: str) -> None:
    with reach(DatabaseAddress.parse(bare_dsn)) as connection:
        schema.apply(connection, schema_of(bare_dsn), known=revisions()[:1])

    refused = shell.bare("--vault", bare_dsn, "remember", "x", "--json")
    assert (refused.code, refused.error["code"]) == (6, "schema_mismatch")
    assert "muniment migrate" in refused.error["hint"]
    assert shell.bare("migrate", bare_dsn, "--yes").code == 0
    assert shell.bare("--vault", bare_dsn, "init").code == 0
    assert shell.bare("--vault", bare_dsn, "remember", "x").code == 0


def test_the_password_is_shown_nowhere(shell: Shell, bare_dsn: str) -> None:
    address = bare_dsn.replace("postgresql://postgres", "postgresql://postgres:hunter2", 1)
    assert "hunter2" in address
    for words in (("--plan",), ("--plan", "--json"), ("--yes",), ("--yes", "--json"), ("--citus", "--yes")):
        said = shell.bare("migrate", address, *words)
        assert "hunter2" not in said.out + said.err


def test_a_cluster_is_not_made_of_a_server_that_is_none(shell: Shell, dsn: str) -> None:
    said = shell.bare("migrate", dsn, "--citus", "--json")

    assert (said.code, said.error["code"]) == (2, "configuration_error")
    assert "CREATE EXTENSION citus" in said.error["hint"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("migrate", ".", "--citus"), "configuration_error"),
        (("migrate", ".", "--scrub"), "configuration_error"),
        (("migrate", "postgresql:///x?schema=Bad%20Name"), "malformed"),
        (("migrate", "postgresql:///x", "--phase", "during"), "malformed"),
        (("--as", "somebody", "migrate", "postgresql:///x"), "not_permitted"),
        (("migrate", ""), "malformed"),
    ],
)
def test_a_wrong_call_is_told_as_one(shell: Shell, words: tuple[str, ...], code: str) -> None:
    said = shell.bare(*words, "--json")

    assert (said.code, said.error["code"]) == (2, code)


def test_a_record_of_revisions_that_was_tampered_with_stops_it(shell: Shell, bare_dsn: str) -> None:
    shell.bare("migrate", bare_dsn, "--yes")
    with connect(bare_dsn) as connection:
        connection.execute("UPDATE schema_migrations SET digest = repeat('0', 64) WHERE revision = 1")
    refused = shell.bare("migrate", bare_dsn, "--yes", "--json")

    assert (refused.code, refused.error["code"]) == (1, "integrity_error")
    assert "0001 tables" in refused.error["message"]


def test_what_was_erased_is_scrubbed_on_demand(shell: Shell, bare_dsn: str) -> None:
    shell.bare("migrate", bare_dsn, "--yes")
    with Memory.open(bare_dsn) as memory:
        kept = memory.remember("The password of the door is on the door").record_id
        assert kept is not None
        memory.forget(kept, reason="asked for")
    with connect(bare_dsn) as connection:
        connection.execute("UPDATE tenant_head SET scrubbed = 0")
    said = shell.bare("migrate", bare_dsn, "--scrub", "--yes", "--json")

    assert said.json["scrubbed"] == {"tenants": 1, "done": True}
    assert shell.bare("migrate", bare_dsn, "--scrub", "--yes", "--json").json["scrubbed"] == {
        "tenants": 0,
        "done": True,
    }
