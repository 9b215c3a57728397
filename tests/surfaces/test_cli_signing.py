"""signing rotate, show, export; checkpoint verify without a vault; and a witness named by the environment."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.surfaces.shell import Shell


@pytest.fixture
def begun(shell: Shell) -> Shell:
    shell.remember("The audit begins on Monday")
    return shell


def present(shell: Shell) -> str:
    return (shell.vault / "keys" / "signing.pub").read_text().strip()


def test_a_rotation_tells_which_key_went_and_which_came(begun: Shell) -> None:
    before = present(begun)
    said = begun("signing", "rotate", "--reason", "a laptop was lost", "--yes", "--json")
    assert (said.code, present(begun) != before) == (0, True)
    assert said.json == {
        "old": before,
        "new": present(begun),
        "entries": {"default": 4},
        "resumed": False,
        "destroyed": True,
    }
    assert begun("ledger", "verify").code == 0


def test_a_rotation_is_not_made_without_a_word_or_by_another(begun: Shell) -> None:
    before = present(begun)
    assert begun("signing", "rotate", "--reason", "routine").code == 2
    assert begun("signing", "rotate", "--yes").code == 2
    assert begun("signing", "rotate", "--reason", "routine", "--yes", "--as", "bot", "--json").error["code"] == (
        "not_permitted"
    )
    assert begun("signing", "show", "--as", "bot", "--json").error["code"] == "not_permitted"
    assert present(begun) == before


def test_show_tells_from_which_entry_on_each_key_is_in_force(begun: Shell) -> None:
    before = present(begun)
    begun("signing", "rotate", "--reason", "routine", "--yes", "--keep-old")
    found = begun("signing", "show", "--json").json
    assert [(one["key"], one["since"]) for one in found["keys"]] == [(before, 1), (present(begun), 4)]
    assert found["keys"][0]["handover"] is None
    table = begun("signing", "show").out.split()
    assert table[-6:] == [before, "1", "3", present(begun), "4", "now"]


def test_a_checkpoint_is_verified_without_a_vault(begun: Shell, tmp_path: Path) -> None:
    first, second, keys = tmp_path / "first.json", tmp_path / "second.json", tmp_path / "keys.json"
    first.write_text(begun("ledger", "checkpoint", "--json").out)
    old = present(begun)
    begun("signing", "rotate", "--reason", "routine", "--yes")
    begun.remember("The audit was postponed")
    second.write_text(begun("ledger", "checkpoint", "--json").out)
    assert begun("signing", "export", str(keys)).code == 0
    shutil.rmtree(begun.vault)
    for file in (first, second):
        said = begun.bare("checkpoint", "verify", str(file), "--key", str(keys), "--json")
        assert (said.code, said.json["ok"], said.json["tenant"]) == (0, True, "default")
    assert begun.bare("checkpoint", "verify", str(first), "--key", old).code == 0
    assert begun.bare("checkpoint", "verify", str(second), "--key", old).code == 1


@pytest.mark.parametrize("field", ["tenant", "seq", "head", "root", "receipts", "receipts_head", "at", "previous"])
def test_a_checkpoint_that_says_something_else_is_not_genuine(begun: Shell, tmp_path: Path, field: str) -> None:
    said = begun("ledger", "checkpoint", "--json").json
    other = {"at": "2026-01-01T00:00:00Z", "tenant": "other"}.get(field)
    said[field] = other or (said[field] + 1 if isinstance(said[field], int) else "1" * 64)
    file = tmp_path / "forged.json"
    file.write_bytes(msgspec.json.encode(said))
    found = begun.bare("checkpoint", "verify", str(file), "--key", present(begun), "--json")
    assert (found.code, found.json["ok"]) == (1, False)


@pytest.mark.parametrize(
    ("file", "key"),
    [("", None), ("{", None), ('{"tenant":"default"}', None), (None, "00"), (None, "missing.pub"), (None, "")],
    ids=str,
)
def test_what_is_no_checkpoint_or_no_key_is_a_wrong_call(
    begun: Shell, tmp_path: Path, file: str | None, key: str | None
) -> None:
    place = tmp_path / "checkpoint.json"
    place.write_text(begun("ledger", "checkpoint", "--json").out if file is None else file)
    said = begun.bare("checkpoint", "verify", str(place), "--key", present(begun) if key is None else key, "--json")
    assert (said.code, said.error["code"]) == (2, "malformed")


@pytest.mark.parametrize("number", [-1, 2**53 + 1, 2**70])
def test_a_position_that_cannot_be_one_is_a_wrong_call(begun: Shell, tmp_path: Path, number: int) -> None:
    checkpoint, keys = tmp_path / "checkpoint.json", tmp_path / "keys.json"
    checkpoint.write_text(begun("ledger", "checkpoint", "--json").out)
    keys.write_text(json.dumps({"tenant": "default", "keys": [{"key": "k", "since": number, "handover": None}]}))
    assert begun.bare("checkpoint", "verify", str(checkpoint), "--key", str(keys)).code == 2
    for field in ("seq", "receipts", "previous"):
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps(json.loads(checkpoint.read_text()) | {field: number}))
        assert begun.bare("checkpoint", "verify", str(forged), "--key", present(begun)).code == 2


def test_keys_of_another_tenant_say_nothing(begun: Shell, tmp_path: Path) -> None:
    checkpoint, keys = tmp_path / "checkpoint.json", tmp_path / "keys.json"
    begun("remember", "Elsewhere", "--tenant", "other")
    checkpoint.write_text(begun("ledger", "checkpoint", "--json").out)
    begun("signing", "export", str(keys), "--tenant", "other")
    said = begun.bare("checkpoint", "verify", str(checkpoint), "--key", str(keys), "--json")
    assert (said.code, said.error["code"]) == (2, "malformed")


def test_an_export_takes_no_file_away(begun: Shell, tmp_path: Path) -> None:
    taken = tmp_path / "taken.json"
    taken.write_text("mine")
    assert begun("signing", "export", str(taken), "--json").error["code"] == "malformed"
    assert taken.read_text() == "mine"


def test_an_older_copy_is_refused_by_the_witness_that_the_environment_names(
    begun: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "witness").mkdir()
    monkeypatch.setenv("MUNIMENT_WITNESS", str(tmp_path / "witness"))
    assert begun("ledger", "verify").code == 0
    shutil.copytree(begun.vault, tmp_path / "older")
    begun.remember("Something that will be denied later")
    older = str(tmp_path / "older")
    refused = begun.bare("--vault", older, "recall", "audit", "--json")
    assert (refused.code, refused.error["code"]) == (1, "ledger_broken")
    checked = begun.bare("--vault", older, "ledger", "verify", "--json")
    assert (checked.code, [one["code"] for one in checked.json["findings"]]) == (
        1,
        ["ledger_rolled_back", "checkpoint_missing"],
    )
    assert begun("ledger", "verify").code == 0
