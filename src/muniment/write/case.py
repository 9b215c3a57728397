"""One proposal on its way through curation, and how a step says what it found."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import standing_of
from muniment.model.claim import Claim
from muniment.model.curation import Redaction, StepOutcome
from muniment.model.proposal import ImportContext, Objection, ReviewDecision
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Label, Step, StepResult
from muniment.policy.decide import decide_read
from muniment.policy.rules import Policy, WriteDecision
from muniment.write.exposure import NOT_EXPOSED, Exposure
from muniment.write.facts import Facts, Held
from muniment.write.poison import PoisonSignal
from muniment.write.similarity import Rival, Suggestion

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
    ruling: ReviewDecision | None = None
    reviewer: str | None = None
    flags: tuple[str, ...] = ()
    promotes: str | None = None
    announces: str | None = None
    arrival: ImportContext | None = None
    draft: bool = False
    detect: bool = True
    suggestions: tuple[Suggestion, ...] = ()
    unheard: tuple[str, ...] = ()
    signals: tuple[PoisonSignal, ...] = ()
    exposure: Exposure = NOT_EXPOSED
    noticed: tuple[Redaction, ...] = ()
    objections: tuple[Objection, ...] = ()
    duplicate_of: str | None = None
    echoes: tuple[Held, ...] = ()
    same_as: tuple[Held, ...] = ()
    repeats: Held | None = None
    rivals: tuple[Rival, ...] = ()
    decision: WriteDecision = WriteDecision.REFUSE
    disposition: Disposition = Disposition.DISCARD
    rule: str = ""
    reason: str = ""
    review_days: int | None = None

    @property
    def replaced(self) -> tuple[str, ...]:
        """The records the claim would take the place of. What arrives takes the place of what still speaks."""
        names = dict.fromkeys(name for name in (self.target, *self.claim.lineage.replaced) if name is not None)
        if self.draft:
            return (self.target,) if self.target is not None else ()
        if self.arrival is None:
            return tuple(names)
        held = {name: self.facts.links[name] for name in names if self.speaks}
        return tuple(name for name, one in held.items() if one is not None and one.card.status in CURRENT)

    @property
    def speaks(self) -> bool:
        """Whether the claim would count for now. A draft does not, and what is over where it comes from is kept so."""
        return not self.draft and (self.arrival is None or self.arrival.status is Status.ACTIVE)


Finding = tuple[StepOutcome, Case]
StepFunction = Callable[[Case], Finding]


def with_prior(case: Case, label: Label) -> Case:
    """The case of a claim whose proposer did not say how sure they are: as sure as the policy takes them to be, given
    where it comes from."""
    belief = case.claim.belief
    if not belief.unstated:
        return case
    granted = msgspec.structs.replace(belief, score=case.policy.trust.priors.of(label))
    return msgspec.structs.replace(case, claim=msgspec.structs.replace(case.claim, belief=granted))


def passed(step: Step, case: Case, note: str = "") -> Finding:
    return StepOutcome(step=step, result=StepResult.PASSED, note=note), case


def refused(step: Step, case: Case, rule: str, reason: str) -> Finding:
    ended = msgspec.structs.replace(case, rule=rule, reason=reason, decision=WriteDecision.REFUSE)
    return StepOutcome(step=step, result=StepResult.REFUSED, note=reason), ended


def flagged(step: Step, case: Case, note: str) -> Finding:
    doubtful = msgspec.structs.replace(case, flags=(*case.flags, note))
    return StepOutcome(step=step, result=StepResult.FLAGGED, note=note), doubtful


def hidden(policy: Policy, actor: Actor, held: Held) -> bool:
    """Whether an actor may not know of a record."""
    standing = standing_of(held.card)
    label, status = standing.footing.label, standing.status
    return decide_read(policy, actor, CURATION_PURPOSE, held.record, label, status=status) is None
