"""The wire types of memledger: the governed record in its three types, what a search answers, a chain of ancestors."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from muniment.contracts.shape import Wire
from muniment.model.checks import LIST_LENGTH_MAX

CONTENT_SHOWN_MAX = 200
_COUNT_MAX = 2**53

Text = Annotated[str, Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0, le=_COUNT_MAX)]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
State = Literal["active", "deprecated", "expired", "archived"]
Flag = Literal["PASS", "FLAG", "FILTER"]
Answer = Literal["store_anyway", "supersede", "merge", "accept_both", "reject_new"]


class ConflictRef(Wire):
    """A record that was found too near when another was written."""

    existing_id: Text
    existing_content: Annotated[str, Meta(max_length=CONTENT_SHOWN_MAX)] | UnsetType = UNSET
    similarity: float | UnsetType = UNSET
    resolution: Answer | UnsetType | None = UNSET


class _Record(Wire):
    """What every record has, whatever its type."""

    id: Text
    content: Text
    status: State | UnsetType = UNSET
    embedding: list[float] | UnsetType | None = UNSET
    namespace: Text | UnsetType = UNSET
    agent_id: str | UnsetType | None = UNSET
    user_id: str | UnsetType | None = UNSET
    session_id: str | UnsetType | None = UNSET
    importance: Share | UnsetType = UNSET
    metadata: dict[str, Raw] | UnsetType = UNSET
    created_at: Moment | UnsetType = UNSET
    updated_at: Moment | UnsetType = UNSET
    score: float | UnsetType | None = UNSET
    supersedes: Text | UnsetType | None = UNSET
    derived_from: Annotated[list[Text], Meta(max_length=LIST_LENGTH_MAX)] | UnsetType = UNSET
    created_by: str | UnsetType | None = UNSET
    workflow_id: str | UnsetType | None = UNSET
    triggered_by: str | UnsetType | None = UNSET
    accessed_by: list[Raw] | UnsetType = UNSET
    confidence: Share | UnsetType = UNSET
    turn_context: str | UnsetType | None = UNSET
    hedged: bool | UnsetType = UNSET
    confidence_flag: Flag | UnsetType | None = UNSET
    conflicts: list[ConflictRef] | UnsetType = UNSET
    quality_score: Annotated[int, Meta(ge=0, le=100)] | UnsetType | None = UNSET
    access_count: Count | UnsetType = UNSET
    last_accessed_at: Moment | UnsetType | None = UNSET
    success_count: Count | UnsetType = UNSET
    failure_count: Count | UnsetType = UNSET


class SemanticRecord(_Record, tag_field="record_type", tag="semantic"):
    """Something held to be so, and where it was read."""

    source: str | UnsetType | None = UNSET


class EpisodicRecord(_Record, tag_field="record_type", tag="episodic"):
    """Something that happened: when, for how long, how it ended, who took part."""

    event_time: Moment | UnsetType | None = UNSET
    duration_ms: Count | UnsetType | None = UNSET
    outcome: str | UnsetType | None = UNSET
    actors: list[str] | UnsetType = UNSET


class ProceduralRecord(_Record, tag_field="record_type", tag="procedural"):
    """How something is done: the steps, what must hold before, what is needed."""

    steps: list[str] | UnsetType = UNSET
    preconditions: list[str] | UnsetType = UNSET
    tools_required: list[str] | UnsetType = UNSET


class AnyRecord(_Record):
    """A record whose type is not known: what any of the three may have."""

    source: str | UnsetType | None = UNSET
    event_time: Moment | UnsetType | None = UNSET
    duration_ms: Count | UnsetType | None = UNSET
    outcome: str | UnsetType | None = UNSET
    actors: list[str] | UnsetType = UNSET
    steps: list[str] | UnsetType = UNSET
    preconditions: list[str] | UnsetType = UNSET
    tools_required: list[str] | UnsetType = UNSET


MemoryRecord = SemanticRecord | EpisodicRecord | ProceduralRecord


class SearchResult(Wire):
    """What a search answers."""

    records: list[MemoryRecord]
    query: str
    backend: str
    search_time_ms: Annotated[float, Meta(ge=0.0)]
    metadata: dict[str, Raw] | UnsetType = UNSET


class ChainHop(Wire):
    """One ancestor or descendant on the way."""

    memory_id: Text
    agent_id: str
    confidence: Share
    timestamp: str
    hop_number: Count
    action: str | UnsetType = UNSET


class AttributionChain(Wire):
    """Everything a record stands on, or that stands on it, and the weakest of it."""

    root_memory_id: Text
    chain: list[ChainHop] | UnsetType = UNSET
    chain_depth: Count | UnsetType = UNSET
    min_confidence: Share | UnsetType = UNSET
    agents_involved: list[str] | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET
    full_chain_json: str | UnsetType | None = UNSET


RECORDS: dict[str, type] = {
    "semantic": SemanticRecord,
    "episodic": EpisodicRecord,
    "procedural": ProceduralRecord,
}
"""The record types by the word that names them."""

DOCUMENTS: dict[str, type] = {
    "semantic_record": SemanticRecord,
    "episodic_record": EpisodicRecord,
    "procedural_record": ProceduralRecord,
    "search_result": SearchResult,
    "attribution_chain": AttributionChain,
}
"""Every document of the contract by its name."""
