"""What is known of the one model we build ourselves: its names, its sizes, and the digests nothing else may have.

A vector is labelled with `IDENTITY`, and its digest is that of the graph we build, not of the published weights. The
weights alone do not say what a vector is: other rounding, other pooling or another vocabulary over the same weights
gives other vectors. The graph holds the weights as rounded, the pooling, and in its properties the digests of weights
and vocabulary; it is built from the weights by exact arithmetic alone, so that everybody gets these same bytes and they
can be checked against this page rather than against a note beside them. A release that builds the graph differently
has another identity, and vectors are made anew.
"""

from __future__ import annotations

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
LAYERS = 6
HEADS = 12
VOCABULARY_SIZE = 30_522
WINDOW = 256

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
GRAPH_SHA256 = "0000000000000000000000000000000000000000000000000000000000000000"
IDENTITY = f"{NAME}@{GRAPH_SHA256}"

WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
GRAPH_FILE = "graph.onnx"
MANIFEST_FILE = "manifest.json"
