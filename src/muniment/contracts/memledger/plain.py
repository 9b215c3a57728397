"""Which field of memledger's record is which of ours. What neither side can say is the codec's to keep."""

from __future__ import annotations

from functools import lru_cache
from typing import TypedDict

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.json_diff import unspell
from muniment.contracts.names import safe_id, safe_namespace, safe_text
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Claim, Intent, Lineage, Nature, Origin, Place, Strength, Times
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, MemoryType

SLOT = "muniment"
"""The key of `metadata` that carries what memledger's record has no field for."""

_WORDS = "memory"
_TOLD_AS: dict[Status, str] = {
    Status.ACTIVE: "active",
    Status.CONTESTED: "active",
    Status.SUPERSEDED: "deprecated",
    Status.DEPRECATED: "deprecated",
    Status.RETRACTED: "deprecated",
    Status.EXPIRED: "expired",
    Status.ARCHIVED: "archived",
    Status.PROPOSED: "archived",
    Status.HELD: "archived",
    Status.DRAFT: "archived",
    Status.DISCARDED: "archived",
    Status.ERASED: "archived",
}
"""The nearest of memledger's four states. What waits for a decision is not told as active."""

_NATURES = {
    "semantic": Nature(kind=Kind.OBSERVATION, memory_type=MemoryType.SEMANTIC),
    "episodic": Nature(kind=Kind.OBSERVATION, memory_type=MemoryType.EPISODIC),
    "procedural": Nature(kind=Kind.PROCEDURE, memory_type=MemoryType.PROCEDURAL),
}
"""What a record of each type is here. memledger says no more; the quiet choice asserts nothing beyond."""


def told_as(status: Status) -> str:
    """The state memledger would call it."""
    return _TOLD_AS[status]


class PlainRecord:
    """The plain part of the contract."""

    name = "memledger"

    def read(self, document: JsonObject) -> InterchangeRecord:
        content, id_ = document["content"], document["id"]
        assert isinstance(content, str), "checked by the shape"
        assert isinstance(id_, str), "checked by the shape"
        return InterchangeRecord(
            id=safe_id(id_),
            claim=_claim(document, content),
            status=Status(_text(document, "status") or "active"),
            actor=_name(document, "created_by") or _name(document, "agent_id"),
            created_at=_moment(document, "created_at"),
            updated_at=_moment(document, "updated_at"),
            accesses=int(_number(document, "access_count", 0)),
            last_access=_moment(document, "last_accessed_at"),
            helpful=float(_number(document, "success_count", 0)),
            misleading=float(_number(document, "failure_count", 0)),
            conflicts=tuple(_opponents(document)),
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        place, lineage = claim.place, claim.lineage
        document: JsonObject = {
            "id": memory.id,
            "content": claim.content,
            "record_type": claim.nature.memory_type.value,
            "status": _TOLD_AS[memory.status],
            "embedding": None,
            "namespace": place.namespace,
            "agent_id": memory.actor,
            "user_id": None,
            "session_id": place.session_id,
            "importance": claim.strength.importance,
            "metadata": {},
            "score": None,
            "supersedes": lineage.supersedes if lineage.supersedes != memory.id else None,
            "derived_from": [name for name in lineage.derived_from if name != memory.id],
            "created_by": memory.actor,
            "workflow_id": place.workflow_id,
            "triggered_by": claim.origin.triggered_by,
            "accessed_by": [],
            "confidence": claim.belief.score,
            "turn_context": claim.intent.question,
            "hedged": claim.belief.hedged,
            "confidence_flag": None,
            "conflicts": [{"existing_id": name} for name in memory.conflicts],
            "quality_score": None,
            "access_count": memory.accesses,
            "last_accessed_at": _shown(memory.last_access),
            "success_count": int(memory.helpful),
            "failure_count": int(memory.misleading),
        }
        for name, moment in (("created_at", memory.created_at), ("updated_at", memory.updated_at)):
            if moment is not None:
                document[name] = _spelled(moment)
        return _extras(document, claim)

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None:
        metadata = document.get("metadata", {})
        if not isinstance(metadata, dict) or SLOT in metadata:
            return None
        return {**document, "metadata": {**metadata, SLOT: {_WORDS: words}}}

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        metadata = document.get("metadata")
        words = metadata.get(SLOT) if isinstance(metadata, dict) else None
        if not isinstance(metadata, dict) or not isinstance(words, dict):
            return document, None
        if words.keys() != {_WORDS} or not unspell(words[_WORDS]):
            return document, None
        others = {key: value for key, value in metadata.items() if key != SLOT}
        return {**document, "metadata": others}, words[_WORDS]


PLAIN = PlainRecord()


def _extras(document: JsonObject, claim: Claim) -> JsonObject:
    """The fields of one record type."""
    match claim.nature.memory_type:
        case MemoryType.SEMANTIC:
            document["source"] = claim.origin.source
        case MemoryType.EPISODIC:
            document["event_time"] = _shown(claim.times.event_time)
            document["duration_ms"] = document["outcome"] = None
            document["actors"] = [*claim.lineage.entities]
        case MemoryType.PROCEDURAL:
            for name in ("steps", "preconditions", "tools_required"):
                document[name] = []
    return document


class _Parts(TypedDict, total=False):
    """The parts of a claim of which something is said; the others are the default ones, made once for all."""

    place: Place
    intent: Intent
    origin: Origin
    belief: Belief
    times: Times
    lineage: Lineage
    strength: Strength


def _claim(document: JsonObject, content: str) -> Claim:
    type_ = str(document["record_type"])
    said: _Parts = {}
    context, source = _said(document, "turn_context"), _said(document, "source") if type_ == "semantic" else None
    cause = _said(document, "triggered_by")
    if context is not None:
        said["intent"] = Intent(question=context)
    if source is not None or cause is not None:
        said["origin"] = Origin(source=source, triggered_by=cause)
    sure, hedged = _number(document, "confidence", 0.5), document.get("hedged") is True
    if hedged or sure != 0.5:
        said["belief"] = Belief(score=sure, hedged=hedged)
    happened = _moment(document, "event_time") if type_ == "episodic" else None
    if happened is not None:
        said["times"] = Times(event_time=happened)
    weight = _number(document, "importance", 0.5)
    if weight != 0.5:
        said["strength"] = Strength(importance=weight)
    _place(document, said)
    _lineage(document, said, actors=type_ == "episodic")
    return Claim(content=_clean(content, limit=checks.CONTENT_BYTES_MAX), nature=_NATURES[type_], **said)


def _place(document: JsonObject, said: _Parts) -> None:
    namespace = _namespace(_text(document, "namespace") or "/")
    session, workflow = _name(document, "session_id"), _name(document, "workflow_id")
    if namespace != "/" or session is not None or workflow is not None:
        said["place"] = Place(namespace=namespace, session_id=session, workflow_id=workflow)


def _lineage(document: JsonObject, said: _Parts, *, actors: bool) -> None:
    parents, replaced = _texts(document, "derived_from"), _name(document, "supersedes")
    names = _texts(document, "actors") if actors else []
    if parents or replaced is not None or names:
        said["lineage"] = Lineage(
            derived_from=tuple(safe_id(name) for name in parents),
            supersedes=replaced,
            entities=tuple(_clean(name) for name in names),
        )


def _clean(text: str, *, limit: int = checks.TEXT_BYTES_MAX) -> str:
    """Text a record can hold. What is printable, not blank and surely short enough is looked at no closer."""
    plain = text.isprintable() and len(text) * 4 <= limit and bool(text) and not text.isspace()
    return text if plain else safe_text(text, limit=limit)


_id = lru_cache(1024)(safe_id)
_namespace = lru_cache(1024)(safe_namespace)
_instant = lru_cache(1024)(instant_of)
_spelled = lru_cache(1024)(times.show)
"""Names, paths and times come again and again: of one file most are the same."""


def _text(document: JsonObject, name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) and value else None


def _said(document: JsonObject, name: str) -> str | None:
    """Free text as a record can hold it, or None where nothing is said."""
    value = _text(document, name)
    return _clean(value) if value is not None and not value.isspace() else None


def _name(document: JsonObject, name: str) -> str | None:
    value = _text(document, name)
    return _id(value) if value is not None else None


def _texts(document: JsonObject, name: str) -> list[str]:
    value = document.get(name)
    found = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    return found[: checks.LIST_LENGTH_MAX]


def _number(document: JsonObject, name: str, default: float) -> float:
    value = document.get(name)
    return value if isinstance(value, (int, float)) else default


def _moment(document: JsonObject, name: str) -> Instant | None:
    value = _text(document, name)
    return _instant(value) if value is not None else None


def _shown(moment: Instant | None) -> str | None:
    return _spelled(moment) if moment is not None else None


def _opponents(document: JsonObject) -> list[str]:
    value = document.get("conflicts")
    refs = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [safe_id(str(ref["existing_id"])) for ref in refs][: checks.LIST_LENGTH_MAX]
