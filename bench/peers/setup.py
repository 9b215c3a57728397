"""One virtual environment for each peer, with what it needs at pinned versions and what our embedder needs."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec

from bench.report import OUT
from muniment.model.value import Value

ROOT = Path(__file__).parents[2]
HOME = OUT / "peers"
TAIL_LINES = 15


class Peer(Value):
    """What a peer is installed from, and whether its Python must be able to load extensions into SQLite."""

    requirements: tuple[str, ...]
    sqlite_extensions: bool = False


PEERS = {
    "mem0": Peer(requirements=("mem0ai==2.2.1", "qdrant-client==1.20.0", "langchain==1.4.7", "langchain-core==1.7.2")),
    "langgraph": Peer(
        requirements=("langgraph==1.2.20", "langgraph-checkpoint==4.3.1", "langchain-core==1.7.2"),
    ),
    "chroma": Peer(requirements=("chromadb==1.5.9",)),
    "memledger": Peer(
        requirements=("memledger==2.0.1", "aiosqlite==0.22.1", "sqlite-vec==0.1.9"),
        sqlite_extensions=True,
    ),
}


class CannotInstall(Exception):
    """A peer's environment cannot be made here; the message says what was missing."""


def ready(name: str) -> Path:
    """The Python of a peer's environment, made if it is not there, and changed if its requirements have."""
    peer = PEERS[name]
    folder = HOME / name / "venv"
    python, stamp = folder / "bin" / "python", folder / ".ready"
    wanted = (*peer.requirements, *_ours())
    digest = hashlib.sha256("\n".join(wanted).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return python
    if not python.exists():
        _do(name, [str(_interpreter(name, peer)), "-m", "venv", str(folder)])
    _do(name, [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
    stamp.write_text(digest)
    return python


class _Project(msgspec.Struct):
    dependencies: list[str]
    extras: dict[str, list[str]] = msgspec.field(name="optional-dependencies", default_factory=dict)


class _Pyproject(msgspec.Struct):
    project: _Project


def _ours() -> tuple[str, ...]:
    """What our package and its embedder need, at the versions we test with."""
    project = msgspec.convert(tomllib.loads((ROOT / "pyproject.toml").read_text()), _Pyproject).project
    named = {_name(line) for line in (*project.dependencies, *project.extras.get("embed", ()))}
    pins = (ROOT / "requirements-dev.txt").read_text().splitlines()
    return tuple(pin for pin in pins if _name(pin) in named)


def _name(requirement: str) -> str:
    for at, letter in enumerate(requirement):
        if letter in "<>=!~[; ":
            return requirement[:at].lower()
    return requirement.lower()


def _interpreter(name: str, peer: Peer) -> Path:
    """A Python of our own version that can do what the peer needs: this one, or one on the path."""
    here = Path(sys.executable)
    if not peer.sqlite_extensions:
        return here
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (here, *(Path(folder) / version for folder in os.get_exec_path())):
        if python.exists() and _loads_extensions(python):
            return python
    raise CannotInstall(
        f"{name} needs a {version} whose sqlite3 can load extensions; neither this one nor any on the path can. "
        "Debian's own can: apt-get install python3-venv"
    )


def _loads_extensions(python: Path) -> bool:
    code = "import ensurepip, sqlite3; raise SystemExit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def _do(name: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-TAIL_LINES:])
        raise CannotInstall(f"{name}: `{' '.join(command)}` ended with {done.returncode}:\n{said}")
