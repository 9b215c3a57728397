"""House rules that a machine can check: no swallowed errors, one writer, no bags of anything, no machine's paths."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "muniment"
MODULES = sorted(SRC.rglob("*.py"))
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


MAY_PASS_ON = ("store.py", "line.py", "door.py", "steps.py", "wrapped.py", "minds.py")
"""Where somebody else's code is run: a job in a transaction, a caller's own function. Both raise what they catch."""


def name_of(path: Path) -> str:
    return str(path.relative_to(SRC))


def broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException")) for kind in kinds
    )


def reraises_or_keeps(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ends in a raise or hands the error on by its name."""
    names = {node.id for node in ast.walk(handler) if isinstance(node, ast.Name)}
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler)) or (handler.name in names)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_errors_are_caught_broadly_in_surfaces_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler) and broad(node):
            allowed = "surfaces" in path.parts or (path.name in MAY_PASS_ON and reraises_or_keeps(node))
            assert allowed, f"{name_of(path)}:{node.lineno} catches everything"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_error_is_swallowed(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler):
            silent = all(isinstance(line, ast.Pass) for line in node.body)
            assert not silent, f"{name_of(path)}:{node.lineno} swallows an error"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_there_are_no_bags_of_anything(path: Path) -> None:
    text = path.read_text()
    assert "dict[str, Any]" not in text
    assert "type: ignore" not in text or re.search(r"type: ignore\[[a-z-]+\]  # \w", text)


WRITING = {"append", "keep", "drop", "project", "clear_projections", "append_receipt", "checkpoint"}


def test_one_module_writes() -> None:
    """Outside the stores only `write/commit.py` calls the writing half of a unit, and `write/following.py`, which
    writes down what another ledger holds."""
    callers = set()
    for path in MODULES:
        if "backends" in path.parts or "testing" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            writes = isinstance(node, ast.Attribute) and node.attr in WRITING and isinstance(node.value, ast.Name)
            if writes and ast.unparse(node).startswith("unit."):
                callers.add(name_of(path))
    assert callers <= {"write/commit.py", "write/following.py"}


def test_one_module_discloses() -> None:
    """Only the gate makes a disclosure; everybody else is given one."""
    makers = {
        name_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Disclosure"
    }
    assert makers == {"read/gate.py"}


@pytest.mark.parametrize("name", TRACKED)
def test_the_repository_names_no_machine(name: str) -> None:
    path = ROOT / name
    if not path.is_file() or path.suffix in {".png", ".svg", ".gz"} or name in {"LICENSE", "tests/test_tidy.py"}:
        return
    text = path.read_text(errors="replace")
    assert not re.search(r"(?<![\w.])/(?:work|farm|root|home/\w+)/", text), "an absolute path of a machine"
    assert not re.search(r"https?://[\w.]*(?:pypi|npmjs|registry|debian)\.", text), "a package registry"
