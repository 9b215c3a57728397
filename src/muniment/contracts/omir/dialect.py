"""The plain part of OMIR: which field of a resource is which field of a memory. Four resources, four dialects.

A *native* memory was read from an OMIR document and is written as the resource it was. Any other memory is written as
a MemoryRecord, with everything that it needs to pass the strict level. Entities, relationships and episodes are
memories of their own, so that their names are found by whoever asks for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import ClassVar

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_text
from muniment.contracts.omir.fields import (
    EPOCH,
    at,
    belief,
    carried_id,
    confidence,
    content,
    decay_of,
    instant_at,
    made_at,
    name_id,
    origin,
    positive_at,
    put,
    share_at,
    show,
    shown,
    until,
    whole_at,
    word_at,
)
from muniment.contracts.omir.terms import CONTRACT, MATURITY, RELEASE, Resource
from muniment.contracts.omir.told import OmirNotice
from muniment.contracts.omir.wire import DOCUMENTS
from muniment.contracts.shape import flaws
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.claim import Claim, Lineage, Nature, Origin, Strength, Times
from muniment.model.errors import Malformed
from muniment.model.vocabulary import Kind, MemoryType, Tier

SLOT = "extension"
"""Where our own words stand while a document is between its text and a memory. Its text is made and taken apart by
`texts`; no dialect sees the extensions of others."""

_LIFECYCLES = frozenset({"memory", "plan", "prompt", "learning"})
_KINDS = {
    "decision": Kind.DECISION,
    "intention": Kind.INTENTION,
    "learning": Kind.FACT,
    "discovery": Kind.FACT,
    "pattern": Kind.FACT,
}
_EXPERIENCES = frozenset(
    {
        *_KINDS,
        "conversation",
        "error",
        "context",
        "task",
        "code_edit",
        "file_access",
        "search",
        "command",
        "observation",
    }
)
_NEAREST = {
    Kind.FACT: "learning",
    Kind.DECISION: "decision",
    Kind.PROCEDURE: "pattern",
    Kind.INTENTION: "intention",
    Kind.SYNTHESIS: "learning",
    Kind.CORRECTION: "learning",
    Kind.RISK: "error",
    Kind.CONSTRAINT: "context",
    Kind.ASSUMPTION: "context",
    Kind.DIRECTIVE: "context",
}


@dataclass(frozen=True, slots=True)
class Dialect(ABC):
    """What the four have in common. `names` are the names of the bundle's entities by id, `parents` the ids of
    memories that it may name as its parent, `past` is what a native memory was. A `wary` one reads documents that
    nobody has checked."""

    names: Mapping[str, str]
    parents: Set[str]
    past: OmirNotice | None
    wary: bool = False

    kind: ClassVar[Resource]

    @property
    def name(self) -> str:
        return CONTRACT

    @property
    def native(self) -> bool:
        return self.past is not None

    def read(self, document: JsonObject) -> InterchangeRecord:
        if self.wary and flaws(document, DOCUMENTS[self.kind]):
            raise Malformed("/", f"a valid {self.kind}")
        return self._read(document)

    @abstractmethod
    def _read(self, document: JsonObject) -> InterchangeRecord: ...

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject:
        return {**document, SLOT: words}

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        if SLOT not in document:
            return document, None
        bare = dict(document)
        return bare, bare.pop(SLOT)

    def _named(self, refs: Json) -> tuple[str, ...]:
        """The names of the entities that are referred to, as many as a record can hold."""
        if not isinstance(refs, list):
            return ()
        return tuple(self._name(ref) for ref in refs[: checks.LIST_LENGTH_MAX])

    def _name(self, ref: Json) -> str:
        id_ = str(at(ref, "ref")).partition("/")[2]
        return safe_text(self.names.get(id_, id_))

    def _refs(self, names: tuple[str, ...]) -> list[Json]:
        """References to entities of these names: to those the memory came with where the name is still the same."""
        held = self.past.refs if self.past is not None else ()
        return [
            {"ref": f"Entity/{held[place][0] if place < len(held) and held[place][1] == name else name_id(name)}"}
            for place, name in enumerate(names)
        ]

    def _opening(self, memory: InterchangeRecord) -> JsonObject:
        """What every resource begins with. A memory of ours says how ripe its type is and as of when its numbers
        hold; a native one what it said of itself."""
        if self.past is None:
            stamp = max(memory.updated_at or EPOCH, memory.last_access or EPOCH, made_at(memory))
            meta: JsonObject = {"omirVersion": RELEASE, "maturity": MATURITY[self.kind], "lastUpdated": show(stamp)}
            return {"resourceType": self.kind.value, "id": memory.id, "meta": meta}
        found: JsonObject = {"resourceType": self.kind.value, "id": memory.id.removeprefix(f"{self.kind}:")}
        if self.past.meta is not None or memory.updated_at is not None:
            own: JsonObject = {"omirVersion": RELEASE}
            own.update(self.past.said)
            put(own, "lastUpdated", shown(memory.updated_at))
            found["meta"] = own
        return found


class RecordDialect(Dialect):
    kind = Resource.MEMORY

    def _read(self, document: JsonObject) -> InterchangeRecord:
        lifecycle, experience = word_at(document, "kind"), word_at(document, "experienceType")
        decay, parent = document.get("decay"), word_at(document, "parentId")
        claim = Claim(
            content=content(document),
            nature=Nature(
                kind=_KINDS.get(experience or lifecycle or "", Kind.OBSERVATION),
                experience=experience,
                lifecycle=lifecycle,
            ),
            origin=origin(document.get("provenance")),
            belief=belief(document.get("confidence")),
            times=Times(event_time=instant_at(document, "eventTime"), valid_until=instant_at(document, "validUntil")),
            lineage=Lineage(
                parent=carried_id(Resource.MEMORY, parent) if parent is not None else None,
                entities=self._named(document.get("entityRefs")),
            ),
            strength=Strength(
                importance=share_at(document, "importance"),
                tier=Tier(word_at(document, "tier") or Tier.WORKING),
                half_life_hours=positive_at(decay, "halfLifeHours"),
                anchored=at(decay, "anchored") is True,
            ),
        )
        return InterchangeRecord(
            id=carried_id(Resource.MEMORY, str(document["id"])),
            claim=claim,
            revision=whole_at(document, "version", least=1, most=2**31),
            created_at=instant_at(document, "createdAt"),
            updated_at=instant_at(document.get("meta"), "lastUpdated"),
            accesses=whole_at(decay, "accessCount", least=0, most=2**53),
            last_access=instant_at(decay, "lastAccess"),
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        found = self._opening(memory)
        found["content"] = claim.content
        put(found, "kind", claim.nature.lifecycle if claim.nature.lifecycle in _LIFECYCLES else None)
        put(found, "experienceType", self._experience(claim.nature))
        put(found, "tier", claim.strength.tier.value if claim.strength.tier is not Tier.WORKING else None)
        found["createdAt"] = show(made_at(memory))
        put(found, "eventTime", shown(claim.times.event_time))
        put(found, "validUntil", shown(until(memory)))
        put(found, "importance", claim.strength.importance if claim.strength.importance != 0.5 else None)
        put(found, "confidence", confidence(memory))
        put(found, "decay", decay_of(memory))
        put(found, "provenance", self._provenance(memory))
        put(found, "entityRefs", self._refs(claim.lineage.entities))
        put(found, "parentId", claim.lineage.parent if claim.lineage.parent in self.parents else None)
        put(found, "version", memory.revision if memory.revision != 1 else None)
        return found

    def _experience(self, nature: Nature) -> str | None:
        if nature.experience in _EXPERIENCES or self.native:
            return nature.experience if nature.experience in _EXPERIENCES else None
        return _NEAREST.get(nature.kind, "observation")

    def _provenance(self, memory: InterchangeRecord) -> JsonObject:
        """Where it came from; for one of ours that does not say, who wrote it."""
        origin = memory.claim.origin
        found: JsonObject = {}
        put(found, "source", origin.source if origin.source is not None or self.native else memory.actor)
        put(found, "sourceType", origin.source_type)
        put(found, "credibility", origin.credibility)
        put(found, "externalId", origin.external_id)
        return found


class EntityDialect(Dialect):
    kind = Resource.ENTITY

    def _read(self, document: JsonObject) -> InterchangeRecord:
        name, summary = safe_text(str(document["name"])), document.get("summary")
        words = f"{name}: {summary}" if isinstance(summary, str) and summary else name
        claim = Claim(
            content=safe_text(words, limit=checks.CONTENT_BYTES_MAX),
            nature=Nature(lifecycle="entity"),
            lineage=Lineage(entities=(name,)),
            strength=Strength(importance=share_at(document, "salience")),
        )
        return _thing(Resource.ENTITY, document, claim)

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        found = self._opening(memory)
        name = claim.lineage.entities[0] if claim.lineage.entities else claim.content
        found["name"] = name
        put(found, "summary", claim.content[len(name) + 2 :] if claim.content.startswith(f"{name}: ") else None)
        put(found, "salience", claim.strength.importance if claim.strength.importance != 0.5 else None)
        put(found, "createdAt", shown(memory.created_at))
        return found


class RelationshipDialect(Dialect):
    kind = Resource.RELATIONSHIP

    def _read(self, document: JsonObject) -> InterchangeRecord:
        pair = self._name(document["from"]), self._name(document["to"])
        relation, context = str(document["relationType"]), document.get("context")
        words = context if isinstance(context, str) and context.strip() else f"{pair[0]} {relation} {pair[1]}"
        claim = Claim(
            content=safe_text(words, limit=checks.CONTENT_BYTES_MAX),
            nature=Nature(lifecycle="relationship"),
            times=Times(valid_until=instant_at(document, "invalidatedAt")),
            lineage=Lineage(entities=pair),
            strength=Strength(importance=share_at(document, "strength")),
        )
        return _thing(Resource.RELATIONSHIP, document, claim)

    def write(self, memory: InterchangeRecord) -> JsonObject:
        """The type of the relation is kept beside what we can say of it; this stands in for it."""
        claim = memory.claim
        pair = (*claim.lineage.entities, "?", "?")[:2]
        found = self._opening(memory)
        found["from"], found["to"] = self._refs(pair)
        found["relationType"] = "related_to"
        put(found, "strength", claim.strength.importance if claim.strength.importance != 0.5 else None)
        found["context"] = claim.content
        put(found, "createdAt", shown(memory.created_at))
        put(found, "invalidatedAt", shown(until(memory)))
        return found


class EpisodeDialect(Dialect):
    kind = Resource.EPISODE

    def _read(self, document: JsonObject) -> InterchangeRecord:
        claim = Claim(
            content=content(document),
            nature=Nature(memory_type=MemoryType.EPISODIC, lifecycle="episode"),
            origin=Origin(source_type=word_at(document, "source")),
            times=Times(event_time=instant_at(document, "eventTime")),
            lineage=Lineage(entities=self._named(document.get("entityRefs"))),
        )
        return _thing(Resource.EPISODE, document, claim)

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        found = self._opening(memory)
        found["content"] = claim.content
        source = claim.origin.source_type
        put(found, "source", source if source in ("message", "document", "event", "observation") else None)
        put(found, "eventTime", shown(claim.times.event_time))
        found["createdAt"] = show(made_at(memory))
        put(found, "entityRefs", self._refs(claim.lineage.entities))
        return found


DIALECTS: dict[Resource, type[RecordDialect] | type[EntityDialect] | type[RelationshipDialect] | type[EpisodeDialect]]
DIALECTS = {
    Resource.MEMORY: RecordDialect,
    Resource.ENTITY: EntityDialect,
    Resource.RELATIONSHIP: RelationshipDialect,
    Resource.EPISODE: EpisodeDialect,
}


def _thing(kind: Resource, document: JsonObject, claim: Claim) -> InterchangeRecord:
    return InterchangeRecord(
        id=carried_id(kind, str(document["id"])),
        claim=claim,
        created_at=instant_at(document, "createdAt"),
        updated_at=instant_at(document.get("meta"), "lastUpdated"),
    )
