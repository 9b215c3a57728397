"""What is imported is declared: by the package in its dependencies or an extra, by a kit in its own."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
KITS = sorted(path.parent for path in ROOT.glob("kits/*/pyproject.toml"))
NAMES = {"apsw": "apsw-sqlite3mc", "jwt": "pyjwt", "yaml": "pyyaml", "opentelemetry": "opentelemetry-api"}
"""Modules that are not called like the distribution they are in."""
BROUGHT = {"akashik-conformance", "matm-evaluation"}
"""Kits that a command calls if they are installed; without them it says how to install them."""
DIRECT_MAX = 12


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[ \[><=!~;]", name, maxsplit=1)[0]).lower()


def declared(folder: Path) -> set[str]:
    """The distributions a `pyproject.toml` names, its own included."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    optional = [one for extra in project.get("optional-dependencies", {}).values() for one in extra]
    (package,) = (path.name for path in (folder / "src").iterdir() if path.is_dir() and "." not in path.name)
    return {normal(package), *(normal(one) for one in (project["name"], *project["dependencies"], *optional))}


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Each distribution that a file under a folder imports from, with the file."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            for module in modules:
                top = module.split(".")[0]
                if top not in sys.stdlib_module_names and not of_a_framework(path, top):
                    yield normal(NAMES.get(top, top)), str(path.relative_to(ROOT))


def of_a_framework(path: Path, module: str) -> bool:
    """Whether an adapter imports what the framework it is for brings. The framework is the extra of the same name."""
    if path.parent != ROOT / "src" / "muniment" / "adapters":
        return False
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return path.stem.replace("_", "-") in extras and module != "muniment"


def undeclared(folder: Path) -> list[tuple[str, str]]:
    known = declared(folder) | (BROUGHT if folder == ROOT else set())
    return [(name, file) for name, file in imported(folder / "src") if name not in known]


def test_everything_imported_is_declared() -> None:
    assert {str(folder): found for folder in (ROOT, *KITS) if (found := undeclared(folder))} == {}


def test_the_package_needs_few_others_and_brings_vectors_only_where_they_are_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    direct = {normal(one) for one in project["dependencies"]}
    assert len(direct) <= DIRECT_MAX
    assert "numpy" not in direct


WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))
from muniment import Memory
memory = Memory.open({folder!r}, embedder=None)
memory.remember("The build server is called Otto", confidence=0.8)
assert len(memory.recall("what is the build server called?").records) == 1
assert memory.ledger.verify().ok
memory.close()
"""


def test_a_memory_works_with_nothing_but_what_the_package_itself_needs(tmp_path: Path) -> None:
    """Every extra and every kit is taken away."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = {normal(one) for extra in project["optional-dependencies"].values() for one in extra}
    modules = {distribution: module for module, distribution in NAMES.items()}
    missing = sorted(modules.get(name, name.replace("-", "_")) for name in (optional | BROUGHT) - {"muniment"})
    assert "numpy" in missing
    code = WITHOUT.format(missing=missing, folder=str(tmp_path / "vault"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
