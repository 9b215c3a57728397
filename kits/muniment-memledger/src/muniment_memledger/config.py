"""memledger's configuration: what it may say, and how it is read from YAML. What it does not know is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from muniment.contracts.strict.values import Json
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.model import checks
from muniment.model.decoding import convert
from muniment.model.errors import CallerError, ConfigurationError
from muniment_memledger.policies.confidence_policy import ConfidencePolicy, read_policy

_C = TypeVar("_C")
_VARIABLE = re.compile(r"\$\{(\w+)(?::([^}]*))?\}")


class BackendConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Which backend, and what it is told."""

    provider: str
    config: dict[str, object] = msgspec.field(default_factory=dict)


class EmbeddingConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Which embedder. `local` is the installed model, whatever its name and width."""

    provider: str = "local"
    model: str = "all-MiniLM-L6-v2"
    dimensions: int = 384
    api_key: str | None = None


class MemledgerConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Everything that can be set. `default_namespace` is where records go that name none; `confidence_policy` is the
    gate of every search that names none. `strict_provenance` is always so: what a record stands on must be there."""

    version: str = "1.0"
    embeddings: EmbeddingConfig = msgspec.field(default_factory=EmbeddingConfig)
    backends: dict[str, BackendConfig] = msgspec.field(default_factory=dict)
    default_backend: str = "muniment"
    default_namespace: str = "/"
    conflict_threshold: float = 0.65
    auto_promote_threshold: int = 3
    strategies: dict[str, object] | None = None
    strict_provenance: bool = False
    confidence_policy: ConfidencePolicy | None = None

    def __post_init__(self) -> None:
        self.embeddings = _read("embeddings", self.embeddings, EmbeddingConfig)
        self.backends = {name: _read(f"backends.{name}", one, BackendConfig) for name, one in self.backends.items()}
        if self.confidence_policy is not None:
            self.confidence_policy = read_policy(self.confidence_policy)
        checks.unit_interval("conflict_threshold", self.conflict_threshold)
        checks.whole("auto_promote_threshold", self.auto_promote_threshold, least=1, most=2**31)


def _read(name: str, given: object, kind: type[_C]) -> _C:
    """A part of a configuration: itself, or what a mapping says of it."""
    if isinstance(given, kind):
        return given
    try:
        return convert(given, kind)
    except msgspec.ValidationError as error:
        raise ConfigurationError(name, str(error)) from None


def read_config(path: str | Path, variables: Mapping[str, str] | None = None) -> MemledgerConfig:
    """Read a configuration file. `${NAME}` and `${NAME:default}` stand for `variables`; one that is not given and has
    no default is an error, never left as text."""
    try:
        value = read_yaml(Path(path).read_bytes())
    except OSError as error:
        raise ConfigurationError("config", f"cannot read {path}: {error.strerror}") from None
    try:
        return convert(expand(value, variables or {}), MemledgerConfig)
    except (msgspec.ValidationError, CallerError) as error:
        raise ConfigurationError("config", f"{Path(path).name}: {error}") from None


def expand(value: Json, variables: Mapping[str, str]) -> Json:
    """The value with every variable put in.

    >>> expand({"path": "${ROOM:attic}/box"}, {})
    {'path': 'attic/box'}
    """
    if isinstance(value, dict):
        return {key: expand(part, variables) for key, part in value.items()}
    if isinstance(value, list):
        return [expand(part, variables) for part in value]
    return _VARIABLE.sub(lambda found: _variable(found, variables), value) if isinstance(value, str) else value


def _variable(found: re.Match[str], variables: Mapping[str, str]) -> str:
    name, default = found.group(1), found.group(2)
    given = variables.get(name, default)
    if given is None:
        raise ConfigurationError(name, "this variable has no value and no default")
    return given
