"""Pass a record on from one group to another: what may be passed on, and what is told of where it comes from."""

from __future__ import annotations

import msgspec

from muniment.model.claim import Claim, Lineage, Place
from muniment.model.record import Hop, Record, Relay
from muniment.model.status import CURRENT
from muniment.model.vocabulary import Scope
from muniment.policy.decide import authority_of
from muniment.policy.rules import Policy
from muniment.write.case import Case
from muniment.write.facts import Held

WIDTH = {Scope.SESSION: 0, Scope.AGENT_REPO: 1, Scope.PROJECT: 2, Scope.AGENT_TEAM: 2}
"""How wide a group is. What is kept for one user, and what is kept under a charter, is passed on to nobody."""


def announced(source: Record, place: Place) -> Claim:
    """The claim of a record in another group: the same words, kind and handling, standing on the record."""
    claim = source.claim
    return msgspec.structs.replace(
        claim,
        place=msgspec.structs.replace(place, namespace=claim.place.namespace),
        lineage=Lineage(derived_from=(source.id,), entities=claim.lineage.entities),
        charter=None,
    )


def cannot_announce(case: Case) -> tuple[str, str] | None:
    """The rule and the reason why a record cannot be passed on; None if it can."""
    held = _source(case)
    assert held is not None, "provenance has found it"
    here, there = held.record.claim.place, case.claim.place
    if held.card.status not in CURRENT:
        return "not-current", f"record {case.announces} is {held.card.status} and cannot be passed on"
    if here.scope not in WIDTH or there.scope not in WIDTH:
        return "announce-route", f"a {here.scope} record cannot be passed on to {there.scope}"
    if (here.scope, here.scope_id) == (there.scope, there.scope_id):
        return "announce-route", f"it is in {there.scope} {there.scope_id} already"
    if WIDTH[there.scope] < WIDTH[here.scope]:
        return "announce-route", f"a {here.scope} record is passed on to a group as wide, which {there.scope} is not"
    return None


def relay_of(case: Case) -> Relay | None:
    """Where a record comes from that is passed on: whoever said it first, and each who passed it on."""
    held = _source(case)
    if held is None or held.record.content != case.claim.content:
        return None
    before = held.record.relay
    origin = before.origin if before is not None else _said(case.policy, held.record)
    place = case.claim.place
    hop = Hop(actor=case.actor.id, scope=place.scope, scope_id=place.scope_id, authority=case.actor.authority)
    return Relay(origin=origin, via=(*(before.via if before is not None else ()), hop))


def _said(policy: Policy, record: Record) -> Hop:
    place = record.claim.place
    authority = authority_of(policy, record)
    return Hop(actor=record.actor, scope=place.scope, scope_id=place.scope_id, authority=authority)


def _source(case: Case) -> Held | None:
    return case.facts.links.get(case.announces) if case.announces is not None else None
