"""Turn policy and query into one plan: what the caller may see at all, and what they asked for of it."""

from __future__ import annotations

from muniment.model.actor import Actor
from muniment.model.filter import AtLeast, AtMost, Believed, Filter, LiveAt, OneOf, Others, Sourced, Under, ValidAt
from muniment.model.gate import TOLD, Gates
from muniment.model.query import Query
from muniment.model.receipt import STATUS, Plan, Terms
from muniment.model.rows import VectorCoverage
from muniment.model.status import CURRENT, Status
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import (
    LABEL_RANK,
    SENSITIVITY_RANK,
    SHARED_SCOPES,
    TRUST_RANK,
    ActorType,
    Contested,
    Kind,
    Scope,
)
from muniment.policy.decide import steers
from muniment.policy.narrow import narrow
from muniment.policy.rules import Policy
from muniment.text.dates import read_span

_NO_VECTORS = VectorCoverage()
_CURRENT = tuple(sorted(status.value for status in CURRENT))
_ASSERTED = (Status.ACTIVE.value,)
_NOT_INTENDED = tuple(sorted(kind.value for kind in Kind if kind is not Kind.INTENTION))
"""What somebody means to do answers no question about what is so: it is told to those who ask for intentions."""

_SHARED: list[tuple[str, Filter]] = [("user", OneOf(field="scope", words=tuple(SHARED_SCOPES)))]
"""Who asks for no user in particular is told of none, whatever they might see."""


def make_plan(
    policy: Policy,
    actor: Actor,
    query: Query,
    terms: Terms,
    *,
    now: Instant,
    as_of: int,
    at_head: bool,
    reach: VectorCoverage = _NO_VECTORS,
) -> Plan:
    """One plan for store and gate alike. `now` is the instant the question is asked at, or asked about; `reach` says
    how far the vectors go that can be used."""
    asked = query.asked_at if query.asked_at is not None else now
    span = read_span(query.text, asked)
    visible, grants = narrow(policy, actor, query.purpose)
    gates = policy.trust.gates.asked(query.gate_min, query.gate_flag)
    return Plan(
        terms=terms,
        visible=visible,
        wanted=_bounds(policy, actor, query, now, gates, grants),
        gates=gates,
        grants=grants,
        now=now,
        as_of=as_of,
        at_head=at_head,
        limit=query.limit,
        budget_tokens=query.budget_tokens,
        weights=policy.recall.weights,
        floor=policy.recall.floor if query.floor is None else query.floor,
        asked=asked,
        asker=actor.id,
        span=(span.first, span.last) if span is not None else None,
        reach=reach,
        min_fit=query.min_fit,
        precise=query.precise,
        contested=_contested(policy, actor, query),
    )


def _bounds(
    policy: Policy, actor: Actor, query: Query, now: Instant, gates: Gates, grants: tuple[str, ...]
) -> tuple[tuple[str, Filter], ...]:
    if query.listing is not None:
        return _listed(query, now)
    shared = _SHARED if actor.user is None and query.scopes is None and _grants_users(policy, grants) else []
    own = _wanted(query, now, _contested(policy, actor, query))
    return (*own, *shared, *_foreign(query, actor), *_trusted(policy, query, gates))


def _contested(policy: Policy, actor: Actor, query: Query) -> Contested:
    """How disputes are told: as the caller says, else as the policy does for callers that are no persons."""
    if query.listing is not None:
        return Contested.BOTH
    if query.contested is not None:
        return query.contested
    return Contested.BOTH if actor.type is ActorType.PERSON else policy.reading.of(query.purpose)


def _grants_users(policy: Policy, grants: tuple[str, ...]) -> bool:
    """Whether any of these grants covers the memory of users."""
    return any(Scope.USER in (rule.scopes or ()) for rule in policy.read if rule.id in grants)


def _listed(query: Query, now: Instant) -> tuple[tuple[str, Filter], ...]:
    """The bounds of a listing. It tells what there is, each thing with its standing, so nothing is kept back for being
    over, weak or unsupported; who may see it is the policy's to say, as ever."""
    listing = query.listing
    assert listing is not None, "asked for a listing"
    bounds: list[tuple[str, Filter]] = [(STATUS, OneOf(field="status", words=tuple(listing.statuses)))]
    if query.valid_at is not None:
        bounds.append(("validity", ValidAt(instant=query.valid_at)))
    if listing.session is not None:
        bounds.append(("session", OneOf(field="session_id", words=(listing.session,))))
    return (*bounds, *_asked_for(query, now))


def _wanted(query: Query, now: Instant, contested: Contested) -> list[tuple[str, Filter]]:
    """The caller's bounds and the standing rules, each under the name its exclusions are counted by."""
    states = _ASSERTED if contested is Contested.NEITHER else _CURRENT
    bounds: list[tuple[str, Filter]] = [(STATUS, OneOf(field="status", words=states))]
    bounds.append(("validity", ValidAt(instant=now if query.valid_at is None else query.valid_at)))
    bounds.append(("expiry", LiveAt(instant=now)))
    if query.kinds is None and query.attuned is None:
        bounds.append(("intention", OneOf(field="kind", words=_NOT_INTENDED)))
    return [*bounds, *_asked_for(query, now)]


def _foreign(query: Query, actor: Actor) -> list[tuple[str, Filter]]:
    """Whoever asks to be told what others know is not told what is its own."""
    others = query.attuned is not None and query.attuned.others
    return [("own", Others(actor=actor.id))] if others else []


def _asked_for(query: Query, now: Instant) -> list[tuple[str, Filter]]:
    """The bounds that the caller sets."""
    bounds: list[tuple[str, Filter]] = []
    if query.scopes is not None:
        bounds.append(("scope", OneOf(field="scope", words=tuple(query.scopes))))
    if query.scope_ids is not None:
        bounds.append(("scope_id", OneOf(field="scope_id", words=query.scope_ids)))
    if query.namespace is not None:
        bounds.append(("namespace", Under(namespaces=(query.namespace,))))
    if query.classes is not None:
        bounds.append(("class", OneOf(field="memory_class", words=tuple(query.classes))))
    if query.kinds is not None:
        bounds.append(("kind", OneOf(field="kind", words=tuple(query.kinds))))
    if query.places is not None:
        bounds.append(("place", OneOf(field="namespace", words=query.places)))
    if query.authors is not None:
        bounds.append(("author", OneOf(field="actor", words=query.authors)))
    if query.sensitivity_max is not None:
        bounds.append(("sensitivity", AtMost(field="sensitivity", value=SENSITIVITY_RANK[query.sensitivity_max])))
    if query.trust_min is not None:
        bounds.append(("trust", AtLeast(field="trust", value=TRUST_RANK[query.trust_min])))
    if query.max_age_days is not None:
        bounds.append(("age", AtLeast(field="created_at", value=int(now - query.max_age_days * DAY))))
    if query.require_provenance:
        bounds.append(("provenance", Sourced()))
    if query.confidence_min is not None:
        bounds.append(("confidence", AtLeast(field="effective", value=query.confidence_min)))
    return bounds


def _trusted(policy: Policy, query: Query, gates: Gates) -> list[tuple[str, Filter]]:
    """The bounds on belief: what has lost its support or falls below the gate is kept back, and what comes from too
    far outside does not steer."""
    spaces = tuple((space, thresholds.min) for space, thresholds in gates.namespaces)
    bounds: list[tuple[str, Filter]] = [
        ("support", OneOf(field="support", words=tuple(support.value for support in TOLD))),
        ("gate", Believed(least=gates.engine.min, namespaces=spaces)),
    ]
    if steers(policy, query.purpose):
        bounds.append(("origin", AtLeast(field="label", value=LABEL_RANK[policy.trust.steer_label_min])))
    return bounds
