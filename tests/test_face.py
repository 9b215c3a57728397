"""The public face: what `import muniment` gives, and that the async face is the same one."""

from __future__ import annotations

import inspect
import subprocess
import sys

import muniment
from muniment import aio
from muniment.engine.audit import LedgerFace


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_public_names_are_listed_once_in_order() -> None:
    assert muniment.__all__ == sorted(muniment.__all__, key=str.casefold)
    assert len(set(muniment.__all__)) == len(muniment.__all__)
    for name in muniment.__all__:
        assert getattr(muniment, name, None) is not None


def test_nothing_else_is_public() -> None:
    rooms = {
        "aio",
        "backends",
        "client",
        "compat",
        "config",
        "contracts",
        "engine",
        "graph",
        "kits",
        "ledger",
        "model",
        "policy",
        "ports",
        "read",
        "rest",
        "surfaces",
        "testing",
        "text",
        "trust",
        "write",
    }
    found = {name for name in dir(muniment) if not name.startswith("_")}
    assert found - rooms == set(muniment.__all__)


def test_the_async_memory_has_the_same_methods_with_the_same_parameters() -> None:
    assert public(aio.Memory) == public(muniment.Memory)
    for name in public(muniment.Memory):
        ours, theirs = getattr(muniment.Memory, name), getattr(aio.Memory, name)
        if callable(ours):
            assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), name


def test_the_async_ledger_has_the_same_methods_with_the_same_parameters() -> None:
    assert public(aio.Ledger) == public(LedgerFace)
    for name in public(LedgerFace):
        ours, theirs = getattr(LedgerFace, name), getattr(aio.Ledger, name)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), name


def test_importing_the_package_brings_in_no_surface() -> None:
    unwanted = "{'typer', 'rich', 'asyncio', 'httpx', 'starlette'}"
    code = f"import sys, muniment; print(sorted(name for name in sys.modules if name in {unwanted}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
