"""What requests carry in their bodies. Each field is a keyword of the method it is for; what is not said is null."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from muniment.model.claim import Claim
from muniment.model.entry import LedgerHead
from muniment.model.erasure import DerivedPolicy
from muniment.model.proposal import CONTRADICTS_MAX, Objection
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import (
    Contested,
    Kind,
    Label,
    MemoryClass,
    MemoryType,
    RelationType,
    Scope,
    Sensitivity,
    Strategy,
    TrustLevel,
)
from muniment.operations.kinds import (
    Age,
    Content,
    Count,
    Days,
    Digest,
    Hours,
    Name,
    Names,
    Namespace,
    Position,
    Question,
    Share,
    Text,
    Texts,
    Tokens,
    Weight,
)

BATCH_MAX = 1_000
FLUSH_SECONDS_MAX = 30


class TextRequest(Value):
    """Everything that can be said about a memory besides its content, in flat words. With `user` it is kept for one
    user of a program."""

    user: Text | None = None
    kind: Kind | None = None
    memory_type: MemoryType | None = None
    memory_class: MemoryClass | None = None
    scope: Scope | None = None
    scope_id: Name | None = None
    namespace: Namespace | None = None
    session_id: Name | None = None
    workflow_id: Name | None = None
    task_id: Name | None = None
    purpose: Text | None = None
    question: Text | None = None
    source: Text | None = None
    source_type: Text | None = None
    external_id: Text | None = None
    triggered_by: Text | None = None
    confidence: Share | None = None
    reasoning: Text | None = None
    evidence: Texts | None = None
    assumptions: Texts | None = None
    hedged: bool | None = None
    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    expires_at: Instant | None = None
    derived_from: Names | None = None
    supersedes: Name | None = None
    parent: Name | None = None
    relations: Annotated[tuple[tuple[RelationType, Name], ...], Meta(max_length=256)] | None = None
    entities: Texts | None = None
    sensitivity: Sensitivity | None = None
    owner: Name | None = None
    next_review_at: Instant | None = None
    importance: Share | None = None
    half_life_hours: Hours | None = None
    anchored: bool | None = None
    lawful_basis: Text | None = None
    access: Names | None = None
    erasure: Text | None = None
    retention_days: Days | None = None
    source_quality: Text | None = None
    reviewer: Name | None = None
    barred_scopes: tuple[Scope, ...] | None = None
    subject: Text | None = None
    key: Text | None = None
    value: Text | None = None


class Remember(TextRequest):
    """A memory in flat words. A `draft` is kept for its author alone."""

    content: Content
    proposal_id: Name | None = None
    draft: bool | None = None


class Propose(Value):
    """A claim put forward, as a new record or as a new revision of `target`."""

    claim: Claim
    proposal_id: Name | None = None
    target: Name | None = None
    expected_revision: Annotated[int, Meta(ge=0, le=2**31)] | None = None
    objections: Annotated[tuple[Objection, ...], Meta(max_length=16)] = ()
    draft: bool | None = None
    detect: bool | None = None


class ProposalRequest(Value):
    """One claim of a batch; `proposal_id` names its proposal."""

    claim: Claim
    proposal_id: Name | None = None


class ProposeMany(Value):
    """Claims that are put forward together, all or none."""

    proposals: Annotated[tuple[ProposalRequest, ...], Meta(min_length=1, max_length=BATCH_MAX)]


class Preview(Value):
    """Claims of which only is asked what would be decided on them."""

    claims: Annotated[tuple[Claim, ...], Meta(min_length=1, max_length=BATCH_MAX)]


class Revise(TextRequest):
    """The new content of a record, and whatever else is to change. What is not said is taken over."""

    content: Content
    proposal_id: Name | None = None


class Decide(Value):
    """An answer for a proposal that waits, with corrections. `contradicts` are records that it disagrees with in the
    reviewer's eyes: both sides stand, contested. With `dry_run` it only is said what it would come to."""

    accept: bool
    reason: Text
    kind: Kind | None = None
    scope: Scope | None = None
    scope_id: Name | None = None
    objections: Annotated[tuple[Objection, ...], Meta(max_length=16)] = ()
    contradicts: Annotated[tuple[Name, ...], Meta(max_length=CONTRADICTS_MAX)] = ()
    dry_run: bool | None = None


class Reason(Value):
    """Why."""

    reason: Text


class TargetRequest(Value):
    """What is meant: one record, or everything of a subject, a source, an actor, a session or a user. One of them is
    said."""

    record_id: Name | None = None
    subject: Text | None = None
    source: Text | None = None
    actor: Name | None = None
    session: Name | None = None
    user: Text | None = None


class Erase(TargetRequest):
    """What is to be erased and why, and what becomes of what was derived from it. Why need not be said if it is all of
    a user's. With `dry_run` it only is said what would go; the digest of that plan as `expected` sees to it that just
    that is done. With `include_probable` what only may speak of a subject goes too."""

    reason: Text | None = None
    cascade: DerivedPolicy | None = None
    expected: Digest | None = None
    include_probable: bool | None = None
    probe: bool | None = None
    dry_run: bool | None = None


class Hold(TargetRequest):
    """What must not be erased, and why."""

    reason: Text


class Withdraw(Value):
    """Whose contributions are to be withdrawn, and why; with `dry_run` they only are listed, and the digest of that
    answer as `expected` sees to it that just that is done."""

    by: Literal["actor", "source", "session"]
    value: Text
    reason: Text
    expected: Digest | None = None
    dry_run: bool | None = None


class Retire(Value):
    """As what a record ends, and why."""

    becomes: Literal["archived", "deprecated", "expired", "retracted"]
    reason: Text


class OutcomeRequest(Value):
    """How a record turned out when it was used: `helpful` or `misleading`."""

    result: Literal["helpful", "misleading"]
    weight: Weight | None = None
    evidence: Text | None = None
    proposal_id: Name | None = None


class Vouch(Value):
    """Where a record comes from, on a reviewer's word."""

    origin: Label
    reason: Text


class Promote(Value):
    """In which wider scope a record shall count, on which grounds, and who answers for it there."""

    scope: Scope
    scope_id: Name
    evidence: Texts
    owner: Name | None = None
    reason: Text | None = None
    proposal_id: Name | None = None


class Resolve(TextRequest):
    """How a conflict shall be settled. With `synthesis` one new record, described by the flat words, takes the place of
    both sides. With `dry_run` it only is said where the conflict would stand and what would fall; the digest of that
    answer as `expected` sees to it that just that is done."""

    strategy: Strategy
    rationale: Text
    winner: Name | None = None
    synthesis: Content | None = None
    expected: Digest | None = None
    dry_run: bool | None = None


class ResolveAll(Value):
    """By which strategy all that is open shall be settled; by the rules of the policy if none is said. With `dry_run`
    it only is said where the conflicts would stand."""

    strategy: Literal["authority", "confidence_weighted", "evidence_count", "last_write_wins"] | None = None
    rationale: Text | None = None
    dry_run: bool | None = None


class Announce(Value):
    """To which group a record is passed on."""

    scope: Scope
    scope_id: Name
    proposal_id: Name | None = None


class Rewind(Value):
    """To which entry of the ledger, or to which instant as RFC 3339 text, everything is turned back, or one scope. With
    `dry_run` it only is said what would be."""

    to: Position | Text
    scope: Scope | None = None
    scope_id: Name | None = None
    reason: Text | None = None
    dry_run: bool | None = None


class PutTombstone(Value):
    """What was never here and shall not come: its id, its external id, or a salted digest of what it says. One of them
    is said."""

    reason: Text
    record_id: Name | None = None
    external_id: Text | None = None
    digest: Text | None = None


class AliasRequest(Value):
    """That `name` means the same as `means`. A name that means itself stands alone again."""

    name: Text
    means: Text


class Trim(Value):
    """From which receipts to take all but who was told what: those older than so many days, and the oldest until the
    others take no more than so many bytes. With `dry_run` it is only said how many these are."""

    older_than_days: Annotated[float, Meta(ge=0, le=4_000_000)] | None = None
    keep_bytes: Annotated[int, Meta(ge=0, le=2**62)] | None = None
    dry_run: bool | None = None


class RecordBounds(Value):
    """The bounds of an answer. Null is no bound, an empty list lets nothing by. With `user` the answer comes from that
    user's memory alone."""

    user: Text | None = None
    purpose: Name | None = None
    scopes: tuple[Scope, ...] | None = None
    scope_ids: Names | None = None
    namespace: Namespace | None = None
    classes: tuple[MemoryClass, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    authors: Names | None = None
    places: Texts | None = None
    trust_min: TrustLevel | None = None
    sensitivity_max: Sensitivity | None = None
    max_age_days: Age | None = None
    require_provenance: bool | None = None
    confidence_min: Share | None = None
    gate_min: Share | None = None
    gate_flag: Share | None = None
    valid_at: Instant | None = None
    known_at: Instant | None = None
    limit: Count | None = None
    budget_tokens: Tokens | None = None
    asked_at: Instant | None = None
    floor: Share | None = None
    min_fit: Share | None = None
    precise: bool | None = None
    contested: Contested | None = None


class Ask(RecordBounds):
    """A question, and the bounds of its answer."""

    query: Question


class Attune(RecordBounds):
    """What a caller is about: its role, its task, what it cares for, and the ledger position it knows of. With `others`
    its own records are left out."""

    role: Text | None = None
    task: Text | None = None
    interests: Texts | None = None
    since: Position | None = None
    count: bool | None = None
    others: bool | None = None


class Flush(Value):
    """How long to wait, in seconds, until everything written can be found by its meaning."""

    timeout: Annotated[float, Meta(gt=0, le=FLUSH_SECONDS_MAX)] | None = None


class Verify(Value):
    """A head of the ledger that was kept elsewhere, to be found again."""

    anchor: LedgerHead | None = None
