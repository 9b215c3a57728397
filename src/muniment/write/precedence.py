"""Whose word stands: what an author of less authority may not put in doubt by writing against it."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.model.actor import Actor
from muniment.model.card import normalise, slot_key
from muniment.model.claim import Claim
from muniment.model.vocabulary import Kind
from muniment.policy.decide import authority_of, decide_review
from muniment.policy.rules import Action, Policy
from muniment.write.facts import Held

PRECEDENCE = "precedence"
"""The rule under which a claim waits that speaks against somebody of more authority."""

RULES = frozenset({Kind.DIRECTIVE, Kind.CONSTRAINT})
"""Kinds by which somebody says what is to be done or kept to."""


def stands_above(policy: Policy, actor: Actor, claim: Claim, held: Held) -> bool:
    """Whether a record is out of reach for a claim of this actor: a rule, or another answer to the question the claim
    answers, by somebody of more authority. Whoever may decide on what others propose there is not kept from it."""
    record = held.record
    if record.actor == actor.id or actor.authority >= authority_of(policy, record):
        return False
    if record.claim.nature.kind not in RULES and not _answers_otherwise(claim, record.claim):
        return False
    return decide_review(policy, actor, Action.ACCEPT, record.claim.place, record.actor) is None


def above(policy: Policy, actor: Actor, claim: Claim, found: Iterable[Held]) -> tuple[Held, ...]:
    """Those of these records that are out of reach for the claim."""
    return tuple(held for held in found if stands_above(policy, actor, claim, held))


def _answers_otherwise(claim: Claim, standing: Claim) -> bool:
    if standing.slot is None:
        return False
    if claim.slot is None or slot_key(claim) != slot_key(standing):
        return True  # it says so of a whole answer without giving one
    return normalise(claim.slot.value) != normalise(standing.slot.value)
