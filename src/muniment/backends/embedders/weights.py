"""Published weights as arrays: a safetensors file, read by hand. Nothing in such a file is ever run."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from muniment.model.decoding import decode_json
from muniment.model.errors import IntegrityError

Floats = NDArray[np.float32]
Tensors = Mapping[str, Floats]

HEADER_BYTES_MAX = 100 * 1024 * 1024
_NOTES = "__metadata__"


class _Tensor(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_tensors(body: bytes) -> dict[str, Floats]:
    """The 32-bit float tensors of a safetensors file, by name. Views of `body`, not copies."""
    length = int.from_bytes(body[:8], "little")
    if len(body) < 8 or length > min(len(body) - 8, HEADER_BYTES_MAX):
        raise IntegrityError("the weights are not a safetensors file: the header does not fit")
    try:
        header = decode_json(body[8 : 8 + length], dict[str, msgspec.Raw])
        told = {name: decode_json(raw, _Tensor) for name, raw in header.items() if name != _NOTES}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise IntegrityError(f"the weights are not a safetensors file: {error}") from None
    return {name: _tensor(body, 8 + length, one) for name, one in told.items() if one.dtype == "F32"}


def _tensor(body: bytes, start: int, told: _Tensor) -> Floats:
    count = int(np.prod(told.shape, dtype=np.int64))
    first, last = told.data_offsets
    if not 0 <= first <= last <= len(body) - start or last - first != 4 * count or min(told.shape, default=0) < 0:
        raise IntegrityError("the weights are not a safetensors file: a tensor does not fit its place")
    return np.frombuffer(body, "<f4", count=count, offset=start + first).reshape(told.shape)
