"""The wheel is the whole of Muniment: everything in the source tree that is not made by running it, the console too."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.deploy.reading import ROOT
from tests.patience import WAIT_S

PACKAGE = ROOT / "src" / "muniment"
MADE_BY_RUNNING = shutil.ignore_patterns("__pycache__", ".*")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in a copy of the tree, by the backend that is installed here: nothing is fetched."""
    tree, made = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("made")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(PACKAGE, tree / "src" / "muniment", ignore=MADE_BY_RUNNING)
    command = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([sys.executable, *command, str(made), str(tree)], check=True, timeout=WAIT_S)
    (found,) = made.iterdir()
    return found


def kept(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist() if name.startswith("muniment/")}


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    there = {path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*") if path.is_file()}
    meant = {str(path) for path in there if not any(part.startswith((".", "__pycache__")) for part in path.parts)}
    assert set(kept(wheel)) == meant


def test_the_console_of_the_wheel_is_the_console_of_the_tree(wheel: Path) -> None:
    held = {name: body for name, body in kept(wheel).items() if name.startswith("muniment/surfaces/console/static/")}
    assert held.keys() >= {f"muniment/surfaces/console/static/{name}" for name in ("index.html", "main.js", "mark.svg")}
    for name, body in held.items():
        assert body == (PACKAGE.parent / name).read_bytes()


def test_the_console_opens_from_the_wheel_as_it_is(wheel: Path) -> None:
    """Without unpacking it: whoever reads files by their paths on disk would find none."""
    look = "from muniment.surfaces.console.files import shelf; print(*sorted(shelf()), sep='\\n')"
    answer = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(wheel)!r}); {look}"],
        check=True,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    static = PACKAGE / "surfaces" / "console" / "static"
    assert answer.stdout.split() == sorted(str(one.relative_to(static)) for one in static.rglob("*") if one.is_file())
