"""A model of the published shape whose weights are made by counting: small words, no meaning, the same everywhere."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
from tests.embedders.oracle import Floats

from muniment.backends.embedders.published import ModelRelease

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *(chr(code) for code in range(33, 127)), *(f"##{n}" for n in range(200)))
VOCABULARY = ("\n".join(WORDS) + "\n").encode()
GRAPH_SHA256 = "3def0c4bf49570f2144c4af2e3e6aba8686e46715ea3a70089cc4d3bcd6aed48"


def tensors() -> dict[str, Floats]:
    """Every tensor of the published model, the vocabulary being shorter."""
    wide, inner = 384, 1536
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), wide),
        "embeddings.position_embeddings.weight": (512, wide),
        "embeddings.token_type_embeddings.weight": (2, wide),
        "embeddings.LayerNorm.weight": (wide,),
        "embeddings.LayerNorm.bias": (wide,),
    }
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        linears = {
            "attention.self.query": (wide, wide),
            "attention.self.key": (wide, wide),
            "attention.self.value": (wide, wide),
            "attention.output.dense": (wide, wide),
            "intermediate.dense": (inner, wide),
            "output.dense": (wide, inner),
        }
        for part, shape in linears.items():
            shapes |= {f"{name}.{part}.weight": shape, f"{name}.{part}.bias": shape[:1]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}.{part}.weight": (wide,), f"{name}.{part}.bias": (wide,)}
    return {name: _counted(number, name, shape) for number, (name, shape) in enumerate(shapes.items(), start=1)}


def _counted(number: int, name: str, shape: tuple[int, ...]) -> Floats:
    """Values between -1 and 1 that look scattered, brought to the size a trained model has there."""
    places = np.arange(int(np.prod(shape)), dtype=np.int64)
    scattered = (places * places * 31 + places * (7919 + 2 * number)) % 2003
    values = ((scattered - 1001) / np.float32(1001)).astype(np.float32).reshape(shape)
    if name.endswith("LayerNorm.weight"):
        return np.float32(0.5) + values * np.float32(0.1)
    return values * np.float32(0.08)


def weights(found: dict[str, Floats]) -> bytes:
    """Tensors as a safetensors file."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, value in found.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [end, end + value.nbytes]}
        end += value.nbytes
    words = json.dumps(header).encode()
    return (
        len(words).to_bytes(8, "little") + words + b"".join(value.astype("<f4").tobytes() for value in found.values())
    )


def edition(body: bytes) -> ModelRelease:
    return ModelRelease(
        weights_bytes=len(body),
        weights_sha256=sha256(body).hexdigest(),
        vocabulary_bytes=len(VOCABULARY),
        vocabulary_sha256=sha256(VOCABULARY).hexdigest(),
        graph_sha256=GRAPH_SHA256,
    )
