"""What is said of where a record comes from: its attribution and the chain of its ancestors."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from muniment_memledger.records import Model

MAX_ACTIVE_CHAIN_HOPS = 5


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
