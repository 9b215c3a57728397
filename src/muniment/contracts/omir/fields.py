"""Fields of OMIR resources, one by one: read into what a memory holds, and written from it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.omir.rules import calibrated, plausible
from muniment.contracts.omir.terms import Resource
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Origin
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant

EPOCH = Instant(0)
"""When a memory was made of which nobody says when."""

_HUGE = 1e307
_WHOLE = 2.0**53
_REMEMBERED = 16_384
_PREFIXES = tuple(f"{kind}:" for kind in Resource if kind is not Resource.MEMORY)
_WAITING = frozenset({Status.PROPOSED, Status.HELD, Status.DRAFT})

_read_instant = lru_cache(maxsize=_REMEMBERED)(instant_of)
show = lru_cache(maxsize=_REMEMBERED)(times.show)


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
    'rust-programming.edd38e112229'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
    return f"{slug}.{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def made_at(memory: InterchangeRecord) -> Instant:
    """When a memory was made; if nobody says, when what it tells of happened or began to hold."""
    said = memory.claim.times
    for instant in (memory.created_at, said.event_time, said.valid_from):
        if instant is not None:
            return instant
    return EPOCH


def refs(entry: JsonObject) -> Iterator[str]:
    """Every reference to an entity in a resource."""
    listed = entry.get("entityRefs")
    for holder in (entry.get("from"), entry.get("to"), *(listed if isinstance(listed, list) else ())):
        if isinstance(holder, dict):
            yield str(holder["ref"])


def until(memory: InterchangeRecord) -> Instant | None:
    """Until when it holds. What no longer speaks ended when it was last changed, if not before."""
    said = memory.claim.times
    known = [instant for instant in (said.valid_until, said.expires_at) if instant is not None]
    if memory.status not in CURRENT and memory.status not in _WAITING:
        known.append(memory.updated_at or made_at(memory))
    return min(known, default=None)


def confidence(memory: InterchangeRecord) -> JsonObject:
    belief = memory.claim.belief
    alpha, beta = belief.alpha + memory.helpful, belief.beta + memory.misleading
    score = calibrated(alpha, beta) if memory.helpful or memory.misleading else belief.score
    if alpha == beta == 1.0:
        return {"calibrated": score} if score != 0.5 else {}
    found: JsonObject = {"alpha": alpha, "beta": beta}
    if plausible(score, alpha, beta):
        found["calibrated"] = score
    return found


def belief(confidence: Json) -> Belief:
    alpha, beta = positive_at(confidence, "alpha") or 1.0, positive_at(confidence, "beta") or 1.0
    given = at(confidence, "calibrated")
    score = float(given) if isinstance(given, (int, float)) else alpha / (alpha + beta)
    return Belief(score=score, alpha=alpha, beta=beta)


def decay_of(memory: InterchangeRecord) -> JsonObject:
    found: JsonObject = {}
    hours = memory.claim.strength.half_life_hours
    put(found, "halfLifeHours", int(hours) if hours is not None and hours < _WHOLE and hours.is_integer() else hours)
    put(found, "lastAccess", shown(memory.last_access))
    put(found, "accessCount", memory.accesses or None)
    put(found, "anchored", memory.claim.strength.anchored or None)
    return found


def origin(provenance: Json) -> Origin:
    credibility = at(provenance, "credibility")
    return Origin(
        source=text_at(provenance, "source"),
        source_type=text_at(provenance, "sourceType"),
        credibility=float(credibility) if isinstance(credibility, (int, float)) else None,
        external_id=text_at(provenance, "externalId"),
    )


def put(document: JsonObject, name: str, value: Json) -> None:
    """Write a field that says something."""
    if value is not None and value != {} and value != []:
        document[name] = value


def at(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def content(document: JsonObject) -> str:
    return safe_text(str(document["content"]), limit=checks.CONTENT_BYTES_MAX)


def text_at(value: Json, name: str) -> str | None:
    found = at(value, name)
    return safe_text(found) if isinstance(found, str) and found.strip() else None


def word_at(document: JsonObject, name: str) -> str | None:
    """One of the words that the contract lists, or an id: text that a record can hold as it is."""
    found = document.get(name)
    return found if isinstance(found, str) else None


def instant_at(value: Json, name: str) -> Instant | None:
    found = at(value, name)
    return _read_instant(found) if isinstance(found, str) else None


def shown(instant: Instant | None) -> str | None:
    return show(instant) if instant is not None else None


def share_at(value: Json, name: str) -> float:
    found = at(value, name)
    return float(found) if isinstance(found, (int, float)) else 0.5


def positive_at(value: Json, name: str) -> float | None:
    """A number above 0, no larger than a record can hold."""
    found = at(value, name)
    return float(min(found, _HUGE)) if isinstance(found, (int, float)) else None


def whole_at(value: Json, name: str, *, least: int, most: int) -> int:
    found = at(value, name)
    return int(min(max(found, least), most)) if isinstance(found, (int, float)) else least
