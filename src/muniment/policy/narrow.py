"""Turn the read rules into one condition a store can search under. It must hide nothing that `decide_read` shows."""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.filter import AtLeast, AtMost, Both, Chartered, Either, Filter, OneOf, Under
from muniment.model.vocabulary import CORE_SCOPES, EXTENSION_SCOPES, LABEL_RANK, SENSITIVITY_RANK, TRUST_RANK, Scope
from muniment.policy.decide import grants, own_scope_ids
from muniment.policy.rules import ANYONE, Policy, ReadRule


def narrow(policy: Policy, actor: Actor, purpose: str) -> tuple[Filter, tuple[str, ...]]:
    """The condition under which `actor` may see a record for `purpose`, and the grants it is made of.

    No grant: nothing passes.
    """
    rules = [rule for rule in policy.read if grants(rule, actor, purpose)]
    some: Filter = Either(parts=tuple(_condition(rule, actor) for rule in rules))
    if actor.user is not None:
        some = Both(parts=(_own(actor, Scope.USER), some))
    names = tuple(rule.id for rule in rules)
    if not any(scope in EXTENSION_SCOPES for rule in rules for scope in rule.scopes or ()):
        return some, names
    return Both(parts=(Chartered(names=(actor.id, *actor.roles)), some)), names


def _condition(rule: ReadRule, actor: Actor) -> Filter:
    parts: list[Filter] = []
    scopes = CORE_SCOPES if rule.scopes is None else rule.scopes
    if rule.member:
        parts.append(Either(parts=tuple(_own(actor, scope) for scope in scopes)))
    else:
        parts.append(OneOf(field="scope", words=tuple(scopes)))
    if rule.scope_ids is not None:
        parts.append(OneOf(field="scope_id", words=rule.scope_ids))
    if rule.namespaces is not None:
        parts.append(Under(namespaces=rule.namespaces))
    if rule.kinds is not None:
        parts.append(OneOf(field="kind", words=tuple(rule.kinds)))
    if rule.classes is not None:
        parts.append(OneOf(field="memory_class", words=tuple(rule.classes)))
    if rule.sensitivity_max is not None:
        parts.append(AtMost(field="sensitivity", value=SENSITIVITY_RANK[rule.sensitivity_max]))
    if rule.trust_min is not None:
        parts.append(AtLeast(field="trust", value=TRUST_RANK[rule.trust_min]))
    if rule.label_min is not None:
        parts.append(AtLeast(field="label", value=LABEL_RANK[rule.label_min]))
    return Both(parts=tuple(parts))


def _own(actor: Actor, scope: Scope) -> Filter:
    own = own_scope_ids(actor, scope)
    here = OneOf(field="scope", words=(scope,))
    return here if ANYONE in own else Both(parts=(here, OneOf(field="scope_id", words=own)))
