"""Whether a claim is remembered already: the same said by the same author, or an id that is taken."""

from __future__ import annotations

import msgspec

from muniment.model.card import same_text
from muniment.model.claim import Times
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.vocabulary import Step
from muniment.write.case import Case, Finding, hidden, refused
from muniment.write.facts import Held

_THINGS = frozenset({"entity", "relationship", "episode"})


def twin_of(case: Case) -> Held | None:
    """What the same author said already, the same in every respect."""
    twin = case.facts.twin
    return None if twin is None or apart(case, twin) else twin


def same_as(case: Case) -> tuple[Held, ...]:
    """The records that say the same in the same words: by somebody else, or of another occasion."""
    return tuple(
        held
        for held in case.facts.kin
        if held.card.status in CURRENT
        and held.card.id not in case.replaced
        and same_text(case.claim.content, held.record.content)
    )


def apart(case: Case, held: Held) -> bool:
    """Whether two memories are known to be two: they came together under ids of their own, or are things of a graph,
    which are known by their ids and not by their words."""
    arrival = case.arrival
    if arrival is None or arrival.record is None or arrival.record == held.card.id:
        return False
    together = arrival.batch is not None and held.record.proposal.rpartition(".")[0] == arrival.batch
    return together or case.claim.nature.lifecycle in _THINGS


def taken(case: Case) -> Finding | None:
    """An id names one record. A foreign one that is taken names another memory here."""
    wanted = case.arrival.record if case.arrival is not None else None
    if wanted is None or case.facts.returns or (case.facts.links[wanted] is None and not case.facts.buried):
        return None
    holder, twin = case.facts.links[wanted], case.facts.twin
    seen = holder is not None and not hidden(case.policy, case.actor, holder)
    if seen and twin is not None and twin.card.id == wanted:
        linked = msgspec.structs.replace(case, duplicate_of=wanted)
        return refused(Step.DEDUPE, linked, "redundant", f"this is already remembered as {wanted}")
    # What is said of an id that is taken is the same whatever its holder says, if the caller may not see it.
    return refused(Step.DEDUPE, case, "id-taken", f"{wanted} is not free to be the id of a new record here")


def repeated(case: Case, twin: Held) -> Finding | None:
    """A refusal, unless the claim takes the place of the old one, or the old one is of a time that is over."""
    if twin.card.id in case.replaced and twin.record.claim != case.claim:
        return None
    if _past(twin.record.claim.times, case.now):
        return None
    linked = msgspec.structs.replace(case, duplicate_of=twin.card.id)
    return refused(Step.DEDUPE, linked, "redundant", f"this is already remembered as {twin.card.id}")


def _past(times: Times, now: Instant) -> bool:
    ends = (end for end in (times.valid_until, times.expires_at) if end is not None)
    return any(end < now for end in ends)
