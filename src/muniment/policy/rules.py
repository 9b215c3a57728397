"""A policy: rules as data. What no rule allows is refused; an empty list allows nothing.

Write rules are asked in order and the first that fits decides. Read rules are grants: a record may be seen when
some grant covers it. Review rules say who may answer for others. An absent field puts no bound.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from muniment.model.value import Value
from muniment.model.vocabulary import ActorType, Kind, Label, MemoryClass, Scope, Sensitivity, TrustLevel

ANYONE = "*"


class WriteDecision(StrEnum):
    COMMIT = "commit"
    HOLD = "hold"
    REFUSE = "refuse"


class Action(StrEnum):
    """What a review rule can allow."""

    ACCEPT = "accept"
    DISCARD = "discard"
    RETRACT = "retract"
    QUEUE = "queue"
    AUDIT = "audit"


class Secrets(StrEnum):
    REDACT = "redact"
    DISCARD = "discard"


class Member(Value):
    """What the policy knows of a named actor."""

    type: ActorType = ActorType.AGENT
    roles: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    authority: int = 4


class WriteRule(Value):
    """Who may have what committed, or must wait, or is refused. `member`: the scope must (not) be the actor's own."""

    id: str
    decision: WriteDecision
    reason: str
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    member: bool | None = None
    namespaces: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    classes: tuple[MemoryClass, ...] | None = None
    sensitivity_max: Sensitivity | None = None
    confidence_min: float | None = None
    evidence_min: int | None = None
    review_days: int | None = None


class ReadRule(Value):
    """A grant: who may see what, for which purposes. By default only scopes the actor belongs to."""

    id: str
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    purposes: tuple[str, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    member: bool = True
    namespaces: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    classes: tuple[MemoryClass, ...] | None = None
    sensitivity_max: Sensitivity | None = None
    trust_min: TrustLevel | None = None
    label_min: Label | None = None


class ReviewRule(Value):
    """Who may answer for others, and for what. With `own` only for what they proposed themselves."""

    id: str
    actions: tuple[Action, ...]
    actors: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    types: tuple[ActorType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    own: bool = False


class Safety(Value):
    secrets: Secrets = Secrets.REDACT


class Evidence(Value):
    """Kinds that must not become durable on an agent's word alone, and what happens to them then."""

    required_for: tuple[Kind, ...] = (Kind.FACT, Kind.DECISION, Kind.PROCEDURE)
    otherwise: WriteDecision = WriteDecision.HOLD


class Policy(Value):
    version: int
    name: str
    actors: dict[str, Member] = msgspec.field(default_factory=dict)
    write: tuple[WriteRule, ...] = ()
    read: tuple[ReadRule, ...] = ()
    review: tuple[ReviewRule, ...] = ()
    safety: Safety = Safety()
    evidence: Evidence = Evidence()
