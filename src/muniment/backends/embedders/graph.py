"""Build the graph we run from the published weights: 8-bit, the vectors pooled and brought to length one inside.

Weights are rounded to 8 bits per output column, activations by bounds fixed beforehand (see `ranges`). Bounds found
anew for each batch would make a text's vector depend on what else is embedded with it. Where two weights that stand
side by side have one sign, they are rounded so that the two together keep to 8 bits: some processors add such pairs of
products in 16 bits, and a sum that overflows there would make vectors differ from machine to machine. Only products,
quotients, maxima and roundings are taken here, each of which IEEE 754 fixes, so that everybody builds the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from muniment.backends.embedders.onnx_file import EXTENDED, FLOAT, INT64, OnnxFile
from muniment.backends.embedders.published import (
    DIMENSIONS,
    HEADS,
    LAYERS,
    NAME,
    PUBLISHED,
    WINDOW,
    ModelRelease,
)
from muniment.backends.embedders.ranges import RANGES, Range
from muniment.backends.embedders.weights import Floats, Tensors

STEPS = 255
WEIGHT_MAX = 127
EPSILON = 1e-12
FAR_BELOW = 1e9
_HEAD = DIMENSIONS // HEADS


def build_graph(tensors: Tensors, edition: ModelRelease = PUBLISHED) -> bytes:
    """The graph as an ONNX file: `ids` (texts by pieces, zero for padding) to vectors (texts by dimensions)."""
    sources = (("weights_sha256", edition.weights_sha256), ("vocabulary_sha256", edition.vocabulary_sha256))
    return _Builder(tensors).whole().finish(NAME, sources)


class _Hidden(NamedTuple):
    """The state between two steps: as it is, and with its outliers shrunk for the linear map that reads it next."""

    plain: str
    shrunk: str


class _Builder:
    """Holds the file in the making, the weights, and the constants that every layer shares."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._file = OnnxFile()
        self._first = self._file.constant(np.array([0], np.int64))
        self._second = self._file.constant(np.array([1], np.int64))
        self._by_head = self._file.constant(np.array([0, 0, 3 * HEADS, _HEAD], np.int64))
        self._flat = self._file.constant(np.array([0, 0, DIMENSIONS], np.int64))

    def whole(self) -> OnnxFile:
        file = self._file
        ids = file.input("ids", INT64, ("texts", "pieces"))
        real = file.node("Cast", file.node("Greater", ids, self._first), to=FLOAT)
        away = self._away(real)
        hidden = self._normed(self._words(ids), "embeddings.LayerNorm", RANGES[0].attend)
        for layer in range(LAYERS):
            after = RANGES[layer + 1].attend if layer + 1 < LAYERS else None
            hidden = self._layer(layer, hidden, away, after)
        # The sum over the pieces points where their mean does, and only the direction is kept.
        summed = file.node("MatMul", file.node("Unsqueeze", real, self._second), hidden.plain)
        vectors = file.node("LpNormalization", file.node("Squeeze", summed, self._second), axis=-1, p=2)
        file.output(vectors, FLOAT, ("texts", DIMENSIONS))
        return file

    def _words(self, ids: str) -> str:
        """The vectors of the pieces and of their places. Words are kept in 8 bits, each with a scale of its own."""
        file = self._file
        words = self._tensors["embeddings.word_embeddings.weight"]
        scale = np.abs(words).max(axis=1, keepdims=True) / np.float32(WEIGHT_MAX)
        rounded = np.rint(words / scale).astype(np.int8)
        steps = file.node("Cast", file.node("Gather", file.constant(rounded), ids), to=FLOAT)
        found = file.node("Mul", steps, file.node("Gather", file.constant(scale), ids))
        kind = self._tensors["embeddings.token_type_embeddings.weight"][0]
        places = file.constant(self._tensors["embeddings.position_embeddings.weight"][:WINDOW] + kind)
        third = file.constant(np.array([2], np.int64))
        pieces = file.node("Slice", file.node("Shape", ids), self._second, third)
        return file.node("Add", found, file.node("Slice", places, self._first, pieces))

    def _away(self, real: str) -> str:
        """What is added to attention scores: nothing for a piece, something far below for padding."""
        file = self._file
        missing = file.node("Sub", real, file.constant(np.array(1, np.float32)))
        far = file.node("Mul", missing, file.constant(np.array(FAR_BELOW, np.float32)))
        return file.node("Unsqueeze", far, file.constant(np.array([1, 2], np.int64)))

    def _layer(self, layer: int, hidden: _Hidden, away: str, after: Range | None) -> _Hidden:
        file, name, ranges = self._file, f"encoder.layer.{layer}", RANGES[layer]
        heads = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        attended = self._attention(self._linear(hidden.shrunk, heads, ranges.attend), away)
        projected = self._linear(attended, [f"{name}.attention.output.dense"], ranges.project)
        summed = file.node("Add", hidden.plain, projected)
        hidden = self._normed(summed, f"{name}.attention.output.LayerNorm", ranges.widen)
        wide = self._linear(hidden.shrunk, [f"{name}.intermediate.dense"], ranges.widen)
        bent = self._shrunk(file.node("Gelu", wide, domain=EXTENDED), ranges.narrow)
        summed = file.node("Add", hidden.plain, self._linear(bent, [f"{name}.output.dense"], ranges.narrow))
        return self._normed(summed, f"{name}.output.LayerNorm", after)

    def _attention(self, joined: str, away: str) -> str:
        """What each piece takes from the others, head by head. `joined` holds queries, keys and values side by side."""
        file = self._file
        apart = file.node("Transpose", file.node("Reshape", joined, self._by_head), perm=(0, 2, 1, 3))
        query, key, value = file.nodes("Split", apart, outputs=3, axis=1)
        scores = file.node("FusedMatMul", query, key, domain=EXTENDED, transB=1, alpha=_HEAD**-0.5)
        shares = file.node("Softmax", file.node("Add", scores, away), axis=-1)
        together = file.node("Transpose", file.node("MatMul", shares, value), perm=(0, 2, 1, 3))
        return file.node("Reshape", together, self._flat)

    def _linear(self, given: str, names: Sequence[str], bounds: Range) -> str:
        """One linear map, or several side by side, on values rounded to 8 bits; the sums are brought back to floats."""
        file = self._file
        weights = np.concatenate([self._tensors[f"{name}.weight"] for name in names])
        bias = np.concatenate([self._tensors[f"{name}.bias"] for name in names])
        rounded, scales = round_weights(weights * _factors(bounds, weights.shape[1]))
        step = (bounds.high - bounds.low) / STEPS
        scale = file.constant(np.array(step, np.float32))
        zero = file.constant(np.array(round(-bounds.low / step), np.uint8))
        steps = file.node("QuantizeLinear", given, scale, zero)
        by_column = file.constant(np.ascontiguousarray(rounded.T))
        more = (by_column, scale, file.constant(scales), zero, "", file.constant(bias))
        return file.node("MatMulIntegerToFloat", steps, *more, domain=EXTENDED)

    def _normed(self, given: str, name: str, bounds: Range | None) -> _Hidden:
        """Layer normalisation. Outliers are shrunk within it at no cost, and brought back where the sum goes on."""
        file = self._file
        factors = _factors(bounds, DIMENSIONS)
        gain = file.constant(self._tensors[f"{name}.weight"] / factors)
        bias = file.constant(self._tensors[f"{name}.bias"] / factors)
        shrunk = file.node("LayerNormalization", given, gain, bias, axis=-1, epsilon=EPSILON)
        plain = shrunk if np.all(factors == 1) else file.node("Mul", shrunk, file.constant(factors))
        return _Hidden(plain, shrunk)

    def _shrunk(self, given: str, bounds: Range) -> str:
        factors = _factors(bounds, 4 * DIMENSIONS)
        return (
            given
            if np.all(factors == 1)
            else self._file.node("Mul", given, self._file.constant(np.float32(1) / factors))
        )


def _factors(bounds: Range | None, wide: int) -> Floats:
    """What each channel is divided by before it is rounded: a power of two, one for most."""
    found = np.ones(wide, np.float32)
    for power, channels in bounds.outliers.items() if bounds is not None else ():
        found[list(channels)] = 2.0**power
    return found


def round_weights(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Weights (outputs by inputs) in 8 bits, and the scale of each output. No two neighbours of one sign, the first at
    an even place, add up to more than 128."""
    left, right = weights[:, 0::2], weights[:, 1::2]
    pairs = np.where(left * right > 0, np.abs(left) + np.abs(right), np.float32(0)).max(axis=1)
    scales = np.maximum(np.abs(weights).max(axis=1), pairs) / np.float32(WEIGHT_MAX)
    return np.rint(weights / scales[:, np.newaxis]).astype(np.int8), scales
