"""A vault's marker is read as strictly as it is written: what it does not say for certain opens nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.unit.engine.sealed import KEY

from muniment import Memory
from muniment.backends.sqlite.file_format import FileFormat, form_of
from muniment.engine.encryption import status
from muniment.engine.marker import FORMAT, MARKER
from muniment.model.errors import ConfigurationError, IntegrityError, MunimentError, SchemaMismatch, StoreUnavailable

WRONG = {
    "empty": b"",
    "cut short": b"# A Muniment vault. Tenants are the .sqlite fi",
    "no format": b"name = 'vault'\n",
    "garbage": b"\x00\xff\xfe\x00 not a marker",
    "no TOML": b"format = \n",
    "a word": b'format = "1"\n',
    "yes": b"format = true\n",
    "nought": b"format = 0\n",
    "a fraction": b"format = 1.0\n",
    "a text where the section is": b'format = 1\nencryption = "yes"\n',
    "no cipher": b'format = 1\n[encryption]\ncheck = "00000000000000000000000000000000"\n',
    "another cipher": b'format = 1\n[encryption]\ncipher = "rot13"\ncheck = "00000000000000000000000000000000"\n',
    "no check": b'format = 1\n[encryption]\ncipher = "chacha20-poly1305"\n',
    "a check that is none": b'format = 1\n[encryption]\ncipher = "chacha20-poly1305"\ncheck = "key"\n',
    "newer": f"format = {FORMAT + 1}\n".encode(),
    "much newer": b"format = 99\n[encryption]\nway = 2\n",
}


def files(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


def make(folder: Path, key: str | None = None) -> None:
    with Memory.open(folder, embedder=None, encryption_key=key) as memory:
        memory.remember("Der Schlüssel hängt am Brett", confidence=0.9)


def refusals(folder: Path, key: str | None) -> list[tuple[str, MunimentError]]:
    """Every way to open a vault that goes on, and how each of the others is refused."""
    found = []
    for tenant in ("default", "new"):
        for create in (True, False):
            try:
                Memory.open(folder, tenant=tenant, create=create, embedder=None, encryption_key=key).close()
            except MunimentError as error:
                found.append((f"{tenant} {create}", error))
    return found


def test_a_marker_that_is_not_understood_opens_nothing_and_nothing_is_changed(tmp_path: Path) -> None:
    make(tmp_path / "vault")
    opened = []
    for name, text in WRONG.items():
        (tmp_path / "vault" / MARKER).write_bytes(text)
        before = files(tmp_path / "vault")
        refused = refusals(tmp_path / "vault", None)
        newer = name.endswith("newer")
        kind: type[MunimentError] = SchemaMismatch if newer else IntegrityError
        if len(refused) != 4 or not all(isinstance(error, kind) for _, error in refused):
            opened.append((name, refused))
        assert all(newer or MARKER in str(error) for _, error in refused)
        assert all("Nothing was opened" in error.hint for _, error in refused)
        assert files(tmp_path / "vault") == before, name
        with pytest.raises(kind):
            status(tmp_path / "vault", key=None)
    assert opened == []


def test_an_encrypted_vault_that_lost_what_says_so_gets_no_plain_tenant(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    make(vault, KEY)
    assert form_of(vault / "default.sqlite") is FileFormat.ENCRYPTED
    whole = (vault / MARKER).read_bytes()
    (vault / MARKER).write_text(f"format = {FORMAT}\n")
    before = files(vault)
    for key in (None, KEY):
        refused = refusals(vault, key)
        assert len(refused) == 4
        assert {type(error) for _, error in refused} == {IntegrityError}
        assert all("default.sqlite is" in str(error) for _, error in refused)
    assert files(vault) == before
    (vault / MARKER).write_bytes(whole)
    assert [type(error) for _, error in refusals(vault, None)] == [ConfigurationError] * 4
    make(vault, KEY)


@pytest.mark.parametrize("key", [None, KEY])
def test_tenants_without_a_marker_are_no_place_for_a_new_vault(tmp_path: Path, key: str | None) -> None:
    vault = tmp_path / "vault"
    make(vault, key)
    (vault / MARKER).unlink()
    before = files(vault)
    for given in (None, KEY):
        refused = refusals(vault, given)
        assert len(refused) == 4
        assert all(f"{MARKER} is gone" in str(error) for _, error in refused)
    assert files(vault) == before


def test_somebody_elses_database_in_a_folder_keeps_no_vault_from_it(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite").write_bytes(b"SQLite format 3\x00" + bytes(84))
    (tmp_path / "empty.sqlite").write_bytes(b"")
    assert {form_of(file) for file in tmp_path.iterdir()} == {FileFormat.OTHER}
    with pytest.raises(StoreUnavailable, match="no vault"):
        Memory.open(tmp_path, create=False, embedder=None)
