"""The public face: what `import muniment` gives, and that the async face is the same one."""

from __future__ import annotations

import inspect
import subprocess
import sys
from tempfile import TemporaryDirectory

import muniment
from muniment import aio
from muniment.engine import Erasure, Imports, Insight, Review
from muniment.engine.audit import LedgerFace


def public(kind: object) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_public_names_are_listed_once_in_order() -> None:
    assert muniment.__all__ == sorted(muniment.__all__, key=str.casefold)
    assert len(set(muniment.__all__)) == len(muniment.__all__)
    for name in muniment.__all__:
        assert getattr(muniment, name, None) is not None


def test_nothing_else_is_public() -> None:
    rooms = {
        "adapters",
        "aio",
        "backends",
        "client",
        "compat",
        "config",
        "contracts",
        "engine",
        "graph",
        "importers",
        "kits",
        "ledger",
        "model",
        "policy",
        "ports",
        "read",
        "operations",
        "surfaces",
        "testing",
        "text",
        "trust",
        "write",
    }
    found = {name for name in dir(muniment) if not name.startswith("_")}
    assert found - rooms == set(muniment.__all__)


PARTS = {"review": Review, "erasure": Erasure, "imports": Imports, "insight": Insight, "ledger": LedgerFace}


def test_memory_is_a_dozen_verbs_and_its_parts() -> None:
    assert len(public(muniment.Memory)) <= 16
    with TemporaryDirectory() as folder, muniment.Memory.open(folder) as memory:
        assert public(memory) - public(type(memory)) == set(PARTS)
        assert all(isinstance(getattr(memory, name), kind) for name, kind in PARTS.items())


def test_the_async_classes_have_the_same_methods_with_the_same_parameters() -> None:
    twins = {muniment.Memory: aio.Memory} | {
        kind: getattr(aio.memory, "AsyncLedger" if kind is LedgerFace else f"Async{kind.__name__}")
        for kind in PARTS.values()
    }
    for kind, twin in twins.items():
        assert public(twin) == public(kind)
        for name in public(kind):
            ours, theirs = getattr(kind, name), getattr(twin, name)
            if callable(ours):
                assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), name


def test_the_stubs_say_what_the_classes_have() -> None:
    """They are written by a script, for editors and type checkers."""
    subprocess.run([sys.executable, "scripts/stubs.py", "--check"], check=True)


def test_importing_the_package_brings_in_no_surface() -> None:
    unwanted = "{'typer', 'rich', 'asyncio', 'httpx', 'starlette'}"
    code = f"import sys, muniment; print(sorted(name for name in sys.modules if name in {unwanted}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
