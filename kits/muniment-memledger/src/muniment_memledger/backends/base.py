"""What a Memledger works on: a vault in a folder or in PostgreSQL, or what a program registers to open a memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote
from uuid import uuid4

from muniment.engine import Memory
from muniment.engine.database import begin_with_policy
from muniment.model.errors import ConfigurationError
from muniment_memledger.embeddings import AS_CONFIGURED, AnyEmbedder

LOCAL = "muniment"
IN_MEMORY = ":memory:"
_KNOWN = frozenset({"path", "tenant", "policy", "dimensions"})
_PG_KNOWN = frozenset({"connection_string", "host", "port", "database", "user", "password", "tenant", "policy"})
_PG_WITHOUT_EFFECT = frozenset({"pool_min_size", "pool_max_size", "dimensions", "table_name", "iam_auth", "region"})
_ELSEWHERE = ("opensearch", "dynamodb", "composition")


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


class PostgresVault(BackendProvider):
    """A vault in a PostgreSQL database, named the way memledger's `pgvector` configuration names one. The tables are
    the engine's own, so what is said of theirs (`table_name`, `dimensions`, the pool) has no effect here."""

    name = "pgvector"

    def __init__(self) -> None:
        self._address = ""
        self._tenant = "default"
        self._policy: str | None = None

    async def initialize(self, config: Mapping[str, object]) -> None:
        if unknown := sorted(config.keys() - _PG_KNOWN - _PG_WITHOUT_EFFECT):
            raise ConfigurationError(f"backends.{unknown[0]}", f"pgvector has {', '.join(sorted(_PG_KNOWN))}")
        if config.get("iam_auth"):
            raise ConfigurationError("backends.iam_auth", "expected false: log in with a user and a password")
        self._address = str(config.get("connection_string") or _address(config))
        self._tenant = str(config.get("tenant") or self._tenant)
        policy = config.get("policy")
        self._policy = str(policy) if policy is not None else None

    def open(self, embedder: AnyEmbedder) -> Memory:
        begin_with_policy(self._address, "policy.yaml", _policy_text())
        if embedder == AS_CONFIGURED:
            return Memory.open(self._address, tenant=self._tenant, policy=self._policy)
        return Memory.open(self._address, tenant=self._tenant, policy=self._policy, embedder=embedder)


def _address(config: Mapping[str, object]) -> str:
    """The address of a database from its parts.

    >>> _address({"host": "db", "user": "ana", "password": "p@ss", "database": "notes"})
    'postgresql://ana:p%40ss@db:5432/notes'
    """
    user = quote(str(config.get("user") or "postgres"), safe="")
    password = config.get("password")
    login = user if password is None else f"{user}:{quote(str(password), safe='')}"
    host, port = config.get("host") or "localhost", config.get("port") or 5432
    return f"postgresql://{login}@{host}:{port}/{quote(str(config.get('database') or 'memledger'), safe='')}"


def _policy_text() -> str:
    """The policy of a vault that this face begins."""
    return files("muniment_memledger").joinpath("policy.yaml").read_text(encoding="utf-8")


def _lay_policy(folder: Path) -> None:
    """Give a folder that is no vault yet the policy of this face."""
    if any((folder / name).exists() for name in ("vault.toml", "policy.yaml", "policy.toml")):
        return
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"policy.{uuid4().hex}.draft"
    draft.write_text(_policy_text(), encoding="utf-8")
    draft.replace(folder / "policy.yaml")  # whoever opens the folder at the same time finds all of it, or nothing


_BACKEND_REGISTRY: dict[str, type[BackendProvider]] = {
    LOCAL: LocalVault,
    "sqlite": LocalVault,
    "pgvector": PostgresVault,
}


def register_backend(name: str, backend_cls: type[BackendProvider]) -> None:
    """Make a backend known under a name."""
    if not isinstance(backend_cls, type) or not issubclass(backend_cls, BackendProvider):
        raise ConfigurationError("backend", "expected a subclass of BackendProvider, which opens a memory")
    _BACKEND_REGISTRY[name] = backend_cls


def backend_of(name: str) -> BackendProvider:
    """A fresh backend of that name."""
    if name in _BACKEND_REGISTRY:
        made = _BACKEND_REGISTRY[name]()
        if isinstance(made, LocalVault):
            made.name = name
        return made
    known = ", ".join(sorted(_BACKEND_REGISTRY))
    if name in _ELSEWHERE:
        raise ConfigurationError("backend", f"{name} is not served here; there are {known}")
    raise ConfigurationError("backend", f"no such backend; there are {known}, and what register_backend names")
