"""The head of a vector index: what it holds, as two checked slots of a small file that are written in turn.

A head is published by one short write into the slot that is not the newest. A writer that dies in the middle of it
leaves a slot whose checksum is wrong, and the other one still says what held before.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from muniment.backends.sealing import TenantKey
from muniment.model.errors import ConfigurationError
from muniment.model.value import Value

_MAGIC = b"MUNVEC\x00\x01"
_FIXED = struct.Struct("<8sIHQQQQQQ32s")
_SUM = struct.Struct("<I")
_SLOT = 4_096
_MODEL_BYTES_MAX = 1_024


class IndexHead(Value):
    """What is published: which model, how many rows, how many of them as signs too, and the ledger they reflect.
    `epoch` names the files the rows are in, `forgotten` counts how often rows were overwritten, `turn` the heads."""

    model: str
    dimensions: int
    epoch: int
    turn: int = 0
    count: int = 0
    planes: int = 0
    upto: int = 0
    forgotten: int = 0
    hash: bytes = bytes(32)


class IndexHeadFile:
    """The head on disk. Opened for each look, so that a thousand idle tenants hold no file open. Where its sheets are
    encrypted its checksum begins with a `mark` of their key: a head of other sheets than ours reads as none."""

    def __init__(self, path: Path, mark: bytes = b"") -> None:
        self._path = path
        self._mark = zlib.crc32(mark)
        self._seen: tuple[bytes, IndexHead | None] = (b"", None)

    def read(self) -> IndexHead | None:
        """The newest head that is whole; None when there is none."""
        try:
            with self._path.open("rb", buffering=0) as file:
                raw = file.read(2 * _SLOT)
        except FileNotFoundError:
            raw = b""
        if raw != self._seen[0]:
            found = [head for at in (0, _SLOT) if (head := _read(raw[at : at + _SLOT], self._mark)) is not None]
            self._seen = raw, max(found, key=lambda head: head.turn, default=None)
        return self._seen[1]

    def write(self, head: IndexHead) -> None:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.pwrite(file, _written(head, self._mark), head.turn % 2 * _SLOT)
            os.fsync(file)
        finally:
            os.close(file)


class IndexHeadInMemory:
    """A head that is gone with the process."""

    def __init__(self) -> None:
        self._head: IndexHead | None = None

    def read(self) -> IndexHead | None:
        return self._head

    def write(self, head: IndexHead) -> None:
        self._head = head


def head_file(folder: Path, key: TenantKey | None) -> IndexHeadFile:
    return IndexHeadFile(folder / "head", b"" if key is None else key.head())


def _written(head: IndexHead, mark: int) -> bytes:
    model = head.model.encode()
    if len(model) > _MODEL_BYTES_MAX:
        raise ConfigurationError("embedder", f"a model's name must fit in {_MODEL_BYTES_MAX} bytes")
    numbers = (head.epoch, head.turn, head.count, head.planes, head.upto, head.forgotten)
    body = _FIXED.pack(_MAGIC, head.dimensions, len(model), *numbers, head.hash) + model
    return (body + _SUM.pack(zlib.crc32(body, mark))).ljust(_SLOT, b"\x00")


def _read(slot: bytes, mark: int) -> IndexHead | None:
    if len(slot) < _FIXED.size or not slot.startswith(_MAGIC):
        return None
    _, dimensions, length, epoch, turn, count, planes, upto, forgotten, digest = _FIXED.unpack_from(slot)
    end = _FIXED.size + length
    if len(slot) < end + _SUM.size or _SUM.unpack_from(slot, end) != (zlib.crc32(slot[:end], mark),):
        return None
    return IndexHead(
        model=slot[_FIXED.size : end].decode(errors="replace"),
        dimensions=dimensions,
        epoch=epoch,
        turn=turn,
        count=count,
        planes=planes,
        upto=upto,
        forgotten=forgotten,
        hash=digest,
    )
