"""Columns in a file, so that a large tenant opens quickly. What does not fit to the last byte is not read at all."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.backends.sealing import TenantKey
from muniment.backends.vectors.columns import TYPES, WORDS, CardColumns, WordColumn
from muniment.model.decoding import msgpack_decoder
from muniment.model.errors import StoreUnavailable

_MAGIC = b"MUNCOL\x00\x01"
_SEALED = b"MUNCOL\x01\x01"
_NONCE_BYTES = 12
_FIXED = struct.Struct("<8sQQQ32s")
_SUM = struct.Struct("<I")
_spelled = msgpack_decoder(dict[str, list[str]])


def save(columns: CardColumns, path: Path, hash: bytes, key: TenantKey | None = None) -> None:
    """Write columns whole or not at all. `hash` is that of the ledger entry at their position."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with draft.open("wb") as file:
            for piece in _summed(columns, hash) if key is None else _sealed(columns, hash, key):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreUnavailable(f"cannot write {path}: {error.strerror}") from None


def load(path: Path, key: TenantKey | None = None) -> tuple[CardColumns, bytes] | None:
    """Read columns, and the hash they were saved with; None when they are not there, not whole or not for this key."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    if key is not None:
        raw = _unsealed(raw, key)
    if len(raw) < _FIXED.size + _SUM.size or not raw.startswith(_MAGIC):
        return None
    content = memoryview(raw)[: -_SUM.size]
    if _SUM.unpack_from(raw, len(content)) != (zlib.crc32(content),):
        return None
    _, position, count, length, digest = _FIXED.unpack_from(raw)
    spelled = _spelled.decode(content[_FIXED.size : _FIXED.size + length])
    columns = CardColumns()
    arrays = _arrays(content[_FIXED.size + length :], count)
    columns.restore(arrays, {field: WordColumn(spelled[field]) for field in WORDS}, position)
    return columns, digest


def _summed(columns: CardColumns, hash: bytes) -> Iterator[bytes | memoryview]:
    check = 0
    for piece in _pieces(columns, hash):
        yield piece
        check = zlib.crc32(piece, check)
    yield _SUM.pack(check)


def _sealed(columns: CardColumns, hash: bytes, key: TenantKey) -> Iterator[bytes]:
    nonce = os.urandom(_NONCE_BYTES)
    yield _SEALED + nonce
    yield AESGCM(key.columns()).encrypt(nonce, b"".join(_summed(columns, hash)), _SEALED)


def _unsealed(raw: bytes, key: TenantKey) -> bytes:
    """What was sealed with this key; nothing when it was not, or was altered since."""
    start = len(_SEALED) + _NONCE_BYTES
    if not raw.startswith(_SEALED) or len(raw) < start:
        return b""
    try:
        return AESGCM(key.columns()).decrypt(raw[len(_SEALED) : start], raw[start:], _SEALED)
    except InvalidTag:
        return b""


def _pieces(columns: CardColumns, hash: bytes) -> Iterator[bytes | memoryview]:
    spelled = msgspec.msgpack.encode({field: columns.words[field].spelled for field in WORDS})
    yield _FIXED.pack(_MAGIC, columns.position, columns.count, len(spelled), hash)
    yield spelled
    for name in TYPES:
        yield columns.column(name).tobytes()


def _arrays(content: memoryview, count: int) -> dict[str, npt.NDArray[np.generic]]:
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    offset = 0
    for name, type_ in TYPES.items():
        arrays[name] = np.frombuffer(content, type_, count, offset).copy()
        offset += arrays[name].nbytes
    return arrays
