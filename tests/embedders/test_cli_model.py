"""model install, status, remove: as a person and as a program meet them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.surfaces.shell import Shell

from muniment.backends.embedders.folder import ModelFolder

IDENTITY = ModelFolder(Path()).edition.identity


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> Path:
    """A folder of models of one's own, with the installed one in it."""
    shutil.copytree(ModelFolder(models).path, ModelFolder(tmp_path / "models").path)
    return tmp_path / "models"


def test_a_model_that_works_says_so(shell: Shell, copied: Path) -> None:
    said = shell("model", "status", "--models", str(copied))
    assert said.code == 0
    assert f"works: {IDENTITY}" in said.out
    assert "size: 23.4 MB" in said.out
    assert "ms, the next" in said.out


def test_the_status_of_a_model_in_json(shell: Shell, copied: Path) -> None:
    said = shell("model", "status", "--models", str(copied), "--json")
    told = said.json
    assert (said.code, told["model"], told["installed"], told["works"]) == (0, IDENTITY, True, True)
    assert (told["problem"], told["size_bytes"] > 20_000_000, told["load_ms"] > 0) == (None, True, True)
    assert told["folder"] == str(ModelFolder(copied).path)


def test_a_model_that_is_not_there_is_no_failure(shell: Shell, tmp_path: Path) -> None:
    said = shell("model", "status", "--models", str(tmp_path))
    assert (said.code, "muniment model install" in said.out) == (0, True)
    told = shell("model", "status", "--models", str(tmp_path), "--json").json
    assert (told["installed"], told["works"], told["load_ms"]) == (False, False, None)


def test_a_model_that_was_tampered_with_is_damage(shell: Shell, copied: Path) -> None:
    (ModelFolder(copied).path / "graph.onnx").write_bytes(b"other")
    said = shell("model", "status", "--models", str(copied))
    assert (said.code, "does not work" in said.out) == (1, True)
    assert "SHA-256 differs" in said.out


def test_the_folder_may_be_named_by_the_environment(
    shell: Shell, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_MODELS", str(copied))
    assert shell("model", "status", "--json").json["folder"] == str(ModelFolder(copied).path)


def test_installing_what_is_there_does_nothing(shell: Shell, copied: Path) -> None:
    said = shell("model", "install", "--models", str(copied), "--json")
    assert (said.code, said.json["new"], said.json["model"], said.err) == (0, False, IDENTITY, "")
    assert "already there" in shell("model", "install", "--models", str(copied)).out


def test_installing_from_nowhere_names_the_flag(shell: Shell, tmp_path: Path) -> None:
    said = shell("model", "install", "--models", str(tmp_path / "m"), "--from", str(tmp_path / "none"))
    assert (said.code, "--from" in said.err) == (2, True)


def test_installing_other_weights_is_damage(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    (tmp_path / "vocab.txt").write_bytes(b"other")
    said = shell("model", "install", "--models", str(tmp_path / "m"), "--from", str(tmp_path), "--json")
    assert (said.code, "53aa51172d142c89" in said.err) == (1, True)


def test_a_model_is_removed_once(shell: Shell, copied: Path) -> None:
    assert shell("model", "remove", "--models", str(copied), "--json").json == {"folder": str(copied), "removed": True}
    assert not ModelFolder(copied).present
    said = shell("model", "remove", "--models", str(copied))
    assert (said.code, "there was no model" in said.out) == (0, True)


@pytest.mark.parametrize("name", ["install", "status", "remove"])
def test_every_command_shows_an_example(shell: Shell, name: str) -> None:
    assert f"muniment model {name}" in shell.bare("model", name, "--help").out
