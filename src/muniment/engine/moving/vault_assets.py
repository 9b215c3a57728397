"""What a vault owns beside its tenants, and how it goes along: signing keys, policy, the keys of its callers."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from muniment.backends.clock_and_ids import place_file, replace_file, settle
from muniment.config import read_environment
from muniment.engine.keyholding import KEY, NEXT, OLD, PUBLIC
from muniment.engine.moving.unfinished_moves import MARK, folder_mark
from muniment.engine.policies import POLICY_FILES
from muniment.model.errors import ConfigurationError, StoreBusy, StoreUnavailable

API_KEYS, _STAMP = "api-keys.json", "api-keys.stamp"
_WAIT_S, _PAUSE_S = 10.0, 0.02
_KEY_FILE = "MUNIMENT_SIGNING_KEY_FILE"


class VaultAssets(Protocol):
    """Small named things of a whole vault. A database has them in its drawer, a folder in files."""

    def get(self, name: str) -> bytes | None: ...

    def place(self, name: str, body: bytes) -> bytes:
        """Put a body under a name unless something is there; what is there then."""

    def replace(self, name: str, body: bytes) -> None: ...

    def remove(self, name: str) -> None: ...

    def names(self) -> tuple[str, ...]: ...

    def alone(self, name: str) -> AbstractContextManager[None]:
        """Be the one who changes what a name stands for, for a block. Raises `StoreBusy` when another process is."""


class FolderAssets:
    """The same things in the files of a folder: keys in a folder of their own, private ones for their owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes | None:
        if name == MARK:
            return folder_mark(self._folder)
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailable(f"{name} cannot be read: {error.strerror}") from None

    def place(self, name: str, body: bytes) -> bytes:
        if name == _STAMP:  # the file's own times tell one body from another
            return body
        try:
            place_file(self._path(name), body.decode(), mode=_mode(name))
        except OSError as error:
            raise StoreUnavailable(f"{name} cannot be written: {error.strerror}") from None
        found = self.get(name)
        return body if found is None else found

    def replace(self, name: str, body: bytes) -> None:
        try:
            replace_file(self._path(name), body.decode(), mode=_mode(name))
        except OSError as error:
            raise StoreUnavailable(f"{name} cannot be written: {error.strerror}") from None

    def remove(self, name: str) -> None:
        try:
            self._path(name).unlink(missing_ok=True)
            settle(self._path(name).parent)
        except OSError as error:
            raise StoreUnavailable(f"{name} cannot be taken away: {error.strerror}") from None

    def names(self) -> tuple[str, ...]:
        keys = (file.name for file in (self._folder / "keys").glob("*") if file.is_file())
        return tuple(sorted([*keys, *(name for name in POLICY_FILES if (self._folder / name).exists())]))

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        folder = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if not _locked(folder):
                raise StoreBusy(f"another process is changing what the folder keeps as {name}")
            yield
        finally:
            os.close(folder)

    def _path(self, name: str) -> Path:
        return self._folder / name if name in (MARK, *POLICY_FILES) else self._folder / "keys" / name


def _locked(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _mode(name: str) -> int:
    return 0o644 if name.endswith(".pub") or name in (MARK, *POLICY_FILES) else 0o600


@contextmanager
def in_turn(chest: VaultAssets, name: str) -> Iterator[None]:
    """Be the one who changes something, waiting a bounded time for others who do the same."""
    until = time.monotonic() + _WAIT_S
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(chest.alone(name))
                break
            except StoreBusy:
                if time.monotonic() > until:
                    raise
                time.sleep(_PAUSE_S)
        yield


def known_by(chest: VaultAssets) -> str | None:
    """The public half of the present signing key; None where no vault has begun."""
    body = chest.get(PUBLIC)
    return None if body is None else body.decode(errors="replace").strip()


def refuse_rotation(chest: VaultAssets) -> None:
    """Do not move a vault whose key is just being changed: some of its ledgers have the old one, some the new one."""
    if any(chest.get(name) is not None for name in (NEXT, OLD)):
        busy = StoreBusy("the signing key of the source is being changed, or the change was cut short")
        busy.hint = "Finish it with `muniment signing rotate` at the source, then move."
        raise busy


def private_text(chest: VaultAssets) -> bytes:
    """The private half of the present signing key, wherever the source keeps it."""
    body = chest.get(KEY)
    if body is not None:
        return body
    outside = read_environment().signing_key_file
    if outside is None:
        raise StoreUnavailable(f"the signing key {KEY} of the source is missing")
    try:
        return Path(outside).expanduser().read_bytes()
    except OSError as error:
        raise StoreUnavailable(f"the signing key of the source cannot be read: {error.strerror}") from None


def refuse_other_key_outside(private: bytes) -> None:
    """A target whose private key stays in a file of this machine must find the source's there, or none."""
    outside = read_environment().signing_key_file
    path = None if outside is None else Path(outside).expanduser()
    if path is not None and path.exists() and path.read_bytes().strip() != private.strip():
        raise ConfigurationError(
            _KEY_FILE,
            "the file holds another key than the source's",
            hint="Name a file that is not there yet, or unset it: the target then keeps the key itself.",
        )


def take_along(source: VaultAssets, target: VaultAssets, *, callers: bool) -> tuple[str, ...]:
    """Bring everything but the present signing key, which comes last. What the target has is left as it is; what came
    is named. With `callers` the API keys come too."""
    policy = any(target.get(name) is not None for name in POLICY_FILES)
    brought: list[str] = []
    for name in _going(source, policy=not policy, callers=callers):
        body = source.get(name)
        if body is not None and target.get(name) is None and target.place(name, body) == body:
            brought.append(name)
    if API_KEYS in brought:
        target.place(_STAMP, secrets.token_bytes(16))
    return tuple(brought)


def _going(source: VaultAssets, *, policy: bool, callers: bool) -> Iterator[str]:
    for name in source.names():
        retired = name.endswith((".pub", ".key")) and name not in (KEY, PUBLIC)
        if retired or (policy and name in POLICY_FILES) or (callers and name == API_KEYS):
            yield name
