"""Gather candidates: what fits, what has taken its place since, and the other side of what is disputed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from muniment.model.card import Card
from muniment.model.filter import matches
from muniment.model.receipt import Candidate, Plan
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, ConflictType
from muniment.ports.store import Snapshot
from muniment.ports.tracer import UNWATCHED, Operation
from muniment.read.carry import carry_over, take_in_kin
from muniment.read.find import FAIR_WORDS, Findings, find
from muniment.read.fit import WEAK_SHARE, fit_of, foretell_fit
from muniment.read.rank import Parts, diverse, in_stead, ranked, score_of
from muniment.read.select import WEAK

CHAIN_MAX = 100
SPARE = 10
"""So many more than can be told are kept as candidates: the gate may keep some back."""


class Gathered(Value):
    """Candidates in the order they are told in. `opponents` tells which conflict joins which two of them; `fit` is how
    likely anything among them answers the question."""

    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    passed: int
    counts: dict[str, int]
    fit: float | None = None


NOTHING = Gathered(candidates=(), opponents=(), passed=0, counts={})


def gather(snapshot: Snapshot, plan: Plan, vector: bytes | None, operation: Operation = UNWATCHED) -> Gathered:
    findings = find(snapshot, plan, vector)
    scores = findings.evidence()
    foretell_fit(snapshot, plan, scores)
    beside = take_in_kin(snapshot, plan, findings.found, scores, vector)
    fit = fit_of(snapshot, plan, findings, scores)
    carry_over(findings.found, findings.evidence(), beside)
    operation.lap("search")
    return arrange(snapshot, plan, findings, ranked(plan, findings, keep=plan.limit + SPARE), fit=fit)


def arrange(
    snapshot: Snapshot, plan: Plan, findings: Findings, parts: Mapping[int, Parts], *, fit: float | None
) -> Gathered:
    """Make candidates of the best, take in what must come with them, and put all in order. `parts` are what the scores
    of the best are the sums of, from the best down."""
    found = findings.found
    scores = {rid: score_of(sums) for rid, sums in parts.items()}
    least = WEAK_SHARE * max(scores.values(), default=0.0) if plan.floor > 0 else -math.inf
    candidates = {
        rid: msgspec.structs.replace(
            _candidate(found[rid].card, scores[rid], found[rid].via),
            parts=parts[rid],
            passage=found[rid].passage,
            excluded=WEAK if scores[rid] < least or (fit is not None and fit < plan.floor) else None,
        )
        for rid in parts
    }
    strong = [rid for rid in parts if candidates[rid].excluded is None]
    contested = [rid for rid in strong if found[rid].card.status == Status.CONTESTED]
    poor = fit is not None and fit < plan.floor
    contested += _add_successors(snapshot, plan, candidates, findings, least=FAIR_WORDS if poor else 0.0)
    opponents = _add_opponents(snapshot, plan, candidates, contested)
    order = sorted(candidates, key=lambda rid: (-candidates[rid].score, -rid))
    if plan.reach.model is not None and len(order) > 2:
        alike = snapshot.meanings.alike(order)
        order = diverse(order, {rid: one.score for rid, one in candidates.items()}, alike)
    return Gathered(
        candidates=tuple(candidates[rid] for rid in order),
        opponents=opponents,
        passed=findings.passed,
        counts=findings.counts,
        fit=fit,
    )


def _candidate(card: Card, score: float, via: str | None = None) -> Candidate:
    return Candidate(rid=card.rid, id=card.id, revision=card.revision, score=score, via=via)


def _add_successors(
    snapshot: Snapshot, plan: Plan, candidates: dict[int, Candidate], findings: Findings, *, least: float
) -> list[int]:
    """Bring in what speaks today for a match that speaks no longer, in its stead, if the words matched at least so
    well: when nothing that speaks today fits, a poor match that no longer speaks does not either."""
    added: list[int] = []
    for card, words in findings.past:
        if words < least:
            continue
        successor = _successor(snapshot, plan, card)
        if successor is not None and successor.rid not in candidates and matches(plan.visible, successor):
            via = f"it took the place of {card.id} revision {card.revision}, which matches"
            score = in_stead(plan, findings, words)
            candidates[successor.rid] = _candidate(successor, score, via)
            added.append(successor.rid)
    return added


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
