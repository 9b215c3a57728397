"""What the memory knows of one thing by name: its names, who mentions it, what is mentioned with it, as far as the
caller may see."""

from __future__ import annotations

from collections import Counter

from muniment.graph.activation import salience
from muniment.model.actor import Actor
from muniment.model.card import SUBJECT, Card
from muniment.model.filter import matches
from muniment.model.query import DEFAULT_PURPOSE
from muniment.model.status import CURRENT
from muniment.model.value import Value
from muniment.policy.decide import decide_review
from muniment.policy.narrow import narrow
from muniment.policy.rules import Action, Policy
from muniment.ports.store import Snapshot
from muniment.text.entities import entity_key

LATEST_MAX = 500
"""Of each name so many of the latest holders are looked at."""


class Related(Value):
    """Something that is mentioned together with an entity: in how many records, and how telling it is."""

    entity: str
    records: int
    salience: float


class EntityView(Value):
    """A thing by its chief name, all its names, the current records that mention it, the newest first, and what is
    mentioned with it, the most telling first."""

    entity: str
    names: tuple[str, ...]
    records: tuple[str, ...]
    related: tuple[Related, ...]


def entity_of(snapshot: Snapshot, actor: Actor, policy: Policy, name: str, *, limit: int) -> EntityView:
    """Look at the latest records that mention a thing. Only what the caller may see is counted, and of its names those
    are told that the caller said or may read, unless it may give names itself."""
    head = snapshot.ledger.head()
    position, last = (head.seq, head.last_doc) if head is not None else (0, 0)
    key = entity_key(name)
    names = snapshot.names.groups([key], as_of=position).get(key, (key,))
    visible, grants = narrow(policy, actor, DEFAULT_PURPOSE)

    def holders(one: str) -> list[Card]:
        rids = [row.rid for row in snapshot.names.latest(one, upto=last, keep=LATEST_MAX)]
        cards = snapshot.catalogue.cards(rids).values() if grants else ()
        return [card for card in cards if card.status in CURRENT and matches(visible, card)]

    held = {one: holders(one) for one in names}
    seen = sorted({card.rid: card for found in held.values() for card in found}.values(), key=_newest)
    if decide_review(policy, actor, Action.NAME, None, None) is None:
        names = tuple(one for one in names if one == key or held[one])
    named = (row for row in snapshot.names.mentions([card.rid for card in seen]) if row.kind != SUBJECT)
    together = Counter(row.entity for row in named)
    most = sorted((entity for entity in together if entity not in names), key=lambda one: (-together[one], one))
    related = [
        Related(
            entity=entity,
            records=together[entity],
            salience=round(salience(max(1, len(holders(entity))), LATEST_MAX), 3),
        )
        for entity in most[:limit]
    ]
    related.sort(key=lambda one: (-one.records * one.salience, one.entity))
    return EntityView(
        entity=names[0],
        names=names,
        records=tuple(card.id for card in seen[:limit]),
        related=tuple(related),
    )


def _newest(card: Card) -> int:
    return -card.rid
