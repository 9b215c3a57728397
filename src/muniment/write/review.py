"""What people do to proposals and records: answer for what is held, take back what is committed."""

from __future__ import annotations

import hashlib

import msgspec

from muniment.graph.walk import supporters
from muniment.model.actor import Actor
from muniment.model.card import standing_of
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.claim import Place
from muniment.model.curation import Observation, Verdict, Vouching
from muniment.model.entry import EntryKind, StateChange
from muniment.model.errors import IntegrityError, Malformed, NotFound, NotPermitted, Stale
from muniment.model.proposal import Objection, OutcomeReport, RetractRequest, ReviewDecision, VouchRequest
from muniment.model.rows import ProposalRow
from muniment.model.status import CURRENT, Status, may_become
from muniment.model.value import canonical, read_canonical
from muniment.model.vocabulary import LABEL_RANK, ActorType, Disposition, Outcome
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, Unit
from muniment.trust.outcomes import calibrated
from muniment.trust.support import support_of
from muniment.write.admit import Admitted
from muniment.write.cascade import become, pillar_of, support_terms
from muniment.write.case import hidden
from muniment.write.facts import Held, look_up
from muniment.write.pipeline import Bench, Matter, WriteAction, act_report, again, decide_and_commit, decided, enact
from muniment.write.plan import BORN_LABEL, HeldProposal


def rule(
    unit: Unit, ruling: ReviewDecision, reviewer: Actor, bench: Bench, objections: tuple[Objection, ...] = ()
) -> Verdict:
    """Record a person's answer to a held proposal. Whoever may not answer is told that there is nothing."""
    waiting = unit.desk.proposal(ruling.proposal)
    if waiting is None:
        raise NotFound("proposal", ruling.proposal)
    admitted = held_proposal(unit, waiting)
    action = Action.ACCEPT if ruling.accept else Action.DISCARD
    places = [None] if admitted is None else [admitted.proposal.claim.place, _destination(admitted, ruling)]
    if any(decide_review(bench.policy, reviewer, action, place, waiting.actor) is None for place in places):
        raise NotFound("proposal", ruling.proposal)
    if admitted is not None and ruling.accept and admitted.proposal.promotes is not None:
        _refuse_promotion(admitted, reviewer, bench)
    if admitted is None:
        raise Stale(f"proposal {ruling.proposal}", yours="held", present=waiting.outcome)
    marked = _marked(unit, admitted, ruling, reviewer, bench)
    matter = Matter(
        admitted=admitted, waiting=waiting, ruling=ruling, reviewer=reviewer, objections=objections, marked=marked
    )
    return decided(lambda: decide_and_commit(unit, matter, bench))


def _marked(unit: Unit, admitted: Admitted, ruling: ReviewDecision, reviewer: Actor, bench: Bench) -> tuple[Held, ...]:
    """The records that a reviewer sees the proposal disagree with; each must be one they may see and that still
    speaks, and none that the proposal takes the place of."""
    proposal, found = admitted.proposal, []
    for name in dict.fromkeys(ruling.contradicts):
        held = visible(unit, name, reviewer, bench)
        if name == proposal.target or name in proposal.claim.lineage.replaced:
            raise Malformed("contradicts", "other records than the one it takes the place of")
        if held.card.status not in CURRENT:
            raise Stale(f"record {name}", yours="current", present=held.card.status)
        found.append(held)
    return tuple(found)


def _refuse_promotion(admitted: Admitted, reviewer: Actor, bench: Bench) -> None:
    """A promotion asks for stronger review: the right to promote and, unless a person answers, other eyes."""
    place = admitted.proposal.claim.place
    own = reviewer.id == admitted.actor.id and reviewer.type is not ActorType.PERSON
    if own or decide_review(bench.policy, reviewer, Action.PROMOTE, place, admitted.actor.id) is None:
        raise NotPermitted(reviewer.id, "accept a promotion")


def _destination(admitted: Admitted, ruling: ReviewDecision) -> Place:
    """Where an accepted proposal would go; a reviewer needs the right to decide there too."""
    place = admitted.proposal.claim.place
    return msgspec.structs.replace(place, scope=ruling.scope or place.scope, scope_id=ruling.scope_id or place.scope_id)


def held_proposal(snapshot: Snapshot, row: ProposalRow) -> Admitted | None:
    """What waits under a row of the queue; None once it was decided."""
    if row.outcome != Outcome.HELD or row.held is None:
        return None
    document = snapshot.documents.get(row.held)
    if document is None:
        raise IntegrityError(f"the held proposal {row.id} is missing")
    return read_canonical(document.body, HeldProposal).admitted


def retract(unit: Unit, retraction: RetractRequest, actor: Actor, bench: Bench) -> Verdict:
    """Take a record back, or record that the policy does not let this actor do so."""
    return decided(lambda: _retract(unit, retraction, actor, bench))


def _retract(unit: Unit, retraction: RetractRequest, actor: Actor, bench: Bench) -> Verdict:
    held = visible(unit, retraction.record, actor, bench)
    becomes = retraction.becomes
    if held.card.status == Status.DRAFT and becomes is Status.RETRACTED:
        becomes = Status.DISCARDED
    refuse_moved(held, retraction.expected_revision, becomes=becomes)
    allowed = _may_retire(held, becomes, actor, bench)
    report = act_report(
        retraction,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what="retraction" if retraction.becomes is Status.RETRACTED else f"retirement as {retraction.becomes}",
        reason=retraction.reason,
        disposition=Disposition.DEPRECATE,
    )
    act = WriteAction(
        kind=EntryKind.RETRACTED,
        actor=actor.id,
        report=report,
        decided_on=(seen(held),),
        record=held.card,
        changes=(become(held.card, becomes),) if allowed is not None else (),
    )
    return enact(unit, act, bench)


def _may_retire(held: Held, becomes: Status, actor: Actor, bench: Bench) -> str | None:
    """Name the rule under which a record may be let go. To put it away takes less than to take it back."""
    actions = (Action.RETRACT, Action.ARCHIVE) if becomes is Status.ARCHIVED else (Action.RETRACT,)
    place, author = held.record.claim.place, held.record.actor
    found = (decide_review(bench.policy, actor, action, place, author) for action in actions)
    return next((rule_id for rule_id in found if rule_id is not None), None)


def observe(unit: Unit, outcome: OutcomeReport, actor: Actor, bench: Bench, *, proposal: str) -> Verdict:
    """Take note of how a record turned out. Its own confidence moves, and with it all that stands on it. The same
    outcome under the same name again gets the same answer and counts once."""
    filed = unit.desk.proposal(proposal)
    if filed is not None:
        return again(unit, filed, actor.id, hashlib.sha256(canonical(outcome)).hexdigest())
    return decided(lambda: _observe(unit, outcome, actor, bench, proposal))


def _observe(unit: Unit, outcome: OutcomeReport, actor: Actor, bench: Bench, proposal: str) -> Verdict:
    held = visible(unit, outcome.record, actor, bench)
    refuse_moved(held, outcome.expected_revision)
    allowed = decide_review(bench.policy, actor, Action.OBSERVE, held.record.claim.place, held.record.actor)
    # An agent's praise of its own record is on record and weighs nothing; its own doubts count.
    own_praise = outcome.helpful and actor.id == held.record.actor and actor.type is not ActorType.PERSON
    counted = 0.0 if own_praise else outcome.weight
    observation = Observation(
        helpful=outcome.helpful, weight=outcome.weight, counted=counted, evidence=outcome.evidence
    )
    what = f"{'helpful' if outcome.helpful else 'misleading'} outcome, weight {counted:g}"
    report = act_report(outcome, actor.id, allowed, proposal=proposal, what=what, reason=outcome.evidence or what)
    act = WriteAction(
        kind=EntryKind.OBSERVED,
        actor=actor.id,
        report=msgspec.structs.replace(report, observation=observation),
        decided_on=(seen(held),),
        record=held.card,
        changes=(_moved(unit, held, observation, bench),) if allowed is not None and counted else (),
    )
    return enact(unit, act, bench)


def _moved(unit: Unit, held: Held, observation: Observation, bench: Bench) -> StateChange:
    before = standing_of(held.card).footing
    helpful = before.helpful + (observation.counted if observation.helpful else 0.0)
    misleading = before.misleading + (0.0 if observation.helpful else observation.counted)
    own = calibrated(held.record.claim.belief.score, helpful, misleading)
    names = supporters(unit, [held.card.rid]).get(held.card.rid, set())
    cards = unit.catalogue.latest(names)
    found = [pillar_of(cards.get(name), held.card.rid, held.card.id) for name in sorted(names)]
    effective = support_of(own, found, support_terms(bench.policy)).effective
    footing = msgspec.structs.replace(before, own=own, effective=effective, helpful=helpful, misleading=misleading)
    return become(held.card, footing=footing)


def vouch(unit: Unit, vouching: VouchRequest, actor: Actor, bench: Bench) -> Verdict:
    """Let a named reviewer answer for where a record comes from. Nobody lends more than they have themselves."""
    return decided(lambda: _vouch(unit, vouching, actor, bench))


def _vouch(unit: Unit, vouching: VouchRequest, actor: Actor, bench: Bench) -> Verdict:
    held = visible(unit, vouching.record, actor, bench)
    refuse_moved(held, vouching.expected_revision)
    before = standing_of(held.card).footing
    if LABEL_RANK[vouching.label] <= LABEL_RANK[before.label]:
        raise Malformed("origin", f"an origin above {before.label}, which the record has already")
    if LABEL_RANK[vouching.label] > LABEL_RANK[BORN_LABEL[actor.type]]:
        raise Malformed("origin", f"at most {BORN_LABEL[actor.type]}, which is the reviewer's own")
    place = held.record.claim.place
    allowed = decide_review(bench.policy, actor, Action.VOUCH, place, held.record.actor)
    report = act_report(
        vouching,
        actor.id,
        allowed,
        proposal=bench.ids.fresh("prp"),
        what=f"vouched for as {vouching.label}",
        reason=vouching.reason,
    )
    act = WriteAction(
        kind=EntryKind.VOUCHED,
        actor=actor.id,
        report=msgspec.structs.replace(report, vouching=Vouching(label=vouching.label)),
        decided_on=(seen(held),),
        record=held.card,
        changes=(become(held.card, footing=msgspec.structs.replace(before, label=vouching.label)),)
        if allowed is not None
        else (),
    )
    return enact(unit, act, bench)


def visible(snapshot: Snapshot, record: str, actor: Actor, bench: Bench) -> Held:
    """A record as it stands. Whoever may not see it is told that there is none."""
    held = look_up(snapshot, record)
    if held is None or hidden(bench.policy, actor, held):
        raise NotFound("record", record)
    return held


def seen(held: Held) -> SeenVersion:
    return SeenVersion(key=DependencyKey.RECORD, name=held.card.id, version=held.card.since)


def refuse_moved(held: Held, expected: int | None, *, becomes: Status | None = None) -> None:
    """What was meant for another revision, or for a record that no longer speaks, is for its author to see again;
    unless it `becomes` what even one that no longer speaks may become."""
    revision, status = held.card.revision, Status(held.card.status)
    if expected not in (None, revision):
        raise Stale(f"record {held.card.id}", yours=f"revision {expected}", present=f"revision {revision}")
    if status not in CURRENT and (becomes is None or not may_become(status, becomes)):
        raise Stale(f"record {held.card.id}", yours="active", present=status)
