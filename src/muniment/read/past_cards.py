"""Cards as they were at a plan's position. A card tells today's standing, and the past needs that day's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from muniment.model.card import Card, moved
from muniment.model.receipt import Plan
from muniment.ports.store import Snapshot

BATCH = 200
"""The past standings of so many cards are asked for together."""


def cards_then(snapshot: Snapshot, plan: Plan, cards: Iterable[Card]) -> Iterator[Card]:
    """These cards as they were at the plan's position, in the same order. Revisions that were written later are left
    out."""
    if plan.at_head:
        yield from cards
        return
    stream = iter(cards)
    while batch := tuple(islice(stream, BATCH)):
        born = [card for card in batch if card.seq <= plan.as_of]
        later = [card.rid for card in born if card.since > plan.as_of]
        snapshot.ahead(*(partial(snapshot.catalogue.standing_at, rid, plan.as_of) for rid in later))
        standings = {rid: snapshot.catalogue.standing_at(rid, plan.as_of) for rid in later}
        for card in born:
            standing = standings.get(card.rid)
            yield card if standing is None else moved(card, standing)
