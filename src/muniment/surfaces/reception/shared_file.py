"""A small file that several processes change in turn, and that nobody ever sees half of; or a row of a database."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from muniment.engine.database import present_vault
from muniment.engine.place import Database
from muniment.model.errors import IntegrityError, StoreBusy, StoreUnavailable
from muniment.ports.shared_settings import SharedSettings, SharedVault

_WAIT_S = 10.0
_PAUSE_S = 0.005
_ROW_PAUSE_S = 0.05
_UNDER_WAY = b"changing"
Stamp = tuple[int, int, int] | bytes
"""By what a body is known from the one before."""


class SharedFile(Protocol):
    """Where one body is kept that several processes read and change."""

    near: bool
    """Whether it can be looked at without asking another machine."""

    def stamp(self) -> Stamp | None:
        """By what the present body is known; None when there is none."""

    def read(self) -> tuple[Stamp | None, bytes | None]:
        """The body, with a stamp that is not newer than it."""

    def turn(self) -> AbstractContextManager[None]:
        """Be the only one who changes it, for a block."""

    def write(self, body: bytes) -> None: ...

    def close(self) -> None: ...


class FolderSharedFile:
    """A body in a file that only its owner can change."""

    near = True

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> Stamp | None:
        try:
            return _stamp_of(os.stat(self._path))
        except FileNotFoundError:
            return None

    def read(self) -> tuple[Stamp | None, bytes | None]:
        """The body with the stamp of the very file it was read from."""
        try:
            with self._path.open("rb") as file:
                about = os.fstat(file.fileno())
                body = file.read()
        except FileNotFoundError:
            return None, None
        except OSError as error:
            raise StoreUnavailable(f"{self._path.name} cannot be read: {error.strerror}") from None
        if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise IntegrityError(f"{self._path.name} can be written by others than its owner")
        return _stamp_of(about), body

    def turn(self) -> AbstractContextManager[None]:
        return taking_turns(self._path)

    def write(self, body: bytes) -> None:
        replace_file(self._path, body)

    def close(self) -> None:
        return None


class DatabaseSharedFile:
    """A body in the drawer of a database, and beside it a stamp that is all that is asked for while nothing changes.

    While the body is being changed the stamp says so, and whoever reads it then trusts nothing it has read before: a
    change that is cut short is noticed by all.
    """

    near = False

    def __init__(self, place: Database, name: str) -> None:
        self._place = place
        self._body, self._stamp, self._turn = f"{name}.json", f"{name}.stamp", name
        self._vault: SharedVault | None = None
        self._opening = threading.Lock()

    def stamp(self) -> Stamp | None:
        drawer = self._drawer()
        found = None if drawer is None else drawer.get(self._stamp)
        return secrets.token_bytes(16) if found == _UNDER_WAY else found

    def read(self) -> tuple[Stamp | None, bytes | None]:
        stamp, drawer = self.stamp(), self._drawer()
        return stamp, None if drawer is None else drawer.get(self._body)

    @contextmanager
    def turn(self) -> Iterator[None]:
        drawer, deadline = self._there(), time.monotonic() + _WAIT_S
        with ExitStack() as held:
            while True:
                try:
                    held.enter_context(drawer.alone(self._turn))
                    break
                except StoreBusy:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(_ROW_PAUSE_S)
            yield

    def write(self, body: bytes) -> None:
        drawer = self._there()
        drawer.replace(self._stamp, _UNDER_WAY)
        drawer.replace(self._body, body)
        drawer.replace(self._stamp, secrets.token_bytes(16))

    def close(self) -> None:
        with self._opening:
            if self._vault is not None:
                self._vault.close()
                self._vault = None

    def _there(self) -> SharedSettings:
        drawer = self._drawer()
        if drawer is None:
            raise StoreUnavailable(f"there is no vault at {self._place}; `muniment init` makes one")
        return drawer

    def _drawer(self) -> SharedSettings | None:
        """The drawer; None for as long as the database holds no vault."""
        with self._opening:
            if self._vault is None:
                self._vault = present_vault(self._place)
            return None if self._vault is None else self._vault.drawer


@contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Hold the file's lock for a block, waiting a bounded time for others who do the same."""
    try:
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreUnavailable(f"{path.name} cannot be changed: {error.strerror}") from None
    try:
        deadline = time.monotonic() + _WAIT_S
        while not _taken(lock):
            if time.monotonic() > deadline:
                raise StoreBusy(f"another process has held {path.name} for too long")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def replace_file(path: Path, body: bytes) -> None:
    """Put a whole file in the place of the old one, on the disk before anybody can see it."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreUnavailable(f"{path.name} cannot be written: {error.strerror}") from None


def _stamp_of(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino
