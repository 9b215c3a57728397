"""Build the graph we run from the published weights: 8-bit, the vectors pooled and brought to length one inside.

Weights are rounded to 8 bits per output column, activations by ranges fixed beforehand (see `ranges`). Ranges found
anew for each batch would make a text's vector depend on what else is embedded with it. Weights keep to 7 bits: on
processors that add up pairs of products in 16 bits a larger one could overflow, and vectors would differ by machine.
Only divisions, maxima and roundings are done here, each exact by IEEE 754, so that everybody builds the same bytes.
"""

from __future__ import annotations

import numpy as np

from muniment.backends.embedders.onnx_file import EXTENDED, FLOAT, INT64, OnnxFile
from muniment.backends.embedders.published import (
    DIMENSIONS,
    HEADS,
    LAYERS,
    NAME,
    VOCABULARY_SHA256,
    WEIGHTS_SHA256,
    WINDOW,
)
from muniment.backends.embedders.ranges import RANGES, Range
from muniment.backends.embedders.weights import Floats, Tensors

WEIGHT_MAX = 63
WORD_MAX = 127
EPSILON = 1e-12
FAR_BELOW = -1e9
_HEAD = DIMENSIONS // HEADS


def build_graph(tensors: Tensors) -> bytes:
    """The graph as an ONNX file: `ids` (texts by pieces, zero for padding) to `vectors` (texts by dimensions)."""
    return _Builder(tensors).whole()


class _Builder:
    """Holds the file in the making, the weights, and the constants that every layer shares."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._file = OnnxFile()
        self._first = self._file.constant(np.array([0], np.int64))
        self._second = self._file.constant(np.array([1], np.int64))
        self._by_head = self._file.constant(np.array([0, 0, 3 * HEADS, _HEAD], np.int64))
        self._flat = self._file.constant(np.array([0, 0, DIMENSIONS], np.int64))

    def whole(self) -> bytes:
        file = self._file
        ids = file.input("ids", INT64, ("texts", "pieces"))
        real = file.node("Cast", file.node("Greater", ids, self._first), to=FLOAT)
        hidden = self._words(ids)
        away = self._away(real)
        for layer in range(LAYERS):
            hidden = self._layer(layer, hidden, away)
        summed = file.node("Squeeze", file.node("MatMul", file.node("Unsqueeze", real, self._second), hidden), self._second)
        vectors = file.node("LpNormalization", summed, axis=-1, p=2)
        file.output(vectors, FLOAT, ("texts", DIMENSIONS))
        return file.finish(NAME, (("weights_sha256", WEIGHTS_SHA256), ("vocabulary_sha256", VOCABULARY_SHA256)))
