"""Encrypt a vault, change its key, or take the encryption away: offline, on copies, all of it or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from muniment.backends.clock_and_ids import place_file
from muniment.backends.sealing import SETTING, VaultKey, fresh_key
from muniment.backends.sqlite.reencryption import READY, STAGE, finish, mark_ready, stage_tenant, stage_vectors
from muniment.backends.sqlite.store import SUFFIX, VECTORS
from muniment.backends.sqlite.vault_lock import alone
from muniment.config import AS_SET
from muniment.engine.marker import MARKER, KeyGiven, agree, check_of, chosen_key, marker_text, refuse_without_marker
from muniment.engine.vault import is_vault
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.model.value import Value

Progress = Callable[[int, int], None]
"""How many bytes of how many are done."""


class KeyState(StrEnum):
    """How the key that is given stands to a vault."""

    NONE_NEEDED = "none_needed"
    FITS = "fits"
    MISSING = "missing"
    OTHER = "other"
    UNUSED = "unused"


class EncryptionStatus(Value):
    """Whether a vault is encrypted, and whether the key at hand opens it."""

    encrypted: bool
    key: KeyState
    tenants: int
    bytes: int


class EncryptionResult(Value):
    """What was encrypted, encrypted anew or decrypted."""

    tenants: int
    bytes: int


def make_key(path: Path) -> None:
    """Put a new key into a file of its owner's alone. A file that is there is never replaced."""
    if path.exists():
        raise ConfigurationError("file", "a file that is not there yet; a key is never replaced")
    try:
        place_file(path, fresh_key() + "\n", mode=0o600)
    except OSError as error:
        raise StoreUnavailable(f"the key file cannot be written: {error.strerror}") from None


def status(folder: Path, *, key: KeyGiven = AS_SET) -> EncryptionStatus:
    """Look at a vault. Takes no key, and changes nothing."""
    _check(folder)
    check, given = check_of(folder), chosen_key(key)
    return EncryptionStatus(
        encrypted=check is not None, key=_state(check, given), tenants=len(_stores(folder)), bytes=_size(folder)
    )


def encrypt(folder: Path, *, key: KeyGiven = AS_SET, progress: Progress = lambda done, all_: None) -> EncryptionResult:
    """Encrypt a vault with a key."""
    new = chosen_key(key)
    if new is None:
        raise ConfigurationError(SETTING, "a key to encrypt with", hint="`muniment encryption key FILE` makes one.")
    return _reseal(folder, None, new, progress)


def rekey(
    folder: Path, new_key: KeyGiven, *, key: KeyGiven = AS_SET, progress: Progress = lambda done, all_: None
) -> EncryptionResult:
    """Encrypt a vault with another key. The old one opens it no longer."""
    old, new = _given(chosen_key(key)), _given(chosen_key(new_key))
    if old.check() == new.check():
        raise ConfigurationError("new_key", "another key than the present one")
    return _reseal(folder, old, new, progress)


def decrypt(folder: Path, *, key: KeyGiven = AS_SET, progress: Progress = lambda done, all_: None) -> EncryptionResult:
    """Take the encryption away."""
    return _reseal(folder, _given(chosen_key(key)), None, progress)


def _reseal(folder: Path, old: VaultKey | None, new: VaultKey | None, progress: Progress) -> EncryptionResult:
    _check(folder)
    check_of(folder)
    with alone(folder / MARKER):
        if (folder / STAGE).exists():
            finish(folder, MARKER)
        agree(folder, old)
        try:
            told = _stage(folder, old, new, progress)
        except OSError as error:
            raise StoreUnavailable(f"the vault could not be copied: {error.strerror}; it is as it was") from None
        finally:
            if not (folder / STAGE / READY).exists():
                shutil.rmtree(folder / STAGE, ignore_errors=True)  # whoever opens the vault next tries again
        finish(folder, MARKER)
        return told


def _stage(folder: Path, old: VaultKey | None, new: VaultKey | None, progress: Progress) -> EncryptionResult:
    """Make the copies, check them, and mark them as ready."""
    (folder / STAGE).mkdir(mode=0o700)
    stores, all_, done = _stores(folder), _size(folder), 0
    progress(0, all_)
    for path in stores:
        size = path.stat().st_size
        stage_tenant(path, old, new, _within(progress, done, size, all_))
        done += size
        progress(done, all_)
    for vectors in _vectors(folder):
        stage_vectors(vectors, old, new)
        done += _folder_size(vectors)
        progress(done, all_)
    place_file(folder / STAGE / MARKER, marker_text(new))
    mark_ready(folder)
    return EncryptionResult(tenants=len(stores), bytes=all_)


def _within(progress: Progress, before: int, size: int, all_: int) -> Callable[[int], None]:
    """Tell how far one file has got as a part of the whole."""
    return lambda copied: progress(before + min(copied, size), all_)


def _check(folder: Path) -> None:
    if not is_vault(folder):
        refuse_without_marker(folder)
        raise StoreUnavailable(f"there is no vault at {folder}; `muniment init` makes one")


def _given(key: VaultKey | None) -> VaultKey:
    if key is None:
        raise ConfigurationError(
            SETTING, "the key of the vault", hint="Set MUNIMENT_ENCRYPTION_KEY_FILE to the file that holds it."
        )
    return key


def _state(check: str | None, key: VaultKey | None) -> KeyState:
    if check is None:
        return KeyState.NONE_NEEDED if key is None else KeyState.UNUSED
    if key is None:
        return KeyState.MISSING
    return KeyState.FITS if key.check() == check else KeyState.OTHER


def _stores(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))


def _vectors(folder: Path) -> list[Path]:
    return sorted(one for one in folder.glob(f"*{VECTORS}") if one.is_dir())


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _stores(folder)) + sum(map(_folder_size, _vectors(folder)))


def _folder_size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
