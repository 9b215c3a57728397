"""Gather candidates: what the words match, what has taken its place since, and the other side of what is disputed."""

from __future__ import annotations

import math

import msgspec

from muniment.model.card import Card
from muniment.model.filter import matches
from muniment.model.receipt import Candidate, Plan
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType
from muniment.ports.store import Hit, Snapshot
from muniment.trust.decay import faded, retrievability

CHAIN_MAX = 100
_SPARE = 10


class Gathered(Value):
    """Candidates in order of score. `opponents` tells which conflict joins which two of them."""

    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    passed: int
    counts: dict[str, int]


def gather(snapshot: Snapshot, plan: Plan) -> Gathered:
    found = snapshot.lexicon.search(plan, keep=plan.limit + _SPARE)
    candidates = {hit.card.rid: _candidate(hit.card, _faded(hit, plan)) for hit in found.hits if hit.failed is None}
    contested = [hit.card.rid for hit in found.hits if hit.failed is None and hit.card.status == Status.CONTESTED]
    for hit in found.hits:
        successor = _successor(snapshot, plan, hit.card) if hit.failed is not None else None
        if successor is not None and successor.rid not in candidates and matches(plan.visible, successor):
            via = f"it took the place of {hit.card.id} revision {hit.card.revision}, which matches"
            candidates[successor.rid] = _candidate(successor, hit.score, via)
            contested.append(successor.rid)
    opponents = _add_opponents(snapshot, plan, candidates, contested)
    ranked = sorted(candidates.values(), key=lambda found: (-found.score, -found.rid))
    return Gathered(candidates=tuple(ranked), opponents=opponents, passed=found.passed, counts=found.counts)


def _faded(hit: Hit, plan: Plan) -> float:
    """The score of a hit after what time does to it. Fading ranks, and never rules out."""
    card = hit.card
    if card.half_life is None:
        return hit.score
    since = card.created_at if card.last_access is None else Instant(max(card.last_access, card.created_at))
    now = Instant(max(plan.now, since))
    present = retrievability(half_life_hours=card.half_life, anchored=card.anchored, since=since, now=now)
    return faded(max(0.0, hit.score), present)


def _candidate(card: Card, score: float, via: str | None = None) -> Candidate:
    return Candidate(rid=card.rid, id=card.id, revision=card.revision, score=score, via=via)


def _successor(snapshot: Snapshot, plan: Plan, card: Card) -> Card | None:
    """The revision that speaks today for one that no longer does, as known at the plan's position."""
    for _ in range(CHAIN_MAX):
        if card.successor is None:
            return None
        following = [
            revision for revision in snapshot.catalogue.revisions(card.successor) if revision.seq <= plan.as_of
        ]
        for revision in reversed(following):
            standing = snapshot.catalogue.standing_at(revision.rid, plan.as_of)
            if standing is not None and standing.status in CURRENT:
                return revision
        if not following or following[-1].rid == card.rid:
            return None
        card = following[-1]
    return None


def _add_opponents(
    snapshot: Snapshot, plan: Plan, candidates: dict[int, Candidate], contested: list[int]
) -> tuple[tuple[str, int, int], ...]:
    """Bring in the other side of every open dispute a contested candidate is part of."""
    pairs: list[tuple[str, int, int]] = []
    for rid in contested:
        for row in snapshot.desk.conflicts_of(rid):
            over = row.status == ConflictStatus.RESOLVED and row.changed <= plan.as_of
            if over or row.opened > plan.as_of or not row.contests:
                continue
            other = row.b if row.a == rid else row.a
            card = snapshot.catalogue.card(other)
            if card is None or not matches(plan.visible, card):
                continue  # who may not see the other side is not told that there is one
            pairs.append((row.id, min(rid, other), max(rid, other)))
            if other not in candidates:
                via = f"it is the other side of conflict {row.id}"
                candidates[other] = _candidate(card, candidates[rid].score, via)
            if row.type == ConflictType.UPDATE:
                _put_newer_first(candidates, older=min(rid, other), newer=max(rid, other))
    return tuple(dict.fromkeys(pairs))


def _put_newer_first(candidates: dict[int, Candidate], *, older: int, newer: int) -> None:
    """Of an old state and a new state of the same thing the new one comes first."""
    behind, ahead = candidates[older], candidates[newer]
    if ahead.score <= behind.score:
        lifted = math.nextafter(behind.score, math.inf)
        candidates[newer] = msgspec.structs.replace(ahead, score=lifted)
