"""The installed model as an embedder: vectors of length one, the same alone and in company, from any thread."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.embedders.oracle import Floats
from tests.patience import WAIT_S

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.minilm import MiniLM
from muniment.model.errors import ConfigurationError, IntegrityError

HOSTILE = [
    "",
    "\x00\x07\x1b[2J",
    "x" * 1_000_000,
    "word " * 200_000,
    "😀" * 5_000,
    "\u202eمرحبا بالعالم\u202c",
    "lone \ud800 surrogate",
    "[PAD] [PAD] [PAD]",
    "e\u0301" * 3_000,
    "if (a[i]!=b){return;}",
]


def _vector(embedder: MiniLM, text: str) -> Floats:
    return np.frombuffer(embedder.embed([text])[0], "<f4")


def test_vectors_are_of_length_one_and_of_the_width_told(minilm: MiniLM) -> None:
    for body in minilm.embed(["green tea", *HOSTILE]):
        assert len(body) == 4 * minilm.dimensions == 1536
        assert np.linalg.norm(np.frombuffer(body, "<f4")) == pytest.approx(1.0, abs=1e-5)


def test_the_label_names_the_model_and_a_digest(minilm: MiniLM) -> None:
    name, _, digest = minilm.model.partition("@")
    assert (name, len(digest), int(digest, 16) > 0) == ("all-MiniLM-L6-v2", 64, True)


def test_what_means_the_same_is_nearer_than_what_does_not(minilm: MiniLM) -> None:
    asked = _vector(minilm, "Where do I live?")
    assert asked @ _vector(minilm, "My home is in Lisbon.") > 0.3 + asked @ _vector(minilm, "The build failed again.")


def test_a_vector_does_not_depend_on_its_company(minilm: MiniLM) -> None:
    texts = [*HOSTILE, *(f"note {number} " + "about tea " * (number % 40) for number in range(150))]
    together = minilm.embed(texts)
    for place, text in enumerate(texts):
        alone = _vector(minilm, text)
        assert np.abs(np.frombuffer(together[place], "<f4") - alone).max() <= 1e-5


def test_the_order_of_a_batch_is_kept(minilm: MiniLM) -> None:
    texts = [f"{'long ' * (97 * number % 60)}text number {number}" for number in range(80)]
    expected = {text: minilm.embed([text])[0] for text in texts}
    for text, body in zip(texts[::-1], minilm.embed(texts[::-1]), strict=True):
        assert np.frombuffer(body, "<f4") @ np.frombuffer(expected[text], "<f4") > 0.9999


def test_no_texts_give_no_vectors_and_load_nothing(tmp_path: Path) -> None:
    assert MiniLM(tmp_path).embed([]) == []


def test_many_threads_get_what_one_gets(models: Path) -> None:
    embedder = MiniLM(models)
    texts = [f"thread {number}" for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], texts, timeout=WAIT_S))
    for text, body in zip(texts, found, strict=True):
        assert np.abs(np.frombuffer(body, "<f4") - _vector(embedder, text)).max() <= 1e-5


def test_nothing_heavy_is_imported_before_the_first_text(models: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from muniment.backends.embedders.choose import choose;"
        f"found = choose('minilm', models=Path({str(models)!r})); found.model; found.dimensions;"
        "assert 'onnxruntime' not in sys.modules; found.embed(['tea']); assert 'onnxruntime' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=WAIT_S)


def test_a_missing_model_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="muniment model install"):
        MiniLM(tmp_path).embed(["tea"])


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> ModelFolder:
    """A copy of the installed model that may be spoilt."""
    shutil.copytree(ModelFolder(models).path, ModelFolder(tmp_path).path)
    return ModelFolder(tmp_path)


@pytest.mark.parametrize("name", ["graph.onnx", "vocab.txt"])
def test_a_file_that_was_changed_is_refused(copied: ModelFolder, name: str) -> None:
    path = copied.path / name
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    with pytest.raises(IntegrityError, match=f"{name} of the model is not the file that was installed"):
        MiniLM(copied.models).embed(["tea"])


def test_a_graph_changed_together_with_its_manifest_is_refused(copied: ModelFolder) -> None:
    graph = copied.path / "graph.onnx"
    graph.write_bytes(graph.read_bytes() + b"\x00")
    manifest = copied.path / "manifest.json"
    manifest.write_text(manifest.read_text().replace(copied.edition.graph_sha256, "0" * 64))
    with pytest.raises(IntegrityError, match="names other digests"):
        MiniLM(copied.models).embed(["tea"])


@pytest.mark.parametrize("name", ["graph.onnx", "vocab.txt"])
def test_a_file_that_is_gone_is_told(copied: ModelFolder, name: str) -> None:
    (copied.path / name).unlink()
    with pytest.raises(IntegrityError, match=f"{name} of the model cannot be read") as caught:
        MiniLM(copied.models).embed(["tea"])
    assert "muniment model install" in caught.value.hint


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b"[1]"], ids=["empty", "bare", "no text", "a list"])
def test_a_manifest_that_cannot_be_read_is_told(copied: ModelFolder, body: bytes) -> None:
    (copied.path / "manifest.json").write_bytes(body)
    with pytest.raises(IntegrityError, match="manifest of the model cannot be read"):
        MiniLM(copied.models).embed(["tea"])


def test_it_says_which_texts_it_cannot_read(minilm: MiniLM) -> None:
    """Letters one by one, or unknown words, make vectors that lie near each other whatever they say."""
    foreign = (
        "部署在哪里",
        "東京のサーバーは",
        "김철수는 어디",
        "Где живёт Иванов?",
        "Πού μένει;",
        "أين محمد",
        "איפה דוד",
        "कहाँ",
        "ที่ไหน",
    )
    known = ("where is it?", "Wo wohnt Jürgen?", "Où est-il à Besançon ?", "ở đâu", "watchdog在哪里", "😀", "2024?", "")
    assert [text for text in foreign if minilm.reads(text)] == []
    assert [text for text in known if not minilm.reads(text)] == []
