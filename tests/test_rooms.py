"""The walls: a room knows only its neighbours, and of the outside world only what it is there for."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

SRC = Path(__file__).parent.parent / "src" / "muniment"
MODULES = sorted(SRC.rglob("*.py"))

ROOMS: dict[str, set[str]] = {
    "model": set(),
    "policy": {"model"},
    "ledger": {"model"},
    "ports": {"model"},
    "config": {"model"},
    "text": {"model"},
    "trust": {"model", "text"},
    "graph": {"model", "ports"},
    "contracts": {"model"},
    "write": {"model", "policy", "ledger", "ports", "text", "trust", "graph"},
    "read": {"model", "policy", "ledger", "ports", "text", "trust", "graph"},
    "backends": {"model", "ports", "text"},
    "engine": {"model", "config", "policy", "ledger", "ports", "text", "trust", "graph", "write", "read", "backends"},
    "aio": {"model", "config", "policy", "ports", "engine"},
    "compat": {"model", "kits", "config", "contracts", "policy", "ports", "trust", "engine", "aio"},
    "importers": {"model", "config", "contracts", "compat", "engine", "policy", "text", "write"},
    "operations": {"model", "engine", "graph", "trust"},
    "adapters": {"model", "config", "ports", "engine", "client"},
    "client": {"model", "operations", "engine", "config"},
    "surfaces": {
        "model",
        "kits",
        "contracts",
        "compat",
        "engine",
        "aio",
        "config",
        "operations",
        "ports",
        "policy",
        "importers",
        "adapters",
    },
    "testing": {"kits"},
    "kits": {"model"},
    "__init__": {"model", "engine", "client"},
    "__main__": {"surfaces"},
}

OUTSIDE: dict[str, set[str]] = {
    "model": {"msgspec"},
    "policy": {"msgspec", "yaml"},
    "ledger": {"msgspec"},
    "ports": set(),
    "config": {"msgspec"},
    "text": {"msgspec"},
    "trust": {"msgspec"},
    "graph": set(),
    "contracts": {"msgspec", "yaml"},
    "write": {"msgspec"},
    "read": {"msgspec"},
    "backends": {"msgspec", "apsw", "cryptography", "numpy", "onnxruntime", "psycopg", "snowballstemmer"},
    "engine": {"msgspec"},
    "aio": set(),
    "compat": {"msgspec"},
    "importers": {"msgspec", "apsw", "psycopg", "yaml"},
    "operations": {"msgspec"},
    "adapters": {
        "agent_framework",
        "agents",
        "anthropic",
        "claude_agent_sdk",
        "crewai",
        "google",
        "haystack",
        "haystack_experimental",
        "langchain_core",
        "langgraph",
        "llama_index",
        "msgspec",
        "pydantic",
        "pydantic_ai",
        "pydantic_ai_harness",
        "strands",
    },
    "client": {"msgspec", "httpx"},
    "surfaces": {
        "msgspec",
        "typer",
        "rich",
        "starlette",
        "uvicorn",
        "jwt",
        "httpx",
        "httptools",
        "mcp",
        "opentelemetry",
        "anyio",
        "akashik_conformance",
        "matm_evaluation",
    },
    "testing": set(),
    "kits": set(),
    "__init__": set(),
    "__main__": set(),
}


def room(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(SRC))


@cache
def imported(path: Path) -> set[str]:
    """Full names of what a module imports, wherever in it the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            module = node.module or ""
            names |= {f"{module}.{alias.name}" for alias in node.names} if module == "muniment" else {module}
    return names


def strangers(path: Path) -> set[str]:
    rooms = {name.split(".")[1] for name in imported(path) if name.startswith("muniment.")}
    return rooms - ROOMS[room(path)] - {room(path)}


def test_a_room_knows_only_its_neighbours() -> None:
    assert {name_of(path): found for path in MODULES if (found := strangers(path))} == {}


def outside(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)} - {"muniment", "__future__"} - set(sys.stdlib_module_names)


def test_a_room_brings_in_only_what_it_is_there_for() -> None:
    assert {name_of(path): found for path in MODULES if (found := outside(path) - OUTSIDE[room(path)])} == {}


def worldly(path: Path) -> set[str]:
    """What of the world a module imports that a pure room does without."""
    barred = {
        "os",
        "io",
        "pathlib",
        "time",
        "random",
        "secrets",
        "socket",
        "subprocess",
        "threading",
        "tempfile",
        "asyncio",
    }
    if path == SRC / "model" / "decoding.py":
        barred -= {"os", "threading"}  # one lock, kept across a fork: two threads must not describe a type at once
    return barred & {name.split(".")[0] for name in imported(path)}


def test_a_pure_room_touches_no_file_clock_network_or_chance() -> None:
    pure = {"model", "policy", "ledger", "ports", "text", "trust", "graph", "contracts"}
    assert {name_of(path): found for path in MODULES if room(path) in pure and (found := worldly(path))} == {}


def test_only_the_configuration_reads_the_environment() -> None:
    readers = [
        path for path in MODULES if re.search(r"\benviron\b|\bgetenv\b", path.read_text()) and room(path) != "config"
    ]
    assert readers == []


def test_sqlite_is_spoken_in_its_own_backend_only() -> None:
    speakers = {room(path) for path in MODULES if "apsw" in {name.split(".")[0] for name in imported(path)}}
    assert speakers == {"backends", "importers"}, "our own files, and those of other systems"


KITS = Path(__file__).parent.parent / "kits"


def test_a_conformance_kit_knows_no_implementation() -> None:
    kits = [
        path for name in ("akashik-conformance", "omir-conformance") for path in sorted((KITS / name).rglob("*.py"))
    ]
    assert kits
    assert [str(path) for path in kits if "muniment" in {name.split(".")[0] for name in imported(path)}] == []
