"""Look for what a record disagrees with after it was committed: where nobody looked at the time, or looked less."""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.curation import Verdict
from muniment.model.entry import EntryKind
from muniment.model.errors import NotPermitted
from muniment.model.proposal import ConflictSearch, QuarantineRequest
from muniment.model.status import CURRENT, Status
from muniment.model.vocabulary import Disposition
from muniment.policy.decide import authority_of, decide_review, resolve
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.cascade import become
from muniment.write.case import hidden
from muniment.write.facts import FactsRequest, Held, facts_now
from muniment.write.pipeline import Bench, WriteAction, act_report, decided, enact
from muniment.write.plan import opened
from muniment.write.precedence import PRECEDENCE, above
from muniment.write.review import seen, visible
from muniment.write.similarity import Rival, rivals


def look_for_disputes(unit: Unit, record: str, actor: Actor, bench: Bench) -> Verdict | None:
    """Find what a record disagrees with among what the actor may see, and put on record what was not yet. None if
    there is nothing new."""
    return decided(lambda: _look(unit, record, actor, bench))


def _look(unit: Unit, record: str, actor: Actor, bench: Bench) -> Verdict | None:
    held = visible(unit, record, actor, bench)
    rule_id = decide_review(bench.policy, actor, Action.OBSERVE, held.record.claim.place, held.record.actor)
    if rule_id is None:
        raise NotPermitted(actor.id, "look for disagreement")
    found = unsaid(unit, held, actor, bench) if held.card.status in CURRENT else ()
    if not found:
        return None
    report = act_report(
        ConflictSearch(record=record),
        actor.id,
        rule_id,
        proposal=bench.ids.fresh("prp"),
        what=f"disagreement with {len(found)} found",
        reason="looked for after the fact",
    )
    below = above(bench.policy, _author(held, bench), held.record.claim, _older(held, found))
    if below:
        return _held_back(unit, held, below, actor, bench)
    contesting = [rival.held.card for rival in found if rival.contests]
    cards = [*contesting, held.card] if contesting else []
    act = WriteAction(
        kind=EntryKind.DETECTED,
        actor=actor.id,
        report=report,
        decided_on=(seen(held), *(seen(rival.held) for rival in found)),
        record=held.card,
        changes=tuple(become(card, Status.CONTESTED) for card in cards if card.status == Status.ACTIVE),
        conflicts=tuple(opened(bench.ids.fresh("cfl"), rival, held.card.rid) for rival in found),
    )
    return enact(unit, act, bench)


def _older(held: Held, found: tuple[Rival, ...]) -> list[Held]:
    """What was there before the record and disputes it."""
    return [rival.held for rival in found if rival.contests and rival.held.card.rid < held.card.rid]


def _author(held: Held, bench: Bench) -> Actor:
    record = held.record
    return msgspec.structs.replace(
        resolve(bench.policy, record.actor),
        authority=authority_of(bench.policy, record),
        user=record.claim.place.user,
    )


def _held_back(unit: Unit, held: Held, against: tuple[Held, ...], actor: Actor, bench: Bench) -> Verdict:
    """Keep a record back that speaks against the word of somebody of more authority, as if it had been looked at when
    it was proposed: what it speaks against stays asserted."""
    names = ", ".join(one.card.id for one in against)
    request = QuarantineRequest(
        record=held.card.id, reason=f"it speaks against {names}, by an author of more authority"
    )
    report = act_report(
        request,
        actor.id,
        PRECEDENCE,
        proposal=bench.ids.fresh("prp"),
        what="kept back",
        reason=request.reason,
        disposition=Disposition.HOLD,
    )
    act = WriteAction(
        kind=EntryKind.QUARANTINED,
        actor=actor.id,
        report=report,
        decided_on=(seen(held), *(seen(one) for one in against)),
        record=held.card,
        changes=(become(held.card, Status.HELD),),
    )
    return enact(unit, act, bench)


def unsaid(unit: Unit, held: Held, actor: Actor, bench: Bench) -> tuple[Rival, ...]:
    """Whom the record disagrees with, without those it is known to."""
    claim, rid = held.record.claim, held.card.rid
    facts = facts_now(unit, FactsRequest(claim=claim, actor=held.record.actor), pepper=bench.pepper)
    known = {side for row in unit.desk.conflicts_of(rid) for side in (row.a, row.b)} | {rid}
    found = rivals(claim, facts, {held.card.id}, bench.policy.disputes, (), held.record.actor)
    return tuple(
        rival for rival in found if rival.held.card.rid not in known and not hidden(bench.policy, actor, rival.held)
    )
