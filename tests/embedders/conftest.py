"""The model that setup installed, and one of the same shape that is made here."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.embedders import synthetic
from tests.embedders.made import Made

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.minilm import MiniLM
from muniment.config import read_environment


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of models that setup filled. A missing model is a failure: nothing here may pass unseen."""
    found = read_environment().models_folder
    assert ModelFolder(found).present, f"no model in {found}; `muniment model install` puts it there"
    return found


@pytest.fixture(scope="session")
def minilm(models: Path) -> MiniLM:
    return MiniLM(models, threads=1)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A model without meaning, as whoever publishes one would lay it out in a folder."""
    folder = tmp_path_factory.mktemp("published")
    body = synthetic.weights(synthetic.tensors())
    (folder / "model.safetensors").write_bytes(body)
    (folder / "vocab.txt").write_bytes(synthetic.VOCABULARY)
    return Made(folder, synthetic.edition(body))
