"""Carry over from what fits to what belongs to it: its neighbours in the session, and what shares names or links.

What is reached this way passes the same filter as everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muniment.graph.spread import Link, Node, salience, spread
from muniment.model.receipt import Plan
from muniment.ports.store import Snapshot
from muniment.read.find import Found, admitted, cards_at

NEIGHBOURS_OF = 24
REACH = 1
SEEDS = 16
NAMES_MAX = 24
HOLDERS_MAX = 16
"""Bounds on the work: neighbours of so many of the best, names and links of so many, so many names, and of each name
so many of its latest holders. Nothing of it grows with the store."""


def carry(snapshot: Snapshot, plan: Plan, found: dict[int, Found], scores: Mapping[int, float]) -> None:
    """Fill in what carries over, and take in what only belongs to something that fits."""
    ranked = sorted(scores, key=lambda rid: (-scores[rid], -rid))
    if plan.weights.nearby:
        _from_neighbours(snapshot, plan, found, {rid: scores[rid] for rid in ranked[:NEIGHBOURS_OF]})
    if plan.weights.linked:
        _from_links(snapshot, plan, found, {rid: scores[rid] for rid in ranked[:SEEDS]})


def _from_neighbours(snapshot: Snapshot, plan: Plan, found: dict[int, Found], best: Mapping[int, float]) -> None:
    beside = snapshot.catalogue.beside([found[rid].card for rid in best], reach=REACH)
    give: dict[int, tuple[float, int]] = {}
    for rid, neighbours in beside.items():
        for other in neighbours:
            give[other] = max(give.get(other, (0.0, 0)), (best[rid], rid))
    _take_in(snapshot, plan, found, {rid: f"it stands next to {found[by].card.id}" for rid, (_, by) in give.items()})
    for rid, (score, _) in give.items():
        if rid in found:
            found[rid].nearby = score


def _from_links(snapshot: Snapshot, plan: Plan, found: dict[int, Found], best: Mapping[int, float]) -> None:
    links = [*_mentioned(snapshot, plan, best), *_related(snapshot, found, best)]
    if not links:
        return
    seeds: dict[Node, float] = {rid: score for rid, score in best.items() if score > 0}
    seeds.update((name, 1.0) for name in plan.terms.names)
    reached = {rid: share for rid, share in spread(links, seeds).items() if share > 0}
    _take_in(snapshot, plan, found, dict.fromkeys(reached, "it shares names or links with what matches"))
    for rid, share in reached.items():
        if rid in found:
            found[rid].linked = share


def _mentioned(snapshot: Snapshot, plan: Plan, best: Mapping[int, float]) -> list[Link]:
    """Who speaks of what: the names in the question, and those in what fits best, with their latest holders."""
    named = snapshot.names.mentions(best)
    names = list(dict.fromkeys([*plan.terms.names, *(row.entity for row in named)]))[:NAMES_MAX]
    head = snapshot.ledger.head()
    records = max(2, head.last_doc if head is not None else 2)
    links: list[Link] = []
    for name in names:
        holders = snapshot.names.latest(name, upto=records, keep=HOLDERS_MAX)
        weight = salience(max(1, len(holders)), max(records, HOLDERS_MAX * 2))
        links += [(row.entity, row.rid, weight) for row in holders]
    held = {(name, rid) for name, rid, _ in links}
    links += [(row.entity, row.rid, 0.1) for row in named if row.entity in names and (row.entity, row.rid) not in held]
    return links


def _related(snapshot: Snapshot, found: Mapping[int, Found], best: Mapping[int, float]) -> list[Link]:
    """What relates to, stands on or is part of what, both ways."""
    edges = [*snapshot.links.of(best), *snapshot.links.to(found[rid].card.id for rid in best)]
    targets = snapshot.catalogue.latest({edge.target for edge in edges})
    return [(edge.rid, targets[edge.target].rid, 1.0) for edge in edges if edge.target in targets]


def _take_in(snapshot: Snapshot, plan: Plan, found: dict[int, Found], ways: Mapping[int, str]) -> None:
    """Take in what was not found by itself, with how it was reached, if the plan lets it pass."""
    strangers: Iterable[int] = [rid for rid in ways if rid not in found]
    for rid, card in cards_at(snapshot, plan, strangers).items():
        if admitted(plan, card):
            found[rid] = Found(card=card, via=f"{ways[rid]}, which matches" if "next to" in ways[rid] else ways[rid])
