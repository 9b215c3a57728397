"""The gate: decide again, on the record itself, and be the only maker of a disclosure.

The store has narrowed by cards already. A card can be stale or tampered with; a record is pinned by the ledger.
"""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.card import card_of
from muniment.model.filter import Filter, matches
from muniment.model.gate import Gates, gate_flag
from muniment.model.query import Disclosure, Presented
from muniment.model.receipt import STATUS
from muniment.model.record import Record, Standing
from muniment.model.status import Status
from muniment.model.vocabulary import Kind
from muniment.policy.decide import decide_read
from muniment.policy.rules import Policy

POLICY = "policy"
_TENTATIVE = frozenset({Kind.HYPOTHESIS, Kind.ASSUMPTION, Kind.QUESTION, Kind.INTENTION})


def pass_gate(
    record: Record,
    standing: Standing,
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
        record=record,
        standing=standing,
        presented=present(record, standing),
        gate=gate_flag(footing.effective, footing.support, gates.at(record.claim.place.namespace)),
        reasons=(f"granted by {grant}",),
    )


def present(record: Record, standing: Standing) -> Presented:
    """As what the record may be told: a guess is never a claim, nor is support, nor is what is disputed."""
    if standing.status is Status.CONTESTED:
        return Presented.CONTESTED
    kind = record.claim.nature.kind
    if kind in _TENTATIVE:
        return Presented.HYPOTHESIS
    return Presented.SUPPORT if kind is Kind.EVIDENCE else Presented.CLAIM
