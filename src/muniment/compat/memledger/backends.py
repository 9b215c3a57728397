"""What a Memledger works on: a vault of ours in a folder, or whatever a program registers that opens a memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from muniment.compat.memledger.embedding import AS_CONFIGURED, AnyEmbedder
from muniment.engine import Memory
from muniment.model.errors import ConfigurationError

LOCAL = "muniment"
IN_MEMORY = ":memory:"
_KNOWN = frozenset({"path", "tenant", "policy", "dimensions"})
_ELSEWHERE = ("pgvector", "opensearch", "dynamodb", "composition")


class BackendProvider(ABC):
    """Opens the memory a Memledger works on. It is made without arguments and told its configuration once."""

    name: str = ""

    @abstractmethod
    async def initialize(self, config: Mapping[str, object]) -> None:
        """Take the configuration; nothing is opened yet."""

    @abstractmethod
    def open(self, embedder: AnyEmbedder) -> Memory:
        """Open the memory, seen by its owner."""

    def release(self) -> None:
        """Let go of what is left when the memory has been closed."""
        return


class LocalVault(BackendProvider):
    """A vault in a folder. A new one gets the policy of this face; one that is there keeps its own."""

    name = LOCAL

    def __init__(self) -> None:
        self._path = Path("muniment-data")
        self._tenant = "default"
        self._policy: str | None = None
        self._passing: TemporaryDirectory[str] | None = None

    async def initialize(self, config: Mapping[str, object]) -> None:
        if unknown := sorted(config.keys() - _KNOWN):
            raise ConfigurationError(f"backends.{unknown[0]}", f"a local vault has {', '.join(sorted(_KNOWN))}")
        path = str(config.get("path") or self._path)
        if path == IN_MEMORY:
            self._passing = TemporaryDirectory(prefix="muniment-")
            path = self._passing.name
        self._path = Path(path.removeprefix("sqlite:///")).expanduser()
        self._tenant = str(config.get("tenant") or self._tenant)
        policy = config.get("policy")
        self._policy = str(policy) if policy is not None else None

    def open(self, embedder: AnyEmbedder) -> Memory:
        _lay_policy(self._path)
        if embedder == AS_CONFIGURED:
            return Memory.open(self._path, tenant=self._tenant, policy=self._policy)
        return Memory.open(self._path, tenant=self._tenant, policy=self._policy, embedder=embedder)

    def release(self) -> None:
        if self._passing is not None:
            self._passing.cleanup()


def _lay_policy(folder: Path) -> None:
    """Give a folder that is no vault yet the policy of this face."""
    if any((folder / name).exists() for name in ("vault.toml", "policy.yaml", "policy.toml")):
        return
    text = files("muniment.compat.memledger").joinpath("policy.yaml").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"policy.{uuid4().hex}.draft"
    draft.write_text(text, encoding="utf-8")
    draft.replace(folder / "policy.yaml")  # whoever opens the folder at the same time finds all of it, or nothing


_BACKENDS: dict[str, type[BackendProvider]] = {LOCAL: LocalVault, "sqlite": LocalVault}


def register_backend(name: str, backend_cls: type[BackendProvider]) -> None:
    """Make a backend known under a name."""
    if not isinstance(backend_cls, type) or not issubclass(backend_cls, BackendProvider):
        raise ConfigurationError("backend", "expected a subclass of BackendProvider, which opens a memory")
    _BACKENDS[name] = backend_cls


def backend_of(name: str) -> BackendProvider:
    """A fresh backend of that name."""
    if name in _BACKENDS:
        made = _BACKENDS[name]()
        if isinstance(made, LocalVault):
            made.name = name
        return made
    known = ", ".join(sorted(_BACKENDS))
    if name in _ELSEWHERE:
        raise ConfigurationError("backend", f"{name} is not served here; {known} keep a vault in a local folder")
    raise ConfigurationError("backend", f"no such backend; there are {known}, and what register_backend names")
