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

from muniment.backends.vectors.columns import TYPES, WORDS, Columns, Words
from muniment.model.errors import StoreUnavailable

_MAGIC = b"MUNCOL\x00\x01"
_FIXED = struct.Struct("<8sQQQ32s")
_SUM = struct.Struct("<I")
_spelled = msgspec.msgpack.Decoder(dict[str, list[str]])


def save(columns: Columns, path: Path, hash: bytes) -> None:
    """Write columns whole or not at all. `hash` is that of the ledger entry at their position."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with draft.open("wb") as file:
            check = 0
            for piece in _pieces(columns, hash):
                file.write(piece)
                check = zlib.crc32(piece, check)
            file.write(_SUM.pack(check))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StoreUnavailable(f"cannot write {path}: {error.strerror}") from None


def load(path: Path) -> tuple[Columns, bytes] | None:
    """Read columns, and the hash they were saved with; None when they are not there or not whole."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    if len(raw) < _FIXED.size + _SUM.size or not raw.startswith(_MAGIC):
        return None
    content = memoryview(raw)[: -_SUM.size]
    if _SUM.unpack_from(raw, len(content)) != (zlib.crc32(content),):
        return None
    _, position, count, length, digest = _FIXED.unpack_from(raw)
    spelled = _spelled.decode(content[_FIXED.size : _FIXED.size + length])
    columns = Columns()
    arrays = _arrays(content[_FIXED.size + length :], count)
    columns.restore(arrays, {field: Words(spelled[field]) for field in WORDS}, position)
    return columns, digest


def _pieces(columns: Columns, hash: bytes) -> Iterator[bytes | memoryview]:
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
