"""The four decisions a program may plug in: importance, what to write, conflicts, order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

import msgspec

from muniment_memledger.records import MemoryRecord

Rerank = Callable[[list[MemoryRecord]], list[MemoryRecord] | Awaitable[list[MemoryRecord]]]
"""Puts records in order; plain or async."""
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
        return WriteDecision(should_store=True, reason="always-store policy")


class HookOnly(ConflictResolverStrategy):
    """Tell the hooks, and keep both."""

    async def resolve(
        self, new_record: MemoryRecord, existing_record: MemoryRecord, similarity: float
    ) -> ConflictResolution:
        reason = f"hook-only resolver: the hooks decide (similarity={similarity:.3f})"
        return ConflictResolution(action="store_anyway", reason=reason)


async def reranked(rerank_fn: Rerank | None, records: list[MemoryRecord]) -> list[MemoryRecord]:
    """Records in the order of a plain or async function; as they are without one."""
    if rerank_fn is None:
        return records
    ordered = rerank_fn(records)
    return await ordered if isinstance(ordered, Awaitable) else ordered


class PolicyRerank(RerankerStrategy):
    """By the formula of likeness and worth."""

    def __init__(self, rerank_fn: Rerank | None = None) -> None:
        self._rerank = rerank_fn

    async def rerank(self, query: str, records: list[MemoryRecord]) -> list[MemoryRecord]:
        return await reranked(self._rerank, records)


class MemledgerStrategies(msgspec.Struct):
    """The four in force."""

    importance: ImportanceStrategy
    write_policy: WritePolicyStrategy
    conflict_resolver: ConflictResolverStrategy
    reranker: RerankerStrategy
