"""Which embedder is meant by what was said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cases import each

from muniment.backends.embedders.choose import choose
from muniment.backends.embedders.endpoint import EmbeddingsEndpoint
from muniment.backends.embedders.minilm import MiniLM
from muniment.backends.embedders.wrapped import Wrapped
from muniment.model.errors import ConfigurationError


class Own:
    """A caller's embedder."""

    model = "own@1"
    dimensions = 1

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [b"\x00\x00\x80\x3f"] * len(texts)


def lengths(texts: list[str]) -> list[list[float]]:
    return [[1.0, float(len(text))] for text in texts]


@pytest.mark.parametrize("wanted", [None, "none"])
def test_none_is_none_even_with_a_model(models: Path, wanted: str | None) -> None:
    assert choose(wanted, models=models) is None


def test_auto_is_the_installed_model(models: Path) -> None:
    assert isinstance(choose("auto", models=models), MiniLM)


def test_auto_without_a_model_is_none(tmp_path: Path) -> None:
    assert choose("auto", models=tmp_path) is None
    assert choose("auto", models=tmp_path / "nowhere") is None


def test_the_model_by_name_must_be_there(models: Path, tmp_path: Path) -> None:
    assert isinstance(choose("minilm", models=models), MiniLM)
    with pytest.raises(ConfigurationError, match="muniment model install"):
        choose("minilm", models=tmp_path)


def test_without_onnxruntime_auto_is_none_and_the_name_says_what_is_missing(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    elsewhere = [place for place in sys.path if not Path(place, "onnxruntime").exists()]
    monkeypatch.setattr(sys, "path", elsewhere)
    assert choose("auto", models=models) is None
    with pytest.raises(ConfigurationError, match=r"muniment\[embed\]"):
        choose("minilm", models=models)


def test_one_folder_is_loaded_once(models: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(models)
    assert choose("auto", models=models) is choose("minilm", models=tmp_path / "link")


def test_an_address_is_an_endpoint(models: Path) -> None:
    assert isinstance(choose("http://127.0.0.1:1/v1#small", models=models, key="k"), EmbeddingsEndpoint)
    with pytest.raises(ConfigurationError, match="behind a #"):
        choose("https://127.0.0.1:1/v1", models=models)


def test_an_embedder_is_taken_as_it_is(models: Path) -> None:
    own = Own()
    assert choose(own, models=models) is own


def test_a_function_is_wrapped_under_its_own_name(models: Path) -> None:
    found = choose(lengths, models=models)
    assert isinstance(found, Wrapped)
    assert found.model.partition("@")[0].endswith("test_choose.lengths")


@each("wanted", ["", "AUTO", "bert", "ftp://host#m", 7])
def test_anything_else_is_refused(models: Path, wanted: str) -> None:
    with pytest.raises(ConfigurationError, match="embedder: expected"):
        choose(wanted, models=models)
