"""Everything there is, page by page, in the order it was written. No ranking; the gate decides on each as ever."""

from __future__ import annotations

from itertools import islice

from muniment.model.filter import Both, matches
from muniment.model.query import Listing
from muniment.model.receipt import Candidate, Plan
from muniment.ports.store import Snapshot
from muniment.read.search import Gathered


def gather_listed(snapshot: Snapshot, plan: Plan, listing: Listing) -> Gathered:
    """The next revisions after `listing.after` that pass, as many as can be told."""
    wanted = Both(parts=(plan.visible, *(condition for _, condition in plan.wanted)))
    passing = (card for card in snapshot.catalogue.all(after=listing.after) if matches(wanted, card))
    cards = list(islice(passing, plan.limit))
    candidates = tuple(Candidate(rid=card.rid, id=card.id, revision=card.revision, score=0.0) for card in cards)
    return Gathered(candidates=candidates, opponents=(), passed=len(candidates), counts={})
