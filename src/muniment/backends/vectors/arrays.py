"""The kinds of array the vector index speaks in, and the three turns a vector takes: short, long, and as signs.

A vector is kept as 16-bit floats. numpy widens those one at a time; done by hand on whole arrays it is five times as
fast, which is what makes an exact scan of vectors on disk affordable.
"""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Bools: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Ordinals: TypeAlias = npt.NDArray[np.intp]
Halves: TypeAlias = npt.NDArray[np.float16]
Floats: TypeAlias = npt.NDArray[np.float32]
Signs: TypeAlias = npt.NDArray[np.uint64]
Counts: TypeAlias = npt.NDArray[np.uint16]

D = TypeVar("D", bound=np.generic)

WORD = 64
SLAB = 256
"""How many vectors are widened at a time: their numbers stay in the second-level cache."""

_KEPT = np.int32(-0x70002000)  # the sign and the fifteen bits of exponent and fraction, once moved up by thirteen
_REBIASED = np.float32(2.0**112)


def widen(halves: Halves, into: Floats) -> Floats:
    """Copy 16-bit floats into 32-bit ones, exactly. Infinities and what is not a number are not expected.

    >>> widen(np.array([[0.5, -2.0, 6e-8]], np.float16), np.empty((4, 3), np.float32)).tolist()
    [[0.5, -2.0, 5.960464477539063e-08]]
    """
    floats = into[: len(halves)]
    bits = floats.view(np.int32)
    np.copyto(bits, halves.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _KEPT, out=bits)
    np.multiply(floats, _REBIASED, out=floats)
    return floats


def plane_count(dimensions: int) -> int:
    return -(-dimensions // WORD)


def signs(halves: Halves) -> Signs:
    """The signs of each vector, one bit a number, as rows of 64-bit words.

    >>> signs(np.array([[1.0, -1.0, 0.5]], np.float16)).tolist()
    [[5]]
    """
    padded = np.zeros((len(halves), plane_count(halves.shape[1]) * WORD), np.bool_)
    padded[:, : halves.shape[1]] = halves > 0
    return np.packbits(padded, axis=1, bitorder="little").view(np.dtype("<u8"))


class Growing(Generic[D]):
    """An array that grows at its end. What was taken from it stays as it is."""

    def __init__(self, empty: npt.NDArray[D]) -> None:
        self._array = empty
        self.count = 0

    def extend(self, part: npt.NDArray[D]) -> None:
        needed = self.count + len(part)
        if needed > len(self._array):
            grown = np.empty((max(needed, 2 * len(self._array), 64), *self._array.shape[1:]), self._array.dtype)
            grown[: self.count] = self._array[: self.count]
            self._array = grown
        self._array[self.count : needed] = part
        self.count = needed

    def first(self, count: int) -> npt.NDArray[D]:
        return self._array[:count]
