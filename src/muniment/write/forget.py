"""Forget a record: its content, in every revision, leaves the store; that it was there, and who forgot it, stays."""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.curation import Forgotten
from muniment.model.entry import EntryKind
from muniment.model.proposal import Oblivion
from muniment.model.status import Status
from muniment.model.vocabulary import Disposition, Outcome
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.write.aftermath import become, follow
from muniment.write.case import hidden
from muniment.write.facts import Held, fetch
from muniment.write.pipeline import Act, Bench, act_report, decided, enact
from muniment.write.review import seen, visible


def plan_oblivion(snapshot: Snapshot, held: Held, actor: Actor, bench: Bench) -> Forgotten:
    """What forgetting a record would take away, and what of what the actor may see stands on it. Changes nothing."""
    revisions = snapshot.catalogue.revisions(held.card.id)
    found = follow(snapshot, tuple(become(card, Status.ERASED) for card in revisions), bench.policy)
    falls = [fall.card for fall in found.falls if not hidden(bench.policy, actor, fetch(snapshot, fall.card))]
    return Forgotten(
        id=held.card.id,
        revisions=len(revisions),
        falls=tuple(sorted({card.id for card in falls if card.id != held.card.id})),
    )


def may_forget(held: Held, actor: Actor, bench: Bench) -> str | None:
    return decide_review(bench.policy, actor, Action.FORGET, held.record.claim.place, held.record.actor)


def forget(unit: Unit, oblivion: Oblivion, actor: Actor, bench: Bench) -> Forgotten:
    """Take a record's content away in one entry, or record that the policy does not let this actor do so."""
    return decided(lambda: _forget(unit, oblivion, actor, bench))


def _forget(unit: Unit, oblivion: Oblivion, actor: Actor, bench: Bench) -> Forgotten:
    held = visible(unit, oblivion.record, actor, bench)
    plan = plan_oblivion(unit, held, actor, bench)
    rule_id = may_forget(held, actor, bench)
    cards = unit.catalogue.revisions(oblivion.record) if rule_id is not None else ()
    report = act_report(
        oblivion,
        actor.id,
        rule_id,
        proposal=bench.ids.fresh("prp"),
        what="forgotten",
        reason=oblivion.reason,
        disposition=Disposition.DEPRECATE,
    )
    act = Act(
        kind=EntryKind.FORGOTTEN,
        actor=actor.id,
        report=report,
        decided_on=(seen(held),),
        record=held.card,
        changes=tuple(become(card, Status.ERASED) for card in cards),
        dropped=tuple(card.rid for card in cards),
    )
    verdict = enact(unit, act, bench)
    done = verdict.outcome is Outcome.COMMITTED
    return Forgotten(
        id=plan.id, revisions=plan.revisions if done else 0, falls=plan.falls if done else (), verdict=verdict
    )
