"""The nine curation steps: pure functions from a case to what the step found and the case as it then stands.

A step may change the case (redact, reroute), flag it for a person, or refuse it; a refusal ends the walk.
Steps know the proposal, the facts fetched up front and the policy, and nothing else.
"""

from __future__ import annotations

import msgspec

from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.claim import Charter, Relation
from muniment.model.curation import Redaction, StepOutcome
from muniment.model.status import CURRENT, Status
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import (
    EXTENSION_SCOPES,
    STANDS_ON,
    ActorType,
    Disposition,
    Kind,
    RelationType,
    Scope,
    Step,
    StepResult,
)
from muniment.policy.decide import decide_draft, decide_write
from muniment.policy.rules import DetectorEffect, DisputePolicy, UnsharedPolicy, WriteDecision
from muniment.write import duplicates
from muniment.write.announce import cannot_announce
from muniment.write.case import Case, Finding, StepFunction, flagged, hidden, passed, refused
from muniment.write.doubt import doubt
from muniment.write.facts import Held
from muniment.write.precedence import PRECEDENCE, RULES, above
from muniment.write.secrets import screen_of
from muniment.write.similarity import SUCCESSOR, echoed, goes_back, restated, rivals

ERASED = "erased"
"""The rule under which what was erased, or is to be as if it had been, does not come in."""
UNASKED = DisputePolicy(detector=DetectorEffect.IGNORE, judge=DetectorEffect.IGNORE)
"""How disagreement is found where nobody looks for it: by what a claim and its slot state themselves."""


def admission(case: Case) -> Finding:
    """Shape was settled when the values were made; a deprecation without a target is the one thing they cannot see."""
    if case.claim.nature.kind is Kind.DEPRECATION and not case.claim.lineage.replaced:
        return refused(
            Step.ADMISSION, case, "deprecation-names-target", "a deprecation must name the record it supersedes"
        )
    return passed(Step.ADMISSION, case)


def safety(case: Case) -> Finding:
    """Secrets are already out of the case; here they are accounted for, or the case ends because of them. Then its
    words are weighed."""
    if case.unsafe_ids:
        fields = ", ".join(case.unsafe_ids)
        return refused(Step.SAFETY, case, "secret-in-name", f"a name holds what looks like a secret: {fields}")
    ended = _ended(case)
    if ended is not None:
        return ended
    outcome = StepOutcome(step=Step.SAFETY, result=StepResult.PASSED)
    if case.redactions:
        note = f"redacted {_listed(case.redactions)}"
        outcome = StepOutcome(step=Step.SAFETY, result=StepResult.CHANGED, note=note)
    if case.noticed and case.reviewer is None:
        waits = f"a person decides on {_listed(case.noticed)}"
        note = f"{outcome.note}; {waits}" if outcome.note else waits
        outcome, case = (
            StepOutcome(step=Step.SAFETY, result=StepResult.FLAGGED, note=note),
            flagged(Step.SAFETY, case, waits)[1],
        )
    return doubt(outcome, case)


def _ended(case: Case) -> Finding | None:
    """The refusal of a case for what was found in it: a sort that the policy discards, or one that a person must
    decide on in a draft, which nobody else sees."""
    screen = screen_of(case.policy.safety)
    if screen.ends(one.what for one in case.redactions):
        secret = screen.secret(one.what for one in case.redactions)
        rule, what = ("secrets-discard", "a secret") if secret else ("personal-discard", "personal data")
        return refused(Step.SAFETY, case, rule, f"the proposal held {what}: {_listed(case.redactions)}")
    if case.noticed and case.draft:
        reason = f"a draft waits for nobody, and a person must decide on {_listed(case.noticed)}"
        return refused(Step.SAFETY, case, "personal-draft", reason)
    return None


def _listed(found: tuple[Redaction, ...]) -> str:
    return ", ".join(f"{one.what} in {one.field}" for one in found)


def provenance(case: Case) -> Finding:
    """Everything the proposal stands on or replaces must be there, and be the proposer's to see."""
    if case.facts.tombstone is not None:
        return refused(Step.PROVENANCE, case, ERASED, case.facts.tombstone)
    links = [*case.claim.lineage.links]
    links += [(type_, name) for type_, name in (("revises", case.target), ("promotes", case.promotes)) if name]
    waiting: list[str] = []
    for type_, name in links:
        held = case.facts.links[name]
        if held is None and _comes_along(case, name):
            waiting.append(f"{type_} {name}")
        elif held is None or _hidden(case, held):
            reason = f"{type_} {name}: there is no such record that the proposer may see"
            return refused(Step.PROVENANCE, case, "unknown-link", reason)
    for type_, name in case.facts.loops:
        reason = f"{type_} {name}: it stands on {case.target} itself, so the link would close a circle"
        return refused(Step.PROVENANCE, case, "cycle", reason)
    barred = _barred(case)
    if barred is not None:
        return barred
    if waiting:
        return flagged(Step.PROVENANCE, case, f"{', '.join(waiting)}: it waits too")
    if case.arrival is not None and case.arrival.hold and case.reviewer is None:
        return flagged(Step.PROVENANCE, case, f"read from {case.arrival.contract}: it waits until a person takes it in")
    owed = case.exposure
    if (
        owed.idle
        and case.policy.trust.exposure.unshared is UnsharedPolicy.HOLD
        and case.reviewer is None
        and not case.draft
    ):
        return flagged(Step.PROVENANCE, case, "its author was lately told something of low origin: a reviewer decides")
    if owed.shared:
        note = f"{_grounds(case)}; it shares content with {len(owed.shared)} of what its author was told"
        return StepOutcome(step=Step.PROVENANCE, result=StepResult.CHANGED, note=note), case
    return passed(Step.PROVENANCE, case, _grounds(case))


def _comes_along(case: Case, name: str) -> bool:
    """Whether a record that is not there came with this one and waits. Once somebody answers, it must be there."""
    return case.arrival is not None and name in case.arrival.among and case.reviewer is None


def _barred(case: Case) -> Finding | None:
    """Memory kept under a charter does not flow into scopes that charter bars, nor anywhere by promotion."""
    place = case.claim.place
    for type_, name in case.claim.lineage.links:
        held = case.facts.links[name]
        if held is not None and type_ in STANDS_ON and place.scope in held.record.barred:
            reason = f"{type_} {name}: a charter it stands under bars the scope {place.scope}"
            return refused(Step.PROVENANCE, case, "barred-scope", reason)
    return None


def _grounds(case: Case) -> str:
    pieces = len(case.claim.belief.evidence)
    parents = len(case.claim.lineage.derived_from)
    origin = f", read from {case.arrival.contract}" if case.arrival is not None else ""
    return f"proposed by {case.actor.type} {case.actor.id}{origin}; {pieces} pieces of evidence, {parents} parents"


def scope(case: Case) -> Finding:
    """The suggested place stands unless a reviewer gave another. Some places ask for more than a name."""
    outcome, case = _routed(case)
    missing = missing_for(case)
    if missing is not None:
        return refused(Step.SCOPE, case, *missing)
    return outcome, _retained(case)


def _retained(case: Case) -> Case:
    """What is kept under a charter ends when the charter says."""
    charter, times = case.claim.charter, case.claim.times
    if charter is None or charter.retention_days is None:
        return case
    until = Instant(case.now + charter.retention_days * DAY)
    if times.expires_at is not None and times.expires_at <= until:
        return case
    kept = msgspec.structs.replace(times, expires_at=until)
    return msgspec.structs.replace(case, claim=msgspec.structs.replace(case.claim, times=kept))


def missing_for(case: Case) -> tuple[str, str] | None:
    """The rule and the reason why a claim may not be where it wants to be; None if it may."""
    claim = case.claim
    scope, owner = claim.place.scope, claim.handling.owner
    if scope in EXTENSION_SCOPES:
        lacking = [*([] if owner is not None else ["owner"]), *(claim.charter or Charter()).missing]
        missing = ["barred_scopes" if name == "barred" else name for name in lacking]
        if missing:
            return "charter-incomplete", f"the scope {scope} needs {', '.join(missing)}"
    if claim.charter is not None and scope in claim.charter.barred:
        return "barred-scope", f"its own charter bars the scope {scope}"
    if case.announces is not None:
        return cannot_announce(case)
    if case.promotes is None:
        return None
    held = case.facts.links[case.promotes]
    assert held is not None, "provenance has found it"
    if held.card.status not in CURRENT:
        return "not-current", f"record {case.promotes} is {held.card.status} and cannot be promoted"
    if scope not in PROMOTIONS.get(Scope(held.card.scope), ()):
        return "promotion-route", f"a {held.card.scope} record cannot be promoted to {scope}"
    lacking = [name for name, given in (("evidence", claim.belief.evidence), ("owner", owner)) if not given]
    if lacking:
        return "promotion-grounds", f"a promotion needs {' and '.join(lacking)}"
    return None


PROMOTIONS: dict[Scope, tuple[Scope, ...]] = {
    Scope.SESSION: (Scope.PROJECT, Scope.AGENT_REPO),
    Scope.PROJECT: (Scope.AGENT_TEAM, Scope.AGENT_REPO),
    Scope.AGENT_REPO: (Scope.AGENT_TEAM,),
}
"""Which scope a record may be promoted to, one step at a time."""


def _routed(case: Case) -> Finding:
    ruling, place = case.ruling, case.claim.place
    if ruling is None or (ruling.scope is None and ruling.scope_id is None):
        return passed(Step.SCOPE, case, f"{place.scope} {place.scope_id}")
    moved = msgspec.structs.replace(
        place, scope=ruling.scope or place.scope, scope_id=ruling.scope_id or place.scope_id
    )
    changed = msgspec.structs.replace(case, claim=msgspec.structs.replace(case.claim, place=moved))
    note = f"moved from {place.scope} {place.scope_id} to {moved.scope} {moved.scope_id}"
    return StepOutcome(step=Step.SCOPE, result=StepResult.CHANGED, note=note), changed


def kind(case: Case) -> Finding:
    """The suggested kind stands unless a reviewer gave another."""
    ruling, nature = case.ruling, case.claim.nature
    if ruling is None or ruling.kind is None or ruling.kind is nature.kind:
        return passed(Step.KIND, case, nature.kind.value)
    changed = msgspec.structs.replace(case.claim, nature=msgspec.structs.replace(nature, kind=ruling.kind))
    note = f"reclassified from {nature.kind} to {ruling.kind}"
    return StepOutcome(step=Step.KIND, result=StepResult.CHANGED, note=note), msgspec.structs.replace(
        case, claim=changed
    )


def evidence(case: Case) -> Finding:
    """Some kinds need grounds. A person's own word is a ground, and so is a reviewer's; an agent's is not."""
    rules = case.policy.evidence
    if case.draft:
        return passed(Step.EVIDENCE, case, "a draft needs none")
    if rules.session_below is not None and case.claim.belief.score < rules.session_below:
        doubted = _doubted(case, rules.session_below)
        if doubted is not None:
            return doubted
    if case.claim.belief.evidence or case.claim.nature.kind not in rules.required_for:
        return passed(Step.EVIDENCE, case)
    if case.announces is not None:
        return passed(Step.EVIDENCE, case, "it was let in where it comes from")
    if case.actor.type is ActorType.PERSON and rules.word:
        return passed(Step.EVIDENCE, case, "a person's word")
    if case.reviewer is not None and rules.word:
        return passed(Step.EVIDENCE, case, "a reviewer answers for it")
    if decide_write(case.policy, case.actor, case.claim).word:
        return passed(Step.EVIDENCE, case, "its author's word is enough here")
    note = f"a {case.claim.nature.kind} needs evidence and none is given"
    if rules.otherwise is WriteDecision.REFUSE or case.reviewer is not None:
        return refused(Step.EVIDENCE, case, "evidence-required", note)
    if rules.otherwise is WriteDecision.COMMIT:
        return StepOutcome(step=Step.EVIDENCE, result=StepResult.FLAGGED, note=note), case
    return flagged(Step.EVIDENCE, case, note)


def _doubted(case: Case, least: float) -> Finding | None:
    """What is hardly believed stays in its session, or waits for somebody who puts it there."""
    if case.claim.place.scope is Scope.SESSION:
        return None
    note = f"believed less than {least:g}: it may be kept in a session only"
    if case.reviewer is None:
        return flagged(Step.EVIDENCE, case, note)
    return refused(Step.EVIDENCE, case, "low-confidence", note)


def dedupe(case: Case) -> Finding:
    """The same sentence in the same place as the same kind is nothing new; nor is one that was corrected since. One
    that only says again what was told is kept, and counts for no more than what it echoes."""
    taken = duplicates.taken(case)
    if taken is not None or not case.speaks:
        return taken or passed(Step.DEDUPE, case, _quiet(case))
    twin = duplicates.twin_of(case)
    if twin is not None and not _hidden(case, twin):
        # To call it redundant for a hidden twin would tell the proposer that a record they may not see exists.
        repeated = duplicates.repeated(case, twin)
        if repeated is not None:
            return repeated
    if case.announces is not None:
        return passed(Step.DEDUPE, case, f"passed on from {case.announces}")
    past = restated(case.claim, case.facts, {*case.replaced}) if case.reviewer is None else None
    if past is not None and duplicates.apart(case, past.held):
        past = None
    if past is not None and (_hidden(case, past.held) or _hidden(case, past.now)):
        past = None
    if past is not None and case.arrival is None and goes_back(past, case.claim, case.facts, case.actor):
        case, past = _changed_back(case, past.now), None
    if past is not None:
        return refused(
            Step.DEDUPE,
            case,
            "restated",
            f"{past.held.card.id} said this until {past.now.card.id} took its place; to change it back, revise or "
            f"supersede {past.now.card.id}",
        )
    same = tuple(held for held in duplicates.same_as(case) if not _hidden(case, held))
    case = msgspec.structs.replace(case, same_as=same)
    seen = [held for held in echoed(case.claim, case.facts, case.actor) if not _hidden(case, held)]
    if not seen:
        return passed(Step.DEDUPE, case, f"the same as {', '.join(held.card.id for held in same)}" if same else "")
    if any(case.claim.place.scope in held.record.barred for held in seen):
        reason = f"it says again what a charter bars from the scope {case.claim.place.scope}"
        return refused(Step.DEDUPE, case, "barred-scope", reason)
    names = ", ".join(held.card.id for held in seen)
    outcome = StepOutcome(step=Step.DEDUPE, result=StepResult.CHANGED, note=f"echoes {names}: no new evidence")
    others = tuple(held for held in seen if held.card.id != case.target)
    itself = next((held for held in seen if held.card.id == case.target), None)
    return outcome, msgspec.structs.replace(case, echoes=others, repeats=itself)


def _changed_back(case: Case, now: Held) -> Case:
    """The case of a claim that takes the place of what had taken its place."""
    lineage = msgspec.structs.replace(case.claim.lineage, supersedes=case.claim.lineage.supersedes or now.card.id)
    if lineage.supersedes != now.card.id:
        relation = Relation(type=RelationType.SUPERSEDES, target=now.card.id)
        lineage = msgspec.structs.replace(lineage, relations=(*lineage.relations, relation))
    version = SeenVersion(key=DependencyKey.RECORD, name=now.card.id, version=now.card.since)
    facts = msgspec.structs.replace(
        case.facts, links={**case.facts.links, now.card.id: now}, seen=(*case.facts.seen, version)
    )
    return msgspec.structs.replace(case, claim=msgspec.structs.replace(case.claim, lineage=lineage), facts=facts)


def _quiet(case: Case) -> str:
    """Why a claim that does not count for now is not compared with what does."""
    return "a draft is compared with nothing" if case.draft else "it is over where it comes from"


def _hidden(case: Case, held: Held) -> bool:
    return _apart(case, held) or hidden(case.policy, case.actor, held)


def _apart(case: Case, held: Held) -> bool:
    """Whether a wall stands between a claim and a record: the memory of one user, another's, and what all share never
    meet, whoever may see them."""
    return held.record.claim.place.user != case.claim.place.user


def conflict(case: Case) -> Finding:
    """Another answer to the same question, valid at the same time, is a disagreement; so is one that says so, and one
    whose words do."""
    if not case.speaks:
        return passed(Step.CONFLICT, case, _quiet(case))
    disputes = case.policy.disputes if case.detect else UNASKED
    every = rivals(case.claim, case.facts, {*case.replaced}, disputes, case.suggestions, case.actor.id)
    found = tuple(rival for rival in every if not _apart(case, rival.held))
    if not found:
        return passed(Step.CONFLICT, case, "" if case.detect else "nobody has looked yet")
    unseen = {rival.held.card.rid for rival in found if _hidden(case, rival.held)}
    if case.reviewer is None and any(
        rival.held.card.rid in unseen and rival.why in ("slot", SUCCESSOR) for rival in found
    ):
        return flagged(Step.CONFLICT, case, "a curator must compare it with what is held")
    open_ = tuple(rival for rival in found if case.reviewer is not None or rival.held.card.rid not in unseen)
    if not open_:
        return passed(Step.CONFLICT, case)
    against = above(case.policy, case.actor, case.claim, (rival.held for rival in open_ if rival.contests))
    if case.reviewer is None and against:
        return flagged(Step.CONFLICT, case, f"{_waits_for(against)}: somebody who may decide there compares the two")
    notes = ", ".join(f"{rival.type} with another record ({rival.why})" for rival in open_)
    outcome = StepOutcome(step=Step.CONFLICT, result=StepResult.FLAGGED, note=notes)
    return outcome, msgspec.structs.replace(case, rivals=open_)


def _waits_for(against: tuple[Held, ...]) -> str:
    names = ", ".join(held.card.id for held in against)
    return f"it speaks against {names}, by an author of more authority"


def disposition(case: Case) -> Finding:
    """Ask the policy, for the new claim and for whatever it would replace; the stricter answer holds."""
    decided = _by_ruling(case) if case.ruling is not None else _by_policy(case)
    if case.promotes is not None and decided.decision is WriteDecision.COMMIT and case.ruling is None:
        reason = "a promotion waits for a reviewer, whoever proposes it"
        decided = msgspec.structs.replace(decided, decision=WriteDecision.HOLD, rule="promotion", reason=reason)
    if decided.decision is WriteDecision.REFUSE:
        return refused(Step.DISPOSITION, decided, decided.rule, decided.reason)
    what = Disposition.HOLD if decided.decision is WriteDecision.HOLD else _operation(decided)
    return passed(Step.DISPOSITION, msgspec.structs.replace(decided, disposition=what), f"{what} under {decided.rule}")


def _by_ruling(case: Case) -> Case:
    assert case.ruling is not None
    days = decide_write(case.policy, case.actor, case.claim).review_days
    return msgspec.structs.replace(case, decision=WriteDecision.COMMIT, reason=case.ruling.reason, review_days=days)


_STRICTNESS = {WriteDecision.COMMIT: 0, WriteDecision.HOLD: 1, WriteDecision.REFUSE: 2}


def _by_policy(case: Case) -> Case:
    if case.draft:
        kept = decide_draft(case.policy, case.actor, case.claim)
        return msgspec.structs.replace(case, decision=kept.decision, rule=kept.rule, reason=kept.reason)
    # A draft was never anybody's but its author's: to go on from it takes no right beside that to the new claim.
    links = (case.facts.links[name] for name in case.replaced)
    replaced = [held for held in links if held is not None and held.card.status != Status.DRAFT]
    claims = [case.claim, *(held.record.claim for held in replaced)]
    answers = [decide_write(case.policy, case.actor, claim) for claim in claims]
    answer = max(answers, key=lambda found: _STRICTNESS[found.decision]) if replaced else answers[0]
    decided = msgspec.structs.replace(
        case, decision=answer.decision, rule=answer.rule, reason=answer.reason, review_days=answer.review_days
    )
    rules = (held for held in replaced if held.record.claim.nature.kind in RULES)
    against = above(case.policy, case.actor, case.claim, rules)
    if against and answer.decision is WriteDecision.COMMIT:
        reason = f"{_waits_for(against)}, and would take its place: somebody who may decide there answers for it"
        return msgspec.structs.replace(decided, decision=WriteDecision.HOLD, rule=PRECEDENCE, reason=reason)
    if case.flags and answer.decision is WriteDecision.COMMIT:
        return msgspec.structs.replace(decided, decision=WriteDecision.HOLD, reason="; ".join(case.flags))
    return decided


def _operation(case: Case) -> Disposition:
    if any(rival.contests for rival in case.rivals):
        return Disposition.CONFLICT
    if case.claim.nature.kind is Kind.DEPRECATION:
        return Disposition.DEPRECATE
    return Disposition.UPDATE if case.replaced else Disposition.APPEND


STEPS: tuple[tuple[Step, StepFunction], ...] = (
    (Step.ADMISSION, admission),
    (Step.SAFETY, safety),
    (Step.PROVENANCE, provenance),
    (Step.SCOPE, scope),
    (Step.KIND, kind),
    (Step.EVIDENCE, evidence),
    (Step.DEDUPE, dedupe),
    (Step.CONFLICT, conflict),
    (Step.DISPOSITION, disposition),
)


def curate(case: Case) -> tuple[Case, tuple[StepOutcome, ...]]:
    """Walk the nine steps. A refusal ends the walk; the steps after it are marked as not run."""
    outcomes: list[StepOutcome] = []
    for step, function in STEPS:
        outcome, case = function(case)
        objection = next((one for one in case.objections if one.step is step), None)
        if objection is not None and outcome.result is not StepResult.REFUSED:
            linked = msgspec.structs.replace(case, duplicate_of=objection.duplicate_of or case.duplicate_of)
            outcome, case = refused(step, linked, objection.rule, objection.reason)
        if step is Step.CONFLICT and case.unheard:
            outcome = msgspec.structs.replace(outcome, note="; ".join(filter(None, (outcome.note, *case.unheard))))
        outcomes.append(outcome)
        if outcome.result is StepResult.REFUSED:
            break
    outcomes += (StepOutcome(step=step, result=StepResult.NOT_RUN) for step, _ in STEPS[len(outcomes) :])
    return case, tuple(outcomes)
