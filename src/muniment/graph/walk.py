"""Walks along the links between records: up to what a record stands on, down to what stands on it.

Level by level and any depth. Each record is met once, whatever the order of its links, so a diamond is a diamond and
not two chains. A record is a node by its latest revision, in whatever state that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from heapq import merge
from itertools import repeat

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


class WalkResult(Value):
    """What a walk found, nodes and edges in a fixed order. `more` is not 0 when a walk that had to stop left nodes out:
    there are at least so many of them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    more: int = 0


Seen = Callable[[Card], bool]


def walk(
    snapshot: Snapshot,
    record: str,
    *,
    direction: Direction,
    seen: Seen,
    depth: int | None = None,
    types: Collection[str] | None = None,
    limit: int | None = None,
) -> WalkResult:
    """Everything reached from `record` by links of these types (all, if None), up to so many steps (any, if None).

    What is not `seen` is not there: no way leads through it, and no depth betrays that there is one. With a `limit` the
    nearest nodes are found, of those that are equally far the oldest revisions, and the walk ends at the first that is
    too many.
    """
    found = {name: Node(card=card, depth=0) for name, card in snapshot.catalogue.latest([record]).items() if seen(card)}
    ways = [
        _Way(snapshot, found, up=up, types=types, batch=_BATCH if limit is not None else None)
        for up in (True, False)
        if direction is not (Direction.DOWN if up else Direction.UP)
    ]
    level, more = 0, False
    while any(way.frontier for way in ways) and not more and (depth is None or level < depth):
        level += 1
        more = _step(ways, found, seen, level=level, limit=limit)
    edges = {edge for way in ways for edge in way.edges}
    return WalkResult(
        nodes=tuple(sorted(found.values(), key=lambda node: (node.depth, node.card.rid))),
        edges=tuple(sorted(edges, key=lambda edge: (edge.source, edge.type, edge.target))),
        more=int(more),
    )


_BATCH = 128
"""How many cards a walk with a limit reads at once: it may need no more."""


def _step(ways: list[_Way], found: dict[str, Node], seen: Seen, *, level: int, limit: int | None) -> bool:
    """Go one step further on each way, and say whether there was more than may be found."""
    full = False
    for way, card in merge(*(zip(repeat(way), way.ahead()) for way in ways), key=lambda step: step[1].rid):
        if card.id not in found:
            if not seen(card):
                continue
            full = limit is not None and len(found) >= limit
            if full:
                break
            found[card.id] = Node(card=card, depth=-level if way.up else level)
        way.reach(card)
    for way in ways:
        way.arrive()
    return full


class _Way:
    """A walk in one direction, level by level."""

    def __init__(
        self, snapshot: Snapshot, start: dict[str, Node], *, up: bool, types: Collection[str] | None, batch: int | None
    ) -> None:
        self.up = up
        self.edges: set[Edge] = set()
        self.frontier = {name: node.card for name, node in start.items()}
        self._snapshot, self._types, self._batch = snapshot, types, batch
        self._reached = {card.rid: name for name, card in self.frontier.items()}
        self._names = set(self.frontier)
        self._links: list[EdgeRow] = []
        self._next: dict[str, Card] = {}

    def ahead(self) -> Iterator[Card]:
        """What the links of the frontier lead to and was not reached yet, by rising `rid`."""
        links, catalogue = self._snapshot.links, self._snapshot.catalogue
        rows = links.of([card.rid for card in self.frontier.values()]) if self.up else links.to(self.frontier)
        self._links = [row for row in rows if self._types is None or row.type in self._types]
        if self.up:
            names = {row.target for row in self._links} - self._names
            yield from sorted(catalogue.latest(names).values(), key=lambda card: card.rid)
            return
        rids = sorted({row.rid for row in self._links} - self._reached.keys())
        size = self._batch or max(len(rids), 1)
        for first in range(0, len(rids), size):
            yield from sorted(catalogue.cards(rids[first : first + size]).values(), key=lambda card: card.rid)

    def reach(self, card: Card) -> None:
        self._next[card.id] = card
        self._reached[card.rid] = card.id
        self._names.add(card.id)

    def arrive(self) -> None:
        """End a step: keep the links between what was reached, and go on from what is new."""
        for row in self._links:
            source = self._reached.get(row.rid)
            if source is not None and row.target in self._names:
                self.edges.add(Edge(source=source, target=row.target, type=row.type))
        self.frontier, self._next, self._links = self._next, {}, []


def supporters(snapshot: Snapshot, rids: Iterable[int]) -> dict[int, set[str]]:
    """What each of these revisions stands on."""
    found: dict[int, set[str]] = {}
    for row in snapshot.links.of(rids):
        if row.type in STANDS_ON:
            found.setdefault(row.rid, set()).add(row.target)
    return found


def dependents(snapshot: Snapshot, records: Iterable[str]) -> tuple[EdgeRow, ...]:
    """The links by which anything stands directly on these records."""
    return tuple(row for row in snapshot.links.to(records) if row.type in STANDS_ON)


def grounds(snapshot: Snapshot, records: Iterable[str]) -> set[str]:
    """Everything these records stand on at any depth, themselves included."""
    reached: set[str] = set()
    frontier = set(records)
    while frontier:
        reached |= frontier
        cards = snapshot.catalogue.latest(frontier)
        above = supporters(snapshot, [card.rid for card in cards.values()])
        frontier = {name for names in above.values() for name in names} - reached
    return reached


def height(snapshot: Snapshot, record: str) -> int:
    """How many steps the longest way down to the ground has."""
    level, frontier = 0, {record}
    while True:
        cards = snapshot.catalogue.latest(frontier)
        above = supporters(snapshot, [card.rid for card in cards.values()])
        frontier = {name for names in above.values() for name in names}
        if not frontier:
            return level
        level += 1
