"""Everything there is, page by page, in the order it was written. No ranking; the gate decides on each as ever."""

from __future__ import annotations

from itertools import islice

from muniment.model.filter import Both, matches
from muniment.model.query import Listing
from muniment.model.receipt import Candidate, Plan
from muniment.ports.store import Snapshot
from muniment.read.search import Gathered


def gather_listed(snapshot: Snapshot, plan: Plan, listing: Listing) -> Gathered:
    """The next revisions that pass, as many as can be told: after `listing.after` as they were written, or after a
    position as they changed."""
    wanted = Both(parts=(plan.visible, *(condition for _, condition in plan.wanted)))
    moved = listing.changed_after
    cards = snapshot.catalogue.all(after=listing.after) if moved is None else snapshot.catalogue.changed(moved)
    passing = (card for card in cards if matches(wanted, card))
    candidates = tuple(
        Candidate(rid=card.rid, id=card.id, revision=card.revision, score=0.0) for card in islice(passing, plan.limit)
    )
    return Gathered(candidates=candidates, opponents=(), passed=len(candidates), counts={})
