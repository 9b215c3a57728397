"""What each tool takes, as wire types: a field that is not said is absent, and one that is not here is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muniment.contracts.shape import Wire
from muniment.model.claim import DEFAULT_SCOPE_ID
from muniment.model.erasure import DerivedPolicy
from muniment.model.query import LIMIT_DEFAULT, LIMIT_MAX
from muniment.model.vocabulary import (
    Kind,
    MemoryClass,
    MemoryType,
    RelationType,
    Scope,
    Sensitivity,
    Strategy,
    TrustLevel,
)

RecordName = Annotated[str, Meta(description="A record's id, such as rec_1 (of a citation, the part before the @).")]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Position = Annotated[int, Meta(ge=0)]
Revision = Annotated[int, Meta(ge=1)]
When = Annotated[
    str,
    Meta(
        description="An instant with its zone, such as 2026-03-01T09:30:00Z.", extra_json_schema={"format": "date-time"}
    ),
]
SOURCE_TYPE = "If not your own words: tool, web, email ..."
Reason = Annotated[str, Meta(description="Why; kept with the decision.")]


class LinkArguments(Wire):
    """A link to another record."""

    type: RelationType
    id: RecordName


class MemoryArguments(Wire):
    """What can be said of a memory in passing."""

    content: Annotated[str, Meta(description="What to remember, as one plain statement.", min_length=1)]
    kind: Annotated[Kind, Meta(description="What it is (default: observation).")] | UnsetType = UNSET
    confidence: Annotated[float, Meta(ge=0, le=1, description="How sure you are (default: 0.5).")] | UnsetType = UNSET
    evidence: (
        Annotated[list[str], Meta(description="What stands behind it: tickets, files, measurements.")] | UnsetType
    ) = UNSET
    reasoning: Annotated[str, Meta(description="A short public rationale.")] | UnsetType = UNSET
    derived_from: Annotated[list[str], Meta(description="Ids of records it stands on.")] | UnsetType = UNSET
    scope: Annotated[Scope, Meta(description="Whose memory it is (default: project).")] | UnsetType = UNSET
    scope_id: (
        Annotated[str, Meta(description=f"Which project, session, team or repo (default: {DEFAULT_SCOPE_ID}).")]
        | UnsetType
    ) = UNSET
    namespace: Annotated[str, Meta(description="The heading it belongs under, such as /team/topic.")] | UnsetType = (
        UNSET
    )
    task_id: Annotated[str, Meta(description="The task it belongs to.")] | UnsetType = UNSET
    purpose: Annotated[str, Meta(description="Why it is written down.")] | UnsetType = UNSET
    source: Annotated[str, Meta(description="Where it comes from.")] | UnsetType = UNSET
    source_type: Annotated[str, Meta(description=SOURCE_TYPE)] | UnsetType = UNSET
    event_time: Annotated[When, Meta(description="When it happened.")] | UnsetType = UNSET
    valid_until: Annotated[When, Meta(description="When it ceases to hold.")] | UnsetType = UNSET
    sensitivity: Annotated[Sensitivity, Meta(description="How far it may travel (default: internal).")] | UnsetType = (
        UNSET
    )
    proposal_id: (
        Annotated[str, Meta(description="A name for this proposal; the same again gets the same answer.")] | UnsetType
    ) = UNSET


class ProposalArguments(MemoryArguments):
    """Everything that can be said of a memory."""

    target: Annotated[str, Meta(description="The record this is a new revision of.")] | UnsetType = UNSET
    expected_revision: (
        Annotated[int, Meta(ge=1, description="Refuse as stale if the target has moved on from this revision.")]
        | UnsetType
    ) = UNSET
    draft: Annotated[bool, Meta(description="Keep it as your draft, which nobody else sees.")] | UnsetType = UNSET
    memory_type: MemoryType | UnsetType = UNSET
    memory_class: MemoryClass | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    workflow_id: str | UnsetType = UNSET
    question: Annotated[str, Meta(description="The question it answers.")] | UnsetType = UNSET
    external_id: Annotated[str, Meta(description="Its name in another system.")] | UnsetType = UNSET
    triggered_by: str | UnsetType = UNSET
    assumptions: list[str] | UnsetType = UNSET
    hedged: bool | UnsetType = UNSET
    valid_from: Annotated[When, Meta(description="When it begins to hold.")] | UnsetType = UNSET
    expires_at: Annotated[When, Meta(description="When it is no longer to be told.")] | UnsetType = UNSET
    supersedes: Annotated[str, Meta(description="The record it replaces.")] | UnsetType = UNSET
    parent: Annotated[str, Meta(description="The record it is a part of, and stands on.")] | UnsetType = UNSET
    relations: list[LinkArguments] | UnsetType = UNSET
    entities: Annotated[list[str], Meta(description="Names it speaks of.")] | UnsetType = UNSET
    owner: Annotated[str, Meta(description="Who answers for it.")] | UnsetType = UNSET
    next_review_at: When | UnsetType = UNSET
    importance: Fraction | UnsetType = UNSET
    half_life_hours: float | UnsetType = UNSET
    anchored: bool | UnsetType = UNSET
    subject: Annotated[str, Meta(description="Slot: what it speaks of (with key and value).")] | UnsetType = UNSET
    key: Annotated[str, Meta(description="Slot: which question about the subject.")] | UnsetType = UNSET
    value: Annotated[str, Meta(description="Slot: the answer.")] | UnsetType = UNSET
    lawful_basis: (
        Annotated[str, Meta(description="Charter: scopes that begin with x_ need a whole one.")] | UnsetType
    ) = UNSET
    access: list[str] | UnsetType = UNSET
    erasure: str | UnsetType = UNSET
    retention_days: Position | UnsetType = UNSET
    source_quality: str | UnsetType = UNSET
    reviewer: str | UnsetType = UNSET
    barred_scopes: list[Scope] | UnsetType = UNSET


class BoundsArguments(Wire):
    """The bounds within which records are looked for. An empty list allows nothing."""

    purpose: Annotated[str, Meta(description="What the answer is for; the policy may care.")] | UnsetType = UNSET
    kinds: list[Kind] | UnsetType = UNSET
    scopes: list[Scope] | UnsetType = UNSET
    scope_ids: list[str] | UnsetType = UNSET
    namespace: Annotated[str, Meta(description="This namespace and what is below it.")] | UnsetType = UNSET
    classes: list[MemoryClass] | UnsetType = UNSET
    authors: Annotated[list[str], Meta(description="Only what these actors wrote.")] | UnsetType = UNSET
    trust_min: TrustLevel | UnsetType = UNSET
    sensitivity_max: Sensitivity | UnsetType = UNSET
    confidence_min: Annotated[float, Meta(ge=0, le=1, description="Least effective confidence.")] | UnsetType = UNSET
    require_provenance: Annotated[bool, Meta(description="Only what has evidence or a source.")] | UnsetType = UNSET
    max_age_days: Annotated[float, Meta(ge=0)] | UnsetType = UNSET
    valid_at: Annotated[When, Meta(description="What held then (default: now).")] | UnsetType = UNSET
    known_at: Annotated[When, Meta(description="As the ledger knew it then (default: now).")] | UnsetType = UNSET
    limit: (
        Annotated[int, Meta(ge=0, le=LIMIT_MAX, description=f"At most so many records (default: {LIMIT_DEFAULT}).")]
        | UnsetType
    ) = UNSET
    budget_tokens: Annotated[int, Meta(ge=0, description="At most so many tokens of content.")] | UnsetType = UNSET


class QuestionArguments(BoundsArguments):
    query: Annotated[str, Meta(description="What is sought, in words.", min_length=1)]
    floor: (
        Annotated[float, Meta(ge=0, le=1, description="How likely something must fit to be told; 0 tells all.")]
        | UnsetType
    ) = UNSET
    min_fit: Annotated[float, Meta(ge=0, le=1, description="How likely each must answer by itself.")] | UnsetType = (
        UNSET
    )
    precise: Annotated[bool, Meta(description="Only what holds the name the question is bound by.")] | UnsetType = UNSET


class AttuneArguments(BoundsArguments):
    """What an agent is about, when it asks for what it should know instead of putting a question."""

    role: Annotated[str, Meta(description="What you are.")] | UnsetType = UNSET
    task: Annotated[str, Meta(description="What you are to do.")] | UnsetType = UNSET
    interests: Annotated[list[str], Meta(description="What you care for.")] | UnsetType = UNSET
    since: Annotated[int, Meta(ge=0, description="Only what was written or changed after this epoch.")] = 0


class RecordArguments(Wire):
    record_id: RecordName
    revision: Annotated[int, Meta(ge=1, description="A revision other than the present one.")] | UnsetType = UNSET


class HistoryArguments(Wire):
    record_id: RecordName


class LineageArguments(Wire):
    record_id: RecordName
    direction: Annotated[
        Literal["up", "down", "both"], Meta(description="What it stands on, what stands on it, or both.")
    ] = "both"
    depth: Annotated[int, Meta(ge=0, le=1_000_000, description="At most so many steps away.")] | UnsetType = UNSET
    types: Annotated[list[str], Meta(description="Only links of these types.")] | UnsetType = UNSET


class ReceiptArguments(Wire):
    receipt_id: Annotated[str, Meta(description="The receipt of a recall, such as rcp_1.")]
    replay: Annotated[
        bool, Meta(description="Rebuild the store as it was then and search it again from nothing; may take long.")
    ] = False


class NoArguments(Wire):
    pass


class ConflictsArguments(Wire):
    all: Annotated[bool, Meta(description="Those that are settled too.")] = False


class SettleArguments(Wire):
    conflict_id: Annotated[str, Meta(description="The conflict's id, such as con_1.")]
    strategy: Strategy
    rationale: Annotated[str, Meta(description="Why this way; kept with the decision.")]
    winner: Annotated[str, Meta(description="The record that wins; in a vote your ballot.")] | UnsetType = UNSET
    synthesis: (
        Annotated[str, Meta(description="With strategy synthesis: the statement that takes the place of both.")]
        | UnsetType
    ) = UNSET
    dry_run: Annotated[bool, Meta(description="Only tell what would come of it.")] = False
    plan: Annotated[str, Meta(description="The digest that a dry run told: do just that or nothing.")] | UnsetType = (
        UNSET
    )


class OutcomeArguments(Wire):
    record_id: RecordName
    result: Literal["helpful", "misleading"]
    weight: Annotated[float, Meta(gt=0, le=1, description="How much it counts.")] = 1.0
    evidence: Annotated[str, Meta(description="What shows it.")] | UnsetType = UNSET
    expected_revision: Revision | UnsetType = UNSET
    proposal_id: Annotated[str, Meta(description="A name for this report; the same again counts once.")] | UnsetType = (
        UNSET
    )


class RetractArguments(Wire):
    record_id: RecordName
    reason: Reason
    expected_revision: Revision | UnsetType = UNSET


class TargetArguments(Wire):
    """What is meant; exactly one of these is said."""

    record_id: Annotated[str, Meta(description="One record, by its id.")] | UnsetType = UNSET
    subject: Annotated[str, Meta(description="Everything about this person or thing.")] | UnsetType = UNSET
    source: Annotated[str, Meta(description="Everything that came from this source.")] | UnsetType = UNSET
    actor: Annotated[str, Meta(description="Everything that this actor wrote.")] | UnsetType = UNSET
    session: Annotated[str, Meta(description="Everything of this session.")] | UnsetType = UNSET


class ForgetArguments(TargetArguments):
    reason: Annotated[str, Meta(description="Why; kept for good, so name a ticket and no person.")]
    cascade: (
        Annotated[DerivedPolicy, Meta(description="What becomes of what was derived (default: the policy's).")]
        | UnsetType
    ) = UNSET
    dry_run: Annotated[bool, Meta(description="Only tell what would be erased. True unless you say false.")] = True
    plan: Annotated[str, Meta(description="With dry_run false: the plan digest that the dry run told.")] | UnsetType = (
        UNSET
    )
    include_probable: Annotated[
        bool, Meta(description="Erase what only may speak of the subject, too, such as its letters in a longer word.")
    ] = False


class WithdrawArguments(Wire):
    by: Literal["actor", "source", "session"]
    value: Annotated[str, Meta(description="Which actor, source or session.")]
    reason: Reason
    dry_run: Annotated[bool, Meta(description="Only list what would be withdrawn. True unless you say false.")] = True
    plan: Annotated[str, Meta(description="The digest that a dry run told: do just that or nothing.")] | UnsetType = (
        UNSET
    )


class Announcing(Wire):
    record_id: RecordName
    scope: Annotated[Scope, Meta(description="The group's scope, such as agent_team.")]
    scope_id: Annotated[str, Meta(description="The group's id.")]


class Rewinding(Wire):
    to: Annotated[int, Meta(ge=1, description="After which entry (epoch) of the ledger.")]
    scope: Annotated[Scope, Meta(description="Only this scope (default: everything).")] | UnsetType = UNSET
    scope_id: Annotated[str, Meta(description="Only the scope with this id.")] | UnsetType = UNSET
    reason: Reason
    dry_run: Annotated[bool, Meta(description="Only tell what would be. True unless you say false.")] = True


class QuarantineArguments(Wire):
    record_id: RecordName
    reason: Reason
    expected_revision: Revision | UnsetType = UNSET


class HoldArguments(TargetArguments):
    reason: Reason


class LiftArguments(Wire):
    hold_id: Annotated[str, Meta(description="The hold's id, such as hld_1.")]
    reason: Reason


class TopicArguments(Wire):
    about: Annotated[str, Meta(description="Words; leave out to see everybody.")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=10_000)] = 50


class QueueArguments(Wire):
    after: Annotated[str, Meta(description="Go on after this proposal.")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 50


class DecideArguments(Wire):
    proposal_id: Annotated[str, Meta(description="The held proposal, such as prp_1.")]
    answer: Literal["accept", "discard"]
    reason: Reason
    kind: Annotated[Kind, Meta(description="Correct what it is.")] | UnsetType = UNSET
    scope: Annotated[Scope, Meta(description="Correct whose it is.")] | UnsetType = UNSET
    scope_id: Annotated[str, Meta(description="Correct which one.")] | UnsetType = UNSET
