"""Receipts of what is told from a vault that cannot be written to: a log of its own, in a folder that is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedRandom
from pathlib import Path

from muniment.backends.sqlite.store import SUFFIX, file_name
from muniment.backends.vectors.lock import FileLock
from muniment.config import AS_SET, read_environment
from muniment.ledger import receipts
from muniment.ledger.chain import ZERO
from muniment.model.entry import VerifyFinding
from muniment.model.errors import ConfigurationError, IntegrityError, StoreBusy, StoreUnavailable
from muniment.model.receipt import StoredReceipt
from muniment.model.value import canonical, read_canonical

SETTING = "MUNIMENT_RECEIPTS_FOLDER"
_COUNTS = "telling_differs"
"""What a vault counts of its receipts, nobody counts of these."""


class ExternalReceipts:
    """One tenant's log outside its vault: a receipt a line, chained as in a vault."""

    def __init__(self, folder: Path, tenant: str) -> None:
        if not folder.is_dir():
            hint = "Make the folder, or mount what it is on, or unset the setting."
            raise ConfigurationError(SETTING, "the folder is not there; it is not made here", hint=hint)
        self._tenant = tenant
        self._path = folder / f"{file_name(tenant).removesuffix(SUFFIX)}.receipts"
        self._lock = FileLock(self._path.with_suffix(".lock"))
        self._known: tuple[int, tuple[int, bytes]] = (0, (0, ZERO))
        """How much of the file has been read, and the last receipt in it."""

    def append(self, sealed: receipts.SealedReceipt) -> None:
        """Keep a receipt. It is on the disk on return."""
        try:
            with self._lock.briefly(), _opened(self._path) as file:
                size, head = self._end(file)
                stored = receipts.follow(sealed, head)
                file.truncate(size)  # a line that is not whole was never answered for
                file.seek(size)
                file.write(canonical(stored) + b"\n")
                file.flush()
                os.fsync(file.fileno())
                self._known = (file.tell(), (stored.seq, stored.hash))
        except OSError as error:
            raise StoreUnavailable(f"the folder for receipts cannot be written to: {error.strerror}") from None
        except StoreBusy:
            raise StoreUnavailable("another process has held the folder for receipts for too long") from None

    def _end(self, file: BufferedRandom) -> tuple[int, tuple[int, bytes]]:
        """Where the whole lines of the file end, and the last receipt in them."""
        size, head = self._known
        file.seek(size)
        for line in file:
            if line.endswith(b"\n"):
                stored = read_canonical(line, StoredReceipt)
                size, head = size + len(line), (stored.seq, stored.hash)
        return size, head

    def get(self, receipt: str) -> StoredReceipt | None:
        return next((stored for stored in self._all() if stored.id == receipt), None)

    def findings(self) -> list[VerifyFinding]:
        """What is wrong with the log, held against itself."""
        try:
            _, found = receipts.verify(self._tenant, self._all(), (), (), blanked={})
        except IntegrityError as error:
            return [VerifyFinding(code="receipt_unreadable", message=f"in the folder for receipts: {error}")]
        return [
            VerifyFinding(code=one.code, message=f"in the folder for receipts: {one.message}")
            for one in found
            if one.code != _COUNTS
        ]

    def _all(self) -> Iterator[StoredReceipt]:
        try:
            with self._path.open("rb") as file:
                for line in file:
                    if line.endswith(b"\n"):
                        yield read_canonical(line, StoredReceipt)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreUnavailable(f"the folder for receipts cannot be read: {error.strerror}") from None


def _opened(path: Path) -> BufferedRandom:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b")


def external_receipts(tenant: str, said: str | Path | None = AS_SET) -> ExternalReceipts | None:
    """Where receipts of a read-only vault go: to the folder that is named, else to the one the environment names."""
    chosen = read_environment().receipts_folder if said == AS_SET else said
    return None if not chosen else ExternalReceipts(Path(chosen).expanduser(), tenant)
