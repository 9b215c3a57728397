"""Spreading activation over a small graph of entities and records: personalised PageRank on plain values.

A walker starts at a seed, follows a link with probability `damping`, and otherwise starts again. How often it is found
at a record says how near that record is to the seeds. Same graph, same answer, in whatever order it is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

Node = str | int
"""An entity by its key, or a record by its number."""

Link = tuple[Node, Node, float]
"""Two nodes and how strongly they are linked. It is walked both ways."""

DAMPING = 0.5
ROUNDS_MAX = 32
NODES_MAX = 10_000
SETTLED = 1e-9

_Ways = dict[Node, list[tuple[Node, float]]]


def spread(
    links: Iterable[Link],
    seeds: Mapping[Node, float],
    *,
    damping: float = DAMPING,
    nodes_max: int = NODES_MAX,
    settled: float = SETTLED,
) -> dict[int, float]:
    """How activated each record is by the seeds, the most activated being 1. In order of activation, then of number."""
    shares = ranks(links, seeds, damping=damping, nodes_max=nodes_max, settled=settled)
    records = {node: share for node, share in shares.items() if isinstance(node, int)}
    best = max(records.values(), default=0.0)
    if best <= 0.0:
        return {}
    ordered = sorted(records.items(), key=lambda found: (-found[1], found[0]))
    return {node: share / best for node, share in ordered}


def ranks(
    links: Iterable[Link],
    seeds: Mapping[Node, float],
    *,
    damping: float = DAMPING,
    nodes_max: int = NODES_MAX,
    settled: float = SETTLED,
) -> dict[Node, float]:
    """The share of its time that the walker spends at each node it can reach; the shares sum to 1.

    It is walked until less than `settled` of the time moves. A seed without links keeps its walker. Of a graph that is
    too large, the nodes nearest to the seeds are walked.
    """
    assert 0.0 <= damping < 1.0, "damping is a probability below 1"
    assert all(weight >= 0.0 for weight in seeds.values()), "a seed weighs nothing or more"
    total = math.fsum(seeds.values())
    if total <= 0.0:
        return {}
    start = {node: seeds[node] / total for node in _ordered(seeds) if seeds[node] > 0.0}
    ways = _reached(_neighbours(links), start, nodes_max)
    shares = {node: start.get(node, 0.0) for node in ways}
    for _ in range(ROUNDS_MAX):
        moved = _step(ways, shares, start, damping)
        change = math.fsum(abs(moved[node] - shares[node]) for node in ways)
        shares = moved
        if change < settled:
            break
    return shares


def salience(mentions: int, records: int) -> float:
    """How telling an entity is that so many of the records mention: 1 for one of many, 0 for all of them or for none.

    >>> salience(1, 100), salience(10, 100), salience(100, 100)
    (1.0, 0.5, 0.0)
    """
    if not 0 < mentions < records:
        return 0.0
    return 1.0 - math.log(mentions) / math.log(records)


def _ordered(nodes: Iterable[Node]) -> list[Node]:
    """Records by number, then entities by key: an order that no caller can change."""
    return sorted(nodes, key=lambda node: (isinstance(node, str), node if isinstance(node, int) else 0, str(node)))


def _neighbours(links: Iterable[Link]) -> _Ways:
    """Each node with what it is linked to, heaviest first. Links between the same two nodes add up."""
    weights: dict[Node, dict[Node, list[float]]] = {}
    for one, other, weight in links:
        assert weight >= 0.0, "a link weighs nothing or more"
        if weight > 0.0 and one != other:
            weights.setdefault(one, {}).setdefault(other, []).append(weight)
            weights.setdefault(other, {}).setdefault(one, []).append(weight)
    ways: _Ways = {}
    for node, found in weights.items():
        summed = [(other, math.fsum(found[other])) for other in _ordered(found)]
        ways[node] = sorted(summed, key=lambda way: -way[1])
    return ways


def _reached(ways: _Ways, start: Mapping[Node, float], nodes_max: int) -> _Ways:
    """The part of the graph that the seeds lead to, nearest first, with each node's links as shares of 1."""
    seeds = sorted(start, key=lambda node: -start[node])[:nodes_max]
    found = dict.fromkeys(seeds)
    queue = list(seeds)
    for node in queue:
        for other, _ in ways.get(node, ()):
            if len(found) < nodes_max and other not in found:
                found[other] = None
                queue.append(other)
    return {node: _shared([way for way in ways.get(node, ()) if way[0] in found]) for node in found}


def _shared(ways: list[tuple[Node, float]]) -> list[tuple[Node, float]]:
    total = math.fsum(weight for _, weight in ways)
    return [(node, weight / total) for node, weight in ways]


def _step(ways: _Ways, shares: Mapping[Node, float], start: Mapping[Node, float], damping: float) -> dict[Node, float]:
    """One step of the walk, everywhere at once."""
    moved = {node: (1.0 - damping) * start.get(node, 0.0) for node in ways}
    for node, neighbours in ways.items():
        going = damping * shares[node]
        if not neighbours:
            moved[node] += going
        for other, share in neighbours:
            moved[other] += going * share
    return moved
