"""What a machine curator makes of a waiting event: accept it, send it to its session, turn it away, or leave it to a
person. Decided from the event, its report and the policy alone; whoever asks carries it out."""

from __future__ import annotations

from enum import StrEnum

from muniment.compat.matm.hazards import HARMFUL, found
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.curation import CurationReport
from muniment.model.value import Value
from muniment.model.vocabulary import EXTENSION_SCOPES, SENSITIVITY_RANK, Kind, Scope, Sensitivity, Step, StepResult
from muniment.policy.decide import belongs
from muniment.policy.rules import Policy

MATTERS_OF_PEOPLE = frozenset({"production", "legal", "security", "privacy"})
"""Topics, as parts of a namespace, on which no machine decides."""


class CuratorAnswer(StrEnum):
    ACCEPT = "accept"
    DISCARD = "discard"
    LEAVE = "leave"


class CuratorOpinion(Value):
    """What the curator would do, and why. `kind`, `scope` and `scope_id` correct what the producer suggested."""

    answer: CuratorAnswer
    reason: str
    kind: Kind | None = None
    scope: Scope | None = None
    scope_id: str | None = None


class WaitingEvent(Value):
    """A held event with who made it. `asked`: its producer wants a person to look; `arrived`: it is from elsewhere."""

    event: str
    claim: Claim
    report: CurationReport
    producer: Actor
    words: tuple[str, ...] = ()
    asked: bool = False
    promotes: bool = False
    arrived: bool = False


def for_a_steward(waiting: WaitingEvent) -> tuple[str, ...]:
    """Why a person has to decide; nothing if a machine may."""
    claim = waiting.claim
    scope, sensitivity = claim.place.scope, claim.handling.sensitivity
    reasons = {
        "a team goes by it": scope is Scope.AGENT_TEAM,
        "it is about people or crosses a border": scope in EXTENSION_SCOPES,
        "it would be public": sensitivity is Sensitivity.PUBLIC,
        "it is sensitive": SENSITIVITY_RANK[sensitivity] > SENSITIVITY_RANK[Sensitivity.INTERNAL],
        "it is for a scope that is not its producer's": not belongs(waiting.producer, claim.place),
        "it is to count more widely": waiting.promotes,
        "its producer asks for a person": waiting.asked,
        "it comes from elsewhere": waiting.arrived,
    }
    topics = MATTERS_OF_PEOPLE & {part.casefold() for part in claim.place.namespace.split("/")}
    return (
        *(reason for reason, holds in reasons.items() if holds),
        *(f"it is a matter of {topic}" for topic in sorted(topics)),
        *(f"a step {name}" for name in found(HARMFUL, waiting.words)),
    )


def opinion(waiting: WaitingEvent, policy: Policy) -> CuratorOpinion:
    """Safety and people first, then evidence, then conservatism: what is hardly believed stays in its session."""
    reasons = for_a_steward(waiting)
    if reasons:
        return CuratorOpinion(answer=CuratorAnswer.LEAVE, reason="waits for a steward: " + "; ".join(reasons))
    claim, rules = waiting.claim, policy.evidence
    bare = claim.nature.kind in rules.required_for and not claim.belief.evidence
    doubted = rules.session_below is not None and claim.belief.score < rules.session_below
    if bare and doubted:
        return CuratorOpinion(
            answer=CuratorAnswer.DISCARD, reason=f"unsupported: a {claim.nature.kind} without evidence or confidence"
        )
    if bare:
        reason = f"no evidence for a {claim.nature.kind}: kept as a hypothesis of its session"
        return _to_session(waiting, reason, kind=Kind.HYPOTHESIS)
    if doubted and claim.place.scope is not Scope.SESSION:
        return _to_session(waiting, "low confidence: kept in its session only")
    return CuratorOpinion(answer=CuratorAnswer.ACCEPT, reason=_grounds(waiting))


def session_of(waiting: WaitingEvent) -> str:
    """The session an event belongs to: its own, else its task, else a session of its own name."""
    place = waiting.claim.place
    return place.session_id or place.task_id or waiting.event


def _to_session(waiting: WaitingEvent, reason: str, *, kind: Kind | None = None) -> CuratorOpinion:
    if waiting.claim.place.scope is Scope.SESSION:
        return CuratorOpinion(answer=CuratorAnswer.ACCEPT, reason=reason, kind=kind)
    return CuratorOpinion(
        answer=CuratorAnswer.ACCEPT, reason=reason, kind=kind, scope=Scope.SESSION, scope_id=session_of(waiting)
    )


def _grounds(waiting: WaitingEvent) -> str:
    pieces = len(waiting.claim.belief.evidence)
    disputed = any(one.step is Step.CONFLICT and one.result is StepResult.FLAGGED for one in waiting.report.steps)
    cited = f"{pieces} reference{'' if pieces == 1 else 's'} as evidence"
    kept = "both sides are kept" if disputed else cited
    return f"reviewed by the curator: {kept}, belongs to its {waiting.claim.place.scope}"
