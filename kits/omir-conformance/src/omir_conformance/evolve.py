"""How a memory changes: pure functions from a resource and an event to the resource after it.

Nothing is deleted and no content is rewritten. What fades is computed when asked and not stored, so that looking in
between changes nothing. Whatever is changed by a rule names the rule in an extension of ours.
"""

from __future__ import annotations

from omir_conformance.instants import DAY, HOUR, Instant, Json, JsonObject, WrongValue, instant_of, show
from omir_conformance.rules import (
    HALF_LIFE,
    PRIOR,
    Move,
    Rules,
    calibrated,
    fade,
    presence,
    strengthen,
)

RELEASE = "R1"
RULES_URL = "urn:muniment:omir:evolution"
SUCCESSOR_URL = "urn:muniment:omir:successor"
_SECOND = 1_000_000


def retrievability(record: JsonObject, now: Instant, rules: Rules = HALF_LIFE) -> float:
    """How present a record is: from 1 just after its last use, or its making, towards 0; not below the floor of the
    rules if it is anchored. A clock that ran backwards counts as no time."""
    decay = _object(record.get("decay"))
    days = max(0, now - _since(record)) / DAY
    left = presence(days, rules, _number(decay.get("halfLifeHours")))
    return max(left, rules.floor) if decay.get("anchored") is True else left


def age(resource: JsonObject, now: Instant) -> JsonObject:
    """A resource as it stands at `now`: its numbers are stamped as of then, and nothing else is touched. To go by way
    of any other instant comes to the same, and a clock that ran backwards changes nothing."""
    return _stamped(resource, now)


def access(record: JsonObject, at: Instant) -> JsonObject:
    """A record after a use: it was used once more, and at `at` if not later. Nothing else changes."""
    decay = _object(record.get("decay"))
    used = {
        **decay,
        "lastAccess": _later(decay.get("lastAccess"), at),
        "accessCount": _count(decay, "accessCount", 0) + 1,
    }
    return _stamped({**record, "decay": used}, at)


def evidence(
    record: JsonObject, *, confirms: bool, at: Instant, weight: float = 1.0, rules: Rules = HALF_LIFE
) -> JsonObject:
    """A record after something spoke for it or against it."""
    if not 0.0 < weight <= 1.0:
        raise WrongValue("weight", "a number above 0 and not above 1")
    alpha, beta = _counts(record)
    pair = (alpha + weight, beta) if confirms else (alpha, beta + weight)
    return _stamped(_believed(record, *pair, rules), at)


def merge(record: JsonObject, other: JsonObject, *, rules: Rules = HALF_LIFE) -> JsonObject:
    """A record with the evidence of another that says the same. Both began with the same prior, which counts once. What
    comes from the same source is the same evidence: then the larger of the two counts."""
    one, two = _counts(record), _counts(other)
    if _shared(record, other):
        alpha, beta = max(one, two, key=sum)
    else:
        alpha, beta = one[0] + two[0] - PRIOR, one[1] + two[1] - PRIOR
    return _believed(record, alpha, beta, rules)


def step_tier(record: JsonObject, now: Instant, rules: Rules = HALF_LIFE) -> JsonObject:
    """A record after one pass over the tiers: where it was, or one step on. A second pass at the same clock does
    nothing, and neither does one whose clock runs behind."""
    last = _extension(record, RULES_URL).get("tierAt")
    if isinstance(last, str) and now <= instant_of(last):
        return record
    for move in rules.moves:
        if _due(record, move, now):
            moved = _noted(record, RULES_URL, {"rules": rules.id, "tierAt": show(now)})
            return _stamped({**moved, "tier": move.end}, now)
    return record


def revise(record: JsonObject, content: str, at: Instant) -> JsonObject:
    """A record that says something else: the next version of it."""
    return _stamped({**record, "content": content, "version": _count(record, "version", 1) + 1}, at)


def supersede(record: JsonObject, successor: str, at: Instant) -> JsonObject:
    """A record in whose place another stands: it holds until now, and says which."""
    return _noted({**invalidate(record, at)}, SUCCESSOR_URL, {"record": successor})


def invalidate(resource: JsonObject, at: Instant) -> JsonObject:
    """A record or a relation that no longer holds. It stays, and says since when."""
    field = "invalidatedAt" if resource.get("resourceType") == "Relationship" else "validUntil"
    held = resource.get(field)
    if isinstance(held, str) and instant_of(held) <= at:
        return resource
    return _stamped({**resource, field: show(at)}, at)


def expired(resource: JsonObject, now: Instant) -> bool:
    """Whether a record or a relation no longer holds: strictly after the instant it names, at which it still does."""
    until = resource.get("invalidatedAt" if resource.get("resourceType") == "Relationship" else "validUntil")
    return isinstance(until, str) and now > instant_of(until)


def strength_at(relation: JsonObject, now: Instant, rules: Rules = HALF_LIFE) -> float:
    """How strong a relation is: what it was when last seen to hold, faded since."""
    seen = relation.get("validAt", relation.get("createdAt"))
    hours = max(0, now - instant_of(seen)) / HOUR if isinstance(seen, str) else 0.0
    return fade(_number(relation.get("strength")) or 0.0, hours, rules)


def co_activate(relation: JsonObject, at: Instant, rules: Rules = HALF_LIFE) -> JsonObject:
    """A relation after both of its ends were active together. One that is invalidated is left alone."""
    if expired(relation, at):
        return relation
    stronger = strengthen(strength_at(relation, at, rules), rules)
    seen = _later(relation.get("validAt"), at)
    ruled = _noted(relation, RULES_URL, {"rules": rules.id})
    return _stamped({**ruled, "strength": stronger, "validAt": seen}, at)


def _believed(record: JsonObject, alpha: float, beta: float, rules: Rules) -> JsonObject:
    confidence: JsonObject = {"alpha": alpha, "beta": beta, "calibrated": calibrated(alpha, beta, rules)}
    return _noted({**record, "confidence": confidence}, RULES_URL, {"rules": rules.id})


def _counts(record: JsonObject) -> tuple[float, float]:
    confidence = _object(record.get("confidence"))
    return _number(confidence.get("alpha")) or PRIOR, _number(confidence.get("beta")) or PRIOR


def _shared(record: JsonObject, other: JsonObject) -> bool:
    one, two = (_object(entry.get("provenance")).get("externalId") for entry in (record, other))
    return one is not None and one == two


def _due(record: JsonObject, move: Move, now: Instant) -> bool:
    importance = _number(record.get("importance"))
    weight = 0.5 if importance is None else importance
    made = record["createdAt"]
    assert isinstance(made, str), "checked as a document"
    anchored = _object(record.get("decay")).get("anchored") is True
    return (
        record.get("tier", "working") == move.start
        and move.importance_min <= weight < move.importance_below
        and max(0, now - instant_of(made)) >= move.age_min_s * _SECOND
        and max(0, now - _since(record)) >= move.idle_min_s * _SECOND
        and (move.anchored_too or not anchored)
    )


def _since(record: JsonObject) -> Instant:
    """The last use of a record, or else its making."""
    used, made = _object(record.get("decay")).get("lastAccess"), record["createdAt"]
    assert isinstance(made, str), "checked as a document"
    return instant_of(used) if isinstance(used, str) else instant_of(made)


def _stamped(resource: JsonObject, at: Instant) -> JsonObject:
    meta = _object(resource.get("meta"))
    return {**resource, "meta": {"omirVersion": RELEASE, **meta, "lastUpdated": _later(meta.get("lastUpdated"), at)}}


def _later(held: Json, at: Instant) -> Json:
    """The later of the two; what is held is left as it is spelled."""
    return held if isinstance(held, str) and instant_of(held) >= at else show(at)


def _noted(resource: JsonObject, url: str, value: JsonObject) -> JsonObject:
    """A resource with one extension of ours said anew; what else it says there stays."""
    merged: JsonObject = {**_extension(resource, url), **value}
    others = [entry for entry in _list(resource.get("extension")) if _object(entry).get("url") != url]
    entry: JsonObject = {"url": url, "valueJson": merged}
    return {**resource, "extension": [*others, entry]}


def _extension(resource: JsonObject, url: str) -> JsonObject:
    for entry in _list(resource.get("extension")):
        if _object(entry).get("url") == url:
            return _object(_object(entry).get("valueJson"))
    return {}


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _count(value: JsonObject, name: str, default: int) -> int:
    found = value.get(name)
    return int(found) if isinstance(found, (int, float)) else default
