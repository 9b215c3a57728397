"""Write a model in the ONNX file format: just enough protocol buffers for nodes, constants, inputs and outputs."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32] | NDArray[np.int8] | NDArray[np.uint8] | NDArray[np.int64]
Setting = int | float | Sequence[int]

FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
EXTENDED = "com.microsoft"  # operations that only onnxruntime has
_FORMAT = 8
_OPSETS = (("", 17), (EXTENDED, 1))
_KINDS = {"f4": FLOAT, "u1": UINT8, "i1": INT8, "i8": INT64}


class OnnxFile:
    """A model in the making. Names are given by counting, so that the same calls give the same bytes."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._edges: list[bytes] = []
        self._count = 0

    def constant(self, value: Array) -> str:
        """Keep an array in the file; its name."""
        kind = value.dtype.str[1:]
        little = np.ascontiguousarray(value, dtype=np.dtype(kind).newbyteorder("<"))
        name = self._new("c")
        shape = b"".join(_number(1, size) for size in value.shape)
        self._constants.append(shape + _number(2, _KINDS[kind]) + _text(8, name) + _field(9, little.tobytes()))
        return name

    def input(self, name: str, kind: int, shape: Sequence[int | str]) -> str:
        self._edges.append(_field(11, _edge(name, kind, shape)))
        return name

    def output(self, name: str, kind: int, shape: Sequence[int | str]) -> None:
        self._edges.append(_field(12, _edge(name, kind, shape)))

    def node(self, kind: str, *inputs: str, domain: str = "", **settings: Setting) -> str:
        """Add an operation with one output; the output's name. An empty input is one that is left out."""
        return self.nodes(kind, *inputs, outputs=1, domain=domain, **settings)[0]

    def nodes(self, kind: str, *inputs: str, outputs: int, domain: str = "", **settings: Setting) -> list[str]:
        """Add an operation with several outputs; their names."""
        names = [self._new("v") for _ in range(outputs)]
        body = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in names)
        body += _text(4, kind) + b"".join(_field(5, _setting(name, value)) for name, value in settings.items())
        self._nodes.append(body + (_text(7, domain) if domain else b""))
        return names

    def finish(self, name: str, properties: Sequence[tuple[str, str]]) -> bytes:
        """The whole file."""
        graph = b"".join(_field(1, node) for node in self._nodes) + _text(2, name)
        graph += b"".join(_field(5, constant) for constant in self._constants) + b"".join(self._edges)
        opsets = b"".join(_field(8, _text(1, domain) + _number(2, version)) for domain, version in _OPSETS)
        notes = b"".join(_field(14, _text(1, key) + _text(2, value)) for key, value in properties)
        return _number(1, _FORMAT) + _text(2, "muniment") + _field(7, graph) + opsets + notes

    def _new(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"


def _varint(value: int) -> bytes:
    """A whole number, seven bits to a byte, the lowest first.

    >>> _varint(1), _varint(300), len(_varint(-1))
    (b'\\x01', b'\\xac\\x02', 10)
    """
    rest = value % 2**64
    found = bytearray()
    while rest > 0x7F:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    found.append(rest)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _text(field: int, text: str) -> bytes:
    return _field(field, text.encode())


def _setting(name: str, value: Setting) -> bytes:
    """A named setting of an operation, with the mark of its type behind it."""
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, 7)


def _edge(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    tensor = _number(1, kind) + _field(2, b"".join(_field(1, size) for size in sizes))
    return _text(1, name) + _field(2, _field(1, tensor))
