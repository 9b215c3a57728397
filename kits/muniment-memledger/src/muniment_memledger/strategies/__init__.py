"""The strategies a program may plug in, by name, and those a configuration chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from muniment.model.errors import Malformed
from muniment_memledger.strategies.llm import LLMGated, LLMImportance, LLMRerank, LLMResolver
from muniment_memledger.strategies.policies import (
    AlwaysStore,
    Complete,
    ConflictResolution,
    ConflictResolverStrategy,
    FixedImportance,
    HookOnly,
    ImportanceStrategy,
    MemledgerStrategies,
    PolicyRerank,
    Rerank,
    RerankerStrategy,
    WriteDecision,
    WritePolicyStrategy,
)

_S = TypeVar("_S")

_ROOTS: dict[str, type] = {
    "importance": ImportanceStrategy,
    "write_policy": WritePolicyStrategy,
    "conflict_resolver": ConflictResolverStrategy,
    "reranker": RerankerStrategy,
}
DEFAULTS = {"importance": "fixed", "write_policy": "always", "conflict_resolver": "hook_only", "reranker": "policy"}
_STRATEGY_REGISTRY: dict[str, dict[str, type]] = {
    "importance": {"fixed": FixedImportance, "llm": LLMImportance},
    "write_policy": {"always": AlwaysStore, "llm": LLMGated},
    "conflict_resolver": {"hook_only": HookOnly, "llm": LLMResolver},
    "reranker": {"policy": PolicyRerank, "llm": LLMRerank},
}


def register_strategy(kind: str, name: str, cls: type) -> None:
    """Make a strategy known under a name, so that a configuration can choose it."""
    root = _ROOTS.get(kind)
    if root is None:
        raise ValueError(f"Unknown strategy kind. Valid kinds: {', '.join(_ROOTS)}")
    if not issubclass(cls, root):
        raise ValueError(f"{kind}: expected a subclass of {root.__name__}")
    _STRATEGY_REGISTRY[kind][name] = cls


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
    cls = _STRATEGY_REGISTRY[kind].get(name)
    if cls is None:
        known = ", ".join(sorted(_STRATEGY_REGISTRY[kind]))
        raise ValueError(f"Unknown {kind} strategy provider. Available: {known}")
    given = {str(key): value for key, value in options.items()}
    if name == "llm":
        given = {"model": config.get("model", ""), "complete": complete, **given}
    if kind == "reranker" and name in ("policy", "llm"):
        given["rerank_fn"] = rerank_fn
    made = cls(**given)
    assert isinstance(made, root), "registered under its own kind only"
    return made


__all__ = [
    "AlwaysStore",
    "ConflictResolution",
    "ConflictResolverStrategy",
    "FixedImportance",
    "HookOnly",
    "ImportanceStrategy",
    "MemledgerStrategies",
    "PolicyRerank",
    "RerankerStrategy",
    "WriteDecision",
    "WritePolicyStrategy",
    "build_strategies",
    "register_strategy",
]
