"""Vectors as they travel to and from the server: two numbers that say how many follow, and those in 16 or 32 bits."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

from muniment.backends.vectors.arrays import Floats, Halves
from muniment.model.errors import Malformed

_HEADING = 2


class EncodedVector:
    """A vector on its way to the server. Which of its types it is, the statement says."""

    __slots__ = ("wire",)

    def __init__(self, wire: bytes) -> None:
        self.wire = wire

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EncodedVector) and self.wire == other.wire

    def __hash__(self) -> int:
        return hash(self.wire)


class _SentDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: EncodedVector) -> Buffer | None:
        return obj.wire


psycopg.adapters.register_dumper(EncodedVector, _SentDumper)


def as_halves(vector: Floats) -> EncodedVector:
    """For a `halfvec`: rounded to 16 bits a number."""
    return EncodedVector(struct.pack("!hh", len(vector), 0) + vector.astype(">f2").tobytes())


def as_floats(vector: Floats) -> EncodedVector:
    """For a `vector`: as it is."""
    return EncodedVector(struct.pack("!hh", len(vector), 0) + vector.astype(">f4").tobytes())


def read_halves(wires: Sequence[bytes]) -> Halves:
    """Vectors of one width as the server sent them, one to a row.

    >>> read_halves([as_halves(np.array([0.5, -2.0], np.float32)).wire]).tolist()
    [[0.5, -2.0]]
    """
    found = np.frombuffer(b"".join(wires), ">f2").reshape(len(wires), -1)[:, _HEADING:]
    return np.ascontiguousarray(found.astype(np.float16))


def read_floats(vector: bytes, dimensions: int) -> Floats:
    """A vector as callers give it. One that a 16-bit number cannot tell is no vector.

    >>> read_floats(struct.pack("<2f", 0.5, -2.0), 2).tolist()
    [0.5, -2.0]
    """
    found = np.frombuffer(vector, "<f4") if len(vector) % 4 == 0 else np.empty(0, np.float32)
    if len(found) != dimensions or not np.all(np.abs(found) <= np.finfo(np.float16).max):
        raise Malformed("vector", f"{dimensions} finite 32-bit floats")
    return found
