"""Who knows what: counted from the records a caller may see, so that the directory says no more than they would."""

from __future__ import annotations

from collections import Counter, defaultdict

from muniment.engine.cached_counts import Tallies
from muniment.model.actor import Actor
from muniment.model.query import DEFAULT_PURPOSE, LIMIT_MAX, Query
from muniment.model.rows import Tally
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Scope
from muniment.policy.decide import decide_review, resolve
from muniment.policy.narrow import narrow
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot
from muniment.read.plan import make_plan
from muniment.read.words import read_terms

_DIGITS = 9
"""Sums are told to so many places: in the last bits they depend on the order in which a store adds up."""


class KnownActor(Value):
    """One actor in the directory: its roles and those of its teams that the caller knows of, how many current records
    it wrote of which kind and on which topics, how they turned out, and how fresh they are. Reliability is told to help
    rank; it is no authority."""

    actor: str
    teams: tuple[str, ...]
    roles: tuple[str, ...]
    records: int
    kinds: dict[str, int]
    topics: dict[str, int]
    scopes: dict[str, int]
    confidence: float
    helpful: float
    misleading: float
    last: Instant


class Directory(Value):
    """Who knows what, the most first; `teams` sums up by team. `about` are the words it was narrowed by."""

    about: str | None
    knowers: tuple[KnownActor, ...]
    teams: dict[str, int]


def directory_of(
    snapshot: Snapshot,
    actor: Actor,
    policy: Policy,
    *,
    sums: Tallies,
    about: str | None,
    now: Instant,
    limit: int,
) -> Directory:
    """The directory as this actor may see it. With `about` only records that match these words are counted."""
    tallies = _all(snapshot, actor, policy, sums) if about is None else _matching(snapshot, actor, policy, about, now)
    by_actor: dict[str, list[Tally]] = defaultdict(list)
    for tally in tallies:
        by_actor[tally.actor].append(tally)
    knowers = sorted((_knower(name, found, actor, policy) for name, found in by_actor.items()), key=_weight)
    teams: Counter[str] = Counter()
    for knower in knowers:
        teams.update(dict.fromkeys(knower.teams, knower.records))
    return Directory(about=about, knowers=tuple(knowers[:limit]), teams=dict(sorted(teams.items())))


def _weight(knower: KnownActor) -> tuple[int, int, str]:
    return -knower.records, -knower.last, knower.actor


def _all(snapshot: Snapshot, actor: Actor, policy: Policy, sums: Tallies) -> tuple[Tally, ...]:
    visible, grants = narrow(policy, actor, DEFAULT_PURPOSE)
    return sums.survey(snapshot, visible) if grants else ()


def _matching(snapshot: Snapshot, actor: Actor, policy: Policy, about: str, now: Instant) -> tuple[Tally, ...]:
    head = snapshot.ledger.head()
    terms = snapshot.lexicon.prune(read_terms(about))
    query = Query(text=about, limit=LIMIT_MAX)
    as_of = head.seq if head is not None else 0
    plan = make_plan(policy, actor, query, terms, now=now, as_of=as_of, at_head=True)
    if not plan.grants:
        return ()
    hits = snapshot.lexicon.search(plan, keep=LIMIT_MAX).hits
    cards = snapshot.catalogue.cards(hit.rid for hit in hits if hit.failed is None)
    return tuple(
        Tally(
            actor=card.actor,
            kind=card.kind,
            scope=card.scope,
            scope_id=card.scope_id,
            namespace=card.namespace,
            records=1,
            effective=card.effective,
            helpful=card.helpful,
            misleading=card.misleading,
            last=card.created_at,
        )
        for card in cards.values()
    )


def _teams(teams: tuple[str, ...], tallies: list[Tally], actor: Actor, policy: Policy) -> tuple[str, ...]:
    """Those of somebody's teams that the caller is in, or of which it may see a record; all for those who audit."""
    if decide_review(policy, actor, Action.AUDIT, None, None) is not None:
        return teams
    known = {*actor.teams, *(tally.scope_id for tally in tallies if tally.scope == Scope.AGENT_TEAM)}
    return tuple(team for team in teams if team in known)


def _knower(name: str, tallies: list[Tally], actor: Actor, policy: Policy) -> KnownActor:
    member = resolve(policy, name)
    records = sum(tally.records for tally in tallies)
    kinds: Counter[str] = Counter()
    topics: Counter[str] = Counter()
    scopes: Counter[str] = Counter()
    for tally in tallies:
        kinds[tally.kind] += tally.records
        topics[tally.namespace] += tally.records
        scopes[f"{tally.scope} {tally.scope_id}"] += tally.records
    return KnownActor(
        actor=name,
        teams=_teams(member.teams, tallies, actor, policy),
        roles=member.roles,
        records=records,
        kinds=dict(sorted(kinds.items())),
        topics=dict(sorted(topics.items())),
        scopes=dict(sorted(scopes.items())),
        confidence=round(sum(tally.effective for tally in tallies) / records, _DIGITS),
        helpful=round(sum(tally.helpful for tally in tallies), _DIGITS),
        misleading=round(sum(tally.misleading for tally in tallies), _DIGITS),
        last=Instant(max(tally.last for tally in tallies)),
    )
