"""Decide, from rules and facts alone. No store, no clock, no network."""

from __future__ import annotations

import msgspec

from muniment.model.actor import Actor
from muniment.model.card import reader_mark, readers_of
from muniment.model.claim import Claim, Place
from muniment.model.filter import covers
from muniment.model.record import Record
from muniment.model.status import PRIVATE, Status
from muniment.model.value import Value
from muniment.model.vocabulary import (
    CORE_SCOPES,
    LABEL_RANK,
    SENSITIVITY_RANK,
    TRUST_RANK,
    ActorType,
    Label,
    Scope,
)
from muniment.policy.rules import ANYONE, Action, Policy, ReadRule, ReviewRule, WriteDecision, WriteRule

NO_RULE = "no-rule"
USER_WALL = "user-wall"
NOBODY_AUTHORITY = Actor(id="nobody").authority
DRAFTS = "drafts"
OF_THE_WHOLE = frozenset({Action.AUDIT, Action.HOLD, Action.IMPORT, Action.NAME, Action.SWEEP})
"""Actions that concern the memory as a whole: a rule for some places, or for what is one's own, does not allow them."""

_REVIEWING = frozenset({Action.ACCEPT, Action.VOUCH})


class Decision(Value):
    """What a rule says, and which."""

    decision: WriteDecision
    rule: str
    reason: str
    review_days: int | None = None
    word: bool = False


def decide_write(policy: Policy, actor: Actor, claim: Claim) -> Decision:
    """Ask the write rules in order; the first that fits decides. No rule fits: refused."""
    if walled(actor, claim.place):
        reason = "who acts for a user writes into that user's memory alone"
        return Decision(decision=WriteDecision.REFUSE, rule=USER_WALL, reason=reason)
    for rule in policy.write:
        if _concerns(rule, actor) and _fits(rule, actor, claim):
            return Decision(
                decision=rule.decision,
                rule=rule.id,
                reason=rule.reason,
                review_days=rule.review_days,
                word=rule.word,
            )
    return Decision(
        decision=WriteDecision.REFUSE, rule=NO_RULE, reason="no write rule of the policy covers this proposal"
    )


def decide_draft(policy: Policy, actor: Actor, claim: Claim) -> Decision:
    """Whether an actor may keep a draft: of enough authority, in a place of its own or where it could commit."""
    least = policy.drafts.authority_min
    here = not walled(actor, claim.place) and belongs(actor, claim.place)
    here = here or decide_write(policy, actor, claim).decision is WriteDecision.COMMIT
    if actor.authority >= least and here:
        return Decision(decision=WriteDecision.COMMIT, rule=DRAFTS, reason="a draft is its author's alone")
    reason = f"a draft takes authority {least}, and a place of one's own or where one may commit"
    return Decision(decision=WriteDecision.REFUSE, rule=DRAFTS, reason=reason)


def decide_read(
    policy: Policy,
    actor: Actor,
    purpose: str,
    record: Record,
    label: Label | None = None,
    *,
    status: Status = Status.ACTIVE,
) -> str | None:
    """Name the grant under which `actor` may see `record` for `purpose`, or None. `label` is where the record counts
    as coming from now, if that is no longer what it was born with. A draft is its author's alone, also once it was
    dropped; what is in quarantine is for its author and for those who see the queue."""
    present = record.label if label is None else label
    if walled(actor, record.claim.place) or not chartered(record, actor) or not _open(policy, actor, record, status):
        return None
    for rule in policy.read:
        if grants(rule, actor, purpose) and _opens(rule, actor, record, present):
            return rule.id
    return None


def _open(policy: Policy, actor: Actor, record: Record, status: Status) -> bool:
    """Whether the state a record is in lets others than its author see it."""
    if record.actor == actor.id or (status not in PRIVATE and status is not Status.HELD):
        return True
    if status in PRIVATE:
        return False
    return decide_review(policy, actor, Action.QUEUE, record.claim.place, record.actor) is not None


def walled(actor: Actor, place: Place | None) -> bool:
    """Whether a place is out of reach for one who acts for a user: everything but that user's memory is.

    >>> from muniment.model.claim import Place
    >>> walled(Actor(id="bot", user="alice"), Place()), walled(Actor(id="bot"), Place())
    (True, False)
    """
    return actor.user is not None and (place is None or place.user != actor.user)


def acting_for(actor: Actor, place: Place) -> Actor:
    """The same actor, acting for the user whose memory a place is."""
    if place.user is None or actor.user is not None:
        return actor
    return msgspec.structs.replace(actor, user=place.user)


def chartered(record: Record, actor: Actor) -> bool:
    """Whether the charter a record is kept under lets this actor read it; its owner and reviewer always may."""
    readers = readers_of(record.claim)
    return not readers or any(reader_mark(name) in readers for name in (actor.id, *actor.roles))


def steers(policy: Policy, purpose: str) -> bool:
    """Whether an answer for this purpose may move a tool or an agent. A purpose nobody declared harmless does."""
    return purpose not in policy.trust.inform


def decide_review(policy: Policy, actor: Actor, action: Action, place: Place | None, author: str | None) -> str | None:
    """Name the rule under which `actor` may take `action` on something of `author` at `place`, or None. Who acts for a
    user may do nothing to the memory as a whole."""
    if walled(actor, place):
        return None
    for rule in policy.review:
        if not _concerns(rule, actor) or action not in rule.actions:
            continue
        if rule.own and author != actor.id:
            continue
        if rule.authority_min is not None and actor.authority < rule.authority_min:
            continue
        if rule.scopes is not None and (place is None or place.scope not in rule.scopes):
            continue
        if rule.scope_ids is not None and (place is None or place.scope_id not in rule.scope_ids):
            continue
        if rule.namespaces is not None and (place is None or not _under(rule.namespaces, place.namespace)):
            continue
        return rule.id
    return None


def may_somewhere(policy: Policy, actor: Actor) -> tuple[Action, ...]:
    """The review actions that `actor` may take on something, at some place: a hint of what is worth offering, and no
    gate, for each thing is decided on its own. What concerns the memory as a whole is allowed as a whole or not at all.

    >>> from muniment.policy.rules import Policy, ReviewRule
    >>> rule = ReviewRule(id="own", actions=(Action.RETRACT, Action.AUDIT), own=True)
    >>> [action.value for action in may_somewhere(Policy(version=1, name="p", review=(rule,)), Actor(id="ana"))]
    ['retract']
    """
    somewhere = {action for rule in policy.review if _opens_somewhere(rule, actor) for action in rule.actions}
    return tuple(
        action
        for action in Action
        if (
            decide_review(policy, actor, action, None, None) is not None
            if action in OF_THE_WHOLE
            else action in somewhere
        )
    )


def answers_for_others(policy: Policy, actor: Actor) -> bool:
    """Whether somewhere an actor may take in what others propose, or vouch for it: a reviewer, whatever else it is."""
    return any(
        _concerns(rule, actor) and not rule.own and not _REVIEWING.isdisjoint(rule.actions) for rule in policy.review
    )


def _opens_somewhere(rule: ReviewRule, actor: Actor) -> bool:
    return (
        _concerns(rule, actor)
        and (rule.authority_min is None or actor.authority >= rule.authority_min)
        and rule.scopes != ()
        and rule.scope_ids != ()
        and rule.namespaces != ()
    )


def grants(rule: ReadRule, actor: Actor, purpose: str) -> bool:
    """Whether a read rule has anything to say to this actor for this purpose."""
    return _concerns(rule, actor) and (rule.purposes is None or purpose in rule.purposes)


def belongs(actor: Actor, place: Place) -> bool:
    """Whether a scope is the actor's own.

    >>> from muniment.model.claim import Place
    >>> belongs(Actor(id="ana", projects=("apollo",)), Place(scope=Scope.PROJECT, scope_id="apollo"))
    True
    """
    own = own_scope_ids(actor, place.scope)
    return ANYONE in own or place.scope_id in own


def own_scope_ids(actor: Actor, scope: Scope) -> tuple[str, ...]:
    match scope:
        case Scope.PROJECT:
            return actor.projects
        case Scope.AGENT_TEAM:
            return actor.teams
        case Scope.AGENT_REPO:
            return (actor.id, *actor.roles)
        case Scope.SESSION:
            return actor.sessions
        case Scope.USER:
            return (actor.user,) if actor.user is not None else ()
        case Scope.X_USER_IDENTITY:
            return (actor.id,)
        case Scope.X_ORGANIZATION | Scope.X_CROSS_ORGANIZATION:
            return ()


def listed_authority(policy: Policy, actor: str) -> int:
    """The authority a policy gives a name."""
    member = policy.actors.get(actor) or policy.actors.get(ANYONE)
    return member.authority if member is not None else NOBODY_AUTHORITY


def resolve(policy: Policy, actor: str, *, session: str | None = None) -> Actor:
    """Who a name stands for under this policy. A name it does not list is what `*` says, or nobody in particular."""
    member = policy.actors.get(actor) or policy.actors.get(ANYONE)
    sessions = (session,) if session is not None else ()
    if member is None:
        return Actor(id=actor, type=ActorType.AGENT, sessions=sessions)
    return Actor(
        id=actor,
        type=member.type,
        roles=member.roles,
        teams=member.teams,
        projects=member.projects,
        sessions=member.sessions + sessions,
        authority=member.authority,
    )


def authority_of(policy: Policy, record: Record) -> int:
    """How much authority the author of a record had when it was written, or has by the policy."""
    return record.authority if record.authority is not None else resolve(policy, record.actor).authority


def _concerns(rule: WriteRule | ReadRule | ReviewRule, actor: Actor) -> bool:
    return (
        (rule.actors is None or actor.id in rule.actors)
        and (rule.roles is None or any(role in rule.roles for role in actor.roles))
        and (rule.types is None or actor.type in rule.types)
    )


def _fits(rule: WriteRule, actor: Actor, claim: Claim) -> bool:
    return (
        _covers(rule, claim)
        and (rule.authority_min is None or actor.authority >= rule.authority_min)
        and (rule.member is None or rule.member == belongs(actor, claim.place))
        and (rule.confidence_min is None or claim.belief.score >= rule.confidence_min)
        and (rule.evidence_min is None or len(claim.belief.evidence) >= rule.evidence_min)
    )


def _opens(rule: ReadRule, actor: Actor, record: Record, label: Label) -> bool:
    return (
        _covers(rule, record.claim)
        and (not rule.member or belongs(actor, record.claim.place))
        and (rule.trust_min is None or TRUST_RANK[record.trust] >= TRUST_RANK[rule.trust_min])
        and (rule.label_min is None or LABEL_RANK[label] >= LABEL_RANK[rule.label_min])
    )


def _under(spaces: tuple[str, ...], namespace: str) -> bool:
    return any(covers(space, namespace) for space in spaces)


def _covers(rule: WriteRule | ReadRule, claim: Claim) -> bool:
    """The bounds that writing and reading share."""
    place, nature, most = claim.place, claim.nature, rule.sensitivity_max
    return (
        place.scope in (CORE_SCOPES if rule.scopes is None else rule.scopes)
        and (rule.scope_ids is None or place.scope_id in rule.scope_ids)
        and (rule.namespaces is None or _under(rule.namespaces, place.namespace))
        and (rule.kinds is None or nature.kind in rule.kinds)
        and (rule.classes is None or nature.memory_class in rule.classes)
        and (most is None or SENSITIVITY_RANK[claim.handling.sensitivity] <= SENSITIVITY_RANK[most])
    )
