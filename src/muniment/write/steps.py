"""The nine curation steps: pure functions from a case to what the step found and the case as it then stands.

A step may change the case (redact, reroute), flag it for a person, or refuse it; a refusal ends the walk.
Steps know the proposal, the facts fetched up front and the policy, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import normalise
from muniment.model.claim import Claim, Times
from muniment.model.curation import Redaction, StepOutcome
from muniment.model.proposal import Ruling
from muniment.model.record import Record
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType, Disposition, Kind, Step, StepResult
from muniment.policy.decide import decide_read, decide_write
from muniment.policy.rules import Policy, Secrets, WriteDecision
from muniment.write.facts import Facts, Held

CURATION_PURPOSE = "curation"


class Case(Value):
    """One proposal on its way through curation."""

    claim: Claim
    actor: Actor
    policy: Policy
    facts: Facts
    now: Instant
    target: str | None = None
    redactions: tuple[Redaction, ...] = ()
    unsafe_ids: tuple[str, ...] = ()
    ruling: Ruling | None = None
    reviewer: str | None = None
    flags: tuple[str, ...] = ()
    duplicate_of: str | None = None
    opponents: tuple[Held, ...] = ()
    decision: WriteDecision = WriteDecision.REFUSE
    disposition: Disposition = Disposition.DISCARD
    rule: str = ""
    reason: str = ""
    review_days: int | None = None


Finding = tuple[StepOutcome, Case]
StepFunction = Callable[[Case], Finding]


def _passed(step: Step, case: Case, note: str = "") -> Finding:
    return StepOutcome(step=step, result=StepResult.PASSED, note=note), case


def _refused(step: Step, case: Case, rule: str, reason: str) -> Finding:
    ended = msgspec.structs.replace(case, rule=rule, reason=reason, decision=WriteDecision.REFUSE)
    return StepOutcome(step=step, result=StepResult.REFUSED, note=reason), ended


def _flagged(step: Step, case: Case, note: str) -> Finding:
    flagged = msgspec.structs.replace(case, flags=(*case.flags, note))
    return StepOutcome(step=step, result=StepResult.FLAGGED, note=note), flagged


def admission(case: Case) -> Finding:
    """Shape was settled when the values were made; a deprecation without a target is the one thing they cannot see."""
    if case.claim.nature.kind is Kind.DEPRECATION and case.claim.lineage.supersedes is None:
        return _refused(
            Step.ADMISSION, case, "deprecation-names-target", "a deprecation must name the record it supersedes"
        )
    return _passed(Step.ADMISSION, case)


def safety(case: Case) -> Finding:
    """Secrets are already out of the case; here they are accounted for, or the case ends because of them."""
    if case.unsafe_ids:
        fields = ", ".join(case.unsafe_ids)
        return _refused(Step.SAFETY, case, "secret-in-name", f"a name holds what looks like a secret: {fields}")
    if not case.redactions:
        return _passed(Step.SAFETY, case)
    found = ", ".join(f"{redaction.what} in {redaction.field}" for redaction in case.redactions)
    if case.policy.safety.secrets is Secrets.DISCARD:
        return _refused(Step.SAFETY, case, "secrets-discard", f"the proposal held a secret: {found}")
    return StepOutcome(step=Step.SAFETY, result=StepResult.CHANGED, note=f"redacted {found}"), case


def provenance(case: Case) -> Finding:
    """Everything the proposal stands on or replaces must be there, and be the proposer's to see."""
    for name, held in case.facts.links.items():
        if held is None or _hidden(case, held):
            return _refused(Step.PROVENANCE, case, "unknown-link", f"no record {name} that the proposer may see")
    for target in (case.target, case.claim.lineage.supersedes):
        replaced = case.facts.links[target] if target is not None else None
        if replaced is not None and Status(replaced.card.status) not in CURRENT:
            return _refused(
                Step.PROVENANCE,
                case,
                "not-current",
                f"record {target} is {replaced.card.status} and cannot be replaced",
            )
    return _passed(Step.PROVENANCE, case, _grounds(case))


def _grounds(case: Case) -> str:
    pieces = len(case.claim.belief.evidence)
    parents = len(case.claim.lineage.derived_from)
    return f"proposed by {case.actor.type} {case.actor.id}; {pieces} pieces of evidence, {parents} parents"


def scope(case: Case) -> Finding:
    """The suggested place stands unless a reviewer gave another."""
    ruling, place = case.ruling, case.claim.place
    if ruling is None or (ruling.scope is None and ruling.scope_id is None):
        return _passed(Step.SCOPE, case, f"{place.scope} {place.scope_id}")
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
        return _passed(Step.KIND, case, nature.kind.value)
    changed = msgspec.structs.replace(case.claim, nature=msgspec.structs.replace(nature, kind=ruling.kind))
    note = f"reclassified from {nature.kind} to {ruling.kind}"
    return StepOutcome(step=Step.KIND, result=StepResult.CHANGED, note=note), msgspec.structs.replace(
        case, claim=changed
    )


def evidence(case: Case) -> Finding:
    """Some kinds need grounds. A person's own word is a ground, and so is a reviewer's; an agent's is not."""
    rules = case.policy.evidence
    if case.claim.belief.evidence or case.claim.nature.kind not in rules.required_for:
        return _passed(Step.EVIDENCE, case)
    if case.actor.type is ActorType.PERSON:
        return _passed(Step.EVIDENCE, case, "a person's word")
    if case.reviewer is not None:
        return _passed(Step.EVIDENCE, case, "a reviewer answers for it")
    note = f"a {case.claim.nature.kind} needs evidence and none is given"
    if rules.otherwise is WriteDecision.REFUSE:
        return _refused(Step.EVIDENCE, case, "evidence-required", note)
    if rules.otherwise is WriteDecision.COMMIT:
        return StepOutcome(step=Step.EVIDENCE, result=StepResult.FLAGGED, note=note), case
    return _flagged(Step.EVIDENCE, case, note)


def dedupe(case: Case) -> Finding:
    """The same sentence in the same place as the same kind is nothing new."""
    twin = case.facts.twin
    if twin is None or _hidden(case, twin):
        # To call it redundant would tell the proposer that a record they may not see exists.
        return _passed(Step.DEDUPE, case)
    replaced = twin.card.id in (case.target, case.claim.lineage.supersedes)
    if replaced and twin.record.claim != case.claim:
        return _passed(Step.DEDUPE, case, "the same words, said otherwise: they take the place of the old ones")
    if _past(twin.record.claim.times, case.now):
        return _passed(Step.DEDUPE, case, "the same words, of a time that is over")
    linked = msgspec.structs.replace(case, duplicate_of=twin.card.id)
    return _refused(Step.DEDUPE, linked, "redundant", f"this is already remembered as {twin.card.id}")


def _past(times: Times, now: Instant) -> bool:
    ends = (end for end in (times.valid_until, times.expires_at) if end is not None)
    return any(end < now for end in ends)


def _hidden(case: Case, held: Held) -> bool:
    return decide_read(case.policy, case.actor, CURATION_PURPOSE, held.record) is None


def conflict(case: Case) -> Finding:
    """Another answer to the same question, valid at the same time, is a disagreement; so is one that says so."""
    replaced = {case.target, case.claim.lineage.supersedes}
    rivals = {held.card.rid: held for held in case.facts.contradicted if Status(held.card.status) in CURRENT}
    for held in case.facts.occupants:
        if held.card.id not in replaced and disagree(case.claim, held.record):
            rivals[held.card.rid] = held
    if not rivals:
        return _passed(Step.CONFLICT, case)
    if case.reviewer is None and any(_hidden(case, held) for held in rivals.values()):
        return _flagged(Step.CONFLICT, case, "a curator must compare it with what is held")
    opponents = tuple(rivals[rid] for rid in sorted(rivals))
    names = ", ".join(held.card.id for held in opponents)
    outcome = StepOutcome(step=Step.CONFLICT, result=StepResult.FLAGGED, note=f"disagrees with {names}")
    return outcome, msgspec.structs.replace(case, opponents=opponents)


def disagree(claim: Claim, standing: Record) -> bool:
    """Whether two answers to the same question cannot both hold.

    Likeness of wording is not asked. A claim whose time has passed cannot be contradicted, only followed.
    """
    ours, theirs = claim.slot, standing.claim.slot
    if ours is None or theirs is None or normalise(ours.value) == normalise(theirs.value):
        return False
    return overlap(claim.times, standing.claim.times)


def overlap(one: Times, other: Times) -> bool:
    """Whether two spans of validity share an instant; an open end reaches for ever."""
    starts_in_time = one.valid_from is None or other.valid_until is None or one.valid_from <= other.valid_until
    return starts_in_time and (
        other.valid_from is None or one.valid_until is None or other.valid_from <= one.valid_until
    )


def disposition(case: Case) -> Finding:
    """Ask the policy, for the new claim and for whatever it would replace; the stricter answer holds."""
    decided = _by_ruling(case) if case.ruling is not None else _by_policy(case)
    if decided.decision is WriteDecision.REFUSE:
        return _refused(Step.DISPOSITION, decided, decided.rule, decided.reason)
    what = Disposition.HOLD if decided.decision is WriteDecision.HOLD else _operation(decided)
    return _passed(Step.DISPOSITION, msgspec.structs.replace(decided, disposition=what), f"{what} under {decided.rule}")


def _by_ruling(case: Case) -> Case:
    assert case.ruling is not None
    return msgspec.structs.replace(case, decision=WriteDecision.COMMIT, reason=case.ruling.reason)


_STRICTNESS = {WriteDecision.COMMIT: 0, WriteDecision.HOLD: 1, WriteDecision.REFUSE: 2}


def _by_policy(case: Case) -> Case:
    replaced = [case.facts.links[name] for name in (case.target, case.claim.lineage.supersedes) if name is not None]
    claims = [case.claim, *(held.record.claim for held in replaced if held is not None)]
    answers = [decide_write(case.policy, case.actor, claim) for claim in claims]
    answer = max(answers, key=lambda found: _STRICTNESS[found.decision]) if replaced else answers[0]
    decided = msgspec.structs.replace(
        case, decision=answer.decision, rule=answer.rule, reason=answer.reason, review_days=answer.review_days
    )
    if case.flags and answer.decision is WriteDecision.COMMIT:
        return msgspec.structs.replace(decided, decision=WriteDecision.HOLD, reason="; ".join(case.flags))
    return decided


def _operation(case: Case) -> Disposition:
    if case.opponents:
        return Disposition.CONFLICT
    if case.claim.nature.kind is Kind.DEPRECATION:
        return Disposition.DEPRECATE
    return (
        Disposition.UPDATE
        if case.target is not None or case.claim.lineage.supersedes is not None
        else Disposition.APPEND
    )


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
    for _, function in STEPS:
        outcome, case = function(case)
        outcomes.append(outcome)
        if outcome.result is StepResult.REFUSED:
            break
    outcomes += (StepOutcome(step=step, result=StepResult.NOT_RUN) for step, _ in STEPS[len(outcomes) :])
    return case, tuple(outcomes)
