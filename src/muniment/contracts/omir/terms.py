"""The words of OMIR R1 that more than one of our modules says: types, fields in their order, and our own URLs."""

from __future__ import annotations

from enum import StrEnum

RELEASE = "R1"
CONTEXT_URL = "https://omir.io/spec/R1/context.jsonld"
CONTRACT = "omir"

MEMORY_URL = "urn:muniment:omir:memory"
DRAFT_URL = "urn:muniment:omir:draft-fields"
NAME_URL = "urn:muniment:omir:name"
RULES_URL = "urn:muniment:omir:evolution"
SUCCESSOR_URL = "urn:muniment:omir:successor"
URLS = (MEMORY_URL, DRAFT_URL, NAME_URL, RULES_URL, SUCCESSOR_URL)
"""Every URL we write extensions under. Nothing private of ours stands anywhere else."""

RAW = "omir.extension"
TOLD = "omir.carried"
ENVELOPE = "omir.bundle"
"""Names of the extensions of a claim that keep what a document said beside its plain part: the text of its
extensions, what its carrier told of it, and the envelope it came in."""


class OmirVersion(StrEnum):
    """Which fields are written in their own place: those of the published pages, or those of the draft as well."""

    R1 = "R1"
    R1X = "R1.x"


class Resource(StrEnum):
    MEMORY = "MemoryRecord"
    ENTITY = "Entity"
    RELATIONSHIP = "Relationship"
    EPISODE = "Episode"


MATURITY = {Resource.MEMORY: 4, Resource.ENTITY: 3, Resource.RELATIONSHIP: 3, Resource.EPISODE: 3}

DRAFT = {
    Resource.MEMORY: ("informationContent", "replayPriority", "interference"),
    Resource.ENTITY: (),
    Resource.RELATIONSHIP: ("reverseStrength", "normalizedStrength", "normalization"),
    Resource.EPISODE: ("boundaryStrength", "boundaryReason"),
}
DRAFT_ENVELOPE = "familiaritySketch"

ORDER = {
    Resource.MEMORY: (
        "resourceType",
        "id",
        "meta",
        "content",
        "kind",
        "experienceType",
        "tier",
        "createdAt",
        "eventTime",
        "validUntil",
        "importance",
        "confidence",
        "decay",
        "provenance",
        "entityRefs",
        "parentId",
        "version",
        *DRAFT[Resource.MEMORY],
        "extension",
    ),
    Resource.ENTITY: (
        "resourceType",
        "id",
        "meta",
        "name",
        "labels",
        "summary",
        "mentionCount",
        "salience",
        "properNoun",
        "attributes",
        "createdAt",
        "lastSeenAt",
        "extension",
    ),
    Resource.RELATIONSHIP: (
        "resourceType",
        "id",
        "meta",
        "from",
        "to",
        "relationType",
        "strength",
        *DRAFT[Resource.RELATIONSHIP],
        "context",
        "createdAt",
        "validAt",
        "invalidatedAt",
        "sourceEpisode",
        "extension",
    ),
    Resource.EPISODE: (
        "resourceType",
        "id",
        "meta",
        "name",
        "content",
        "source",
        "eventTime",
        "createdAt",
        "entityRefs",
        "metadata",
        *DRAFT[Resource.EPISODE],
        "extension",
    ),
}
"""The order in which the fields of a resource are written."""
