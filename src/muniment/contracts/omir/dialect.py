"""The plain part of OMIR: which field of a resource is which field of a memory. Four resources, four dialects.

A *native* memory was read from an OMIR document and is written as the resource it was. Any other memory is written as
a MemoryRecord, with everything that it needs to pass the strict level. Entities, relationships and episodes are
memories of their own, so that their names are found by whoever asks for them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from muniment.contracts.carried import Carried
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.omir.rules import calibrated, plausible
from muniment.contracts.omir.terms import CONTRACT, MATURITY, RELEASE, Resource
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Claim, Lineage, Nature, Origin, Strength, Times
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, MemoryType, Tier

SLOT = "extension"
"""Where our own words stand while a document is between its text and a memory. Its text is made and taken apart by
`texts`; no dialect sees the extensions of others."""

EPOCH = Instant(0)
"""When a memory was made of which nobody says when."""

_HUGE = 1e307
_WHOLE = 2.0**53
_REMEMBERED = 16_384
_PREFIXES = tuple(f"{kind}:" for kind in Resource if kind is not Resource.MEMORY)
_WAITING = frozenset({Status.PROPOSED, Status.HELD, Status.DRAFT})

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


_read_instant = lru_cache(maxsize=_REMEMBERED)(instant_of)
_show = lru_cache(maxsize=_REMEMBERED)(times.show)


def carried_id(kind: Resource, id_: str) -> str:
    """The id of the memory that a resource becomes. Ids are unique per type only, so the type stands in front of all
    but those of records.

    >>> carried_id(Resource.MEMORY, "a"), carried_id(Resource.ENTITY, "a")
    ('a', 'Entity:a')
    """
    if kind is not Resource.MEMORY:
        return safe_id(f"{kind}:{id_}")
    return safe_id(f"{kind}/{id_}") if id_.startswith(_PREFIXES) else id_


@lru_cache(maxsize=_REMEMBERED)
def name_id(name: str) -> str:
    """The id of the Entity that we make of a name: always the same, and readable as far as it can be.

    >>> name_id("Rust programming")
    'rust-programming.6eb4d8b0fe73'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
    return f"{slug}.{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class Told(Value):
    """The resource that a native memory was, beside what its fields say: its type and id, the ids and names of the
    entities it referred to, in order, what it said of itself, when it had last been used, and whether it did not say
    when it was made."""

    kind: Resource
    id: str
    refs: tuple[tuple[str, str], ...] = ()
    meta: dict[str, str | int | float | list[str]] | None = None
    last_access: Instant | None = None
    undated: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the four have in common. `names` are the names of the bundle's entities by id, `records` the ids of the
    memories that are its records, `past` what a native memory was."""

    names: Mapping[str, str]
    records: Set[str]
    past: Told | None

    @property
    def name(self) -> str:
        return CONTRACT

    @property
    def native(self) -> bool:
        return self.past is not None

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
        id_ = str(_at(ref, "ref")).partition("/")[2]
        return safe_text(self.names.get(id_, id_))

    def _refs(self, names: tuple[str, ...]) -> list[Json]:
        """References to entities of these names: to those the memory came with where the name is still the same."""
        held = self.past.refs if self.past is not None else ()
        return [
            {"ref": f"Entity/{held[place][0] if place < len(held) and held[place][1] == name else name_id(name)}"}
            for place, name in enumerate(names)
        ]

    def _opening(self, kind: Resource, memory: Carried) -> JsonObject:
        """What every resource begins with. A memory of ours says how ripe its type is and as of when its numbers
        hold; a native one what it said of itself."""
        if self.past is None:
            stamp = max(memory.updated_at or EPOCH, memory.last_access or EPOCH, made_at(memory))
            meta: JsonObject = {"omirVersion": RELEASE, "maturity": MATURITY[kind], "lastUpdated": _show(stamp)}
            return {"resourceType": kind.value, "id": memory.id, "meta": meta}
        found: JsonObject = {"resourceType": kind.value, "id": memory.id.removeprefix(f"{kind}:")}
        if self.past.meta is not None or memory.updated_at is not None:
            own: JsonObject = {"omirVersion": RELEASE}
            own.update(self.past.meta or {})
            _put(own, "lastUpdated", _shown(memory.updated_at))
            found["meta"] = own
        return found


class RecordDialect(Dialect):
    def read(self, document: JsonObject) -> Carried:
        lifecycle, experience = _word(document, "kind"), _word(document, "experienceType")
        decay, parent = document.get("decay"), _word(document, "parentId")
        claim = Claim(
            content=_content(document),
            nature=Nature(
                kind=_KINDS.get(experience or lifecycle or "", Kind.OBSERVATION),
                experience=experience,
                lifecycle=lifecycle,
            ),
            origin=_origin(document.get("provenance")),
            belief=_belief(document.get("confidence")),
            times=Times(event_time=_instant(document, "eventTime"), valid_until=_instant(document, "validUntil")),
            lineage=Lineage(
                parent=carried_id(Resource.MEMORY, parent) if parent is not None else None,
                entities=self._named(document.get("entityRefs")),
            ),
            strength=Strength(
                importance=_share(document, "importance"),
                tier=Tier(_word(document, "tier") or Tier.WORKING),
                half_life_hours=_positive(decay, "halfLifeHours"),
                anchored=_at(decay, "anchored") is True,
            ),
        )
        return Carried(
            id=carried_id(Resource.MEMORY, str(document["id"])),
            claim=claim,
            revision=_whole(document, "version", least=1, most=2**31),
            created_at=_instant(document, "createdAt"),
            updated_at=_instant(document.get("meta"), "lastUpdated"),
            accesses=_whole(decay, "accessCount", least=0, most=2**53),
            last_access=_instant(decay, "lastAccess"),
        )

    def write(self, memory: Carried) -> JsonObject:
        claim = memory.claim
        found = self._opening(Resource.MEMORY, memory)
        found["content"] = claim.content
        _put(found, "kind", claim.nature.lifecycle if claim.nature.lifecycle in _LIFECYCLES else None)
        _put(found, "experienceType", self._experience(claim.nature))
        _put(found, "tier", claim.strength.tier.value if claim.strength.tier is not Tier.WORKING else None)
        found["createdAt"] = _show(made_at(memory))
        _put(found, "eventTime", _shown(claim.times.event_time))
        _put(found, "validUntil", _shown(_until(memory)))
        _put(found, "importance", claim.strength.importance if claim.strength.importance != 0.5 else None)
        _put(found, "confidence", _confidence(memory))
        _put(found, "decay", _decay(memory))
        _put(found, "provenance", self._provenance(memory))
        _put(found, "entityRefs", self._refs(claim.lineage.entities))
        _put(found, "parentId", claim.lineage.parent if claim.lineage.parent in self.records else None)
        _put(found, "version", memory.revision if memory.revision != 1 else None)
        return found

    def _experience(self, nature: Nature) -> str | None:
        if nature.experience in _EXPERIENCES or self.native:
            return nature.experience if nature.experience in _EXPERIENCES else None
        return _NEAREST.get(nature.kind, "observation")

    def _provenance(self, memory: Carried) -> JsonObject:
        """Where it came from; for one of ours that does not say, who wrote it."""
        origin = memory.claim.origin
        found: JsonObject = {}
        _put(found, "source", origin.source if origin.source is not None or self.native else memory.actor)
        _put(found, "sourceType", origin.source_type)
        _put(found, "credibility", origin.credibility)
        _put(found, "externalId", origin.external_id)
        return found


class EntityDialect(Dialect):
    def read(self, document: JsonObject) -> Carried:
        name, summary = safe_text(str(document["name"])), document.get("summary")
        words = f"{name}: {summary}" if isinstance(summary, str) and summary else name
        claim = Claim(
            content=safe_text(words, limit=checks.CONTENT_BYTES_MAX),
            nature=Nature(lifecycle="entity"),
            lineage=Lineage(entities=(name,)),
            strength=Strength(importance=_share(document, "salience")),
        )
        return _thing(Resource.ENTITY, document, claim)

    def write(self, memory: Carried) -> JsonObject:
        claim = memory.claim
        found = self._opening(Resource.ENTITY, memory)
        name = claim.lineage.entities[0] if claim.lineage.entities else claim.content
        found["name"] = name
        _put(found, "summary", claim.content[len(name) + 2 :] if claim.content.startswith(f"{name}: ") else None)
        _put(found, "salience", claim.strength.importance if claim.strength.importance != 0.5 else None)
        _put(found, "createdAt", _shown(memory.created_at))
        return found


class RelationshipDialect(Dialect):
    def read(self, document: JsonObject) -> Carried:
        pair = self._name(document["from"]), self._name(document["to"])
        relation, context = str(document["relationType"]), document.get("context")
        words = context if isinstance(context, str) and context.strip() else f"{pair[0]} {relation} {pair[1]}"
        claim = Claim(
            content=safe_text(words, limit=checks.CONTENT_BYTES_MAX),
            nature=Nature(lifecycle="relationship"),
            times=Times(valid_until=_instant(document, "invalidatedAt")),
            lineage=Lineage(entities=pair),
            strength=Strength(importance=_share(document, "strength")),
        )
        return _thing(Resource.RELATIONSHIP, document, claim)

    def write(self, memory: Carried) -> JsonObject:
        """The type of the relation is kept beside what we can say of it; this stands in for it."""
        claim = memory.claim
        pair = (*claim.lineage.entities, "?", "?")[:2]
        found = self._opening(Resource.RELATIONSHIP, memory)
        found["from"], found["to"] = self._refs(pair)
        found["relationType"] = "related_to"
        _put(found, "strength", claim.strength.importance if claim.strength.importance != 0.5 else None)
        found["context"] = claim.content
        _put(found, "createdAt", _shown(memory.created_at))
        _put(found, "invalidatedAt", _shown(_until(memory)))
        return found


class EpisodeDialect(Dialect):
    def read(self, document: JsonObject) -> Carried:
        claim = Claim(
            content=_content(document),
            nature=Nature(memory_type=MemoryType.EPISODIC, lifecycle="episode"),
            origin=Origin(source_type=_word(document, "source")),
            times=Times(event_time=_instant(document, "eventTime")),
            lineage=Lineage(entities=self._named(document.get("entityRefs"))),
        )
        return _thing(Resource.EPISODE, document, claim)

    def write(self, memory: Carried) -> JsonObject:
        claim = memory.claim
        found = self._opening(Resource.EPISODE, memory)
        found["content"] = claim.content
        source = claim.origin.source_type
        _put(found, "source", source if source in ("message", "document", "event", "observation") else None)
        _put(found, "eventTime", _shown(claim.times.event_time))
        found["createdAt"] = _show(made_at(memory))
        _put(found, "entityRefs", self._refs(claim.lineage.entities))
        return found


Any4 = RecordDialect | EntityDialect | RelationshipDialect | EpisodeDialect
DIALECTS: dict[Resource, type[RecordDialect] | type[EntityDialect] | type[RelationshipDialect] | type[EpisodeDialect]]
DIALECTS = {
    Resource.MEMORY: RecordDialect,
    Resource.ENTITY: EntityDialect,
    Resource.RELATIONSHIP: RelationshipDialect,
    Resource.EPISODE: EpisodeDialect,
}


def made_at(memory: Carried) -> Instant:
    """When a memory was made; if nobody says, when what it tells of happened or began to hold."""
    said = memory.claim.times
    for instant in (memory.created_at, said.event_time, said.valid_from):
        if instant is not None:
            return instant
    return EPOCH


def _thing(kind: Resource, document: JsonObject, claim: Claim) -> Carried:
    return Carried(
        id=carried_id(kind, str(document["id"])),
        claim=claim,
        created_at=_instant(document, "createdAt"),
        updated_at=_instant(document.get("meta"), "lastUpdated"),
    )


def told_of(kind: Resource, document: JsonObject, names: Mapping[str, str]) -> Told:
    """What a resource was, beside what its fields say of the memory it becomes."""
    ids = [ref.partition("/")[2] for ref in refs(document)][: checks.LIST_LENGTH_MAX]
    meta = document.get("meta")
    return Told(
        kind=kind,
        id=str(document["id"]),
        refs=tuple((id_, safe_text(names.get(id_, id_))) for id_ in ids),
        meta=_without_stamp(meta) if isinstance(meta, dict) else None,
        last_access=_instant(document.get("decay"), "lastAccess"),
        undated="createdAt" not in document,
    )


def refs(entry: JsonObject) -> Iterator[str]:
    """Every reference to an entity in a resource."""
    listed = entry.get("entityRefs")
    for holder in (entry.get("from"), entry.get("to"), *(listed if isinstance(listed, list) else ())):
        if isinstance(holder, dict):
            yield str(holder["ref"])


def _without_stamp(meta: JsonObject) -> dict[str, str | int | float | list[str]]:
    return {
        key: [str(one) for one in value] if isinstance(value, list) else value
        for key, value in meta.items()
        if key != "lastUpdated" and value is not None and not isinstance(value, dict)
    }


def _until(memory: Carried) -> Instant | None:
    """Until when it holds. What no longer speaks ended when it was last changed, if not before."""
    said = memory.claim.times
    known = [instant for instant in (said.valid_until, said.expires_at) if instant is not None]
    if memory.status not in CURRENT and memory.status not in _WAITING:
        known.append(memory.updated_at or made_at(memory))
    return min(known, default=None)


def _confidence(memory: Carried) -> JsonObject:
    belief = memory.claim.belief
    alpha, beta = belief.alpha + memory.helpful, belief.beta + memory.misleading
    score = calibrated(alpha, beta) if memory.helpful or memory.misleading else belief.score
    if alpha == beta == 1.0:
        return {"calibrated": score} if score != 0.5 else {}
    found: JsonObject = {"alpha": alpha, "beta": beta}
    if plausible(score, alpha, beta):
        found["calibrated"] = score
    return found


def _belief(confidence: Json) -> Belief:
    alpha, beta = _positive(confidence, "alpha") or 1.0, _positive(confidence, "beta") or 1.0
    given = _at(confidence, "calibrated")
    score = float(given) if isinstance(given, (int, float)) else alpha / (alpha + beta)
    return Belief(score=score, alpha=alpha, beta=beta)


def _decay(memory: Carried) -> JsonObject:
    found: JsonObject = {}
    hours = memory.claim.strength.half_life_hours
    _put(found, "halfLifeHours", int(hours) if hours is not None and hours < _WHOLE and hours.is_integer() else hours)
    _put(found, "lastAccess", _shown(memory.last_access))
    _put(found, "accessCount", memory.accesses or None)
    _put(found, "anchored", memory.claim.strength.anchored or None)
    return found


def _origin(provenance: Json) -> Origin:
    credibility = _at(provenance, "credibility")
    return Origin(
        source=_text(provenance, "source"),
        source_type=_text(provenance, "sourceType"),
        credibility=float(credibility) if isinstance(credibility, (int, float)) else None,
        external_id=_text(provenance, "externalId"),
    )


def _put(document: JsonObject, name: str, value: Json) -> None:
    """Write a field that says something."""
    if value is not None and value != {} and value != []:
        document[name] = value


def _at(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _content(document: JsonObject) -> str:
    return safe_text(str(document["content"]), limit=checks.CONTENT_BYTES_MAX)


def _text(value: Json, name: str) -> str | None:
    found = _at(value, name)
    return safe_text(found) if isinstance(found, str) and found.strip() else None


def _word(document: JsonObject, name: str) -> str | None:
    """One of the words that the contract lists, or an id: text that a record can hold as it is."""
    found = document.get(name)
    return found if isinstance(found, str) else None


def _instant(value: Json, name: str) -> Instant | None:
    found = _at(value, name)
    return _read_instant(found) if isinstance(found, str) else None


def _shown(instant: Instant | None) -> str | None:
    return _show(instant) if instant is not None else None


def _share(value: Json, name: str) -> float:
    found = _at(value, name)
    return float(found) if isinstance(found, (int, float)) else 0.5


def _positive(value: Json, name: str) -> float | None:
    """A number above 0, no larger than a record can hold."""
    found = _at(value, name)
    return float(min(found, _HUGE)) if isinstance(found, (int, float)) else None


def _whole(value: Json, name: str, *, least: int, most: int) -> int:
    found = _at(value, name)
    return int(min(max(found, least), most)) if isinstance(found, (int, float)) else least
