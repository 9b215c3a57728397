"""The graph says what the published model says, is the same bytes for everybody, and refuses weights that are not."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from tests.cases import each
from tests.embedders import golden, synthetic
from tests.embedders.made import Made
from tests.embedders.oracle import Floats, Oracle

from muniment.backends.embedders.graph import build_graph, round_weights
from muniment.backends.embedders.minilm import MiniLM
from muniment.backends.embedders.session import ModelSession
from muniment.backends.embedders.weights import read_tensors
from muniment.backends.embedders.wordpiece import WordPiece
from muniment.model.errors import IntegrityError, ModelUnavailable


def _matrix(vectors: list[bytes]) -> Floats:
    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)


def test_the_installed_graph_says_what_the_published_model_says(minilm: MiniLM) -> None:
    texts, expected = zip(*golden.read(), strict=True)
    likeness = (_matrix(minilm.embed(texts)) * np.stack(expected)).sum(axis=1)
    assert likeness.mean() >= 0.993
    assert likeness.min() >= 0.97


def test_what_is_alike_to_the_published_model_is_alike_to_the_graph(minilm: MiniLM) -> None:
    """The order of neighbours is what recall lives on: nobody's nearest neighbour is lost."""
    texts, expected = zip(*golden.read(), strict=True)
    found, right = _matrix(minilm.embed(texts)), np.stack(expected)
    ours, theirs = found @ found.T, right @ right.T
    assert np.abs(ours - theirs).mean() <= 0.01
    np.fill_diagonal(ours, -1)
    np.fill_diagonal(theirs, -1)
    clear = np.sort(theirs, axis=1)[:, -1] - np.sort(theirs, axis=1)[:, -2] > 0.05
    assert clear.sum() >= 10
    assert (ours.argmax(axis=1) == theirs.argmax(axis=1))[clear].all()


def test_the_sentences_kept_are_the_sentences_listed() -> None:
    assert tuple(text for text, _ in golden.read()) == golden.SENTENCES


def test_a_graph_of_other_weights_follows_the_forward_pass(made: Made) -> None:
    body = (made.folder / "model.safetensors").read_bytes()
    session = ModelSession(build_graph(read_tensors(body), made.edition), synthetic.VOCABULARY.decode(), threads=1)
    oracle, tokenizer = Oracle(made.folder / "model.safetensors"), WordPiece(synthetic.VOCABULARY.decode())
    texts = ["a b c", "x", "h e l l o ! ( y ) z", "? ? ? ?", "q w e r t y " * 12, ""]
    expected = np.stack([oracle.embed(tokenizer.encode(text, window=256)) for text in texts])
    assert (_matrix(session.embed(texts)) * expected).sum(axis=1).min() >= 0.995


def test_the_same_weights_give_the_same_bytes_for_everybody(made: Made) -> None:
    tensors = read_tensors((made.folder / "model.safetensors").read_bytes())
    graph = build_graph(tensors, made.edition)
    assert sha256(graph).hexdigest() == "3def0c4bf49570f2144c4af2e3e6aba8686e46715ea3a70089cc4d3bcd6aed48"
    assert build_graph(tensors, made.edition) == graph


def test_rounded_weights_are_near_and_never_overflow_in_pairs() -> None:
    weights = np.array([[0.5, 0.5, -1.0, 0.25], [1.0, -1.0, 0.0, 0.1]], np.float32)
    rounded, scales = round_weights(weights)
    assert rounded.tolist() == [[64, 64, -127, 32], [127, -127, 0, 13]]
    assert scales.tolist() == pytest.approx([1 / 127, 1 / 127])
    assert np.abs(rounded * scales[:, np.newaxis] - weights).max() <= 0.5 / 127 + 1e-6


def test_no_pair_of_the_largest_products_leaves_sixteen_bits() -> None:
    places = np.arange(64 * 384)
    weights = ((places * 7919 % 2003) / np.float32(1001) - 1).astype(np.float32).reshape(64, 384)
    rounded, _ = round_weights(weights)
    pairs = rounded.astype(np.int32).reshape(64, 192, 2)
    highest = np.maximum(pairs, 0).sum(axis=2).max() * 255
    lowest = np.minimum(pairs, 0).sum(axis=2).min() * 255
    assert -(2**15) <= lowest < 0 < highest < 2**15


@each("graph", [b"", b"no graph", b"\x08\x08"], ids=["empty", "words", "cut"])
def test_what_onnxruntime_cannot_load_is_told(graph: bytes) -> None:
    with pytest.raises(ModelUnavailable, match=r"onnxruntime .* cannot load the model") as caught:
        ModelSession(graph, synthetic.VOCABULARY.decode(), threads=1)
    assert "muniment[embed]" in caught.value.hint


def test_a_failure_while_it_runs_is_told(made: Made) -> None:
    body = (made.folder / "model.safetensors").read_bytes()
    words = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(str(number) for number in range(1_000))])
    session = ModelSession(build_graph(read_tensors(body), made.edition), words, threads=1)
    with pytest.raises(ModelUnavailable, match="the model failed"):
        session.embed(["999"])


@each(
    "body",
    [
        b"",
        b"\x01",
        b"\xff" * 8 + b"{}",
        (9).to_bytes(8, "little") + b"not json!",
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"\xff\xff",
    ],
    ids=["empty", "cut", "huge header", "no JSON", "no table", "no text"],
)
def test_what_is_not_a_weights_file_is_refused(body: bytes) -> None:
    with pytest.raises(IntegrityError, match="not a safetensors file"):
        read_tensors(body)


@each(
    ("shape", "offsets"),
    [([2], [0, 12]), ([2], [-8, 0]), ([2], [4, 12]), ([-1, -2], [0, 8]), ([2], [8, 0])],
    ids=["too wide", "before", "beyond", "negative", "backwards"],
)
def test_a_tensor_outside_its_file_is_refused(shape: list[int], offsets: list[int]) -> None:
    header = f'{{"a": {{"dtype": "F32", "shape": {shape}, "data_offsets": {offsets}}}}}'.encode()
    with pytest.raises(IntegrityError, match="does not fit its place"):
        read_tensors(len(header).to_bytes(8, "little") + header + bytes(8))
