"""The JSON form of every value: flat, in a fixed order, instants as ISO 8601, vocabularies as their words.

A record and what it counts for are one object (`id`, `content`, `kind`, …), wherever it is held. `to_dict()` gives this
form; REST, the command line and MCP answer with it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import TypedDict

from muniment.model.claim import Charter
from muniment.model.entry import Entry
from muniment.model.query import Disclosure, Dispute, Listing
from muniment.model.receipt import Account, Candidate
from muniment.model.record import Record, RecordState
from muniment.model.times import Instant, show
from muniment.model.value import Json, Value

HIDDEN: dict[type, frozenset[str]] = {
    Candidate: frozenset({"rid"}),
    Account: frozenset({"opponents", "policy"}),
    Entry: frozenset({"pepper"}),
    Listing: frozenset({"after"}),
}
"""Fields that never leave the process: numbers of documents, and what commitments are salted with."""


def form_of(value: Value) -> dict[str, Json]:
    """The form of a value that has none of its own: its fields, in their order."""
    hidden, hints = HIDDEN.get(type(value), frozenset()), _hints(type(value))
    return {name: _plain(getattr(value, name), hints[name]) for name in value.__struct_fields__ if name not in hidden}


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return typing.get_type_hints(kind)


def _plain(value: object, hint: object) -> Json:
    """What a field holds. Its declared type says whether a number is an instant."""
    match value:
        case None | bool() | float():
            return value
        case Value():
            return value.to_dict()
        case Enum():
            return str(value.value)
        case bytes():
            return value.hex()
        case int():
            return show(Instant(value)) if Instant in (hint, *_parts(hint)) else value
        case str():
            return str(value)
        case tuple() | list() | frozenset():
            return [_plain(one, part) for one, part in _items(value, hint)]
        case dict():
            return {str(name): _plain(one, None) for name, one in value.items()}
    raise TypeError(f"no JSON form for a {type(value).__name__}")


def _parts(hint: object) -> tuple[object, ...]:
    """The types that a union is of."""
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def _items(values: typing.Collection[object], hint: object) -> list[tuple[object, object]]:
    """Each item of a list with its declared type."""
    listed = next((one for one in (hint, *_parts(hint)) if typing.get_origin(one) in (tuple, list, frozenset)), None)
    inner = typing.get_args(listed)
    if not inner or inner[-1] is Ellipsis or len(inner) != len(values):
        return [(one, inner[0] if inner else None) for one in values]
    return list(zip(values, inner, strict=True))


def instant(value: Instant | None) -> str | None:
    return None if value is None else show(value)


class SlotShape(TypedDict):
    subject: str
    key: str
    value: str


class RelationShape(TypedDict):
    type: str
    id: str


class CharterShape(TypedDict):
    lawful_basis: str | None
    access: list[str]
    erasure: str | None
    retention_days: int | None
    source_quality: str | None
    reviewer: str | None
    barred_scopes: list[str]


def _charter_shape(charter: Charter) -> CharterShape:
    return {
        "lawful_basis": charter.lawful_basis,
        "access": list(charter.access),
        "erasure": charter.erasure,
        "retention_days": charter.retention_days,
        "source_quality": charter.source_quality,
        "reviewer": charter.reviewer,
        "barred_scopes": [scope.value for scope in charter.barred],
    }


class StandingShape(TypedDict):
    status: str
    since: int
    successor: str | None
    confidence: float
    confidence_stated: bool
    own_confidence: float
    effective_confidence: float
    alpha: float
    beta: float
    support: str
    origin: str
    label: str
    tier: str
    accesses: int
    last_access: str | None


def _standing_shape(record: Record, standing: RecordState) -> StandingShape:
    """What a revision counts for now. `confidence` is what was declared, `own` what outcomes made of it, `effective`
    what is left of that on the ground it stands on."""
    belief, footing, vigour = record.claim.belief, standing.footing, standing.vigour
    return {
        "status": standing.status.value,
        "since": standing.since,
        "successor": standing.successor,
        "confidence": belief.score,
        "confidence_stated": not belief.unstated,
        "own_confidence": footing.own,
        "effective_confidence": footing.effective,
        "alpha": belief.alpha + footing.helpful,
        "beta": belief.beta + footing.misleading,
        "support": footing.support.value,
        "origin": footing.label.value,
        "label": footing.label.value,
        "tier": vigour.tier.value,
        "accesses": vigour.accesses,
        "last_access": instant(vigour.last_access),
    }


class RecordShape(StandingShape):
    id: str
    revision: int
    citation: str
    content: str
    kind: str
    scope: str
    scope_id: str
    namespace: str
    session_id: str | None
    workflow_id: str | None
    task_id: str | None
    memory_class: str
    memory_type: str
    reasoning: str | None
    evidence: list[str]
    assumptions: list[str]
    hedged: bool
    purpose: str | None
    question: str | None
    source: str | None
    source_type: str | None
    external_id: str | None
    triggered_by: str | None
    slot: SlotShape | None
    derived_from: list[str]
    echoes: list[str]
    same_as: list[str]
    parent: str | None
    supersedes: str | None
    relations: list[RelationShape]
    entities: list[str]
    event_time: str | None
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    created_at: str
    sensitivity: str
    owner: str | None
    next_review_at: str | None
    charter: CharterShape | None
    importance: float
    half_life_hours: float | None
    anchored: bool
    trust: str
    actor: str
    actor_type: str
    reviewer: str | None
    proposal_id: str
    tenant: str


def record_shape(record: Record, standing: RecordState) -> RecordShape:
    claim = record.claim
    slot, times, lineage, charter = claim.slot, claim.times, claim.lineage, claim.charter
    return {
        "id": record.id,
        "revision": record.revision,
        "citation": f"{record.id}@{record.revision}",
        "content": record.content,
        "kind": claim.nature.kind.value,
        **_standing_shape(record, standing),
        "scope": claim.place.scope.value,
        "scope_id": claim.place.scope_id,
        "namespace": claim.place.namespace,
        "session_id": claim.place.session_id,
        "workflow_id": claim.place.workflow_id,
        "task_id": claim.place.task_id,
        "memory_class": claim.nature.memory_class.value,
        "memory_type": claim.nature.memory_type.value,
        "reasoning": claim.belief.reasoning,
        "evidence": list(claim.belief.evidence),
        "assumptions": list(claim.belief.assumptions),
        "hedged": claim.belief.hedged,
        "purpose": claim.intent.purpose,
        "question": claim.intent.question,
        "source": claim.origin.source,
        "source_type": claim.origin.source_type,
        "external_id": claim.origin.external_id,
        "triggered_by": claim.origin.triggered_by,
        "slot": None if slot is None else {"subject": slot.subject, "key": slot.key, "value": slot.value},
        "derived_from": list(lineage.derived_from),
        "echoes": list(record.echoes),
        "same_as": list(record.same_as),
        "parent": lineage.parent,
        "supersedes": lineage.supersedes,
        "relations": [{"type": one.type.value, "id": one.target} for one in lineage.relations],
        "entities": list(lineage.entities),
        "event_time": instant(times.event_time),
        "valid_from": instant(times.valid_from),
        "valid_until": instant(times.valid_until),
        "expires_at": instant(times.expires_at),
        "created_at": show(record.created_at),
        "sensitivity": claim.handling.sensitivity.value,
        "owner": record.owner,
        "next_review_at": instant(record.next_review_at),
        "charter": None if charter is None else _charter_shape(charter),
        "importance": claim.strength.importance,
        "half_life_hours": claim.strength.half_life_hours,
        "anchored": claim.strength.anchored,
        "trust": record.trust.value,
        "actor": record.actor,
        "actor_type": record.actor_type.value,
        "reviewer": record.reviewer,
        "proposal_id": record.proposal,
        "tenant": record.tenant,
    }


class PassageShape(TypedDict):
    start: int
    end: int
    text: str


class DisputeShape(TypedDict):
    conflict: str
    id: str
    revision: int
    actor: str
    confidence: float
    content: str
    whole: bool


class DisclosureShape(RecordShape):
    gate: str
    presented: str
    score: float
    parts: dict[str, float]
    passage: PassageShape | None
    reasons: list[str]
    notices: list[str]
    conflicts: list[str]
    disputed_by: list[DisputeShape]


def disclosure_shape(found: Disclosure) -> DisclosureShape:
    return {
        **record_shape(found.record, found.standing),
        "gate": found.gate.value,
        "presented": found.presented.value,
        "score": found.score,
        "parts": dict(found.parts),
        "passage": None if found.passage is None else passage_shape(found.passage, found.text),
        "reasons": list(found.reasons),
        "notices": list(found.notices),
        "conflicts": list(found.conflicts),
        "disputed_by": [_dispute_shape(one) for one in found.disputed_by],
    }


def _dispute_shape(one: Dispute) -> DisputeShape:
    return {
        "conflict": one.conflict,
        "id": one.id,
        "revision": one.revision,
        "actor": one.actor,
        "confidence": one.confidence,
        "content": one.content,
        "whole": one.whole,
    }


def passage_shape(place: tuple[int, int], text: str) -> PassageShape:
    return {"start": place[0], "end": place[1], "text": text}


DETAIL = frozenset({"since", "confidence", "confidence_stated", "own_confidence", "alpha", "beta", "label", "tier"})
DETAIL |= {"accesses", "last_access", "memory_class", "memory_type", "importance", "half_life_hours", "anchored"}
DETAIL |= {"trust", "actor_type", "proposal_id", "tenant", "hedged", "parts", "citation", "charter"}
"""What is said of a record only to those who ask for everything."""
_RECORD = frozenset({"id", "content", "citation", "effective_confidence"})


def brief(form: Json, fields: frozenset[str] | None = None) -> Json:
    """A form with its records cut to what most readers need: without details and without what is empty. With `fields` a
    record has these, and its `id`."""
    if isinstance(form, list):
        return [brief(one, fields) for one in form]
    if not isinstance(form, dict):
        return form
    if not form.keys() >= _RECORD:
        return {name: brief(one, fields) for name, one in form.items()}
    if fields is not None:
        return {name: brief(one, fields) for name, one in form.items() if name in fields or name == "id"}
    return {name: brief(one) for name, one in form.items() if name not in DETAIL and one not in (None, [], {}, "")}
