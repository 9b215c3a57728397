"""Which assertion is shown where, read from the tests and the vectors without running them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.requirements import requirements
from tests.support.vectors import vectors

from akashik_conformance import assertions
from muniment.contracts.registry import ContractName
from muniment.model.value import Value

TESTS = Path(__file__).parent


def shown() -> Mapping[str, frozenset[str]]:
    """Id of an assertion to the names of what shows it."""
    return _collected("cites")


def doubted() -> Mapping[str, frozenset[str]]:
    """Id of an assertion to the tests that show that we do otherwise."""
    return _collected("diverges")


def _collected(mark: str) -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted([*TESTS.rglob("test_*.py"), *(TESTS.parent / "conformance").rglob("test_*.py")]):
        for id_, test in _marked(path, mark):
            found[id_].add(f"{path.relative_to(TESTS.parent)}::{test}")
    if mark == "cites":
        for one in assertions():
            found[one.id].add(f"conformance: {one.theme}")
        for name in ContractName:
            for vector in vectors(name):
                for id_ in vector.cites:
                    found[id_].add(f"{name}: {vector.name}")
    return {id_: frozenset(places) for id_, places in found.items()}


def _marked(path: Path, mark: str) -> Iterator[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    if f"@{mark}(" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", None) == mark:
                yield from ((ast.literal_eval(word), node.name) for word in decorator.args)


class Row(Value):
    """One contract: how many assertions its page has, how many are shown to hold, and from how many we diverge."""

    title: str
    total: int
    shown: int
    apart: int


def table() -> list[Row]:
    """The count for each contract."""
    held, otherwise = shown(), doubted()
    rows = []
    for name in ContractName:
        page = requirements(name)
        kept = sum(1 for line in page.lines if line.id in held and line.diverges is None)
        apart = sum(1 for line in page.lines if line.id in otherwise and line.diverges is not None)
        rows.append(Row(title=page.title, total=len(page.lines), shown=kept, apart=apart))
    return rows
