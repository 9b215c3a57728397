"""The commands about encryption at rest: what they say, what they do, and that no key is ever printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.surfaces.shell import Said, Shell

FILE = "MUNIMENT_ENCRYPTION_KEY_FILE"
TEXT = "The walrus keeps marzipan in the third drawer"


def status(shell: Shell) -> tuple[bool, str]:
    told = shell("encryption", "status", "--json").json
    return told["encrypted"], told["key"]


@pytest.fixture
def key(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A key that was made by the command and is set."""
    path = tmp_path / "vault.key"
    said = shell.bare("encryption", "key", str(path), "--json")
    assert (said.code, said.json) == (0, {"file": str(path)})
    assert path.read_text().strip() not in said.out + said.err
    monkeypatch.setenv(FILE, str(path))
    return path


def no_key_in(said: Said, *files: Path) -> bool:
    return all(file.read_text().strip() not in said.out + said.err for file in files)


def test_a_vault_that_is_made_with_a_key_is_encrypted(shell: Shell, key: Path) -> None:
    shell("init")
    assert shell("remember", TEXT).code == 0
    assert status(shell) == (True, "fits")
    assert TEXT in shell("recall", "walrus").out
    assert all(b"walrus" not in file.read_bytes() for file in shell.vault.rglob("*") if file.is_file())
    assert no_key_in(shell("encryption", "status"), key)


def test_a_vault_is_encrypted_rekeyed_and_decrypted(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("remember", TEXT)
    assert status(shell) == (False, "none_needed")
    old, new = tmp_path / "old.key", tmp_path / "new.key"
    for path in (old, new):
        assert shell.bare("encryption", "key", str(path)).code == 0
    monkeypatch.setenv(FILE, str(old))
    assert status(shell) == (False, "unused")

    done = shell("encryption", "encrypt", "--yes", "--json")
    assert (done.code, done.json["encrypted"], done.json["tenants"]) == (0, True, 1)
    assert status(shell) == (True, "fits")
    changed = shell("encryption", "rekey", "--new-key-file", str(new), "--yes")
    assert (changed.code, no_key_in(changed, old, new)) == (0, True)
    assert status(shell) == (True, "other")
    monkeypatch.setenv(FILE, str(new))
    assert TEXT in shell("recall", "walrus").out
    assert shell("ledger", "verify").code == 0

    assert shell("encryption", "decrypt", "--yes").code == 0
    monkeypatch.delenv(FILE)
    assert status(shell) == (False, "none_needed")
    assert TEXT in shell("recall", "walrus").out


def test_without_a_terminal_nothing_is_done_without_yes(shell: Shell, key: Path) -> None:
    shell("init")
    for words in (("encrypt",), ("decrypt",), ("rekey", "--new-key-file", str(key))):
        said = shell("encryption", *words, "--json")
        assert (said.code, said.error["code"], said.error["field"]) == (2, "malformed", "yes")
    assert status(shell) == (True, "fits")


def test_a_missing_or_a_wrong_key_is_an_error_that_says_what_to_do(
    shell: Shell, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("remember", TEXT)
    monkeypatch.delenv(FILE)
    missing = shell("recall", "walrus", "--json")
    assert (missing.code, missing.error["code"]) == (2, "configuration_error")
    assert FILE in missing.error["hint"]
    assert status(shell) == (True, "missing")

    shell.bare("encryption", "key", str(tmp_path / "other.key"))
    monkeypatch.setenv(FILE, str(tmp_path / "other.key"))
    wrong = shell("remember", "Something else", "--json")
    assert (wrong.code, wrong.error["message"]) == (2, "encryption_key: not the key of this vault")
    assert shell("encryption", "decrypt", "--yes").code == 2

    (tmp_path / "other.key").chmod(0o644)
    loose = shell("recall", "walrus", "--json")
    assert (loose.code, loose.error["hint"]) == (2, "chmod 600 the key file.")


def test_only_the_owner_changes_the_encryption(shell: Shell, key: Path) -> None:
    shell("init")
    for words in (("encrypt",), ("decrypt",), ("rekey", "--new-key-file", str(key))):
        said = shell("encryption", *words, "--yes", "--as", "ana", "--json")
        assert (said.code, said.error["code"]) == (2, "not_permitted")
    assert status(shell) == (True, "fits")


def test_there_is_nothing_to_encrypt_without_a_vault_or_a_key(shell: Shell, tmp_path: Path) -> None:
    assert shell("encryption", "status", "--json").error["code"] == "store_unavailable"
    shell("init")
    said = shell("encryption", "encrypt", "--yes", "--json")
    assert (said.code, said.error["code"]) == (2, "configuration_error")
    assert "muniment encryption key FILE" in said.error["hint"]
    existing = tmp_path / "there.key"
    existing.write_text("mine")
    assert shell.bare("encryption", "key", str(existing), "--json").error["code"] == "configuration_error"
    assert existing.read_text() == "mine"


def test_what_is_told_to_a_person_says_how_it_stands(shell: Shell, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("init")
    assert "the one that is set opens the vault" in shell("encryption", "status").out
    monkeypatch.delenv(FILE)
    assert FILE in shell("encryption", "status").out
    monkeypatch.setenv(FILE, str(key))
    assert "not encrypted any longer: 1 tenant" in shell("encryption", "decrypt", "--yes").out
    assert "muniment encryption encrypt" in shell("encryption", "status").out
