"""What is known of the one model we build ourselves: its names, its sizes, and the digests nothing else may have.

A vector is labelled with the model's identity, and the digest in it is that of the graph we build, not of the published
weights. The weights alone do not say what a vector is: other rounding, other pooling or another vocabulary over the
same weights gives other vectors. The graph holds the weights as rounded, the pooling, and in its properties the digests
of weights and vocabulary; it is built from the weights by exact arithmetic alone, so that everybody gets these same
bytes and they can be checked against this page rather than against a note beside them. A release that builds the graph
differently has another identity, and vectors are made anew.
"""

from __future__ import annotations

from muniment.model.value import Value

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
LAYERS = 6
HEADS = 12
WINDOW = 256

WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
GRAPH_FILE = "graph.onnx"
MANIFEST_FILE = "manifest.json"


class ModelRelease(Value):
    """The files a model is built from and the graph that comes of it, by size and SHA-256."""

    weights_bytes: int
    weights_sha256: str
    vocabulary_bytes: int
    vocabulary_sha256: str
    graph_sha256: str

    @property
    def identity(self) -> str:
        return f"{NAME}@{self.graph_sha256}"


PUBLISHED = ModelRelease(
    weights_bytes=90_868_376,
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    vocabulary_bytes=231_508,
    vocabulary_sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    graph_sha256="de7a94caba583f8786b6babb98e58b81dc6a3034e178e270a002068f3c4d9612",
)
