"""The command line on a vault in a database: the same commands, what files alone can do refused, no password shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres.server import Schemas, connect
from tests.surfaces.shell import Said, Shell

from muniment import Memory

SECRET = "hunter2"
POLICY = "version: 1\nname: closed\n"


class Telling:
    """Runs commands on one vault, whose address holds a password, and looks for that in all that they say."""

    def __init__(self, dsn: str, shell: Shell) -> None:
        self.dsn = dsn.replace("postgres@", f"postgres:{SECRET}@", 1)
        self.shown = dsn.rpartition("&application_name=")[0]
        self._shell = shell

    def __call__(self, *words: str) -> Said:
        said = self._shell.bare("--vault", self.dsn, *words)
        assert SECRET not in said.out + said.err
        return said


@pytest.fixture
def told(
    dsn: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Telling:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_") and "_TEST_" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return Telling(dsn, Shell(tmp_path / "vault", capfdbinary, monkeypatch))


@pytest.fixture
def twin(schemas: Schemas) -> Iterator[str]:
    place = schemas.lend()
    yield place
    schemas.take_back(place)


def test_a_database_is_made_into_a_vault_and_used(told: Telling) -> None:
    first = told("init", "--json")
    assert (first.code, first.json) == (0, {"vault": told.shown, "tenant": "default", "created": True})
    assert told("init", "--json").json["created"] is False
    assert told("remember", "The pump is blue", "--json").json["outcome"] == "committed"
    assert [one["content"] for one in told("recall", "pump", "--json").json["records"]] == ["The pump is blue"]
    assert told("ledger", "verify", "--json").json["findings"] == []


def test_a_first_memory_makes_the_vault_for_its_owner_alone(told: Telling) -> None:
    refused = told("remember", "x", "--as", "bot", "--json")
    assert (refused.code, refused.error["code"]) == (2, "configuration_error")
    assert told.shown in refused.error["message"]
    said = told("remember", "x")
    assert (said.code, said.err) == (0, f"made a new vault at {told.shown}\n")


def test_the_setting_and_the_other_name_of_the_flag_name_a_database_too(
    told: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told._shell.bare("init", "--store", told.dsn).code == 0
    monkeypatch.setenv("MUNIMENT_VAULT", told.dsn)
    said = told._shell.bare("remember", "x")
    assert (said.code, said.err) == (0, "")


def test_a_policy_is_brought_shown_and_replaced(told: Telling, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('version = 1\nname = "mine"\n')
    (tmp_path / "closed.yaml").write_text(POLICY)
    (tmp_path / "wrong.yaml").write_text("version: 1\nname: [\n")
    assert told("init", "--policy", "mine.toml").code == 0
    assert told("policy", "show", "--json").json["source"] == f"policy.toml in {told.shown}"
    assert told("init", "--policy", "mine.toml", "--json").error["field"] == "policy"
    assert told("policy", "put", "wrong.yaml", "--json").code == 2
    assert told("policy", "put", "closed.yaml", "--as", "bot", "--json").error["code"] == "not_permitted"
    assert told("policy", "show").out == 'version = 1\nname = "mine"\n'
    assert told("policy", "put", "closed.yaml", "--json").json["name"] == "closed"
    assert told("policy", "show").out == POLICY
    with connect(told.dsn) as connection:
        names = connection.execute("SELECT name FROM deployment WHERE name LIKE 'policy%'").fetchall()
    assert names == [("policy.yaml",)]
    with Memory.open(told.dsn) as memory:
        assert memory.insight.policy.name == "closed"


def test_a_policy_of_a_folder_is_put_by_the_same_command(told: Telling, tmp_path: Path) -> None:
    shell = told._shell
    (tmp_path / "closed.yaml").write_text(POLICY)
    assert shell("policy", "put", "closed.yaml", "--json").error["code"] == "store_unavailable"
    shell("init")
    said = shell("policy", "put", "closed.yaml")
    assert (said.code, "from its next opening on: closed, 0 write" in said.out) == (0, True)
    assert (shell.vault / "policy.yaml").read_text() == POLICY
    (tmp_path / "mine.toml").write_text('version = 1\nname = "mine"\n')
    assert shell("policy", "put", "mine.toml", "--json").json["name"] == "mine"
    assert not (shell.vault / "policy.yaml").exists()
    assert shell("policy", "show", "--json").json["policy"]["name"] == "mine"


def test_keys_and_signing_keys_are_changed_from_any_machine(told: Telling) -> None:
    made = told("keys", "create", "planner", "--json").json
    assert [one["id"] for one in told("keys", "list", "--json").json["keys"]] == [made["key"]["id"]]
    assert told("keys", "revoke", made["key"]["id"], "--json").json["state"] == "revoked"
    done = told("signing", "rotate", "--reason", "routine", "--yes", "--json").json
    assert (done["resumed"], done["destroyed"]) == (False, True)
    shown = told("signing", "show", "--json").json["keys"]
    assert [one["key"] for one in shown] == [done["old"], done["new"]]
    assert told("ledger", "verify").code == 0


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("backup", "copy"), "pg_dump"),
        (("restore", "copy"), "pg_dump"),
        (("encryption", "status"), "content keys"),
        (("encryption", "encrypt", "--yes"), "content keys"),
        (("encryption", "decrypt", "--yes"), "content keys"),
        (("encryption", "rekey", "--new-key-file", "k", "--yes"), "content keys"),
    ],
)
def test_what_is_done_to_files_says_what_to_use_instead(told: Telling, words: tuple[str, ...], instead: str) -> None:
    told("init")
    refused = told(*words, "--json")
    assert (refused.code, refused.error["code"], refused.error["field"]) == (2, "configuration_error", "vault")
    assert instead in refused.error["hint"]


def test_a_tenant_goes_from_a_folder_to_a_database_and_on_to_another(told: Telling, twin: str, tmp_path: Path) -> None:
    shell = told._shell
    record = shell.remember("The pump is blue", "--evidence", "ticket:1")
    head = shell("ledger", "head").json
    key = str(shell.vault / "keys" / "signing.key")
    assert shell("archive", "export", "one.ndjson").code == 0
    told("init")
    refused = told("archive", "import", "one.ndjson", "--signing-key", key, "--json")
    assert refused.error["field"] == "tenant"
    moved = shell.bare("--vault", twin, "archive", "import", "one.ndjson", "--json")
    assert moved.error["field"] == "signing_key"
    moved = shell.bare("--vault", twin, "archive", "import", "one.ndjson", "--signing-key", key, "--json")
    assert (moved.code, moved.json["handed_over"], moved.json["hash"]) == (0, False, head["hash"])
    assert shell.bare("--vault", twin, "ledger", "verify").code == 0
    again = shell.bare("--vault", twin, "recall", "pump", "--json").json["records"]
    assert [one["id"] for one in again] == [record]
    assert shell.bare("--vault", twin, "archive", "export", "two.ndjson").code == 0
    back = shell.bare("--vault", "elsewhere", "archive", "import", "two.ndjson", "--signing-key", key, "--json")
    assert (back.code, back.json["handed_over"]) == (0, False)
    assert shell.bare("--vault", "elsewhere", "ledger", "verify").code == 0


def test_a_tenant_that_is_taken_in_under_another_key_is_handed_over(told: Telling) -> None:
    shell = told._shell
    shell("remember", "The pump is blue", "--tenant", "acme")
    key = str(shell.vault / "keys" / "signing.key")
    assert shell("archive", "export", "acme.ndjson", "--tenant", "acme").code == 0
    told("init")
    refused = told("archive", "import", "acme.ndjson", "--json")
    assert refused.error["field"] == "signing_key"
    assert told("recall", "pump", "--tenant", "acme", "--json").error["code"] == "not_found"
    taken = told("archive", "import", "acme.ndjson", "--signing-key", key, "--json")
    assert (taken.code, taken.json["handed_over"]) == (0, True)
    assert told("ledger", "verify", "--tenant", "acme").code == 0
    assert told("archive", "import", "acme.ndjson", "--signing-key", key, "--json").error["field"] == "tenant"


def test_the_setting_of_content_keys_counts_and_is_refused_for_a_folder(
    told: Telling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets").mkdir(mode=0o700)
    monkeypatch.setenv("MUNIMENT_CONTENT_KEYS", str(tmp_path / "secrets"))
    assert told("remember", "The pump is blue").code == 0
    assert [one["content"] for one in told("recall", "pump", "--json").json["records"]] == ["The pump is blue"]
    assert told("ledger", "verify").code == 0
    refused = told._shell("remember", "The pump is blue", "--json")
    assert (refused.code, refused.error["field"]) == (2, "content_keys")
    monkeypatch.delenv("MUNIMENT_CONTENT_KEYS")
    assert told("recall", "pump", "--json").error["field"] == "content_keys"


def test_a_wrong_address_is_a_wrong_call_and_a_far_server_the_worlds_failure(told: Telling) -> None:
    shell = told._shell
    wrong = shell.bare("--vault", f"postgresql://ana:{SECRET}@x@db/prod", "recall", "x", "--json")
    assert (wrong.code, wrong.error["code"], wrong.error["field"]) == (2, "malformed", "vault")
    far = shell.bare("--vault", f"postgresql://ana:{SECRET}@127.0.0.1:1/prod", "recall", "x", "--json")
    assert (far.code, far.error["code"]) == (3, "store_unavailable")
    assert SECRET not in wrong.err + far.err
    assert "postgresql://ana@127.0.0.1:1/prod" in far.err


def test_an_erasure_that_left_bytes_in_the_files_says_so_also_beside_json(told: Telling) -> None:
    told.dsn += "&scrub_mb=0"
    for more in ([], ["--json"]):
        record = told("remember", f"To be erased {more}", "--json").json["record_id"]
        said = told("forget", record, "--reason", "asked to", "--yes", *more)
        assert said.code == 0
        assert "not out of the store's files yet" in said.err
        assert "muniment migrate ADDRESS --scrub" in said.err
