"""What would follow from a change, and what follows from what: plans and lineage, as far as the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Collection

from muniment.graph.walk import Direction, Edge, Node, walk
from muniment.model.actor import Actor
from muniment.model.card import Card, standing_of
from muniment.model.entry import Entry
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.gate import gate_flag
from muniment.model.query import DEFAULT_PURPOSE
from muniment.model.record import Record, TrustState
from muniment.model.status import CURRENT, Status, may_become
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import STANDS_ON, GateFlag, Label, RelationType, Support
from muniment.policy.decide import decide_read
from muniment.policy.rules import Policy
from muniment.ports.store import Snapshot
from muniment.write.cascade import CascadedChange, become, follow
from muniment.write.facts import Held, fetch, look_up

ENDS = (
    Status.RETRACTED,
    Status.DEPRECATED,
    Status.SUPERSEDED,
    Status.EXPIRED,
    Status.ARCHIVED,
    Status.CONTESTED,
)
"""What a plan can be asked about."""


class Standpoint(Value):
    """How far a record is believed at one moment."""

    status: Status
    effective: float
    support: Support
    gate: GateFlag


class FallView(Value):
    """One record that a change would reach."""

    id: str
    revision: int
    content: str
    depth: int
    under: str
    before: Standpoint
    after: Standpoint


class Foreseen(Value):
    """The plan of a change, nothing of it done: what the record itself becomes, and each record that stands on it and
    would be judged otherwise."""

    id: str
    becomes: Status
    falls: tuple[FallView, ...]


class LineageNode(Value):
    """A record in a lineage. `depth` is the shortest way from where it was asked, negative upwards."""

    id: str
    revision: int
    depth: int
    content: str
    kind: str
    actor: str
    status: Status
    confidence: float
    effective: float
    origin: Label
    support: Support
    gate: GateFlag


class LineageView(Value):
    """What a record stands on and what stands on it, as one graph. With a limit only the nearest are told, with the
    links followed between them; `more` is not 0 when others were left out, and says that there are at least so many."""

    id: str
    direction: Direction
    nodes: tuple[LineageNode, ...]
    edges: tuple[Edge, ...]
    more: int = 0


LINK_TYPES = ("derived_from", "echoes", "parent", "same_as", *(type_.value for type_ in RelationType))


def foresee(snapshot: Snapshot, actor: Actor, policy: Policy, record: str, becomes: Status) -> Foreseen:
    """Plan a change without doing any of it."""
    held = _seen(snapshot, actor, policy, record)
    if becomes not in ENDS:
        raise Malformed("becomes", "one of " + ", ".join(status.value for status in ENDS))
    status = Status(held.card.status)
    if status not in CURRENT or not (status is becomes or may_become(status, becomes)):
        raise Stale(f"record {record}", yours="active", present=status)
    falls = {fall.card.id: fall for fall in follow(snapshot, (become(held.card, becomes),), policy).falls}
    shown: dict[int, Record] = {}
    web = walk(snapshot, record, direction=Direction.DOWN, seen=_seer(snapshot, actor, policy, shown), types=STANDS_ON)
    depths = {node.card.id: node.depth for node in web.nodes}
    under = {edge.source: edge.target for edge in reversed(web.edges) if depths[edge.target] < depths[edge.source]}
    views = (
        _fall(policy, falls[node.card.id], shown[node.card.rid], depth=node.depth, under=under[node.card.id])
        for node in web.nodes
        if node.card.id in falls and node.card.id in under
    )
    return Foreseen(id=record, becomes=becomes, falls=tuple(views))


def judged_anew(
    snapshot: Snapshot, actor: Actor, policy: Policy, records: Collection[str], *, since: int
) -> tuple[str, ...]:
    """The records that stand on these and were judged otherwise by what was written after the entry `since`, as far as
    the caller may see the way to them."""
    head = snapshot.ledger.head()
    entries = snapshot.ledger.entries(since + 1, head.seq) if head is not None else ()
    changed = {change.rid for stored in entries for change in read_canonical(stored.body, Entry).changes}
    seen = _seer(snapshot, actor, policy, {})
    found: dict[str, None] = {}
    for record in records:
        web = walk(snapshot, record, direction=Direction.DOWN, seen=seen, types=STANDS_ON)
        found |= dict.fromkeys(node.card.id for node in web.nodes if node.depth and node.card.rid in changed)
    return tuple(name for name in found if name not in records)


def _fall(policy: Policy, fall: CascadedChange, record: Record, *, depth: int, under: str) -> FallView:
    card, before = fall.card, standing_of(fall.card)
    return FallView(
        id=card.id,
        revision=card.revision,
        content=record.content,
        depth=depth,
        under=under,
        before=_standpoint(policy, card, before.status, before.footing),
        after=_standpoint(policy, card, fall.change.status, fall.change.footing),
    )


def _standpoint(policy: Policy, card: Card, status: Status, footing: TrustState) -> Standpoint:
    gate = gate_flag(footing.effective, footing.support, policy.trust.gates.at(card.namespace))
    return Standpoint(status=status, effective=footing.effective, support=footing.support, gate=gate)


def lineage_of(
    snapshot: Snapshot,
    actor: Actor,
    policy: Policy,
    record: str,
    *,
    direction: Direction,
    depth: int | None,
    types: Collection[str] | None,
    limit: int | None,
) -> LineageView:
    """The graph around a record, without what the caller may not see and what can be reached only through that."""
    shown: dict[int, Record] = {}
    seen = _seer(snapshot, actor, policy, shown)
    web = walk(snapshot, record, direction=direction, seen=seen, depth=depth, types=types, limit=limit)
    if not web.nodes:
        raise NotFound("record", record)
    nodes = tuple(_node(policy, node, shown[node.card.rid]) for node in web.nodes)
    return LineageView(id=record, direction=direction, nodes=nodes, edges=web.edges, more=web.more)


def _seer(snapshot: Snapshot, actor: Actor, policy: Policy, shown: dict[int, Record]) -> Callable[[Card], bool]:
    """A test whether the caller may see a record, which keeps those that they may."""

    def seen(card: Card) -> bool:
        found = _shown(snapshot, actor, policy, card)
        if found is not None:
            shown[card.rid] = found
        return found is not None

    return seen


def _node(policy: Policy, node: Node, record: Record) -> LineageNode:
    card, standing = node.card, standing_of(node.card)
    footing = standing.footing
    return LineageNode(
        id=card.id,
        revision=card.revision,
        depth=node.depth,
        content=record.content,
        kind=card.kind,
        actor=card.actor,
        status=standing.status,
        confidence=record.claim.belief.score,
        effective=footing.effective,
        origin=footing.label,
        support=footing.support,
        gate=gate_flag(footing.effective, footing.support, policy.trust.gates.at(card.namespace)),
    )


def _seen(snapshot: Snapshot, actor: Actor, policy: Policy, record: str) -> Held:
    held = look_up(snapshot, record)
    if held is None or _shown(snapshot, actor, policy, held.card) is None:
        raise NotFound("record", record)
    return held


def _shown(snapshot: Snapshot, actor: Actor, policy: Policy, card: Card) -> Record | None:
    """The record of a card, if the caller may see it."""
    record = fetch(snapshot, card).record
    standing = standing_of(card)
    label, status = standing.footing.label, standing.status
    seen = decide_read(policy, actor, DEFAULT_PURPOSE, record, label, status=status)
    return record if seen is not None else None
