"""What a vault's marker says: that it is a vault, whether it is encrypted, and which key is its own."""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from muniment.backends.sealing import FILE_SETTING, KEY_BYTES, SETTING, VaultKey
from muniment.backends.sqlite.connection import encrypts
from muniment.backends.sqlite.file_format import FileFormat, form_of
from muniment.backends.sqlite.store import SUFFIX
from muniment.config import AS_SET, PREFIX, read_environment
from muniment.model.errors import ConfigurationError, IntegrityError, SchemaMismatch, StoreUnavailable
from muniment.model.value import Value

MARKER = "vault.toml"
KeyGiven = str | bytes | Path | VaultKey | None
"""A key as a caller gives it: written out, as bytes, as the file it is in, or none. `AS_SET`: what the settings say."""
FORMAT = 1
"""The form of a vault's folder that this engine makes and knows."""
_TEXT = f"# A Muniment vault. Tenants are the .sqlite files; back up the folder as a whole.\nformat = {FORMAT}\n"
_SECTION, _CIPHER = "encryption", "chacha20-poly1305"
_CHECK = re.compile(r"[0-9a-f]{16,128}", re.ASCII)


def marker_text(key: VaultKey | None) -> str:
    """The marker of a vault under this key. It tells the key from another and is no help in finding it."""
    if key is None:
        return _TEXT
    return f'{_TEXT}\n[{_SECTION}]\ncipher = "{_CIPHER}"\ncheck = "{key.check()}"\n'


class Marker(Value):
    """What a vault's marker says: by what its key is known, if it is encrypted."""

    check: str | None


def read_marker(folder: Path) -> Marker:
    """Read the marker as strictly as it is written: what cannot be read, or was written by a newer release, is a vault
    that nobody may open."""
    import tomllib  # seldom needed, and every program that imports us would wait for it

    try:
        told = tomllib.loads((folder / MARKER).read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreUnavailable(f"the vault's {MARKER} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        where = f" ({error})" if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise _damaged(f"is no TOML{where}") from None
    found = told.get("format")
    if type(found) is not int or found < 1:
        raise _damaged("does not say which format the vault has" if found is None else "names no format of a vault")
    if found > FORMAT:
        raise SchemaMismatch(
            found=found,
            needed=FORMAT,
            what="the vault has format",
            hint="Upgrade Muniment: a newer release wrote this vault. Nothing was opened.",
        )
    return Marker(check=_check(told))


def _check(told: dict[str, object]) -> str | None:
    section = told.get(_SECTION)
    if section is None:
        return None
    if not isinstance(section, dict) or section.get("cipher") != _CIPHER:
        raise _damaged("says that the vault is encrypted, and not how")
    check = section.get("check")
    if not isinstance(check, str) or _CHECK.fullmatch(check) is None:
        raise _damaged("says that it is encrypted, and not with which key")
    return check


def check_of(folder: Path) -> str | None:
    """What the vault's key is known by; None when the vault is not encrypted."""
    return read_marker(folder).check


def _damaged(what: str) -> IntegrityError:
    damaged = IntegrityError(f"the vault's {MARKER} {what}")
    damaged.hint = (
        f"Nothing was opened or changed. Put back {MARKER} from a backup of the vault; every backup holds one."
    )
    return damaged


def tenant_files(folder: Path) -> dict[FileFormat, list[str]]:
    """The files of a folder that are tenants of a vault, by how they are kept."""
    found: dict[FileFormat, list[str]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        found.setdefault(form_of(path), []).append(path.name)
    return found


def refuse_without_marker(folder: Path) -> None:
    """Refuse tenants without a marker: one that is made anew could say of an encrypted vault that it is not."""
    files = tenant_files(folder)
    ours = [*files.get(FileFormat.ENCRYPTED, ()), *files.get(FileFormat.PLAIN, ())]
    if ours:
        raise _damaged(f"is gone, and tenants are there ({ours[0]})")


def agree(folder: Path, key: VaultKey | None) -> None:
    """Refuse a key that is not the vault's, a key for a vault without one, and none for a vault with one."""
    check = check_of(folder)
    sealed = tenant_files(folder).get(FileFormat.ENCRYPTED, []) if check is None else []
    if sealed:
        raise _damaged(f"says that the vault is not encrypted, and {sealed[0]} is")
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
