"""What the protocol speaks of: memory units, agents, scopes, conflicts, events, notifications, errors."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muniment.contracts.akashik.words import (
    AgentStatus,
    AttuneFormat,
    Detection,
    DisputeStatus,
    DisputeType,
    EventName,
    FieldOperation,
    Layer,
    LinkType,
    MergeStrategy,
    Mode,
    UnitStatus,
    UnitType,
)
from muniment.contracts.shape import Wire

VERSION = "0.1.0"
EPOCH_MAX = 2**63 - 1
"""What a logical clock of ours can hold. It is never wrapped."""

Name = Annotated[str, Meta(min_length=1)]
BLANK = r"\t-\r \x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""Every white space there is, spelled out: what `\\s` means differs from one reader of patterns to the next."""
Said = Annotated[str, Meta(min_length=1, pattern=f"[^{BLANK}]")]
"""Text that says something: white space alone is as good as nothing."""

Fraction = Annotated[float, Meta(ge=0.0, le=1.0)]
Epoch = Annotated[int, Meta(ge=0, le=EPOCH_MAX)]
Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Authority = Annotated[int, Meta(ge=0, le=10)]


class UnitRelation(Wire):
    """A link from the unit that carries it to another."""

    type: LinkType
    target_id: Name
    description: str | UnsetType | None = UNSET


class UnitIntent(Wire):
    """Why a unit was recorded."""

    purpose: Said
    task_id: str | UnsetType | None = UNSET
    question: str | UnsetType | None = UNSET


class UnitConfidence(Wire):
    """How sure its author is. Which of it must be there depends on mode and level."""

    score: Fraction | UnsetType = UNSET
    reasoning: Said | UnsetType = UNSET
    evidence: list[str] | UnsetType = UNSET
    assumptions: list[str] | UnsetType = UNSET


class UnitSource(Wire):
    """Who recorded a unit, as what, in which session, when. The Field says so, never the agent."""

    agent_id: Name
    agent_role: Name
    timestamp: Moment
    session_id: str | UnsetType | None = UNSET


class MemoryUnit(Wire):
    """A unit as a Field keeps and tells it."""

    id: Name
    mode: Mode
    type: UnitType
    content: Said
    intent: UnitIntent
    source: UnitSource
    status: UnitStatus
    epoch: Epoch
    confidence: UnitConfidence | UnsetType = UNSET
    relations: list[UnitRelation] | UnsetType = UNSET


class FieldAgent(Wire):
    """Somebody who takes part. Without a status it is idle, as everybody is who just registered."""

    id: Name
    role: Name
    status: AgentStatus | UnsetType = UNSET
    interests: list[str] | UnsetType = UNSET
    current_task_id: str | UnsetType | None = UNSET
    authority_level: Authority | UnsetType = UNSET


class AttuneScope(Wire):
    """What an agent wants to know about. `include_own` and `include_archived` are the two flags that the protocol
    speaks of and does not name."""

    role: Said
    max_units: Annotated[int, Meta(ge=1)]
    since_epoch: Epoch | UnsetType | None = UNSET
    max_tokens: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    interests: list[str] | UnsetType = UNSET
    active_task_id: str | UnsetType | None = UNSET
    temporal_layers: list[Layer] | UnsetType = UNSET
    relevance_threshold: Fraction | UnsetType = UNSET
    recency_weight: Fraction | UnsetType = UNSET
    include_own: bool | UnsetType = UNSET
    include_archived: bool | UnsetType = UNSET


class MergeResolution(Wire):
    strategy: MergeStrategy
    winner_id: str | None
    rationale: str
    resolved_by: str
    epoch_resolved: Epoch


class Conflict(Wire):
    id: Name
    type: DisputeType
    status: DisputeStatus
    unit_a: Name
    unit_b: Name
    description: str
    detected_by: Detection
    resolution: MergeResolution | UnsetType | None = UNSET


class ToldUnit(Wire):
    """A unit inside an answer. Under `ids_only` there is its id and nothing else; otherwise nothing may be missing."""

    id: Name
    mode: Mode | UnsetType = UNSET
    type: UnitType | UnsetType = UNSET
    content: Said | UnsetType = UNSET
    intent: UnitIntent | UnsetType = UNSET
    source: UnitSource | UnsetType = UNSET
    status: UnitStatus | UnsetType = UNSET
    epoch: Epoch | UnsetType = UNSET
    confidence: UnitConfidence | UnsetType = UNSET
    relations: list[UnitRelation] | UnsetType = UNSET


class ScopedMemoryUnit(Wire):
    """A unit as it is told to one agent. Under `ids_only` its id alone is told, and beside it once more."""

    relevance_score: Fraction
    relevance_reason: Said
    format: AttuneFormat
    memory_unit: ToldUnit | UnsetType = UNSET
    memory_unit_id: Name | UnsetType = UNSET


class ContextBudget(Wire):
    units_returned: Count
    units_available: Count
    tokens_used: Count | None
    tokens_budget: Count | None


class FieldCapabilities(Wire):
    conformance_level: Annotated[int, Meta(ge=0, le=3)]
    supported_operations: list[FieldOperation]
    protocol_version: Literal["0.1.0"]
    persistence: bool
    conflict_strategies: list[MergeStrategy]


class ReplayEvent(Wire):
    epoch: Epoch
    event_type: Name
    agent_id: str
    description: str
    memory_unit_id: str | None
    task_id: str | None


class Subscription(Wire):
    id: Name
    events: Annotated[list[EventName], Meta(min_length=1)]
    min_relevance: Fraction | None
    debounce_ms: Count | None


class Notification(Wire):
    subscription_id: Name
    event: EventName
    epoch: Epoch
    relevance_score: Fraction
    summary: str
    memory_unit_id: str | None
    conflict_id: str | None
    requires_action: bool


class Error(Wire):
    code: Name
    message: Name
    operation: str
    recoverable: bool
    suggested_action: str | None
