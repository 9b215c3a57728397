"""What a memory brings along besides its claim: who wrote it, when, how often it was used. It is kept in the claim as
an extension, is told again when the memory leaves, and is never taken on trust."""

from __future__ import annotations

import json

import msgspec

from muniment.contracts.carried import Carried, carry
from muniment.contracts.strict.values import JsonObject
from muniment.model.claim import Claim, Extension, Lineage
from muniment.model.errors import CallerError
from muniment.model.query import Disclosure
from muniment.model.times import Instant
from muniment.model.value import Value

NAME = "carried"
"""The name of the extension."""


class Luggage(Value):
    """What was said of a memory where it came from. `lineage` is everything it referred to there, if some of that could
    not be kept here."""

    actor: str | None = None
    role: str | None = None
    revision: int = 1
    created_at: Instant | None = None
    updated_at: Instant | None = None
    reviewer: str | None = None
    reviewed_at: Instant | None = None
    next_review_at: Instant | None = None
    accesses: int = 0
    last_access: Instant | None = None
    helpful: float = 0.0
    misleading: float = 0.0
    conflicts: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    lineage: Lineage | None = None


_TAKEN = tuple(name for name in Luggage.__struct_fields__ if name != "lineage")


def packed(memory: Carried, lineage: Lineage) -> Claim:
    """The claim of a memory, with the links it can keep here and its luggage."""
    said = {name: getattr(memory, name) for name in _TAKEN}
    lost = memory.claim.lineage if lineage != memory.claim.lineage else None
    luggage = Luggage(**said, lineage=lost)
    others = tuple(one for one in memory.claim.extensions if one.name != NAME)
    own = Extension(name=NAME, body=_spelled(luggage))
    return msgspec.structs.replace(memory.claim, lineage=lineage, extensions=(*others, own))


def unpacked(told: Disclosure, conflicts: tuple[str, ...]) -> Carried:
    """A record of ours on its way out, with what was said of it where it came from. What happened to it here is ours to
    say: its state, its origin, how far it is believed."""
    found, luggage = _opened(told.record.claim)
    memory = msgspec.structs.replace(carry(told.record, told.standing, conflicts=conflicts), claim=found)
    if luggage is None:
        return memory
    revised = told.record.revision > 1
    lineage = found.lineage if revised or luggage.lineage is None else luggage.lineage
    return msgspec.structs.replace(
        memory,
        claim=msgspec.structs.replace(found, lineage=lineage),
        actor=luggage.actor,
        role=luggage.role,
        revision=min(luggage.revision + memory.revision - 1, 2**31),
        created_at=luggage.created_at or memory.created_at,
        updated_at=memory.created_at if revised else luggage.updated_at,
        reviewer=memory.reviewer or luggage.reviewer,
        reviewed_at=luggage.reviewed_at,
        next_review_at=memory.next_review_at or luggage.next_review_at,
        accesses=min(memory.accesses + luggage.accesses, 2**53),
        last_access=max((one for one in (memory.last_access, luggage.last_access) if one is not None), default=None),
        helpful=memory.helpful + luggage.helpful,
        misleading=memory.misleading + luggage.misleading,
        conflicts=tuple(dict.fromkeys((*conflicts, *luggage.conflicts))),
        reports=tuple(dict.fromkeys((*luggage.reports, *memory.reports))),
    )


def _spelled(luggage: Luggage) -> str:
    return json.dumps(msgspec.to_builtins(luggage), ensure_ascii=False, separators=(",", ":"))


def _opened(claim: Claim) -> tuple[Claim, Luggage | None]:
    """The claim without its luggage, and the luggage. What somebody else put there under that name is left alone."""
    body = next((one.body for one in claim.extensions if one.name == NAME), None)
    if body is None:
        return claim, None
    try:
        said: JsonObject = json.loads(body)
        luggage = msgspec.convert(said, Luggage)
    except (msgspec.ValidationError, CallerError):
        return claim, None
    others = tuple(one for one in claim.extensions if one.name != NAME)
    return msgspec.structs.replace(claim, extensions=others), luggage
