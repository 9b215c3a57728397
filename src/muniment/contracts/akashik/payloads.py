"""What is asked and answered by each operation, and the envelope that carries the question."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from muniment.contracts.akashik.nouns import (
    AttuneScope,
    Authority,
    Conflict,
    ContextBudget,
    Count,
    Epoch,
    FieldAgent,
    FieldCapabilities,
    Fraction,
    Name,
    ReplayEvent,
    Said,
    ScopedMemoryUnit,
    Subscription,
    UnitConfidence,
    UnitIntent,
    UnitRelation,
)
from muniment.contracts.akashik.words import (
    AttuneFormat,
    CompactStrategy,
    Depth,
    DetectMode,
    DisputeStatus,
    DisputeType,
    EventName,
    FieldOperation,
    MergeStrategy,
    Mode,
    ReplayTarget,
    SubscribeAction,
    UnitStatus,
    UnitType,
)
from muniment.contracts.shape import Wire


class Message(Wire):
    """The envelope of every question. Credentials have no place in it; answers come without it."""

    protocol: Literal["akashik"]
    version: Literal["0.1.0"]
    id: Name
    operation: FieldOperation
    agent_id: Name
    session_id: str | None
    epoch: Epoch
    payload: dict[str, Raw]


class RegisterRequest(Wire):
    """`required_operations` are texts: one that no Field knows is a reason to reject, not a malformed question."""

    id: Said
    role: Said
    interests: list[str] | UnsetType = UNSET
    required_operations: list[str] | UnsetType = UNSET
    authority_level: Authority | UnsetType = UNSET


class RegisterResponse(Wire):
    status: Literal["registered", "rejected"]
    agent: FieldAgent | None
    field_capabilities: FieldCapabilities
    rejection_reason: str | None


class DeregisterRequest(Wire):
    agent_id: Name


class Cleanup(Wire):
    units_orphaned: Count
    tasks_reassigned: Count


class DeregisterResponse(Wire):
    status: Literal["ok", "not_found"]
    cleanup: Cleanup


class RecordRequest(Wire):
    """What an agent may say of a unit. What the Field makes (id, epoch, source, status) has no place here."""

    type: UnitType
    content: Said
    intent: UnitIntent
    mode: Mode | UnsetType = UNSET
    confidence: UnitConfidence | UnsetType = UNSET
    relations: list[UnitRelation] | UnsetType = UNSET


class RecordResponse(Wire):
    status: Literal["accepted", "rejected"]
    memory_unit_id: str | None
    epoch: Epoch
    conflicts_detected: list[str]
    rejection_reason: str | None
    warning: str | UnsetType = UNSET
    conflict_detection: Literal["deferred"] | UnsetType = UNSET


class AttuneRequest(Wire):
    scope: AttuneScope
    context_hint: str | UnsetType | None = UNSET
    format: AttuneFormat | UnsetType = UNSET
    since_epoch: Epoch | UnsetType | None = UNSET


class AttuneResponse(Wire):
    status: Literal["ok"]
    record: list[ScopedMemoryUnit]
    conflicts: list[Conflict]
    context_budget: ContextBudget
    epoch: Epoch


class DetectFilter(Wire):
    status: list[DisputeStatus] | UnsetType = UNSET
    types: list[DisputeType] | UnsetType = UNSET
    involving_agents: list[str] | UnsetType = UNSET


class DetectRequest(Wire):
    mode: DetectMode
    target_id: str | UnsetType | None = UNSET
    filter: DetectFilter | UnsetType | None = UNSET


class ScanCoverage(Wire):
    units_scanned: Count
    new_conflicts_found: Count


class DetectResponse(Wire):
    status: Literal["ok"]
    conflicts: list[Conflict]
    scan_coverage: ScanCoverage


class ProposedMerge(Wire):
    """How a conflict shall end. In a vote `winner_id` is the caller's ballot."""

    rationale: Said
    winner_id: str | UnsetType | None = UNSET
    synthesis: str | UnsetType | None = UNSET


class MergeRequest(Wire):
    conflict_id: Name
    strategy: MergeStrategy
    resolution: ProposedMerge


class SideEffects(Wire):
    superseded_units: list[str]
    new_unit_id: str | None
    notified_agents: list[str]


class MergeResponse(Wire):
    status: Literal["resolved", "escalated", "pending_vote"]
    conflict: Conflict
    side_effects: SideEffects


class SubscriptionInput(Wire):
    id: str | UnsetType | None = UNSET
    events: list[EventName] | UnsetType = UNSET
    min_relevance: Fraction | UnsetType | None = UNSET
    debounce_ms: Count | UnsetType | None = UNSET


class SubscribeRequest(Wire):
    action: SubscribeAction
    subscription: SubscriptionInput | UnsetType | None = UNSET


class SubscribeResponse(Wire):
    """A new subscription counts from `epoch` on; the addresses are where it is pushed, by WebSocket and as events."""

    status: Literal["ok"]
    subscription: Subscription | UnsetType = UNSET
    subscriptions: list[Subscription] | UnsetType = UNSET
    epoch: Epoch | UnsetType = UNSET
    stream_url: str | UnsetType | None = UNSET
    events_url: str | UnsetType | None = UNSET


class ReplayRequest(Wire):
    target_type: ReplayTarget
    target_id: Name
    depth: Depth


class ReplayResponse(Wire):
    status: Literal["ok"]
    timeline: list[ReplayEvent]
    summary: str
    agents_involved: list[str]
    total_events: Count


class CompactFilter(Wire):
    max_age_epochs: Count | UnsetType | None = UNSET
    session_id: str | UnsetType | None = UNSET
    types: list[UnitType] | UnsetType = UNSET
    status: list[UnitStatus] | UnsetType = UNSET


class CompactRequest(Wire):
    strategy: CompactStrategy
    filter: CompactFilter | UnsetType | None = UNSET


class CompactResponse(Wire):
    status: Literal["ok"]
    units_affected: Count
    synthesis_units_created: Count
    storage_reclaimed_bytes: Annotated[int, Meta(ge=0)] | None
