"""The page about the contract names every message that can be raised, word for word."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import each
from tests.contracts.cites import cites

from muniment.compat import retrieval
from muniment.compat.retrieval import messages

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = ROOT / "docs" / "contracts" / "retrieval.md"
ROOMS = (ROOT / "src/muniment/compat/retrieval", ROOT / "src/muniment/contracts/retrieval")
MODULES = [path for folder in ROOMS for path in sorted(folder.glob("*.py"))]
MESSAGES = {name: value for name, value in vars(messages).items() if name.isupper()}


def _raised(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield node.exc


@cites("RETR-071")
def test_every_message_stands_in_the_page() -> None:
    listed = {part for line in PAGE.read_text(encoding="utf-8").splitlines() for part in line.split(" · ")}
    assert len(MESSAGES) > 50
    assert [value for value in MESSAGES.values() if value not in listed] == []


@cites("RETR-071")
@each("path", MODULES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_nothing_is_raised_in_words_that_are_not_listed(path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    for call in _raised(path):
        texts = [
            node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        match ast.unparse(call.func), texts:
            case "Malformed", [one, other]:
                told = (f"{one}: expected {other}", f"{other}: expected {one}")
                assert any(line.endswith(told) for line in page)
            case "refusal", []:
                assert ast.unparse(call) == "refusal(flaw)"
            case "TypeError" | "ValueError", found:
                assert set(found) <= {", ", "provenance"}, ast.unparse(call)
            case other, _:
                pytest.fail(f"{path.name} raises {other}, which the page does not speak of")


@each("name", retrieval.__all__)
def test_every_public_name_stands_in_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")


def test_the_published_messages_are_the_contracts_own_words() -> None:
    published = [
        "Memory store config must be a mapping",
        "'memory' must be a mapping",
        "'seed_records' must be a list",
        "Memory record #{idx} must be a mapping",
        "Memory record #{idx} field must be a string: {field}",
        "Memory record #{idx} field is required: {field}",
        "Memory record #{idx} confidence must be a number",
        "Memory record #{idx} confidence must be between 0 and 1",
        "Memory record #{idx} revision must be an integer",
        "Memory record #{idx} revision must be positive",
        "Memory store records must be MemoryRecord",
        "Memory store candidate must be MemoryCandidate",
        "Memory record field must be a string: {field}",
        "Memory record field is required: {field}",
        "Memory record confidence must be a number",
        "Memory record confidence must be between 0 and 1",
        "Memory record revision must be an integer",
        "Memory record revision must be positive",
        "Memory candidate revision mode must be a string",
        "Memory candidate revision mode is not supported: {revision_mode}",
        "Memory candidate confidence must be a number",
        "Memory candidate confidence must be between 0 and 1",
        "Memory candidate field must be a string: {field}",
        "Memory candidate field is required: {field}",
        "Memory lookup field must be a string: {field}",
        "Memory lookup field is required: {field}",
        "Memory lookup limit must be an integer",
        "Memory lookup limit must be non-negative",
    ]
    assert list(MESSAGES.values())[: len(published)] == published
