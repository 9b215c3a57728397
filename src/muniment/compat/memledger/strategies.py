"""The four decisions a program may plug in, and their registry: importance, what to write, conflicts, order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from muniment.compat.memledger.models import MemoryRecord
from muniment.model.errors import Malformed

_S = TypeVar("_S")
Rerank = Callable[[Sequence[MemoryRecord]], list[MemoryRecord]]
Complete = Callable[[str], Awaitable[str] | str]
"""A language model as we take one: a function of the caller's from a prompt to an answer."""


class WriteDecision(msgspec.Struct, frozen=True):
    """Whether a record is worth keeping."""

    should_store: bool
    reason: str | None = None
    importance_hint: float | None = None


class ConflictResolution(msgspec.Struct, frozen=True):
    """What to do about a record that is too near to another."""

    action: str
    reason: str | None = None
    supersede_id: str | None = None
    merged_content: str | None = None


class ImportanceStrategy(ABC):
    @abstractmethod
    async def score(self, record: MemoryRecord) -> float:
        """How important a record is, 0 to 1."""


class WritePolicyStrategy(ABC):
    @abstractmethod
    async def should_store(self, record: MemoryRecord) -> WriteDecision:
        """Whether to propose it at all."""


class ConflictResolverStrategy(ABC):
    @abstractmethod
    async def resolve(
        self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
    ) -> ConflictResolution:
        """What to do with the new one."""


class RerankerStrategy(ABC):
    @abstractmethod
    async def rerank(self, query: str, records: list[MemoryRecord]) -> list[MemoryRecord]:
        """The same records in the order to tell them."""


class FixedImportance(ImportanceStrategy):
    """What the author says; where the author says nothing else than the usual half, a fixed number."""

    def __init__(self, default: float = 0.5) -> None:
        if isinstance(default, bool) or not isinstance(default, (int, float)) or not 0.0 <= default <= 1.0:
            raise ValueError("importance: expected a number from 0 to 1")
        self._default = float(default)

    async def score(self, record: MemoryRecord) -> float:
        return self._default if record.importance == 0.5 else record.importance


class AlwaysStore(WritePolicyStrategy):
    async def should_store(self, record: MemoryRecord) -> WriteDecision:
        return WriteDecision(should_store=True)


class HookOnly(ConflictResolverStrategy):
    """Tell the hooks, and keep both."""

    async def resolve(
        self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
    ) -> ConflictResolution:
        return ConflictResolution(action="store_anyway")


class PolicyRerank(RerankerStrategy):
    """By the formula of likeness and worth."""

    def __init__(self, rerank_fn: Rerank | None = None) -> None:
        self._rerank = rerank_fn

    async def rerank(self, query: str, records: list[MemoryRecord]) -> list[MemoryRecord]:
        return self._rerank(records) if self._rerank is not None else records


class MemledgerStrategies(msgspec.Struct):
    """The four in force."""

    importance: ImportanceStrategy
    write_policy: WritePolicyStrategy
    conflict_resolver: ConflictResolverStrategy
    reranker: RerankerStrategy


_ROOTS: dict[str, type] = {
    "importance": ImportanceStrategy,
    "write_policy": WritePolicyStrategy,
    "conflict_resolver": ConflictResolverStrategy,
    "reranker": RerankerStrategy,
}
DEFAULTS = {"importance": "fixed", "write_policy": "always", "conflict_resolver": "hook_only", "reranker": "policy"}
_KNOWN: dict[tuple[str, str], type] = {
    ("importance", "fixed"): FixedImportance,
    ("write_policy", "always"): AlwaysStore,
    ("conflict_resolver", "hook_only"): HookOnly,
    ("reranker", "policy"): PolicyRerank,
}


def register_strategy(kind: str, name: str, cls: type) -> None:
    """Make a strategy known under a name, so that a configuration can choose it."""
    root = _ROOTS.get(kind)
    if root is None:
        raise ValueError(f"kind: expected one of {', '.join(_ROOTS)}")
    if not issubclass(cls, root):
        raise ValueError(f"{kind}: expected a subclass of {root.__name__}")
    _KNOWN[kind, name] = cls


def build_strategies(
    config: Mapping[str, object] | None, rerank_fn: Rerank | None = None, *, complete: Complete | None = None
) -> MemledgerStrategies:
    """The strategies a configuration chooses; a kind it does not speak of gets its default. `complete` is the language
    model for those that need one; none is ever reached by us."""
    chosen = config or {}
    return MemledgerStrategies(
        importance=_built("importance", chosen, ImportanceStrategy, rerank_fn, complete),  # type: ignore[type-abstract]  # only compared with
        write_policy=_built("write_policy", chosen, WritePolicyStrategy, rerank_fn, complete),  # type: ignore[type-abstract]  # only compared with
        conflict_resolver=_built("conflict_resolver", chosen, ConflictResolverStrategy, rerank_fn, complete),  # type: ignore[type-abstract]  # only compared with
        reranker=_built("reranker", chosen, RerankerStrategy, rerank_fn, complete),  # type: ignore[type-abstract]  # only compared with
    )


def _built(
    kind: str, config: Mapping[str, object], root: type[_S], rerank_fn: Rerank | None, complete: Complete | None
) -> _S:
    part = config.get(kind) or {}
    if not isinstance(part, Mapping):
        raise Malformed(f"strategies.{kind}", "provider and config")
    name = str(part.get("provider") or DEFAULTS[kind])
    options = part.get("config") or {}
    if not isinstance(options, Mapping):
        raise Malformed(f"strategies.{kind}.config", "names and values")
    cls = _KNOWN.get((kind, name))
    if cls is None:
        known = ", ".join(sorted(word for of, word in _KNOWN if of == kind))
        raise ValueError(f"{kind}: there is no provider of that name; known are {known}")
    given = {str(key): value for key, value in options.items()}
    if name == "llm":
        given = {"model": config.get("model", ""), "complete": complete, **given}
    if kind == "reranker" and name in ("policy", "llm"):
        given["rerank_fn"] = rerank_fn
    made = cls(**given)
    assert isinstance(made, root), "registered under its own kind only"
    return made
