"""Hypothesis strategies for the values of the model. Whatever they make is legal; nothing here is hostile."""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec
from hypothesis import strategies as st

from muniment.model.actor import Actor
from muniment.model.card import Card
from muniment.model.claim import (
    Belief,
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
from muniment.model.entry import Birth, Change, ConflictChange, DocumentRef, Entry, EntryKind, Filing, Role
from muniment.model.filter import AtLeast, AtMost, Both, Either, Filter, LiveAt, OneOf, Sourced, Under, ValidAt
from muniment.model.proposal import Proposal, Retraction, Ruling
from muniment.model.query import Query
from muniment.model.record import Record, Standing
from muniment.model.status import Status
from muniment.model.times import MAX, MIN, Instant
from muniment.model.vocabulary import (
    ActorType,
    ConflictStatus,
    Disposition,
    Kind,
    Label,
    MemoryClass,
    MemoryType,
    Outcome,
    RelationType,
    Scope,
    Sensitivity,
    Tier,
    TrustLevel,
)
from muniment.policy.rules import (
    Action,
    Evidence,
    Member,
    Policy,
    ReadRule,
    ReviewRule,
    Safety,
    Secrets,
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
)
standings = st.builds(Standing, status=st.sampled_from(Status), since=positions, successor=maybe(identifiers))
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
)
rulings = st.builds(
    Ruling,
    proposal=identifiers,
    accept=st.booleans(),
    reason=texts,
    kind=maybe(st.sampled_from(Kind)),
    scope=maybe(st.sampled_from(Scope)),
    scope_id=maybe(identifiers),
)
retractions = st.builds(Retraction, record=identifiers, reason=texts, expected_revision=maybe(st.integers(1, 2**31)))
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
    valid_at=maybe(instants),
    known_at=maybe(instants),
    limit=st.integers(0, 200),
    budget_tokens=maybe(st.integers(0, 10_000_000)),
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
    documents=several(st.builds(DocumentRef, doc=positions, role=st.sampled_from(Role), digest=digests)),
    dropped=several(positions),
    births=several(st.builds(Birth, rid=positions, id=identifiers, revision=positions, status=st.sampled_from(Status))),
    changes=several(st.builds(Change, rid=positions, status=st.sampled_from(Status), successor=maybe(identifiers))),
    filing=maybe(
        st.builds(
            Filing,
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
            opened=positions,
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
    label=st.integers(0, 6),
    confidence=shares,
    provenance=st.booleans(),
    actor=identifiers,
    created_at=instants,
    valid_from=maybe(instants),
    valid_until=maybe(instants),
    expires_at=maybe(instants),
    fingerprint=st.binary(min_size=16, max_size=16),
    slot=maybe(identifiers),
    born=st.just("active"),
    status=st.sampled_from(Status).map(str),
    since=positions,
    successor=maybe(identifiers),
)
_leaves: st.SearchStrategy[Filter] = st.one_of(
    st.builds(OneOf, field=st.just("kind"), words=several(st.sampled_from(Kind).map(str))),
    st.builds(OneOf, field=st.just("session_id"), words=several(identifiers)),
    st.builds(OneOf, field=st.just("status"), words=several(st.sampled_from(Status).map(str))),
    st.builds(AtLeast, field=st.just("trust"), value=st.integers(0, 2)),
    st.builds(AtMost, field=st.just("confidence"), value=shares),
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
    **_who,
)
policies = st.builds(
    Policy,
    version=st.just(1),
    name=identifiers,
    actors=st.dictionaries(names | st.just("*"), st.builds(Member, roles=several(names), projects=several(names))),
    write=several(write_rules),
    read=several(read_rules),
    review=several(review_rules),
    safety=st.builds(Safety, secrets=st.sampled_from(Secrets)),
    evidence=st.builds(Evidence, required_for=several(st.sampled_from(Kind))),
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
