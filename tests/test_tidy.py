"""House rules that a machine can check: no swallowed errors, one writer, no bags of anything, no machine's paths."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from muniment.ports.store import Snapshot, Unit

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "muniment"
MODULES = sorted(SRC.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


MAY_PASS_ON = (
    "store.py",
    "group_commit.py",
    "tenant_scope.py",
    "steps.py",
    "wrapped.py",
    "model_timeout.py",
    "vault_lock.py",
)
"""Where somebody else's code is run: a job in a transaction, a caller's own function. Both raise what they catch."""


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text())))


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


def handlers() -> Iterator[tuple[Path, ast.ExceptHandler]]:
    for path in MODULES:
        yield from ((path, node) for node in nodes(path) if isinstance(node, ast.ExceptHandler))


def test_errors_are_caught_broadly_in_surfaces_only() -> None:
    found = []
    for path, node in handlers():
        allowed = "surfaces" in path.parts or (path.name in MAY_PASS_ON and reraises_or_keeps(node))
        if broad(node) and not allowed:
            found.append(f"{name_of(path)}:{node.lineno} catches everything")
    assert found == []


def test_no_error_is_swallowed() -> None:
    silent = [(path, node) for path, node in handlers() if all(isinstance(line, ast.Pass) for line in node.body)]
    assert [f"{name_of(path)}:{node.lineno} swallows an error" for path, node in silent] == []


def test_there_are_no_bags_of_anything() -> None:
    assert [name_of(path) for path in MODULES if "dict[str, Any]" in path.read_text()] == []


def test_a_silenced_type_error_says_which_and_why() -> None:
    told = re.compile(r"type: ignore\[[a-z-]+\]  # \w")
    lines = [(path, number, line) for path in MODULES for number, line in enumerate(path.read_text().splitlines(), 1)]
    found = [(path, number) for path, number, line in lines if "type: ignore" in line and not told.search(line)]
    assert [f"{name_of(path)}:{number}" for path, number in found] == []


def test_one_module_writes() -> None:
    """Outside the stores only `write/commit.py` calls the writing half of a unit, and `write/following.py`, which
    writes down what another ledger holds."""
    writing = {name for name in vars(Unit) if not name.startswith("_")}
    assert {"append", "certify", "amend", "tell"} <= writing
    assert not writing & {name for name in vars(Snapshot) if not name.startswith("_")}
    callers = {
        name_of(path)
        for path in MODULES
        if not {"backends", "testing"} & set(path.parts)
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in writing and ast.unparse(node.value) == "unit"
    }
    assert callers == {"write/commit.py", "write/following.py"}


def test_one_module_discloses() -> None:
    """Only the gate makes a disclosure; everybody else is given one."""
    makers = {
        name_of(path)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Disclosure"
    }
    assert makers == {"read/gate.py"}


MACHINES = re.compile(
    r"(?<![\w.])/(?:work|farm|root|home/\w+)/"  # an absolute path of a machine
    r"|https?://[\w.]*(?:pypi|npmjs|registry|debian)\."  # a package registry
)


def test_the_repository_names_no_machine() -> None:
    found = []
    for name in TRACKED:
        path = ROOT / name
        if (
            path.is_file()
            and path.suffix not in {".png", ".svg", ".gz"}
            and name not in {"LICENSE", "tests/test_tidy.py"}
        ):
            found += [f"{name}: {one.group()}" for one in MACHINES.finditer(path.read_text(errors="replace"))]
    assert found == []


def marks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, list[str]]:
    """A test's decorators by their names, `pytest.mark.slow` or `cites`, with the texts they are given."""
    calls = [(one.func, one.args) if isinstance(one, ast.Call) else (one, []) for one in function.decorator_list]
    texts = [(name, [one.value for one in args if isinstance(one, ast.Constant)]) for name, args in calls]
    return {ast.unparse(name): [str(one) for one in given] for name, given in texts}


def test_every_assertion_of_a_contract_is_shown_in_every_run() -> None:
    """What a short run leaves out may cite an assertion only if something that stays cites it too."""
    stays, left_out = set[str](), set[str]()
    for path in (one for one in TESTS if re.search("^@cites", one.read_text(), re.MULTILINE)):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and "cites" in (found := marks(node)):
                seldom = found.keys() & {"pytest.mark.slow", "pytest.mark.sampled"}
                (left_out if seldom else stays).update(found["cites"])
    assert len(stays) > 100
    assert left_out - stays == set()


def test_typed_decoders_are_made_under_one_lock() -> None:
    """Two threads that describe one type to msgspec at once crash the process; `model/decoding.py` does it for all."""
    bare = [
        f"{name_of(path)}: {ast.unparse(node)[:80]}"
        for path in MODULES
        if name_of(path) != "model/decoding.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if describes_a_type(node)
    ]
    assert bare == []


def describes_a_type(node: ast.AST) -> bool:
    """Whether msgspec is given a type here, by a call or by importing what takes one."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] == "msgspec" and bool(
            {alias.name for alias in node.names} & {"convert", "json", "msgpack", "yaml", "toml"}
        )
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("msgspec."):
        return False
    called = ast.unparse(node.func).rpartition(".")[2]
    typed = len(node.args) > (called == "decode") or any(word.arg in ("type", None) for word in node.keywords)
    return called == "convert" or (called in ("decode", "Decoder") and typed)
