"""What a vault's marker says: that it is a vault, whether it is encrypted, and which key is its own."""

from __future__ import annotations

import hmac
from pathlib import Path

from muniment.backends.sealing import FILE_SETTING, KEY_BYTES, SETTING, VaultKey
from muniment.backends.sqlite.connection import encrypts
from muniment.config import AS_SET, PREFIX, read_environment
from muniment.model.errors import ConfigurationError, IntegrityError, StoreUnavailable

MARKER = "vault.toml"
KeyGiven = str | bytes | Path | VaultKey | None
"""A key as a caller gives it: written out, as bytes, as the file it is in, or none. `AS_SET`: what the settings say."""
_TEXT = "# A Muniment vault. Tenants are the .sqlite files; back up the folder as a whole.\nformat = 1\n"
_SECTION = "encryption"


def marker_text(key: VaultKey | None) -> str:
    """The marker of a vault under this key. It tells the key from another and is no help in finding it."""
    if key is None:
        return _TEXT
    return f'{_TEXT}\n[{_SECTION}]\ncipher = "chacha20-poly1305"\ncheck = "{key.check()}"\n'


def check_of(folder: Path) -> str | None:
    """What the vault's key is known by; None when the vault is not encrypted."""
    try:
        text = (folder / MARKER).read_text()
    except (OSError, UnicodeDecodeError):
        raise StoreUnavailable(f"the vault's {MARKER} cannot be read") from None
    if f"[{_SECTION}]" not in text:
        return None
    import tomllib  # seldom needed, and every program that imports us would wait for it

    try:
        section = tomllib.loads(text)[_SECTION]
    except tomllib.TOMLDecodeError:
        section = None
    found = section.get("check") if isinstance(section, dict) else None
    if not isinstance(found, str):
        raise IntegrityError(f"the vault's {MARKER} says that it is encrypted, and not with which key")
    return found


def agree(folder: Path, key: VaultKey | None) -> None:
    """Refuse a key that is not the vault's, a key for a vault without one, and none for a vault with one."""
    check = check_of(folder)
    if check is None and key is not None:
        raise ConfigurationError(
            SETTING,
            "a key is given, and the vault is not encrypted",
            hint="`muniment encryption encrypt` encrypts the vault; to work with it as it is, give no key.",
        )
    if check is not None and key is None:
        raise ConfigurationError(
            SETTING,
            "the vault is encrypted, and no key is given",
            hint=f"Set {PREFIX}{FILE_SETTING.upper()} to the file that holds its key.",
        )
    if check is not None and key is not None and not hmac.compare_digest(check, key.check()):
        raise ConfigurationError(
            SETTING, "not the key of this vault", hint="Give the key that the vault was encrypted with."
        )


def chosen_key(given: KeyGiven) -> VaultKey | None:
    """The key a caller gives, or the one the settings name. Refused where nothing could be encrypted with it."""
    key = _as_set() if isinstance(given, str) and given == AS_SET else _read(given)
    if key is not None and not encrypts():
        raise ConfigurationError(
            SETTING,
            "the SQLite that is installed cannot encrypt",
            hint="Uninstall the package apsw and install apsw-sqlite3mc, which takes its place.",
        )
    return key


def _read(given: KeyGiven) -> VaultKey | None:
    if given is None or isinstance(given, VaultKey):
        return given
    if isinstance(given, Path):
        return VaultKey.read(given)
    if isinstance(given, str):
        return VaultKey.parse(given)
    if not isinstance(given, bytes) or len(given) != KEY_BYTES:
        raise ConfigurationError(SETTING, f"{KEY_BYTES} bytes")
    return VaultKey(given)


def _as_set() -> VaultKey | None:
    config = read_environment()
    if config.encryption_key is not None and config.encryption_key_file is not None:
        raise ConfigurationError(
            PREFIX + SETTING.upper(), f"given beside {PREFIX}{FILE_SETTING.upper()}; say one of the two"
        )
    if config.encryption_key_file is not None:
        return VaultKey.read(Path(config.encryption_key_file).expanduser())
    return None if config.encryption_key is None else VaultKey.parse(config.encryption_key)
