"""The key of a vault: how it is written, where it may lie, what is derived from it, and that nothing ever shows it."""

from __future__ import annotations

import base64
import pickle
from pathlib import Path

import pytest
from tests.cases import each

from muniment.backends.sealing import TenantKey, VaultKey
from muniment.config import Config, Hidden, read_environment, read_server
from muniment.engine.encryption import make_key
from muniment.engine.marker import chosen_key
from muniment.model.errors import ConfigurationError

SECRET = bytes(range(32))
HEX = SECRET.hex()
BASE64 = base64.b64encode(SECRET).decode()
FILE = "MUNIMENT_ENCRYPTION_KEY_FILE"
KEY = "MUNIMENT_ENCRYPTION_KEY"


def key_file(folder: Path, text: str = HEX + "\n", mode: int = 0o600) -> Path:
    path = folder / "vault.key"
    path.write_text(text)
    path.chmod(mode)
    return path


@each(
    "written", [HEX, HEX.upper(), f"  {HEX}\n", BASE64, BASE64.rstrip("="), base64.urlsafe_b64encode(SECRET).decode()]
)
def test_a_key_is_the_same_however_it_is_written(written: str) -> None:
    assert VaultKey.parse(written).check() == VaultKey(SECRET).check()


def test_base64_of_either_alphabet_is_read() -> None:
    odd = bytes([0xFB, 0xFF] * 16)
    plain, for_addresses = base64.b64encode(odd).decode(), base64.urlsafe_b64encode(odd).decode()
    assert plain != for_addresses
    assert VaultKey.parse(plain).check() == VaultKey.parse(for_addresses).check() == VaultKey(odd).check()


@each("written", ["", "hunter2hunter2", HEX[:-1], HEX + "0", HEX[:-1] + "g", BASE64[:-5], "=" * 44, "ä" * 64, HEX * 2])
def test_what_is_no_key_is_refused_and_not_repeated(written: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        VaultKey.parse(written)
    assert refused.value.setting == "encryption_key"
    assert not written or written not in f"{refused.value} {refused.value.hint}"


def test_no_picture_of_a_key_shows_it() -> None:
    vault = VaultKey(SECRET)
    tenant = vault.tenant("acme")
    config = read_environment({KEY: HEX})
    told = f"{vault!r} {vault} {tenant!r} {tenant} {config!r} {config} {[vault, config]}"
    for secret in (HEX, repr(SECRET), tenant.pages().hex()):
        assert secret not in told
    assert config.encryption_key == HEX


@pytest.mark.parametrize("key", [VaultKey(SECRET), TenantKey(SECRET)], ids=["vault", "tenant"])
def test_a_key_is_never_written_down(key: VaultKey | TenantKey) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_the_other_secrets_of_the_settings_are_not_shown_either() -> None:
    config = read_environment({"MUNIMENT_EMBEDDER_KEY": "hunter2", "MUNIMENT_KEY": "hunter3"})
    assert (config.embedder_key, config.key) == ("hunter2", "hunter3")
    assert "hunter" not in repr(config)


def test_every_key_that_is_derived_is_another() -> None:
    one, other = VaultKey(SECRET), VaultKey(bytes(32))
    acme = one.tenant("acme")
    derived = [
        SECRET,
        bytes.fromhex(one.check()),
        acme.pages(),
        acme.columns(),
        acme.head(),
        acme.sheet("1.rows")[:32],
        acme.sheet("1.rows")[32:],
        acme.sheet("1.halves")[:32],
        one.tenant("acm").pages(),
        one.tenant("acme2").pages(),
        other.tenant("acme").pages(),
    ]
    assert len({secret[:16] for secret in derived}) == len(derived)
    assert one.tenant("acme").pages() == acme.pages()


def test_a_key_that_is_gone_with_the_process_is_another_each_time() -> None:
    assert TenantKey.fresh().pages() != TenantKey.fresh().pages()


def test_a_key_file_of_its_owner_alone_is_read(tmp_path: Path) -> None:
    assert VaultKey.read(key_file(tmp_path)).check() == VaultKey(SECRET).check()
    assert VaultKey.read(key_file(tmp_path, mode=0o400)).check() == VaultKey(SECRET).check()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o601, 0o620])
def test_a_key_file_that_others_can_get_at_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ConfigurationError) as refused:
        VaultKey.read(key_file(tmp_path, mode=mode))
    assert refused.value.setting == "encryption_key_file"
    assert "chmod 600" in refused.value.hint
    assert HEX not in f"{refused.value} {refused.value.hint}"


def test_a_key_file_that_is_missing_a_folder_or_no_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o700)
    for path in (tmp_path / "none", tmp_path / "folder", key_file(tmp_path, "hunter2"), key_file(tmp_path, "")):
        with pytest.raises(ConfigurationError) as refused:
            VaultKey.read(path)
        assert refused.value.setting == "encryption_key_file"
        assert "hunter2" not in str(refused.value)


def test_the_environment_names_the_key_or_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.delenv(FILE, raising=False)
    assert chosen_key("as set") is None

    monkeypatch.setenv(KEY, BASE64)
    named = chosen_key("as set")
    assert named is not None
    assert named.check() == VaultKey(SECRET).check()

    monkeypatch.setenv(FILE, str(key_file(tmp_path)))
    with pytest.raises(ConfigurationError, match="one of the two"):
        chosen_key("as set")

    monkeypatch.delenv(KEY)
    named = chosen_key("as set")
    assert named is not None
    assert named.check() == VaultKey(SECRET).check()


def test_what_a_caller_gives_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY, "ff" * 32)
    assert chosen_key(None) is None
    for given in (SECRET, HEX, key_file(tmp_path), VaultKey(SECRET)):
        found = chosen_key(given)
        assert found is not None
        assert found.check() == VaultKey(SECRET).check()
    with pytest.raises(ConfigurationError):
        chosen_key(SECRET[:-1])


def test_a_settings_file_may_name_the_key_file_and_not_hold_the_key(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('encryption_key_file = "vault.key"\n')
    assert read_server({"MUNIMENT_CONFIG": str(settings)}).encryption_key_file == "vault.key"
    assert read_environment({"MUNIMENT_CONFIG": str(settings)}) == Config(encryption_key_file="vault.key")

    settings.write_text(f'encryption_key = "{HEX}"\n')
    for read in (read_server, read_environment):
        with pytest.raises(ConfigurationError) as refused:
            read({"MUNIMENT_CONFIG": str(settings)})
        assert HEX not in str(refused.value)


def test_a_hidden_text_is_a_text_that_is_not_shown() -> None:
    assert (Hidden("hunter2") == "hunter2", repr(Hidden("hunter2"))) == (True, "'…'")


def test_a_key_is_made_for_its_owner_alone_and_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new.key"
    make_key(path)
    made = path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert VaultKey.read(path).check() == VaultKey.parse(made).check()

    with pytest.raises(ConfigurationError):
        make_key(path)
    assert path.read_text() == made
    make_key(tmp_path / "other.key")
    assert (tmp_path / "other.key").read_text() != made
