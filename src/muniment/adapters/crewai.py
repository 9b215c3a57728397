"""CrewAI: its unified `Memory` without a model of its own. A question reaches the memory as words, not as a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import cast

from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory
from pydantic import PrivateAttr

from muniment.adapters.core import PAGE_MAX, AdapterMemory, Given, Json, Labels, NotKept, OnDecision, Stored
from muniment.model.actor import Actor

_ROOT = "scopes"


class MunimentMemory(Memory):
    """`Crew(memory=MunimentMemory("./vault", actor="crew", user="ada"), …)`. Nothing is inferred by a model: what is
    said is kept in the scope that is named. What the policy holds or refuses is `NotKept` where one item is remembered;
    of many, a warning and `on_decision`."""

    _adapter: AdapterMemory = PrivateAttr()

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
        **options: object,
    ) -> None:
        adapter = AdapterMemory(
            memory, adapter="crewai", actor=actor, user=user, tenant=tenant, key=key, on_decision=on_decision
        )
        super().__init__(storage=RecordStorage(adapter), **options)
        self._adapter = adapter

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: Mapping[str, object] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        if self.read_only:
            return None
        record = MemoryRecord(
            content=content,
            scope=_joined(root_scope if root_scope is not None else self.root_scope, scope),
            categories=categories or [],
            metadata={**(metadata or {}), **({"agent_role": agent_role} if agent_role else {})},
            importance=self.default_importance if importance is None else importance,
            source=source,
            private=private,
        )
        return self._storage.keep(record)

    def remember_many(self, contents: Sequence[str], *arguments: object, **options: object) -> list[MemoryRecord]:
        kept = []
        for content in contents:
            try:
                kept.append(self.remember(content, *arguments, **options))  # type: ignore[arg-type]  # the same
            except NotKept:
                continue  # the adapter has said so already
        return [one for one in kept if one is not None]

    def extract_memories(self, content: str) -> list[str]:
        """What was said, as it was said: no model takes it apart."""
        return [content] if content.strip() else []

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: str = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        within = _labels(_joined(self.root_scope, scope))
        found = self._adapter.search(within, query, limit=PAGE_MAX if categories else max(limit * 2, limit))
        matches = []
        for one in found:
            record = _record(one)
            if record.private and not include_private and (source is None or record.source != source):
                continue
            if not categories or set(categories) & set(record.categories):
                reasons = list(one.disclosure.reasons)
                matches.append(MemoryMatch(record=record, score=one.disclosure.score, match_reasons=reasons))
        return matches[:limit]

    def update(
        self,
        record_id: str,
        content: str | None = None,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: Mapping[str, object] | None = None,
        importance: float | None = None,
    ) -> MemoryRecord:
        present = self._storage.get_record(record_id)
        if present is None:
            raise ValueError(f"Record not found: {record_id}")
        said = {"content": content, "categories": categories, "metadata": metadata, "importance": importance}
        changed = present.model_copy(update={name: one for name, one in said.items() if one is not None})
        if scope is not None:
            changed.scope = _joined(self.root_scope, scope)
        self._storage.update(changed)
        return changed

    async def aextract_memories(self, content: str) -> list[str]:
        return self.extract_memories(content)

    def close(self) -> None:
        super().close()
        self._adapter.close()


class RecordStorage:
    """CrewAI's `StorageBackend` without vectors: what lists, counts and deletes goes through here."""

    def __init__(self, adapter: AdapterMemory) -> None:
        self._adapter = adapter

    def keep(self, record: MemoryRecord) -> MemoryRecord:
        name = token_hex(8)
        written = self._adapter.put(
            _labels(record.scope), name, _value(record), text=record.content, source=record.source
        )
        if not written.ok:
            raise NotKept(written)
        return record.model_copy(update={"id": written.record_id})

    def save(self, records: Sequence[MemoryRecord]) -> None:
        for record in records:
            self.keep(record)

    def search(self, query_embedding: Sequence[float], *_: object, **__: object) -> list[tuple[MemoryRecord, float]]:
        raise NotImplementedError("a question is needed, not its vector: use MunimentMemory.recall")

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        record_ids: Sequence[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Mapping[str, object] | None = None,
    ) -> int:
        def meant(one: Stored) -> bool:
            record = _record(one)
            return (
                (record_ids is None or record.id in record_ids)
                and (not categories or bool(set(categories) & set(record.categories)))
                and (older_than is None or one.created_at < _aware(older_than))
                and all(record.metadata.get(name) == value for name, value in (metadata_filter or {}).items())
            )

        found = [one for one in self._adapter.below(_labels(scope_prefix)) if meant(one)]
        return sum(1 for one in found if self._adapter.retract(one).ok)

    def update(self, record: MemoryRecord) -> None:
        stored = self._adapter.record(record.id)
        if stored is None:
            raise ValueError(f"Record not found: {record.id}")
        if stored.path != _labels(record.scope):
            moved = self._adapter.move(stored, _labels(record.scope), stored.key)
            if not moved.ok:
                raise NotKept(moved)
        written = self._adapter.put(
            _labels(record.scope), stored.key, _value(record), text=record.content, source=record.source
        )
        if not written.ok:
            raise NotKept(written)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        stored = self._adapter.record(record_id)
        return None if stored is None else _record(stored)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        found = [_record(one) for one in reversed(self._adapter.below(_labels(scope_prefix)))]
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = self.list_records(scope, limit=1_000_000)
        times = [one.created_at for one in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({name for one in records for name in one.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        above = _labels(parent)
        below = {one.path[: len(above) + 1] for one in self._adapter.below(above) if len(one.path) > len(above)}
        return sorted(f"/{'/'.join(path[1:])}" for path in below)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.list_records(scope_prefix, limit=1_000_000):
            for name in one.categories:
                counts[name] = counts.get(name, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._adapter.below(_labels(scope_prefix)))

    def reset(self, scope_prefix: str | None = None) -> None:
        self.delete(scope_prefix)

    async def asave(self, records: Sequence[MemoryRecord]) -> None:
        self.save(records)

    async def asearch(self, query_embedding: Sequence[float], *_: object, **__: object) -> list[object]:
        raise NotImplementedError("a question is needed, not its vector: use MunimentMemory.recall")

    async def adelete(self, *arguments: object, **options: object) -> int:
        return self.delete(*arguments, **options)  # type: ignore[arg-type]  # the same


def _labels(scope: str | None) -> Labels:
    return (_ROOT, *(part for part in (scope or "").split("/") if part))


def _joined(root: str | None, scope: str | None) -> str:
    parts = [part for one in (root, scope) for part in (one or "").split("/") if part]
    return "/" + "/".join(parts)


def _value(record: MemoryRecord) -> Json:
    fields = {"content", "categories", "metadata", "importance", "source", "private"}
    return cast(Json, record.model_dump(mode="json", include=fields))


def _record(stored: Stored) -> MemoryRecord:
    value = cast("dict[str, Json]", stored.value)
    return MemoryRecord(
        **value,
        id=stored.id,
        scope="/" + "/".join(stored.path[1:]),
        created_at=stored.created_at.replace(tzinfo=None),
        last_accessed=stored.updated_at.replace(tzinfo=None),
    )


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
