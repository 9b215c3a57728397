"""The model, loaded: texts to ids, ids to vectors, many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from muniment.backends.embedders.exit_gate import exit_gate
from muniment.backends.embedders.published import DIMENSIONS, WINDOW
from muniment.backends.embedders.wordpiece import WordPiece
from muniment.model.errors import ModelUnavailable

BATCH_PIECES_MAX = 512
PADDING = 0
_FAILURES = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented", "RuntimeException")

Ids = list[int]


class ModelSession:
    """Runs the graph. Texts of about one length go together, so that little of a batch is padding."""

    def __init__(self, graph: bytes, vocabulary: str, *, threads: int) -> None:
        try:
            import onnxruntime  # an extra; without it everything else works
        except ImportError:
            raise ModelUnavailable(
                "onnxruntime is not there", hint="`pip install 'muniment[embed]'` brings what the model runs on."
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        found = onnxruntime.capi.onnxruntime_pybind11_state
        self._failures = tuple(getattr(found, name) for name in _FAILURES)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except self._failures as error:
            raise ModelUnavailable(
                f"onnxruntime {onnxruntime.__version__} cannot load the model ({type(error).__name__})",
                hint="`pip install --upgrade 'muniment[embed]'` brings a release that can.",
            ) from error
        self._tokenizer = WordPiece(vocabulary)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        ids = [self._tokenizer.encode(text, window=WINDOW) for text in texts]
        found = np.empty((len(ids), DIMENSIONS), dtype="<f4")
        for places in _batches(ids):
            found[places] = self._run(_padded([ids[place] for place in places]))
        return [row.tobytes() for row in found]

    def reads(self, text: str) -> bool:
        """Whether the model has words for most of a text."""
        return self._tokenizer.reads(text, window=WINDOW)

    def _run(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        try:
            with exit_gate.inside():
                vectors: NDArray[np.float32] = self._session.run(None, {"ids": ids})[0]
        except self._failures as error:
            raise ModelUnavailable(f"the model failed ({type(error).__name__})") from error
        return vectors


def _batches(ids: Sequence[Ids]) -> Iterator[list[int]]:
    """Places in the list, shortest text first, as many at a time as fit a batch with its padding."""
    batch: list[int] = []
    for place in sorted(range(len(ids)), key=lambda place: len(ids[place])):
        if batch and (len(batch) + 1) * len(ids[place]) > BATCH_PIECES_MAX:
            yield batch
            batch = []
        batch.append(place)
    yield batch


def _padded(rows: Sequence[Ids]) -> NDArray[np.int64]:
    wide = max(len(row) for row in rows)
    return np.array([row + [PADDING] * (wide - len(row)) for row in rows], dtype=np.int64)
