"""A long row of bytes that grows at its end: in a file that others may read at the same time, or in memory."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
_STEP = 1 << 16


class GrowingBytes(Protocol):
    def view(self, size: int) -> Bytes | None:
        """The first `size` bytes, to read; None when there are fewer. What is written later shows in it."""

    def read(self, offset: int, size: int) -> bytes | None:
        """A copy of `size` bytes; None when there are fewer."""

    def write(self, offset: int, content: bytes) -> None: ...

    def reserve(self, size: int) -> None:
        """Be at least `size` bytes long, with zeros where nothing was written."""

    def flush(self) -> None:
        """Return once everything written is on disk."""

    def cut(self, size: int) -> None:
        """Drop what lies behind `size`."""

    def renew(self) -> None:
        """Look again: something that was there before has been overwritten, perhaps by another process."""

    def remove(self) -> None: ...

    def close(self) -> None: ...


class GrowingFile:
    """A sheet in a file. The file is a little longer than what is written, so that a view seldom has to be renewed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mapped: Bytes = np.empty(0, np.uint8)
        self._file: int | None = None

    def view(self, size: int) -> Bytes | None:
        if size > len(self._mapped):
            self._map(size)
        return self._mapped[:size] if size <= len(self._mapped) else None

    def read(self, offset: int, size: int) -> bytes | None:
        if not size:
            return b""
        try:
            with self._path.open("rb", buffering=0) as file:
                found = os.pread(file.fileno(), size, offset)
        except FileNotFoundError:
            return None
        return found if len(found) == size else None

    def write(self, offset: int, content: bytes) -> None:
        file, end, rest = self._opened(), offset + len(content), memoryview(content)
        if os.fstat(file).st_size < end:
            os.ftruncate(file, end + max(_STEP, end >> 3))
        while rest:
            done = os.pwrite(file, rest, offset)
            rest, offset = rest[done:], offset + done

    def reserve(self, size: int) -> None:
        if os.fstat(self._opened()).st_size < size:
            os.ftruncate(self._opened(), size)

    def flush(self) -> None:
        if self._file is not None:
            os.fsync(self._file)

    def cut(self, size: int) -> None:
        if not self._path.exists():
            return
        self._mapped = np.empty(0, np.uint8)
        os.ftruncate(self._opened(), size)

    def renew(self) -> None:
        """What is mapped is what is there."""

    def remove(self) -> None:
        self.close()
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        self._mapped = np.empty(0, np.uint8)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        return self._file

    def _map(self, size: int) -> None:
        try:
            file = os.open(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            if os.fstat(file).st_size >= size:
                self._mapped = np.frombuffer(mmap.mmap(file, 0, prot=mmap.PROT_READ), np.uint8)
        finally:
            os.close(file)


class GrowingMemory:
    """A sheet that is gone with the process."""

    def __init__(self) -> None:
        self._bytes: Bytes = np.zeros(0, np.uint8)
        self._size = 0

    def view(self, size: int) -> Bytes | None:
        return self._bytes[:size] if size <= self._size else None

    def read(self, offset: int, size: int) -> bytes | None:
        return self._bytes[offset : offset + size].tobytes() if offset + size <= self._size else None

    def write(self, offset: int, content: bytes) -> None:
        self.reserve(offset + len(content))
        self._bytes[offset : offset + len(content)] = np.frombuffer(content, np.uint8)

    def reserve(self, size: int) -> None:
        if size > len(self._bytes):
            grown = np.zeros(max(size, 2 * len(self._bytes), _STEP), np.uint8)
            grown[: self._size] = self._bytes[: self._size]
            self._bytes = grown
        self._size = max(self._size, size)

    def flush(self) -> None:
        """There is no disk."""

    def cut(self, size: int) -> None:
        self._bytes[size:] = 0
        self._size = min(self._size, size)

    def renew(self) -> None:
        """Nobody else writes here."""

    def remove(self) -> None:
        self.close()

    def close(self) -> None:
        self._bytes, self._size = np.zeros(0, np.uint8), 0
