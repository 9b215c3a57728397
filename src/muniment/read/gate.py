"""The gate: decide again, on the record itself, and be the only maker of a disclosure.

The store has narrowed by cards already. A card can be stale or tampered with; a record is pinned by the ledger.
"""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.filter import Filter, matches
from muniment.model.gate import Gates, gate_flag
from muniment.model.query import Disclosure, Presented
from muniment.model.receipt import STATUS
from muniment.model.record import Record, RecordState
from muniment.model.status import Status
from muniment.model.vocabulary import Kind
from muniment.policy.decide import decide_read, decide_review
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
    return Disclosure(
        record=without_exposure(record, policy, actor),
        standing=standing,
        presented=present(record, standing),
        gate=gate_flag(footing.effective, footing.support, gates.at(record.claim.place.namespace)),
        reasons=(f"granted by {grant}",),
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
