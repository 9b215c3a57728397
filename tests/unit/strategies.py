"""Hypothesis strategies for the values of the model. Whatever they make is legal; nothing here is hostile."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec
from hypothesis import strategies as st

from muniment.model.actor import Actor
from muniment.model.card import Card, readers_of
from muniment.model.claim import (
    Belief,
    Charter,
    Claim,
    Extension,
    Handling,
    Intent,
    Lineage,
    Nature,
    Origin,
    Place,
    Relation,
    Slot,
    Strength,
    Times,
)
from muniment.model.entity import Entity, EntityKind
from muniment.model.entry import (
    ConflictChange,
    DocumentRef,
    DocumentRole,
    Entry,
    EntryKind,
    ProposalStateChange,
    RevisionCreated,
    StateChange,
    Vote,
)
from muniment.model.filter import (
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Sourced,
    Under,
    ValidAt,
)
from muniment.model.gate import Thresholds
from muniment.model.proposal import (
    OutcomeReport,
    Proposal,
    ResolveRequest,
    RetractRequest,
    ReviewDecision,
    VouchRequest,
)
from muniment.model.query import Attunement, Query
from muniment.model.record import Record, RecordState, TrustState, UsageState
from muniment.model.status import Status
from muniment.model.times import MAX, MIN, Instant
from muniment.model.vocabulary import (
    LABEL_RANK,
    ActorType,
    ConflictStatus,
    ConflictType,
    Consequence,
    Disposition,
    Kind,
    Label,
    MemoryClass,
    MemoryType,
    Outcome,
    RelationType,
    Scope,
    Sensitivity,
    Strategy,
    Support,
    Tier,
    TrustLevel,
)
from muniment.policy.rules import (
    Action,
    CascadePolicy,
    DetectorEffect,
    DisputePolicy,
    EvidencePolicy,
    Policy,
    PolicyMember,
    ReadRule,
    ReviewRule,
    SafetyPolicy,
    SecretsPolicy,
    TrustPolicy,
    WriteDecision,
    WriteRule,
)

T = TypeVar("T")

identifiers = st.text("abzAZ09._:-", min_size=1, max_size=12)
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30).filter(
    lambda text: not text.isspace()
)
"""Text that says something. Control characters are refused by the model and so are not made here."""

instants = st.integers(MIN, MAX).map(Instant)
shares = st.floats(0, 1)
positives = st.floats(min_value=0, exclude_min=True, max_value=1e300)
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
positions = st.integers(1, 2**53)
parts = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"), exclude_characters="/."),
    min_size=1,
    max_size=5,
)
namespaces = st.lists(parts, max_size=3).map(lambda found: "/" + "/".join(found))
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "zeta"]), inner, max_size=3),
    max_leaves=6,
)


def maybe(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    return st.none() | strategy


def several(strategy: st.SearchStrategy[T], most: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


def some_of(vocabulary: type[T]) -> st.SearchStrategy[tuple[T, ...] | None]:
    """A bound over a closed vocabulary: absent, empty, or a few of its words."""
    return maybe(several(st.sampled_from(list(vocabulary)), 4))  # type: ignore[call-overload]  # a StrEnum iterates over its members


@st.composite
def spans(draw: st.DrawFn) -> Times:
    ends = draw(st.tuples(maybe(instants), maybe(instants)))
    first, last = sorted(ends) if None not in ends else ends  # type: ignore[type-var]  # None was ruled out
    return Times(event_time=draw(maybe(instants)), valid_from=first, valid_until=last, expires_at=draw(maybe(instants)))


slots = st.builds(Slot, subject=texts, key=texts, value=texts)
natures = st.builds(
    Nature,
    kind=st.sampled_from(Kind),
    memory_type=st.sampled_from(MemoryType),
    memory_class=st.sampled_from(MemoryClass),
    experience=maybe(texts),
    lifecycle=maybe(texts),
)
places = st.builds(
    Place,
    scope=st.sampled_from(Scope),
    scope_id=identifiers,
    namespace=namespaces,
    session_id=maybe(identifiers),
    workflow_id=maybe(identifiers),
    task_id=maybe(identifiers),
)
beliefs = st.builds(
    Belief,
    score=shares,
    reasoning=maybe(texts),
    evidence=several(texts),
    assumptions=several(texts),
    alpha=positives,
    beta=positives,
    hedged=st.booleans(),
)
relations = st.builds(Relation, type=st.sampled_from(RelationType), target=identifiers, description=maybe(texts))
lineages = st.builds(
    Lineage,
    derived_from=several(identifiers),
    supersedes=maybe(identifiers),
    parent=maybe(identifiers),
    relations=several(relations),
    entities=several(texts),
)
handlings = st.builds(
    Handling, sensitivity=st.sampled_from(Sensitivity), owner=maybe(identifiers), next_review_at=maybe(instants)
)
strengths = st.builds(
    Strength,
    importance=shares,
    tier=st.sampled_from(Tier),
    half_life_hours=maybe(positives),
    anchored=st.booleans(),
)
charters = st.builds(
    Charter,
    lawful_basis=maybe(texts),
    access=several(identifiers),
    erasure=maybe(texts),
    retention_days=maybe(st.integers(1, 36_500)),
    source_quality=maybe(texts),
    reviewer=maybe(identifiers),
    barred=several(st.sampled_from(Scope)),
)
extensions = st.builds(Extension, name=texts, body=plain.map(json.dumps))
claims = st.builds(
    Claim,
    content=texts,
    slot=maybe(slots),
    nature=natures,
    place=places,
    intent=st.builds(Intent, purpose=maybe(texts), question=maybe(texts)),
    origin=st.builds(
        Origin,
        source=maybe(texts),
        source_type=maybe(texts),
        credibility=maybe(shares),
        external_id=maybe(texts),
        triggered_by=maybe(texts),
    ),
    belief=beliefs,
    times=spans(),
    lineage=lineages,
    handling=handlings,
    strength=strengths,
    charter=maybe(charters),
    extensions=several(extensions, 2),
)
records = st.builds(
    Record,
    id=identifiers,
    tenant=identifiers,
    revision=st.integers(1, 2**31),
    claim=claims,
    created_at=instants,
    proposal=identifiers,
    actor=identifiers,
    actor_type=st.sampled_from(ActorType),
    label=st.sampled_from(Label),
    trust=st.sampled_from(TrustLevel),
    reviewer=maybe(identifiers),
    next_review_at=maybe(instants),
    echoes=several(identifiers),
    barred=several(st.sampled_from(Scope)),
    mentions=several(st.builds(Entity, kind=st.sampled_from(EntityKind), text=texts, key=texts)),
)
sums = st.floats(0, 1e6)
footings = st.builds(
    TrustState,
    own=shares,
    effective=shares,
    label=st.sampled_from(Label),
    support=st.sampled_from(Support),
    helpful=sums,
    misleading=sums,
)
vigours = st.builds(UsageState, tier=st.sampled_from(Tier), accesses=st.integers(0, 2**53), last_access=maybe(instants))
standings = st.builds(
    RecordState,
    status=st.sampled_from(Status),
    since=positions,
    footing=footings,
    successor=maybe(identifiers),
    vigour=vigours,
)
actors = st.builds(
    Actor,
    id=identifiers,
    type=st.sampled_from(ActorType),
    roles=several(identifiers),
    teams=several(identifiers | st.just("*")),
    projects=several(identifiers | st.just("*")),
    sessions=several(identifiers | st.just("*")),
    authority=st.integers(0, 10),
)
proposals = st.builds(
    Proposal,
    id=identifiers,
    tenant=identifiers,
    claim=claims,
    target=maybe(identifiers),
    expected_revision=maybe(st.integers(1, 2**31)),
    promotes=maybe(identifiers),
)
rulings = st.builds(
    ReviewDecision,
    proposal=identifiers,
    accept=st.booleans(),
    reason=texts,
    kind=maybe(st.sampled_from(Kind)),
    scope=maybe(st.sampled_from(Scope)),
    scope_id=maybe(identifiers),
)
retractions = st.builds(
    RetractRequest, record=identifiers, reason=texts, expected_revision=maybe(st.integers(1, 2**31))
)
outcomes = st.builds(
    OutcomeReport,
    record=identifiers,
    helpful=st.booleans(),
    weight=st.floats(0, 1, exclude_min=True),
    evidence=maybe(texts),
    expected_revision=maybe(st.integers(1, 2**31)),
)
vouchings = st.builds(
    VouchRequest,
    record=identifiers,
    label=st.sampled_from(Label),
    reason=texts,
    expected_revision=maybe(st.integers(1, 2**31)),
)
resolutions = st.builds(
    ResolveRequest,
    conflict=identifiers,
    strategy=st.sampled_from(Strategy),
    rationale=texts,
    winner=maybe(identifiers),
    synthesis=maybe(claims),
)


@st.composite
def thresholds(draw: st.DrawFn) -> Thresholds:
    lowest, flag = sorted(draw(st.tuples(shares, shares)))
    return Thresholds(min=lowest, flag=flag)


queries = st.builds(
    Query,
    text=texts,
    purpose=identifiers,
    scopes=some_of(Scope),
    scope_ids=maybe(several(identifiers)),
    namespace=maybe(namespaces),
    classes=some_of(MemoryClass),
    kinds=some_of(Kind),
    trust_min=maybe(st.sampled_from(TrustLevel)),
    sensitivity_max=maybe(st.sampled_from(Sensitivity)),
    max_age_days=maybe(st.floats(0, 4_000_000)),
    require_provenance=st.booleans(),
    confidence_min=maybe(shares),
    gate_min=maybe(st.floats(0, 0.5)),
    gate_flag=maybe(st.floats(0.5, 1)),
    valid_at=maybe(instants),
    known_at=maybe(instants),
    limit=st.integers(0, 200),
    budget_tokens=maybe(st.integers(0, 10_000_000)),
    asked_at=maybe(instants),
    floor=maybe(shares),
    attuned=maybe(
        st.builds(
            Attunement,
            role=maybe(texts),
            task=maybe(texts),
            interests=several(texts),
            since=st.integers(0, 2**62),
        )
    ),
)
entries = st.builds(
    Entry,
    v=st.just(1),
    tenant=identifiers,
    seq=positions,
    at=instants,
    kind=st.sampled_from(EntryKind),
    actor=identifiers,
    last_doc=positions,
    documents=several(st.builds(DocumentRef, doc=positions, role=st.sampled_from(DocumentRole), digest=digests)),
    dropped=several(positions),
    births=several(
        st.builds(
            RevisionCreated,
            rid=positions,
            id=identifiers,
            revision=positions,
            status=st.sampled_from(Status),
            footing=footings,
            vigour=vigours,
        )
    ),
    changes=several(
        st.builds(
            StateChange,
            rid=positions,
            status=st.sampled_from(Status),
            footing=footings,
            successor=maybe(identifiers),
            vigour=vigours,
        )
    ),
    filing=maybe(
        st.builds(
            ProposalStateChange,
            proposal=identifiers,
            outcome=st.sampled_from(Outcome),
            disposition=st.sampled_from(Disposition),
            record=maybe(identifiers),
            revision=maybe(positions),
        )
    ),
    conflicts=several(
        st.builds(
            ConflictChange,
            id=identifiers,
            status=st.sampled_from(ConflictStatus),
            a=positions,
            b=positions,
            why=identifiers,
            type=st.sampled_from(ConflictType),
            contests=st.booleans(),
            opened=positions,
            strategy=maybe(st.sampled_from(Strategy)),
            winner=maybe(identifiers),
            ballots=several(st.builds(Vote, actor=identifiers, winner=identifiers)),
        )
    ),
    policy=positions,
    pepper=maybe(digests),
    key=maybe(digests),
)
cards = st.builds(
    Card,
    rid=positions,
    id=identifiers,
    revision=positions,
    seq=positions,
    kind=st.sampled_from(Kind).map(str),
    memory_class=st.sampled_from(MemoryClass).map(str),
    scope=st.sampled_from(Scope).map(str),
    scope_id=identifiers,
    namespace=namespaces,
    session_id=maybe(identifiers),
    sensitivity=st.integers(0, 4),
    trust=st.integers(0, 2),
    label=st.integers(0, len(LABEL_RANK) - 1),
    confidence=shares,
    provenance=st.booleans(),
    actor=identifiers,
    created_at=instants,
    valid_from=maybe(instants),
    valid_until=maybe(instants),
    expires_at=maybe(instants),
    fingerprint=st.binary(min_size=16, max_size=16),
    slot=maybe(identifiers),
    importance=shares,
    half_life=maybe(positives),
    anchored=st.booleans(),
    review_at=maybe(instants),
    readers=claims.map(readers_of),
    status=st.sampled_from(Status).map(str),
    since=positions,
    successor=maybe(identifiers),
    own=shares,
    effective=shares,
    support=st.sampled_from(Support).map(str),
    helpful=sums,
    misleading=sums,
    tier=st.sampled_from(Tier).map(str),
    accesses=st.integers(0, 2**53),
    last_access=maybe(instants),
)
_leaves: st.SearchStrategy[Filter] = st.one_of(
    st.builds(OneOf, field=st.just("kind"), words=several(st.sampled_from(Kind).map(str))),
    st.builds(OneOf, field=st.just("session_id"), words=several(identifiers)),
    st.builds(OneOf, field=st.just("status"), words=several(st.sampled_from(Status).map(str))),
    st.builds(AtLeast, field=st.just("trust"), value=st.integers(0, 2)),
    st.builds(AtMost, field=st.just("confidence"), value=shares),
    st.builds(Believed, least=shares, namespaces=several(st.tuples(namespaces, shares))),
    st.builds(Chartered, names=several(identifiers)),
    st.builds(Under, namespaces=several(namespaces)),
    st.builds(Sourced),
    st.builds(ValidAt, instant=instants),
    st.builds(LiveAt, instant=instants),
)
filters: st.SearchStrategy[Filter] = st.recursive(
    _leaves,
    lambda inner: st.builds(Both, parts=several(inner)) | st.builds(Either, parts=several(inner)),
    max_leaves=6,
)

# Policies are drawn from few names, so that rules, actors and records meet.
names = st.sampled_from(["ana", "bot", "north", "apollo"])
spaces = st.sampled_from(["/", "/hr", "/hr/pay", "/hr/payroll"])
_who = {"actors": maybe(several(names)), "roles": maybe(several(names)), "types": some_of(ActorType)}
_where = {
    "scopes": some_of(Scope),
    "namespaces": maybe(several(spaces)),
    "kinds": some_of(Kind),
    "classes": some_of(MemoryClass),
    "sensitivity_max": maybe(st.sampled_from(Sensitivity)),
}
read_rules = st.builds(
    ReadRule,
    id=identifiers,
    purposes=maybe(several(st.sampled_from(["answer", "audit"]))),
    member=st.booleans(),
    trust_min=maybe(st.sampled_from(TrustLevel)),
    label_min=maybe(st.sampled_from(Label)),
    **_who,
    **_where,
)
write_rules = st.builds(
    WriteRule,
    id=identifiers,
    decision=st.sampled_from(WriteDecision),
    reason=texts,
    member=maybe(st.booleans()),
    confidence_min=maybe(shares),
    evidence_min=maybe(st.integers(0, 3)),
    review_days=maybe(st.integers(1, 36_500)),
    **_who,
    **_where,
)
review_rules = st.builds(
    ReviewRule,
    id=identifiers,
    actions=several(st.sampled_from(Action)),
    scopes=some_of(Scope),
    own=st.booleans(),
    authority_min=maybe(st.integers(0, 10)),
    **_who,
)
trusts = st.builds(
    TrustPolicy,
    gate=thresholds(),
    namespaces=st.dictionaries(spaces, thresholds(), max_size=2),
    missing_floor=st.floats(0, 1, exclude_max=True),
    inform=several(st.sampled_from(["answer", "audit"])),
    steer_label_min=st.sampled_from(Label),
)
_then = st.sampled_from(Consequence)
cascades = st.builds(
    CascadePolicy, retracted=_then, deprecated=_then, superseded=_then, expired=_then, contested=_then, erased=_then
)
disputes = st.builds(
    DisputePolicy,
    detector=st.sampled_from(DetectorEffect),
    judge=st.sampled_from(DetectorEffect),
    quorum=st.integers(1, 1_000),
)
policies = st.builds(
    Policy,
    version=st.just(1),
    name=identifiers,
    actors=st.dictionaries(
        names | st.just("*"), st.builds(PolicyMember, roles=several(names), projects=several(names))
    ),
    write=several(write_rules),
    read=several(read_rules),
    review=several(review_rules),
    safety=st.builds(SafetyPolicy, secrets=st.sampled_from(SecretsPolicy)),
    evidence=st.builds(EvidencePolicy, required_for=several(st.sampled_from(Kind))),
    trust=trusts,
    cascade=cascades,
    disputes=disputes,
)
known_actors = st.builds(
    Actor,
    id=names,
    type=st.sampled_from(ActorType),
    roles=several(names),
    teams=several(names | st.just("*")),
    projects=several(names | st.just("*")),
    sessions=several(names | st.just("*")),
)


def _placed(record: Record, place: Place) -> Record:
    return msgspec.structs.replace(record, claim=msgspec.structs.replace(record.claim, place=place))


known_records = st.builds(
    _placed, records, st.builds(Place, scope=st.sampled_from(Scope), scope_id=names, namespace=spaces)
)
