"""Whether a claim is remembered already: the same words of the same occasion, or an id that is taken."""

from __future__ import annotations

import msgspec

from muniment.model.card import fingerprint
from muniment.model.claim import Claim, Times
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.vocabulary import MemoryType, Step
from muniment.write.case import Case, Finding, hidden, refused
from muniment.write.facts import Held

_THINGS = frozenset({"entity", "relationship", "episode"})
_ANY = b"any"
"""A key for marks that are compared here and kept nowhere."""


def twin_of(case: Case) -> Held | None:
    """A record that says the same of the same occasion. The same words about another day, or told as an episode of
    another session, are another memory."""
    twin, occasion = case.facts.twin, _occasion(case.claim)
    if twin is None or (_occasion(twin.record.claim) == occasion and not apart(case, twin)):
        return twin
    said = fingerprint(case.claim, pepper=_ANY)
    current = (held for held in case.facts.kin if held.card.status in CURRENT and not apart(case, held))
    alike = (held for held in current if fingerprint(held.record.claim, pepper=_ANY) == said)
    return next((held for held in alike if _occasion(held.record.claim) == occasion), None)


def apart(case: Case, held: Held) -> bool:
    """Whether two memories are known to be two: they came together under ids of their own, or are things of a graph,
    which are known by their ids and not by their words."""
    arrival = case.arrival
    if arrival is None or arrival.record is None or arrival.record == held.card.id:
        return False
    together = arrival.batch is not None and held.record.proposal.rpartition(".")[0] == arrival.batch
    return together or case.claim.nature.lifecycle in _THINGS


def _occasion(claim: Claim) -> tuple[str, str | None, int | None, str | None]:
    kind, thing = claim.nature.memory_type, claim.nature.lifecycle
    session = claim.place.session_id if kind is MemoryType.EPISODIC else None
    return kind, thing if thing in _THINGS else None, claim.times.event_time, session


def taken(case: Case) -> Finding | None:
    """An id names one record. A foreign one that is taken names another memory here."""
    wanted = case.arrival.record if case.arrival is not None else None
    if wanted is None or (case.facts.links[wanted] is None and not case.facts.buried):
        return None
    holder, twin = case.facts.links[wanted], case.facts.twin
    seen = holder is not None and not hidden(case.policy, case.actor, holder)
    if seen and twin is not None and twin.card.id == wanted:
        linked = msgspec.structs.replace(case, duplicate_of=wanted)
        return refused(Step.DEDUPE, linked, "redundant", f"this is already remembered as {wanted}")
    # What is said of an id that is taken is the same whatever its holder says, if the caller may not see it.
    return refused(Step.DEDUPE, case, "id-taken", f"{wanted} is not free to be the id of a new record here")


def repeated(case: Case, twin: Held) -> Finding | None:
    """A refusal, unless the same words take the place of the old ones, or the old ones are of a time that is over."""
    if twin.card.id in case.replaced and twin.record.claim != case.claim:
        return None
    if _past(twin.record.claim.times, case.now):
        return None
    linked = msgspec.structs.replace(case, duplicate_of=twin.card.id)
    return refused(Step.DEDUPE, linked, "redundant", f"this is already remembered as {twin.card.id}")


def _past(times: Times, now: Instant) -> bool:
    ends = (end for end in (times.valid_until, times.expires_at) if end is not None)
    return any(end < now for end in ends)
