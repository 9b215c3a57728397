"""The float32 forward pass of the model in plain numpy, straight from the published weights: what the graph must match.

Written from the architecture alone, sharing no code with the graph's builder, so that a mistake there shows here.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

HEADS = 12
LAYERS = 6
_ERF_POINTS = np.linspace(-6.0, 6.0, 240_001)


def read_weights(path: Path) -> dict[str, Floats]:
    """Every float32 tensor of a safetensors file."""
    body = path.read_bytes()
    end = 8 + int.from_bytes(body[:8], "little")
    found: dict[str, Floats] = {}
    for name, told in json.loads(body[8:end]).items():
        if name != "__metadata__" and told["dtype"] == "F32":
            first, last = told["data_offsets"]
            found[name] = np.frombuffer(body[end + first : end + last], "<f4").reshape(told["shape"])
    return found


class Oracle:
    """Embeds one list of ids at a time: no padding, no batch, no quantisation. `inputs` keeps what each linear map was
    last given."""

    def __init__(self, weights: Path) -> None:
        self.tensors = read_weights(weights)
        self.inputs: dict[str, Floats] = {}

    def embed(self, ids: list[int]) -> Floats:
        words = self.tensors["embeddings.word_embeddings.weight"][ids]
        places = self.tensors["embeddings.position_embeddings.weight"][: len(ids)]
        kind = self.tensors["embeddings.token_type_embeddings.weight"][0]
        hidden = self._normed(words + places + kind, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}")
        mean: Floats = hidden.mean(axis=0)
        found: Floats = (mean / np.linalg.norm(mean)).astype(np.float32)
        return found

    def _layer(self, hidden: Floats, name: str) -> Floats:
        attended = self._linear(self._attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self._normed(hidden + attended, f"{name}.attention.output.LayerNorm")
        widened = _gelu(self._linear(hidden, f"{name}.intermediate.dense"))
        return self._normed(hidden + self._linear(widened, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, hidden: Floats, name: str) -> Floats:
        length = len(hidden)
        parts = (
            self._linear(hidden, f"{name}.{part}").reshape(length, HEADS, -1) for part in ("query", "key", "value")
        )
        query, key, value = (part.transpose(1, 0, 2) for part in parts)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        found: Floats = (shares @ value).transpose(1, 0, 2).reshape(length, -1)
        return found

    def _linear(self, given: Floats, name: str) -> Floats:
        self.inputs[name] = given
        return given @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def _normed(self, given: Floats, name: str) -> Floats:
        centred = given - given.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        found: Floats = centred / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]
        return found


def _erf_table() -> NDArray[np.float64]:
    """The error function at `_ERF_POINTS`, by the trapezoid rule over its derivative."""
    slope = 2.0 / np.sqrt(np.pi) * np.exp(-(_ERF_POINTS**2))
    step = _ERF_POINTS[1] - _ERF_POINTS[0]
    rising = np.concatenate([[0.0], np.cumsum((slope[1:] + slope[:-1]) * step / 2.0)])
    found: NDArray[np.float64] = rising - rising[len(rising) // 2]
    return found


_ERF = _erf_table()


def _gelu(given: Floats) -> Floats:
    erf = np.interp(given / np.sqrt(2.0), _ERF_POINTS, _ERF)
    found: Floats = (given * 0.5 * (1.0 + erf)).astype(np.float32)
    return found
