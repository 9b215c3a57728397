"""The documents of MATM as they stand on the wire, each said once; schemas and shape checks come out of these.

Every document may carry further fields at its top if their names match `EXTENSION_NAME`. What a producer tells of
itself (`source_agent`, `task`, `provenance`, `review_hints`) may say more than is read here; it is kept as it is.
Everything else is closed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muniment.contracts.matm import words
from muniment.contracts.matm.nouns import (
    Artifact,
    ClaimPart,
    DecisionPart,
    EvidenceRef,
    Fraction,
    Id,
    MatmAgent,
    MatmCharter,
    MatmConfidence,
    MatmDocument,
    MatmProvenance,
    MatmTask,
    Name,
    No,
    ProcedurePart,
    RequestContext,
    ReviewHints,
    RiskPart,
    SuggestedScope,
    Text,
    Utc,
)
from muniment.contracts.shape import Wire


class MatmEvent(MatmDocument):
    """A Memory Event: what a worker proposes. The first fourteen fields are required."""

    schema_version: Literal["llmwikis.matm.memory-event.v1"]
    event_id: Id
    emitted_at: Utc
    source_agent: MatmAgent | Name
    task: MatmTask | Name
    provenance: MatmProvenance | Text
    artifact: Artifact
    memory_kind: words.Kind
    evidence_refs: list[EvidenceRef | Text]
    confidence: Fraction | words.ConfidenceWord | MatmConfidence
    suggested_scope: SuggestedScope
    worker_write_mode: Literal["proposal_only"]
    sensitivity: words.Sensitivity
    review_hints: ReviewHints
    durable_write_allowed: No | UnsetType = UNSET
    disposition_hint: words.Disposition | UnsetType = UNSET
    ttl: words.Lifetime | UnsetType = UNSET
    tenant_id: Name | UnsetType = UNSET
    project_id: Name | UnsetType = UNSET
    team_id: Name | UnsetType = UNSET
    agent_id: Name | UnsetType = UNSET
    session_id: Name | UnsetType = UNSET
    topic: Text | UnsetType = UNSET
    owner: Name | UnsetType = UNSET
    supersedes: list[Name] | UnsetType = UNSET
    conflicts_with: list[Name] | UnsetType = UNSET
    derived_from: list[Name] | UnsetType = UNSET
    effective_from: Utc | UnsetType = UNSET
    effective_to: Utc | UnsetType = UNSET
    expires_at: Utc | UnsetType = UNSET
    claim: ClaimPart | UnsetType = UNSET
    decision: DecisionPart | UnsetType = UNSET
    procedure: ProcedurePart | UnsetType = UNSET
    risk: RiskPart | UnsetType = UNSET
    charter: MatmCharter | UnsetType = UNSET
    request_context: RequestContext | UnsetType = UNSET


class ScopeRef(Wire):
    """Whose scope it is. The one that belongs to the scope counts; the others are told for orientation."""

    tenant_id: Name | UnsetType = UNSET
    project_id: Name | UnsetType = UNSET
    team_id: Name | UnsetType = UNSET
    agent_id: Name | UnsetType = UNSET
    session_id: Name | UnsetType = UNSET
    user_id: Name | UnsetType = UNSET
    organization_id: Name | UnsetType = UNSET


class MatmRecord(MatmDocument):
    """A durable memory record, as the curator keeps it."""

    schema_version: Literal["llmwikis.matm.memory-record.v1"]
    record_id: Id
    kind: words.Kind
    scope: words.StoredScope
    statement: Text
    status: words.RecordStatus
    scope_ref: ScopeRef | UnsetType = UNSET
    owner: Name | UnsetType = UNSET
    sensitivity: words.Sensitivity | UnsetType = UNSET
    evidence_refs: list[EvidenceRef | Text] | UnsetType = UNSET
    source_refs: list[Text] | UnsetType = UNSET
    artifact_hash: Text | UnsetType = UNSET
    provenance: MatmProvenance | UnsetType = UNSET
    confidence: Fraction | words.ConfidenceWord | MatmConfidence | UnsetType = UNSET
    reviewer: Name | UnsetType = UNSET
    reviewed_at: Utc | UnsetType = UNSET
    next_review_at: Utc | UnsetType = UNSET
    effective_from: Utc | UnsetType = UNSET
    effective_to: Utc | UnsetType = UNSET
    expires_at: Utc | UnsetType = UNSET
    supersedes: list[Name] | UnsetType = UNSET
    superseded_by: Name | UnsetType = UNSET
    conflicts_with: list[Name] | UnsetType = UNSET
    conflict_group: Name | UnsetType = UNSET
    curation_report_ids: list[Name] | UnsetType = UNSET
    revision: Annotated[int, Meta(ge=1, le=2_147_483_648)] | UnsetType = UNSET
    created_at: Utc | UnsetType = UNSET
    updated_at: Utc | UnsetType = UNSET
    topic: Text | UnsetType = UNSET
    claim: ClaimPart | UnsetType = UNSET
    decision: DecisionPart | UnsetType = UNSET
    procedure: ProcedurePart | UnsetType = UNSET
    risk: RiskPart | UnsetType = UNSET
    charter: MatmCharter | UnsetType = UNSET


class StepPart(Wire):
    step: words.StepName
    outcome: words.StepResult
    note: str | UnsetType = UNSET


class RedactionPart(Wire):
    """That something was taken out, what sort of thing, and how often. Never the thing."""

    field: Text
    what: Text
    count: Annotated[int, Meta(ge=1)]


class MatmReport(MatmDocument):
    """A curation report: what was decided about one event, why, by whom. `next_review_at` is null where nothing is
    kept; `hold` means that a person still has to decide."""

    schema_version: Literal["llmwikis.matm.curation-report.v1"]
    report_id: Id
    curated_at: Utc
    curator: Name
    event_id: Id
    decision: words.Decision
    reason: Text
    scope: SuggestedScope
    kind: words.Kind
    redactions: list[RedactionPart]
    steps: Annotated[list[StepPart], Meta(min_length=9, max_length=9)]
    reviewer: Name
    next_review_at: Utc | None
    record_id: Id | UnsetType = UNSET
    duplicate_of: Id | UnsetType = UNSET
    conflicts_with: list[Id] | UnsetType = UNSET
    suggested_scope: SuggestedScope | UnsetType = UNSET
    suggested_kind: words.Kind | UnsetType = UNSET
    rule: Text | UnsetType = UNSET


class Reliability(Wire):
    """How the records of an agent turned out. It may help to rank; it is no authority."""

    score: Fraction
    evidence_count: Annotated[float, Meta(ge=0)]


class DirectoryEntry(Wire):
    agent_id: Name
    roles: list[Text]
    teams: list[Name]
    topics: list[Text]
    scopes: list[Text]
    record_count: Annotated[int, Meta(ge=0)]
    counts_by_status: dict[str, int]
    counts_by_kind: dict[str, int]
    reliability: Reliability
    last_active: Utc
    record_ids: list[Id] | UnsetType = UNSET
    owner: Name | UnsetType = UNSET


class MatmDirectory(MatmDocument):
    """The transactive directory as one reader may see it: who knows what, and how it turned out."""

    schema_version: Literal["llmwikis.matm.directory.v1"]
    generated_at: Utc
    viewer: Name
    entries: list[DirectoryEntry]
    about: Text | UnsetType = UNSET
    tenant_id: Name | UnsetType = UNSET


class MatmRequest(MatmDocument):
    """A retrieval request. Scopes and kinds are hard limits; an empty list allows nothing."""

    schema_version: Literal["llmwikis.matm.retrieval-request.v1"]
    request_id: Id
    consumer_agent: MatmAgent | Name
    task: MatmTask | Name
    allowed_scopes: list[words.StoredScope]
    query: Text | UnsetType = UNSET
    purpose: Text | UnsetType = UNSET
    allowed_kinds: list[words.Kind] | UnsetType = UNSET
    max_sensitivity: words.Sensitivity | UnsetType = UNSET
    require_evidence: bool | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=0, le=200)] | UnsetType = UNSET
    required_metadata: list[Text] | UnsetType = UNSET
    tenant_id: Name | UnsetType = UNSET
    project_id: Name | UnsetType = UNSET
    team_id: Name | UnsetType = UNSET
    agent_id: Name | UnsetType = UNSET
    session_id: Name | UnsetType = UNSET


class MatmResult(Wire):
    """One record that was found, cited. `presented_as` says as what it may be told."""

    record_id: Id
    kind: words.Kind
    scope: words.StoredScope
    status: words.RecordStatus
    statement: Text
    source_refs: list[Text]
    evidence_refs: list[EvidenceRef | Text]
    curation_report_ids: list[Name]
    score: float
    warnings: list[Text]
    presented_as: Literal["claim", "hypothesis", "support", "contested"]
    revision: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    superseded_by: Name | UnsetType = UNSET


class MatmNotice(Wire):
    kind: words.NoticeKind
    message: Text
    record_ids: list[Id]


class MatmGrants(Wire):
    """What a retrieval entitles to: nothing but reading."""

    write: No
    promote: No
    adopt: No


class FiltersApplied(Wire):
    allowed_scopes: list[words.StoredScope]
    allowed_kinds: list[words.Kind] | None
    max_sensitivity: words.Sensitivity | None
    require_evidence: bool
    limit: Annotated[int, Meta(ge=0)]
    purpose: Text


class MatmResponse(MatmDocument):
    """A retrieval response. When it abstains, nothing in it is an answer."""

    schema_version: Literal["llmwikis.matm.retrieval-response.v1"]
    request_id: Id
    results: list[MatmResult]
    abstained: bool
    abstain_reasons: list[words.AbstainReason]
    notices: list[MatmNotice]
    filters_applied: FiltersApplied
    excluded: dict[str, int]
    grants: MatmGrants
    receipt_id: Id | UnsetType = UNSET


class TicketNote(Wire):
    at: Utc
    by: Name
    text: Text


class MatmTicket(MatmDocument):
    """A Memory Ticket: what a person sees in the queue. It wraps an event and is no schema of memory of its own."""

    ticket_id: Id
    title: Text
    opened_at: Utc
    opened_by: Name
    state: Literal["open", "accepted", "refused"]
    event: MatmEvent
    assignee: Name | UnsetType = UNSET
    due_at: Utc | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    notes: list[TicketNote] | UnsetType = UNSET


DOCUMENTS: dict[str, type] = {
    "MemoryEvent": MatmEvent,
    "MemoryRecord": MatmRecord,
    "CurationReport": MatmReport,
    "TransactiveDirectory": MatmDirectory,
    "RetrievalRequest": MatmRequest,
    "RetrievalResponse": MatmResponse,
    "MemoryTicket": MatmTicket,
}
