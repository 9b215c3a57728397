"""What memledger's methods answer with: found records, recall by type, chains of ancestors."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from muniment.compat.memledger.models import EpisodicRecord, MemoryRecord, Model, ProceduralRecord

NOTHING = "No relevant memories found."


class SearchResult(Model):
    """What a search found. Can be walked over and counted like a list of its records."""

    records: list[MemoryRecord] = msgspec.field(default_factory=list)
    query: str = ""
    backend: str = ""
    search_time_ms: float = 0.0
    metadata: dict[str, object] = msgspec.field(default_factory=dict)

    def __iter__(self) -> Iterator[MemoryRecord]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


class ContextualRecall(Model):
    """What is known about a situation: like episodes, procedures that may help, and what failed before."""

    similar_episodes: list[MemoryRecord] = msgspec.field(default_factory=list)
    suggested_procedures: list[MemoryRecord] = msgspec.field(default_factory=list)
    known_failures: list[MemoryRecord] = msgspec.field(default_factory=list)
    query: str = ""
    search_time_ms: float = 0.0

    @property
    def has_results(self) -> bool:
        return self.total_count > 0

    @property
    def total_count(self) -> int:
        return len(self.similar_episodes) + len(self.suggested_procedures) + len(self.known_failures)

    def summary(self) -> str:
        """All of it as text for a prompt."""
        if not self.has_results:
            return NOTHING
        parts = (
            ("Similar episodes", self.similar_episodes),
            ("Suggested procedures", self.suggested_procedures),
            ("Known failures, to be avoided", self.known_failures),
        )
        lines = [line for title, records in parts if records for line in (f"## {title}", *map(_line, records))]
        return "\n".join(lines)


def _line(record: MemoryRecord) -> str:
    ended = f" → {record.outcome}" if isinstance(record, EpisodicRecord) and record.outcome else ""
    steps = record.steps if isinstance(record, ProceduralRecord) else []
    shown = "".join(f"\n  {number}. {step}" for number, step in enumerate(steps, start=1))
    return f"- [{record.namespace}] {record.content}{ended}{shown}"


class AttributionRecord(Model):
    """Who says something, how surely, and on what."""

    source_agent_id: str
    confidence: float = 0.7
    session_id: str | None = None
    turn_context: str | None = None
    source: str | None = None
    parent_memory_ids: list[str] = msgspec.field(default_factory=list)
    timestamp: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


class ChainHop(Model):
    """One record on the way."""

    memory_id: str
    agent_id: str
    confidence: float
    timestamp: str
    hop_number: int
    action: str = "derived"


class AttributionChain(Model):
    """What a record stands on or what stands on it. `chain` is cut to the nearest; `full_chain_json` is all of it."""

    root_memory_id: str
    chain: list[ChainHop] = msgspec.field(default_factory=list)
    chain_depth: int = 0
    min_confidence: float = 1.0
    agents_involved: list[str] = msgspec.field(default_factory=list)
    truncated: bool = False
    full_chain_json: str | None = None
