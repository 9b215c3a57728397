"""What the documents of MATM are made of: ids, times, agents, evidence, and the parts that single kinds ask for."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from muniment.contracts.matm import words
from muniment.contracts.shape import Wire

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(min_length=1, max_length=256)]
Utc = Annotated[str, Meta(pattern=r"(Z|\+00:00)$", extra_json_schema={"format": "date-time"})]
SuggestedScope = Annotated[str, Meta(pattern=words.SUGGESTED_SCOPE)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
No = Annotated[bool, Meta(extra_json_schema={"const": False})]


class MatmDocument(Wire):
    """What may stand alone in a file, with fields of its own besides if they are named so."""

    EXTENSIONS: ClassVar[str | None] = words.EXTENSION_NAME


class OpenStatement(Wire, forbid_unknown_fields=False):
    """A statement that may say more than we read."""


class MatmAgent(OpenStatement):
    """Who it is, by `agent_id`; where a producer says `id` or `name` instead, that is read."""

    agent_id: Name | UnsetType = UNSET
    id: Name | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    role: Text | UnsetType = UNSET
    team_id: Name | UnsetType = UNSET
    environment: Text | UnsetType = UNSET


class MatmTask(OpenStatement):
    task_id: Name
    title: Text | UnsetType = UNSET
    project_id: Name | UnsetType = UNSET
    session_id: Name | UnsetType = UNSET
    workflow_id: Name | UnsetType = UNSET


class MatmProvenance(OpenStatement):
    """Where a memory comes from: `source_refs` can be looked up, `event_ids` are the events behind a record."""

    source_refs: list[Text] | UnsetType = UNSET
    event_ids: list[Name] | UnsetType = UNSET
    producer: Name | UnsetType = UNSET
    task_id: Name | UnsetType = UNSET
    method: Text | UnsetType = UNSET
    captured_at: Utc | UnsetType = UNSET


class ReviewHints(OpenStatement):
    human_review_required: bool | UnsetType = UNSET
    reviewer: Name | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    questions: list[str] | UnsetType = UNSET
    redaction_notes: str | list[str] | UnsetType = UNSET
    next_review_at: Utc | UnsetType = UNSET


class EvidenceRef(Wire):
    type: Text
    ref: Text
    hash: Text | UnsetType = UNSET


class MatmConfidence(Wire):
    """How sure, with a public rationale. Never private thought. `score`, or else `value` or `level`, says how sure."""

    score: Fraction | words.ConfidenceWord | UnsetType = UNSET
    value: Fraction | words.ConfidenceWord | UnsetType = UNSET
    level: Fraction | words.ConfidenceWord | UnsetType = UNSET
    reasoning: Text | UnsetType = UNSET
    evidence: list[Text] | UnsetType = UNSET
    assumptions: list[Text] | UnsetType = UNSET


class Artifact(Wire):
    artifact_type: Text
    summary: Text
    artifact_hash: Text | UnsetType = UNSET
    hash: Text | UnsetType = UNSET
    ref: Text | UnsetType = UNSET
    hidden_reasoning_included: No | UnsetType = UNSET


class ClaimPart(Wire):
    """What is claimed, where it is more than the artifact's summary: a statement, or the answer to a question that
    has one answer at a time (`key` of `subject` is `value`)."""

    statement: Text | UnsetType = UNSET
    subject: Text | UnsetType = UNSET
    key: Text | UnsetType = UNSET
    value: Text | UnsetType = UNSET


class DecisionPart(Wire):
    owner: Name
    decided_at: Utc
    context: Text | UnsetType = UNSET
    authority: Text | UnsetType = UNSET
    rationale: Text | UnsetType = UNSET
    effective_scope: Text | UnsetType = UNSET


class ProcedurePart(Wire):
    steps: Annotated[list[Text], Meta(min_length=1)]
    stop_conditions: Annotated[list[Text], Meta(min_length=1)]
    trigger: Text | UnsetType = UNSET
    preconditions: list[Text] | UnsetType = UNSET
    validation: Text | UnsetType = UNSET
    rollback: Text | UnsetType = UNSET
    escalation: Text | UnsetType = UNSET


class RiskPart(Wire):
    impact: Text
    trigger: Text


class MatmCharter(Wire):
    """What memory about people, or across a border, needs before it may be kept."""

    owner: Name | UnsetType = UNSET
    lawful_basis: Text | UnsetType = UNSET
    consent: Text | UnsetType = UNSET
    access: list[Name] | UnsetType = UNSET
    erasure: Text | UnsetType = UNSET
    retention_days: Annotated[int, Meta(ge=1, le=36_500)] | UnsetType = UNSET
    source_quality: Text | UnsetType = UNSET
    reviewer: Name | UnsetType = UNSET
    barred_scopes: list[words.StoredScope] | UnsetType = UNSET


class RequestContext(Wire):
    """What helps to find it again. Never the raw prompt."""

    user_intent: Annotated[str, Meta(max_length=240)] | UnsetType = UNSET
    trigger_terms: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=12)] | UnsetType = UNSET
    cwd_at_request: str | UnsetType = UNSET
    target_project: str | UnsetType = UNSET
    target_path: str | UnsetType = UNSET
    cross_context: bool | UnsetType = UNSET
    outcome: str | UnsetType = UNSET
