"""Spreading activation that two systems can agree on: personalised PageRank over the entities of a bundle, with every
choice that the draft leaves open made here.

A walker starts at an entity by its salience, follows a relation with probability `DAMPING`, and otherwise starts again.
Where relations do not use up its time, at an entity with none or with weights that sum to less than 1, it stays. One
weighs its normalised strength if all of its source's relations have one by source, else its strength as a share of
their sum, 1 where none is given; one with a reverse strength is walked back too, by strengths. What is invalidated is
not walked. Steps are taken until less than `TOLERANCE` of the time moves, at most `STEPS_MAX`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from omir_conformance.instants import Instant, Json, JsonObject, instant_of

DAMPING = 0.5
TOLERANCE = 1e-9
STEPS_MAX = 32
FAN_SLACK = 1e-6

_Ways = dict[str, list[tuple[str, float]]]


class _Edge(NamedTuple):
    start: str
    end: str
    weight: float
    normal: float | None


def activated(
    bundle: JsonObject, *, seeds: Mapping[str, float] | None = None, at: Instant | None = None
) -> dict[str, float]:
    """The share of its time that the walker spends at each entity, by id; the shares sum to 1. Without `seeds` it
    starts by salience, and evenly where no entity has any. With `at`, what was invalidated later still holds."""
    nodes = sorted(str(entry["id"]) for entry in _entries(bundle, "Entity"))
    start = _start(nodes, _salience(bundle) if seeds is None else seeds)
    ways = _ways(bundle, nodes, at)
    shares = dict(start)
    for _ in range(STEPS_MAX if nodes else 0):
        moved = _step(ways, shares, start)
        change = math.fsum(abs(moved[node] - shares[node]) for node in nodes)
        shares = moved
        if change < TOLERANCE:
            break
    return shares


def normalised(bundle: JsonObject) -> JsonObject:
    """A bundle whose relations bear the share of their source's strength that is theirs: a document of the draft. What
    is invalidated bears none. No sum is above 1."""
    sums: dict[str, list[float]] = {}
    for entry in _entries(bundle, "Relationship"):
        if "invalidatedAt" not in entry:
            sums.setdefault(_end(entry["from"]), []).append(_number(entry.get("strength"), 1.0))
    totals = {name: math.fsum(found) for name, found in sums.items()}
    entries = bundle["entry"]
    assert isinstance(entries, list), "a bundle has entries"
    return {**bundle, "entry": [_share(entry, totals) if isinstance(entry, dict) else entry for entry in entries]}


def _share(entry: JsonObject, totals: Mapping[str, float]) -> JsonObject:
    if entry.get("resourceType") != "Relationship":
        return entry
    bare = {key: value for key, value in entry.items() if key not in ("normalizedStrength", "normalization")}
    total = totals.get(_end(entry["from"]), 0.0)
    if "invalidatedAt" in entry or total <= 0.0:
        return bare
    share = min(1.0, _number(entry.get("strength"), 1.0) / total)
    return {**bare, "normalizedStrength": share, "normalization": {"scheme": "fan", "over": "source"}}


def _entries(bundle: JsonObject, kind: str) -> list[JsonObject]:
    entries = bundle["entry"]
    assert isinstance(entries, list), "a bundle has entries"
    return [entry for entry in entries if isinstance(entry, dict) and entry.get("resourceType") == kind]


def _salience(bundle: JsonObject) -> dict[str, float]:
    return {str(entry["id"]): _number(entry.get("salience"), 0.0) for entry in _entries(bundle, "Entity")}


def _start(nodes: list[str], seeds: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(seeds.get(node, 0.0) for node in nodes)
    if total <= 0.0:
        return {node: 1.0 / len(nodes) for node in nodes}
    return {node: seeds.get(node, 0.0) / total for node in nodes}


def _ways(bundle: JsonObject, nodes: list[str], at: Instant | None) -> _Ways:
    """Where the walker goes from each entity, and how likely."""
    edges: dict[str, list[_Edge]] = {node: [] for node in nodes}
    for entry in _entries(bundle, "Relationship"):
        if _holds(entry, at):
            for edge in _edges(entry):
                edges[edge.start].append(edge)
    return {node: _shared(sorted(found, key=_place)) for node, found in edges.items()}


def _place(edge: _Edge) -> tuple[str, float, float]:
    return edge.end, edge.weight, -1.0 if edge.normal is None else edge.normal


def _holds(entry: JsonObject, at: Instant | None) -> bool:
    ended = entry.get("invalidatedAt")
    return not isinstance(ended, str) or (at is not None and at <= instant_of(ended))


def _edges(entry: JsonObject) -> list[_Edge]:
    start, end = _end(entry["from"]), _end(entry["to"])
    rule, normal, back = entry.get("normalization"), entry.get("normalizedStrength"), entry.get("reverseStrength")
    by_source = isinstance(rule, dict) and rule.get("scheme") in ("fan", "softmax") and rule.get("over") == "source"
    edges = [_Edge(start, end, _number(entry.get("strength"), 1.0), _number(normal, 0.0) if by_source else None)]
    if back is not None:
        edges.append(_Edge(end, start, _number(back, 0.0), None))
    return edges


def _shared(edges: list[_Edge]) -> list[tuple[str, float]]:
    normal = [edge.normal for edge in edges if edge.normal is not None]
    if len(normal) == len(edges) and math.fsum(normal) <= 1.0 + FAN_SLACK:
        return [(edge.end, share) for edge, share in zip(edges, normal, strict=True)]
    total = math.fsum(edge.weight for edge in edges)
    return [(edge.end, edge.weight / total) for edge in edges] if total > 0.0 else []


def _step(ways: _Ways, shares: Mapping[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """One step of the walk, everywhere at once, summed so that the order of the entries cannot show."""
    coming: dict[str, list[float]] = {node: [(1.0 - DAMPING) * start[node]] for node in ways}
    for node, out in ways.items():
        going = DAMPING * shares[node]
        for other, share in out:
            coming[other].append(going * share)
        coming[node].append(going * (1.0 - math.fsum(share for _, share in out)))
    return {node: math.fsum(parts) for node, parts in coming.items()}


def _end(reference: Json) -> str:
    assert isinstance(reference, dict), "checked as a document"
    return str(reference["ref"]).partition("/")[2]


def _number(value: Json, default: float) -> float:
    return float(value) if isinstance(value, (int, float)) else default
