"""Who is in a vault: many at once to work in it, or one alone to encrypt it anew.

The lock is on the vault's marker, so that nothing has to be made for it. The marker itself is what is replaced last
when a vault is encrypted anew: whoever waited for the old one looks at the new one before going on.
"""

from __future__ import annotations

import fcntl
import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path

from muniment.model.errors import StoreBusy, StoreUnavailable

_WAIT_S = 5.0
_ALONE_WAIT_S = 1.0
_PAUSE_S = 0.01


class VaultLock:
    """A place in a vault. It ends with `leave`, with the object, or with the process, however that ends."""

    def __init__(self, marker: Path, file: FileIO) -> None:
        self.marker = marker
        self._leave = weakref.finalize(self, file.close)

    def leave(self) -> None:
        self._leave()


@contextmanager
def unless_well(undo: Callable[[], None]) -> Iterator[None]:
    """Undo something when the block that follows it fails."""
    with ExitStack() as ending:
        ending.callback(undo)
        yield
        ending.pop_all()


def enter(marker: Path) -> VaultLock:
    """Be in a vault beside others. Whoever encrypts it anew is waited for a bounded time."""
    file = locked(marker, fcntl.LOCK_SH, _WAIT_S)
    if file is None:
        raise StoreBusy("the vault is being encrypted anew; wait until that is done")
    return VaultLock(marker, file)


@contextmanager
def alone(marker: Path, *, wait_s: float = _ALONE_WAIT_S) -> Iterator[None]:
    """Be in a vault alone for a block. Whoever works in it is not waited for: only those who come and go."""
    file = locked(marker, fcntl.LOCK_EX, wait_s)
    if file is None:
        raise StoreBusy("the vault is in use; stop every server and program that has it open, and try again")
    with file:
        yield


def locked(marker: Path, how: int, wait_s: float) -> FileIO | None:
    """The marker, locked, and still the marker; None when others did not let go of it in time. A file object and no
    number: what an interrupt keeps from its owner closes itself, and gives up the lock."""
    until = time.monotonic() + wait_s
    while True:
        file = _opened(marker, "rb" if how == fcntl.LOCK_SH else "rb+")
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
            if _still(marker, file.fileno()):
                return file
        except BlockingIOError:
            if time.monotonic() > until:
                file.close()
                return None
            time.sleep(_PAUSE_S)
        except OSError as error:
            file.close()
            raise _unlockable(marker, error) from None
        except BaseException:
            file.close()
            raise
        file.close()


def _opened(marker: Path, mode: str) -> FileIO:
    try:
        return FileIO(marker, mode)
    except OSError as error:
        raise StoreUnavailable(f"the vault's {marker.name} cannot be opened: {error.strerror}") from None


def _unlockable(marker: Path, error: OSError) -> StoreUnavailable:
    refused = StoreUnavailable(f"the vault's {marker.name} cannot be locked: {error.strerror}")
    refused.hint = "A vault is kept on a file system of this machine, which has locks."
    return refused


def _still(marker: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(marker), os.fstat(file))
    except FileNotFoundError:
        return False
