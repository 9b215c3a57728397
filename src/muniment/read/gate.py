"""The gate: decide again, on the record itself, and be the only maker of a disclosure.

The store has narrowed by cards already. A card can be stale or tampered with; a record is pinned by the ledger.
"""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.filter import Filter, matches
from muniment.model.gate import Gates, gate_flag
from muniment.model.query import Binding, Disclosure, Presented
from muniment.model.receipt import STATUS
from muniment.model.record import Record, RecordState
from muniment.model.status import Status
from muniment.model.vocabulary import Kind, Support
from muniment.policy.decide import authority_of, belongs, decide_read, decide_review
from muniment.policy.rules import Action, Policy

POLICY = "policy"
_TENTATIVE = frozenset({Kind.HYPOTHESIS, Kind.ASSUMPTION, Kind.QUESTION, Kind.INTENTION})


def pass_gate(
    record: Record,
    standing: RecordState,
    *,
    policy: Policy,
    actor: Actor,
    purpose: str,
    gates: Gates,
    wanted: tuple[tuple[str, Filter], ...] = (),
) -> Disclosure | str:
    """A disclosure, or the name of the rule that stands in the way; policy is asked before anything else."""
    footing = standing.footing
    grant = decide_read(policy, actor, purpose, record, footing.label, status=standing.status)
    if grant is None:
        return POLICY
    card = card_of(record, standing, rid=0, pepper=None)
    for name, condition in wanted:
        if not matches(condition, card):
            return standing.status.value if name == STATUS else name
    relay = record.relay
    return Disclosure(
        origin=relay.origin if relay is not None else None,
        via=relay.via if relay is not None else (),
        binds=binding(record, standing, policy, actor),
        record=without_exposure(record, policy, actor),
        standing=standing,
        presented=present(record, standing),
        gate=gate_flag(footing.effective, footing.support, gates.at(record.claim.place.namespace)),
        reasons=(f"granted by {grant}",),
    )


def binding(record: Record, standing: RecordState, policy: Policy, actor: Actor) -> Binding | None:
    """By whose authority a record binds the reader: a directive or constraint that nobody disputes and that has its
    support, in a scope the reader belongs to. What was passed on binds by the authority of who said it first."""
    claim, place = record.claim, record.claim.place
    in_force = standing.status is Status.ACTIVE and standing.footing.support in (Support.STANDING, Support.FLAGGED)
    if claim.nature.kind not in (Kind.DIRECTIVE, Kind.CONSTRAINT) or not in_force or not belongs(actor, place):
        return None
    said = record.relay.origin if record.relay is not None else None
    return Binding(
        by=record.actor if said is None else said.actor,
        authority=authority_of(policy, record) if said is None else said.authority,
        scope=place.scope,
        scope_id=place.scope_id,
    )


def without_exposure(record: Record, policy: Policy, actor: Actor) -> Record:
    """A record without what its author had been told: that would name records to whoever may not know of them."""
    if not record.exposed_to or actor.id == record.actor:
        return record
    if decide_review(policy, actor, Action.AUDIT, None, None) is not None:
        return record
    return msgspec.structs.replace(record, exposed_to=())


def present(record: Record, standing: RecordState) -> Presented:
    """As what the record may be told: a guess is never a claim, nor is support, nor is what is disputed."""
    if standing.status is Status.CONTESTED:
        return Presented.CONTESTED
    kind = record.claim.nature.kind
    if kind in _TENTATIVE:
        return Presented.HYPOTHESIS
    return Presented.SUPPORT if kind is Kind.EVIDENCE else Presented.CLAIM
