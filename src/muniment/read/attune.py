"""Recall without a question: what an agent should know, given its role, its task, its interests and what is new."""

from __future__ import annotations

from collections import Counter

import msgspec

from muniment.model.filter import matches
from muniment.model.query import Attunement
from muniment.model.receipt import STATUS, Plan
from muniment.ports.store import Snapshot
from muniment.read.find import Findings, FoundRevision, find
from muniment.read.past_cards import cards_then
from muniment.read.question import SearchTerms
from muniment.read.rank import ranked_unasked, score_of
from muniment.read.search import SPARE, Gathered, arrange

NEWS_KEPT = 100


def _tally(snapshot: Snapshot, plan: Plan, since: int) -> tuple[int, dict[str, int]]:
    """How much there is that passes, and how much each bound keeps out; what a caller may not see is not counted."""
    counts: Counter[str] = Counter()
    passed = 0
    for card in cards_then(snapshot, plan, snapshot.catalogue.since(since)):
        if card.since <= since or not matches(plan.visible, card):
            continue
        broken = next((name for name, condition in plan.wanted if not matches(condition, card)), None)
        if broken is None:
            passed += 1
        else:
            counts[card.status if broken == STATUS else broken] += 1
    return passed, dict(counts)


def gather_attuned(snapshot: Snapshot, plan: Plan, about: Attunement, sought: SearchTerms) -> Gathered:
    """What fits any of the topics, and what is new since the position the agent knew of; no topic need fit all.

    A topic's best counts as much as another's. With `since`, only what was born or changed after it is told.
    """
    found: dict[int, FoundRevision] = {}
    fits: dict[int, float] = {}
    for number, terms in enumerate(sought.topics):
        topic = msgspec.structs.replace(plan, terms=terms)
        findings = find(snapshot, topic, sought.vectors[number] if sought.vectors else None)
        for rid, score in findings.evidence().items():
            if findings.found[rid].card.since > about.since and score > fits.get(rid, -1.0):
                found[rid], fits[rid] = findings.found[rid], score
    for card in snapshot.catalogue.newest(plan, keep=max(NEWS_KEPT, plan.limit), after=about.since):
        found.setdefault(card.rid, FoundRevision(card=card))
    passed, counts = _tally(snapshot, plan, about.since) if about.count else (len(found), {})
    findings = Findings(found=found, past=(), passed=passed, counts=counts, rarity={}, scales=(0.0, 0.0))
    parts = ranked_unasked(plan, found, fits, keep=plan.limit + SPARE)
    return arrange(snapshot, plan, findings, parts, {rid: score_of(sums) for rid, sums in parts.items()}, fit=None)
