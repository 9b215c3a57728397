"""Walks along the links between records: up to what a record stands on, down to what stands on it.

Level by level and any depth. Each record is met once, whatever the order of its links, so a diamond is a diamond and
not two chains. A record is a node by its latest revision, in whatever state that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from enum import StrEnum

from muniment.model.card import Card
from muniment.model.rows import EdgeRow
from muniment.model.value import Value
from muniment.model.vocabulary import STANDS_ON
from muniment.ports.store import Snapshot


class Direction(StrEnum):
    UP = "up"
    DOWN = "down"
    BOTH = "both"


class Node(Value):
    """A record on the walk. `depth` is the shortest way from the start, negative upwards."""

    card: Card
    depth: int


class Edge(Value):
    """A link between two records of the walk, from the one that carries it to the one it names."""

    source: str
    target: str
    type: str


class Web(Value):
    """What a walk found, nodes and edges in a fixed order."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


Seen = Callable[[Card], bool]


def walk(
    snapshot: Snapshot,
    record: str,
    *,
    direction: Direction,
    seen: Seen,
    depth: int | None = None,
    types: Collection[str] | None = None,
) -> Web:
    """Everything reached from `record` by links of these types (all, if None), up to so many steps (any, if None).

    What is not `seen` is not there: no way leads through it, and no depth betrays that there is one.
    """
    found = {name: Node(card=card, depth=0) for name, card in snapshot.catalogue.latest([record]).items() if seen(card)}
    edges: set[Edge] = set()
    for up in (True, False):
        if direction is not (Direction.DOWN if up else Direction.UP):
            _spread(snapshot, _Walk(start=record, up=up, depth=depth, types=types), found, edges, seen)
    return Web(
        nodes=tuple(sorted(found.values(), key=lambda node: (node.depth, node.card.rid))),
        edges=tuple(sorted(edges, key=lambda edge: (edge.source, edge.type, edge.target))),
    )


class _Walk(Value):
    """One walk in one direction."""

    start: str
    up: bool
    depth: int | None
    types: Collection[str] | None


def _spread(snapshot: Snapshot, way: _Walk, found: dict[str, Node], edges: set[Edge], seen: Seen) -> None:
    reached = {way.start}
    frontier = {name: node.card for name, node in found.items() if name == way.start}
    level = 0
    while frontier and (way.depth is None or level < way.depth):
        level += 1
        links = _above(snapshot, frontier, way.types) if way.up else _below(snapshot, frontier, way.types)
        names = {edge.target if way.up else edge.source for edge in links} - reached
        cards = {name: card for name, card in snapshot.catalogue.latest(names).items() if seen(card)}
        reached |= cards.keys()
        edges.update(edge for edge in links if (edge.target if way.up else edge.source) in reached)
        for name, card in cards.items():
            found.setdefault(name, Node(card=card, depth=-level if way.up else level))
        frontier = cards


def _above(snapshot: Snapshot, cards: dict[str, Card], types: Collection[str] | None) -> list[Edge]:
    named = {card.rid: name for name, card in cards.items()}
    return [
        Edge(source=named[row.rid], target=row.target, type=row.type)
        for row in snapshot.links.of(named)
        if types is None or row.type in types
    ]


def _below(snapshot: Snapshot, cards: dict[str, Card], types: Collection[str] | None) -> list[Edge]:
    rows = [row for row in snapshot.links.to(cards) if types is None or row.type in types]
    sources = snapshot.catalogue.cards({row.rid for row in rows})
    return [Edge(source=sources[row.rid].id, target=row.target, type=row.type) for row in rows if row.rid in sources]


def pillars(snapshot: Snapshot, rids: Iterable[int]) -> dict[int, set[str]]:
    """What each of these revisions stands on."""
    found: dict[int, set[str]] = {}
    for row in snapshot.links.of(rids):
        if row.type in STANDS_ON:
            found.setdefault(row.rid, set()).add(row.target)
    return found


def standing_on(snapshot: Snapshot, records: Iterable[str]) -> tuple[EdgeRow, ...]:
    """The links by which anything stands directly on these records."""
    return tuple(row for row in snapshot.links.to(records) if row.type in STANDS_ON)


def grounds(snapshot: Snapshot, records: Iterable[str]) -> set[str]:
    """Everything these records stand on at any depth, themselves included."""
    reached: set[str] = set()
    frontier = set(records)
    while frontier:
        reached |= frontier
        cards = snapshot.catalogue.latest(frontier)
        above = pillars(snapshot, [card.rid for card in cards.values()])
        frontier = {name for names in above.values() for name in names} - reached
    return reached


def height(snapshot: Snapshot, record: str) -> int:
    """How many steps the longest way down to the ground has."""
    level, frontier = 0, {record}
    while True:
        cards = snapshot.catalogue.latest(frontier)
        above = pillars(snapshot, [card.rid for card in cards.values()])
        frontier = {name for names in above.values() for name in names}
        if not frontier:
            return level
        level += 1
