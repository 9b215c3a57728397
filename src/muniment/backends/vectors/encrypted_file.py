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

from muniment.backends.vectors.growing_file import Bytes, GrowingFile

BLOCK = 16
UNIT = 1 << 16
"""Bytes under one tweak: long enough that a thousand of them a second do not matter, short enough to redo for a row."""

_CHUNK = 1 << 24


class EncryptedGrowingFile:
    """A sheet in an encrypted file. A block of zeros in the file was never written, and reads as zeros."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._file = GrowingFile(path)
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
        first, end = _down(self._known), _up(size)
        if end > len(self._copy):
            grown = np.zeros(end + (size >> 3), np.uint8)
            grown[:first] = self._copy[:first]
            self._copy = grown
        for start in range(first, end, _CHUNK):
            found = self._opened(start, min(_CHUNK, end - start))
            if found is None:
                return
            self._copy[start : start + len(found)] = found
            self._known = min(start + len(found), size)

    def _opened(self, first: int, size: int) -> Bytes | None:
        """Whole blocks of the file, decrypted; None when there are fewer."""
        raw = self._file.read(first, size)
        if raw is None:
            return None
        sealed = np.frombuffer(raw, np.uint8)
        plain = np.empty(size + BLOCK, np.uint8)
        for start, end, number, lead in _units(first, size):
            context = Cipher(self._cipher, XTS(number.to_bytes(16, "little"))).decryptor()
            _pass(context, lead, sealed[start:end], plain[start:])
        words = sealed.view(np.uint64)
        unwritten = (words[::2] | words[1::2]) == 0
        if unwritten.any():
            plain[:size].reshape(-1, BLOCK)[unwritten] = 0
        return plain[:size]

    def _closed(self, first: int, plain: Bytes) -> bytes:
        """Whole blocks, encrypted for their place."""
        sealed = np.empty(len(plain) + BLOCK, np.uint8)
        for start, end, number, lead in _units(first, len(plain)):
            context = Cipher(self._cipher, XTS(number.to_bytes(16, "little"))).encryptor()
            _pass(context, lead, plain[start:end], sealed[start:])
        return sealed[: len(plain)].tobytes()


def _pass(context: CipherContext, lead: int, content: Bytes, into: Bytes) -> None:
    """Blocks from the middle of a unit. What stands before them does not matter, only how much it is. A cipher asks for
    a block of room behind what it writes."""
    if lead:
        into[: len(content)] = np.frombuffer(context.update(bytes(lead) + content.tobytes()), np.uint8)[lead:]
    else:
        context.update_into(content.data, into.data)


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
