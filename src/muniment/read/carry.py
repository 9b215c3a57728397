"""Carry over from what fits to what belongs to it: its neighbours in the session, and what shares names or links.

What is reached this way passes the same filter as everything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from muniment.graph.activation import Link, Node, salience, spread
from muniment.model.card import SUBJECT, Card
from muniment.model.filter import matches
from muniment.model.receipt import Plan
from muniment.model.rows import EdgeRow, MentionRow
from muniment.model.status import PRIVATE, Status
from muniment.ports.store import Snapshot
from muniment.read.find import SEEDS, FoundRevision, admitted, cards_at

NEIGHBOURS_OF = 24
STRANGERS_OF = 12
REACH = 1
NAMES_MAX = 8
HOLDERS_MAX = 8
SETTLED = 0.02
"""Bounds on the work: neighbours of so many of the best, those that stand next to so many being taken in; names and
links of so many, so many names, and of each name so many of its latest holders, until activation has settled so far.
Nothing of it grows with the store."""

_UNTOLD = frozenset(status.value for status in (*PRIVATE, Status.HELD))


@dataclass(frozen=True, slots=True)
class _Kin:
    """Who stands beside whom of the best, what links lead from and to them, what they name, and who holds a name."""

    beside: dict[int, tuple[int, ...]]
    edges: tuple[EdgeRow, ...]
    named: tuple[MentionRow, ...]
    holders: dict[str, tuple[int, ...]]


def take_in_kin(
    snapshot: Snapshot, plan: Plan, found: dict[int, FoundRevision], scores: Mapping[int, float], vector: bytes | None
) -> dict[int, tuple[int, ...]]:
    """Take in what only belongs to something that fits, and say which neighbours each of the best has."""
    ranked = sorted(scores, key=lambda rid: (-scores[rid], -rid))
    seeds = {rid: scores[rid] for rid in ranked[:SEEDS]}
    kin = _kin(snapshot, plan, found, ranked)
    beside = kin.beside
    strangers: dict[int, str] = {}
    for rid in ranked[:STRANGERS_OF]:
        way = f"it stands next to {found[rid].card.id}, which matches"
        strangers.update((other, way) for other in beside.get(rid, ()))
    _foretell(snapshot, plan, found, kin, strangers, vector)
    related = _related(snapshot, plan, found, kin.edges)
    reached = _reached(snapshot, plan, found, seeds, kin, related) if plan.weights.linked else {}
    strangers.update((rid, "it shares names or links with what matches") for rid in reached if rid not in strangers)
    _take_in(snapshot, plan, found, strangers, vector)
    linked = {rid for one, other, _ in related for rid in (one, other)}
    for rid, share in reached.items():
        if rid in found and (found[rid].via is not None or rid in linked):
            found[rid].linked = share  # what matches by itself has its names counted as words already
    return beside


def _kin(snapshot: Snapshot, plan: Plan, found: Mapping[int, FoundRevision], ranked: Sequence[int]) -> _Kin:
    """Ask for all that stands beside the best or shares names or links with them."""
    nearby, linked = bool(plan.weights.nearby), bool(plan.weights.linked)
    best = ranked[:SEEDS] if linked else ()
    spoken_of = snapshot.names.mentions(best) if linked else ()
    named = tuple(row for row in spoken_of if row.kind != SUBJECT)
    names = list(dict.fromkeys([*plan.terms.names, *(row.entity for row in named)]))[:NAMES_MAX] if linked else []
    head = snapshot.ledger.head()
    last = head.last_doc if head is not None else 0
    beside = partial(
        snapshot.catalogue.beside,
        [found[rid].card for rid in ranked[:NEIGHBOURS_OF]],
        reach=REACH,
        visible=plan.visible,
    )
    edges_to = partial(snapshot.links.to, [found[rid].card.id for rid in best])
    holders = partial(snapshot.names.holders, names, upto=last, keep=2 * HOLDERS_MAX)
    snapshot.ahead(*((beside,) if nearby else ()), *((edges_to,) if linked else ()), *((holders,) if names else ()))
    return _Kin(
        beside=beside() if nearby else {},
        edges=(*snapshot.links.of(best), *edges_to()) if linked else (),
        named=named,
        holders=holders() if names else {},
    )


def _foretell(
    snapshot: Snapshot,
    plan: Plan,
    found: Mapping[int, FoundRevision],
    kin: _Kin,
    strangers: Iterable[int],
    vector: bytes | None,
) -> None:
    """Tell the store whose cards and vectors are asked for next."""
    held = (rid for rids in kin.holders.values() for rid in rids)
    reached = [*strangers, *held, *(edge.rid for edge in kin.edges)]
    rids = [rid for rid in dict.fromkeys(reached) if rid not in found]
    if not rids:
        return
    next_best = rids[: plan.limit]
    snapshot.ahead(
        partial(snapshot.catalogue.cards, rids),
        partial(snapshot.documents.many, next_best),
        partial(snapshot.desk.conflicts_about, next_best),
    )
    if kin.edges:
        snapshot.ahead(partial(snapshot.catalogue.latest, {edge.target for edge in kin.edges}))
    if vector is not None and plan.reach.model is not None:
        snapshot.ahead(partial(snapshot.meanings.measure, rids, vector))


def carry_over(
    found: Mapping[int, FoundRevision], scores: Mapping[int, float], beside: Mapping[int, tuple[int, ...]]
) -> None:
    """Let what fits count for what stands next to it, and for its session: the best the most, the rest a little."""
    whole: dict[str, float] = defaultdict(float)
    for rid, one in found.items():
        if one.card.session_id is not None and one.via is None:
            whole[one.card.session_id] += scores[rid] ** 4
    for rid, one in found.items():
        session = one.card.session_id
        one.session = whole[session] ** 0.25 if session is not None else scores[rid]
        for other in beside.get(rid, ()):
            if other in found:
                one.nearby = max(one.nearby, scores[other])
                found[other].nearby = max(found[other].nearby, scores[rid])


def _reached(
    snapshot: Snapshot,
    plan: Plan,
    found: Mapping[int, FoundRevision],
    best: Mapping[int, float],
    kin: _Kin,
    related: list[Link],
) -> dict[int, float]:
    """How near records are to what fits best by names and links, the nearest being 1."""
    links = [*_mentioned(snapshot, plan, found, kin), *related]
    seeds: dict[Node, float] = {rid: score for rid, score in best.items() if score > 0}
    seeds.update((name, 1.0) for name in plan.terms.names)
    reached = spread(links, seeds, settled=SETTLED) if links else {}
    return {rid: share for rid, share in reached.items() if share > 0}


def _mentioned(snapshot: Snapshot, plan: Plan, found: Mapping[int, FoundRevision], kin: _Kin) -> list[Link]:
    """Who speaks of what: the names in the question, and those in what fits best, with their latest holders among what
    the caller may see."""
    held = kin.holders
    holders = {rid for rids in held.values() for rid in rids}
    cards = {rid: found[rid].card for rid in holders if rid in found}
    cards |= cards_at(snapshot, plan, holders - cards.keys()) if holders - cards.keys() else {}
    links: list[Link] = []
    for name, rids in held.items():
        seen = [rid for rid in rids if rid in cards and _open(plan, cards[rid])][:HOLDERS_MAX]
        weight = salience(max(1, len(seen)), 2 * HOLDERS_MAX)
        links += [(name, rid, weight) for rid in seen]
    known = {(name, rid) for name, rid, _ in links}
    links += [
        (row.entity, row.rid, 0.1) for row in kin.named if row.entity in held and (row.entity, row.rid) not in known
    ]
    return links


def _related(
    snapshot: Snapshot, plan: Plan, found: Mapping[int, FoundRevision], edges: tuple[EdgeRow, ...]
) -> list[Link]:
    """What relates to, stands on or is part of what, both ways, as far as the caller may know of both."""
    if not edges:
        return []
    targets = snapshot.catalogue.latest({edge.target for edge in edges})
    sources = {edge.rid: found[edge.rid].card for edge in edges if edge.rid in found}
    sources |= snapshot.catalogue.cards({edge.rid for edge in edges} - sources.keys())
    return [
        (edge.rid, targets[edge.target].rid, 1.0)
        for edge in edges
        if edge.target in targets
        and edge.rid in sources
        and _open(plan, targets[edge.target])
        and _open(plan, sources[edge.rid])
    ]


def _open(plan: Plan, card: Card) -> bool:
    """Whether the caller may know of a record: it weighs on nothing otherwise."""
    return matches(plan.visible, card) and (card.status not in _UNTOLD or card.actor == plan.asker)


def _take_in(
    snapshot: Snapshot, plan: Plan, found: dict[int, FoundRevision], ways: Mapping[int, str], vector: bytes | None
) -> None:
    """Take in what was not found by itself, with how it was reached, if the plan lets it pass."""
    strangers = [rid for rid in ways if rid not in found]
    if not strangers:
        return
    cards = {rid: card for rid, card in cards_at(snapshot, plan, strangers).items() if admitted(plan, card)}
    near = snapshot.meanings.measure(cards, vector) if vector is not None and plan.reach.model is not None else {}
    for rid, card in cards.items():
        found[rid] = FoundRevision(card=card, via=ways[rid])
        if rid in near:
            found[rid].take(near[rid])
