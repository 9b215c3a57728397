"""The documents of the memory and retrieval contract, each said once.

Optional fields marked as ours in their comments are not in the contract's own text; a reader that does not know them
may leave them out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from muniment.contracts.shape import Wire
from muniment.model.query import LIMIT_MAX
from muniment.model.vocabulary import MemoryClass, TrustLevel

Word = Annotated[str, Meta(pattern=r"[^ \t\r\n]")]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Revision = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Key = Annotated[str, Meta(pattern=r"^[^ \t\r\n]([^\r\n]*[^ \t\r\n])?$")]


class Retention(StrEnum):
    """How long a record is kept, counted from its creation. `permanent` is ours: until it is withdrawn."""

    SHORT_TERM = "short_term"
    LONG_TERM = "long_term"
    PROFILE = "profile"
    PERMANENT = "permanent"


class MemoryRecordDocument(Wire, frozen=True):
    """One entry of the memory layer. `extensions` is ours: what the twelve fields cannot say."""

    kind: Literal["memory_record"]
    record_id: Word
    tenant_id: Word
    memory_class: MemoryClass
    key: Word
    value: str
    source: Word
    provenance: Word
    revision: Revision
    trust_level: TrustLevel
    created_at: Moment
    retention: Retention
    extensions: dict[str, Raw] | UnsetType = UNSET


class Filters(Wire, frozen=True):
    """The bounds of a read beside class and size."""

    trust_min: TrustLevel | UnsetType = UNSET
    max_age_days: Annotated[float, Meta(ge=0, le=4_000_000)] | UnsetType = UNSET
    require_provenance: bool | UnsetType = UNSET


class RetrievalQuery(Wire, frozen=True):
    """An access request: who reads, why, which classes, how much. `query`, what is sought in words, is ours."""

    kind: Literal["retrieval_query"]
    trace_id: Word
    session_id: Word
    tenant_id: Word
    principal_id: Word
    purpose: Word
    allowed_classes: list[MemoryClass]
    limit: Annotated[int, Meta(ge=0, le=LIMIT_MAX)]
    filters: Filters | UnsetType = UNSET
    query: Word | UnsetType = UNSET


class SelectedRecord(Wire, frozen=True):
    """A record that was returned. `reasons` and `revision` are ours."""

    record_id: Word
    memory_class: MemoryClass
    trust_level: TrustLevel
    provenance: Word
    revision: Revision | UnsetType = UNSET
    reasons: list[Word] | UnsetType = UNSET


class RetrievalResult(Wire, frozen=True):
    """What was decided to return into context. `exclusion_counts` and `receipt_id` are ours."""

    kind: Literal["retrieval_result"]
    trace_id: Word
    session_id: Word
    selected_records: list[SelectedRecord]
    selection_reason: list[Word]
    excluded_records: Count
    exclusion_counts: dict[Word, Count] | UnsetType = UNSET
    receipt_id: Word | UnsetType = UNSET


class TraceEvent(Wire, frozen=True):
    """One event of a run. Every value of a payload is text."""

    schema_version: Literal["1.0"]
    event_type: Word
    trace_id: Word
    payload: dict[Key, str]
    redacted_fields: list[Key]


class SeedRecord(Wire, frozen=True):
    """A record of the runtime layer as a configuration file gives it."""

    tenant_id: Word
    memory_class: Word
    kind: Word
    content: Word
    source: Word
    memory_id: Word | UnsetType = UNSET
    confidence: Fraction | UnsetType = UNSET
    provenance: Word | UnsetType = UNSET
    revision: Revision | UnsetType = UNSET


class SeedList(Wire, frozen=True):
    seed_records: list[SeedRecord]


class MemoryConfig(Wire, frozen=True):
    """The runtime layer's `memory.yaml`."""

    memory: SeedList


DOCUMENTS: dict[str, type] = {
    "memory_record": MemoryRecordDocument,
    "retrieval_query": RetrievalQuery,
    "retrieval_result": RetrievalResult,
    "trace_event": TraceEvent,
    "memory_config": MemoryConfig,
}
