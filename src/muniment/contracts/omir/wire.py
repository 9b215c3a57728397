"""The resources of OMIR R1 and the draft fields of R1.x as wire types: the one definition of their shape."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from muniment.contracts.shape import Wire

RELEASE = "R1"
CANONICAL_CONTEXT = "https://omir.io/spec/R1/context.jsonld"

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,128}$")]
Ref = Annotated[str, Meta(pattern=r"^(MemoryRecord|Entity|Relationship|Episode)/[A-Za-z0-9._:-]{1,128}$")]
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Uri = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Unit = Annotated[float, Meta(ge=0, le=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0)]
OneOrMore = Annotated[int, Meta(ge=1)]

Kind = Literal["memory", "plan", "prompt", "learning"]
Tier = Literal["working", "session", "longterm", "archive"]
Experience = Literal[
    "conversation",
    "decision",
    "error",
    "learning",
    "discovery",
    "pattern",
    "context",
    "task",
    "code_edit",
    "file_access",
    "search",
    "command",
    "observation",
    "intention",
]
Label = Literal[
    "person",
    "organization",
    "location",
    "technology",
    "concept",
    "event",
    "date",
    "product",
    "skill",
    "keyword",
    "project",
    "other",
]
EpisodeSource = Literal["message", "document", "event", "observation"]


class Reference(Wire, gc=False):
    ref: Ref


class MetaBlock(Wire, rename="camel", gc=False):
    """What a resource says about itself: the release, the profiles it claims, who wrote it when."""

    omir_version: Literal["R1"] | UnsetType = UNSET
    profile: list[Uri] | UnsetType = UNSET
    source: str | UnsetType = UNSET
    created_at: Instant | UnsetType = UNSET
    last_updated: Instant | UnsetType = UNSET
    maturity: Annotated[int, Meta(ge=0, le=5)] | UnsetType = UNSET


class Extension(Wire, rename="camel", gc=False):
    url: Uri
    value_string: str | UnsetType = UNSET
    value_number: float | UnsetType = UNSET
    value_boolean: bool | UnsetType = UNSET
    value_json: Raw | UnsetType = UNSET


class Confidence(Wire, gc=False):
    alpha: Positive | UnsetType = UNSET
    beta: Positive | UnsetType = UNSET
    calibrated: Unit | UnsetType = UNSET


class Decay(Wire, rename="camel", gc=False):
    half_life_hours: Positive | UnsetType = UNSET
    last_access: Instant | UnsetType = UNSET
    access_count: Count | UnsetType = UNSET
    anchored: bool | UnsetType = UNSET


class Provenance(Wire, rename="camel", gc=False):
    source: str | UnsetType = UNSET
    source_type: str | UnsetType = UNSET
    credibility: Unit | UnsetType = UNSET
    external_id: str | UnsetType = UNSET


class InformationContent(Wire, rename="camel", gc=False):
    """A draft of R1.x: how new a memory was to whoever wrote it."""

    novelty: Unit | UnsetType = UNSET
    surprisal_bits: NotNegative | UnsetType = UNSET
    model: str | UnsetType = UNSET
    reconstructable: bool | UnsetType = UNSET
    reconstructable_by: str | UnsetType = UNSET


class Interference(Wire, rename="camel", gc=False):
    """A draft of R1.x: how much a memory competes with others."""

    need_probability: Unit | UnsetType = UNSET
    local_density: NotNegative | UnsetType = UNSET
    competes_with: list[Reference] | UnsetType = UNSET


class FamiliaritySketch(Wire, rename="camel", gc=False):
    """A draft of R1.x: a filter that says what a producer surely does not know."""

    kind: Literal["bloom", "count_min"]
    domain: Literal["entity", "cue", "content"]
    hashes: OneOrMore
    bits: OneOrMore
    hash_alg: str
    data: str


class EdgeNormalization(Wire, gc=False):
    """A draft of R1.x: by which rule a normalised strength was made."""

    scheme: Literal["fan", "softmax", "none"] | UnsetType = UNSET
    over: Literal["source", "target"] | UnsetType = UNSET


class MemoryRecord(Wire, rename="camel", tag_field="resourceType", tag="MemoryRecord", gc=False):
    id: Id
    content: str
    created_at: Instant
    meta: MetaBlock | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET
    experience_type: Experience | UnsetType = UNSET
    tier: Tier | UnsetType = UNSET
    event_time: Instant | UnsetType = UNSET
    importance: Unit | UnsetType = UNSET
    confidence: Confidence | UnsetType = UNSET
    decay: Decay | UnsetType = UNSET
    provenance: Provenance | UnsetType = UNSET
    entity_refs: list[Reference] | UnsetType = UNSET
    parent_id: Id | UnsetType = UNSET
    valid_until: Instant | UnsetType = UNSET
    version: OneOrMore | UnsetType = UNSET
    extension: list[Extension] | UnsetType = UNSET
    information_content: InformationContent | UnsetType = UNSET
    replay_priority: Unit | UnsetType = UNSET
    interference: Interference | UnsetType = UNSET


class Entity(Wire, rename="camel", tag_field="resourceType", tag="Entity", gc=False):
    id: Id
    name: str
    meta: MetaBlock | UnsetType = UNSET
    labels: list[Label] | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    mention_count: Count | UnsetType = UNSET
    salience: Unit | UnsetType = UNSET
    proper_noun: bool | UnsetType = UNSET
    attributes: dict[str, str] | UnsetType = UNSET
    created_at: Instant | UnsetType = UNSET
    last_seen_at: Instant | UnsetType = UNSET
    extension: list[Extension] | UnsetType = UNSET


class Relationship(Wire, rename="camel", tag_field="resourceType", tag="Relationship", gc=False):
    """An edge. A normalised strength needs its normalization: no schema of a struct can say that, the check does."""

    id: Id
    from_: Reference = msgspec.field(name="from")
    to: Reference
    relation_type: str
    meta: MetaBlock | UnsetType = UNSET
    strength: Unit | UnsetType = UNSET
    context: str | UnsetType = UNSET
    created_at: Instant | UnsetType = UNSET
    valid_at: Instant | UnsetType = UNSET
    invalidated_at: Instant | UnsetType = UNSET
    source_episode: Reference | UnsetType = UNSET
    extension: list[Extension] | UnsetType = UNSET
    reverse_strength: Unit | UnsetType = UNSET
    normalized_strength: Unit | UnsetType = UNSET
    normalization: EdgeNormalization | UnsetType = UNSET


class Episode(Wire, rename="camel", tag_field="resourceType", tag="Episode", gc=False):
    id: Id
    content: str
    created_at: Instant
    meta: MetaBlock | UnsetType = UNSET
    name: str | UnsetType = UNSET
    source: EpisodeSource | UnsetType = UNSET
    event_time: Instant | UnsetType = UNSET
    entity_refs: list[Reference] | UnsetType = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    extension: list[Extension] | UnsetType = UNSET
    boundary_strength: Unit | UnsetType = UNSET
    boundary_reason: str | UnsetType = UNSET


Resource = MemoryRecord | Entity | Relationship | Episode


class Bundle(Wire, rename="camel", tag_field="resourceType", tag="Bundle", gc=False):
    """The document: the four resources in one envelope, in no order."""

    omir_version: Literal["R1"]
    entry: list[MemoryRecord | Entity | Relationship | Episode]
    context: Raw | UnsetType = msgspec.field(name="@context", default=UNSET)
    id: Id | UnsetType = UNSET
    generated_at: Instant | UnsetType = UNSET
    source: str | UnsetType = UNSET
    familiarity_sketch: FamiliaritySketch | UnsetType = UNSET


class Envelope(Wire, rename="camel", gc=False):
    """A bundle as its envelope is looked at: what the release and the type must be, and what the entries are, is asked
    apart, so that each gets a finding of its own."""

    resource_type: str
    omir_version: str
    entry: list[Raw]
    context: Raw | UnsetType = msgspec.field(name="@context", default=UNSET)
    id: Id | UnsetType = UNSET
    generated_at: Instant | UnsetType = UNSET
    source: str | UnsetType = UNSET
    familiarity_sketch: FamiliaritySketch | UnsetType = UNSET


RESOURCES: dict[str, type[Resource]] = {
    "MemoryRecord": MemoryRecord,
    "Entity": Entity,
    "Relationship": Relationship,
    "Episode": Episode,
}

DOCUMENTS: dict[str, type] = {"Bundle": Bundle, **RESOURCES}

GRADES = {"MemoryRecord": 4, "Entity": 3, "Relationship": 3, "Episode": 3}
"""The maturity R1 gives to each type of resource."""

DRAFT_FIELDS: dict[str, tuple[str, ...]] = {
    "Bundle": ("familiaritySketch",),
    "MemoryRecord": ("informationContent", "replayPriority", "interference"),
    "Entity": (),
    "Relationship": ("reverseStrength", "normalizedStrength", "normalization"),
    "Episode": ("boundaryStrength", "boundaryReason"),
}
"""The fields of R1.x that R1 does not have."""
