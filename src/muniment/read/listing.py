"""Everything there is, page by page, in the order it was written. No ranking; the gate decides on each as ever."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nsmallest
from itertools import islice

from muniment.model.card import Card
from muniment.model.filter import Both, matches
from muniment.model.query import Listing
from muniment.model.receipt import Candidate, Plan
from muniment.ports.store import Snapshot
from muniment.read.past_cards import cards_then
from muniment.read.search import Gathered


def gather_listed(snapshot: Snapshot, plan: Plan, listing: Listing) -> Gathered:
    """The next revisions that pass, as many as can be told: after `listing.after` as they were written, or after a
    position as they changed."""
    wanted = Both(parts=(plan.visible, *(condition for _, condition in plan.wanted)))
    moved = listing.changed_after
    found = snapshot.catalogue.all(after=listing.after) if moved is None else snapshot.catalogue.changed(moved)
    passing = (card for card in cards_then(snapshot, plan, found) if matches(wanted, card))
    page = islice(passing, plan.limit) if moved is None or plan.at_head else _changed_then(passing, moved, plan.limit)
    candidates = tuple(Candidate(rid=card.rid, id=card.id, revision=card.revision, score=0.0) for card in page)
    return Gathered(candidates=candidates, opponents=(), passed=len(candidates), counts={})


def _changed_then(cards: Iterator[Card], position: int, limit: int) -> list[Card]:
    """The first cards that had changed after a position, in the order of their last change as known then. What changed
    again since comes in the order of today, so all of them are looked at."""
    changed = (card for card in cards if card.since > position)
    return nsmallest(limit, changed, key=lambda card: (card.since, card.rid))
