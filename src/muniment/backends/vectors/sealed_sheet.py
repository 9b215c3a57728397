"""A sheet whose file is encrypted: the disk holds AES-XTS, memory holds a plain copy of what was looked at.

XTS binds each block of sixteen bytes to its place and to nothing else. So an addition leaves the bytes of what was
there before as they are, as it must be for readers beside it and after a crash, and overwriting tells only that
something was overwritten. Vectors are derived: whoever alters the file gets a worse order, as with a plain one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import XTS

from muniment.backends.vectors.sheet import Bytes, SheetFile

BLOCK = 16
UNIT = 1 << 16
"""Bytes under one tweak: long enough that a thousand of them a second do not matter, short enough to redo for a row."""


class SheetSealed:
    """A sheet in an encrypted file. A block of zeros in the file was never written, and reads as zeros."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._file = SheetFile(path)
        self._cipher = AES(key)
        self._copy: Bytes = np.empty(0, np.uint8)
        self._known = 0

    def view(self, size: int) -> Bytes | None:
        if size > self._known:
            self._learn(size)
        return self._copy[:size] if size <= self._known else None

    def read(self, offset: int, size: int) -> bytes | None:
        first = _down(offset)
        found = self._opened(first, _up(offset + size) - first)
        return None if found is None else found[offset - first : offset - first + size].tobytes()

    def write(self, offset: int, content: bytes) -> None:
        if not content:
            return
        first, end = _down(offset), _up(offset + len(content))
        plain = np.zeros(end - first, np.uint8)
        for edge in {first, end - BLOCK}:
            there = self._opened(edge, BLOCK)
            if there is not None:
                plain[edge - first : edge - first + BLOCK] = there
        plain[offset - first : offset - first + len(content)] = np.frombuffer(content, np.uint8)
        self._file.write(first, self._closed(first, plain))
        held = max(0, min(self._known - offset, len(content)))
        self._copy[offset : offset + held] = plain[offset - first : offset - first + held]

    def reserve(self, size: int) -> None:
        self._file.reserve(_up(size))

    def flush(self) -> None:
        self._file.flush()

    def cut(self, size: int) -> None:
        kept = self.read(_down(size), size - _down(size)) if size % BLOCK else b""
        if kept:
            block = np.frombuffer(kept.ljust(BLOCK, b"\0"), np.uint8)
            self._file.write(_down(size), self._closed(_down(size), block))
        self._file.cut(_up(size))
        self.renew()

    def renew(self) -> None:
        self._copy, self._known = np.empty(0, np.uint8), 0

    def remove(self) -> None:
        self.renew()
        self._file.remove()

    def close(self) -> None:
        self.renew()
        self._file.close()

    def _learn(self, size: int) -> None:
        """Decrypt as far as `size`. The last block known is read again: its end may have been written since."""
        first = _down(self._known)
        found = self._opened(first, _up(size) - first)
        if found is None:
            return
        if first + len(found) > len(self._copy):
            grown = np.zeros(first + len(found) + (size >> 3), np.uint8)
            grown[:first] = self._copy[:first]
            self._copy = grown
        self._copy[first : first + len(found)] = found
        self._known = size

    def _opened(self, first: int, size: int) -> Bytes | None:
        """Whole blocks of the file, decrypted; None when there are fewer."""
        raw = self._file.read(first, size)
        if raw is None:
            return None
        sealed = np.frombuffer(raw, np.uint8)
        plain = np.empty(size, np.uint8)
        for start, end, number, lead in _units(first, size):
            context = Cipher(self._cipher, XTS(number.to_bytes(16, "little"))).decryptor()
            plain[start:end] = _passed(context, lead, sealed[start:end])
        plain.reshape(-1, BLOCK)[~np.any(sealed.reshape(-1, BLOCK), axis=1)] = 0
        return plain

    def _closed(self, first: int, plain: Bytes) -> bytes:
        """Whole blocks, encrypted for their place."""
        sealed = np.empty(len(plain), np.uint8)
        for start, end, number, lead in _units(first, len(plain)):
            context = Cipher(self._cipher, XTS(number.to_bytes(16, "little"))).encryptor()
            sealed[start:end] = _passed(context, lead, plain[start:end])
        return sealed.tobytes()


def _passed(context: CipherContext, lead: int, content: Bytes) -> Bytes:
    """Blocks from the middle of a unit. What stands before them does not matter, only how much it is."""
    return np.frombuffer(context.update(bytes(lead) + content.tobytes()), np.uint8)[lead:]


def _units(first: int, size: int) -> list[tuple[int, int, int, int]]:
    """The units a run of bytes touches: where each begins and ends in the run, its number, and what lies before.

    >>> _units(65520, 48)
    [(0, 16, 0, 65520), (16, 48, 1, 0)]
    """
    return [
        (max(at, first) - first, min(at + UNIT, first + size) - first, at // UNIT, max(first - at, 0))
        for at in range(first // UNIT * UNIT, first + size, UNIT)
    ]


def _down(offset: int) -> int:
    return offset // BLOCK * BLOCK


def _up(offset: int) -> int:
    return -(-offset // BLOCK) * BLOCK
