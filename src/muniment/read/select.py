"""Choose what is told: gate every candidate, tell disputes inside the record they dispute, fit the bounds, say why.

Pure over what it is handed, so that a receipt's candidates can be decided again and give the same ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import msgspec

from muniment.model.query import Disclosure, Dispute
from muniment.model.receipt import Candidate, Plan
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.read.gate import POLICY

WEAK = "weak"
LIMIT = "limit"
BUDGET = "budget"
OPPONENT = "opponent"
"""A candidate that did not match by itself: it is told inside the records it disputes, and has no place of its own."""

DISPUTES_MAX = 3
"""A record names at most so many of those that dispute it."""

DISPUTE_CHARACTERS_MAX = 280

Gate = Callable[[Candidate], Disclosure | str]
Opponents = Sequence[tuple[str, int, int]]


class Selection(Value):
    """What came through, what did not and why. `told` and `candidates` are in rank order; of the opponents that have
    no place of their own only those that were told inside a record are left."""

    told: tuple[Disclosure, ...]
    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    excluded: dict[str, int]


def select(plan: Plan, candidates: Sequence[Candidate], opponents: Opponents, gate: Gate) -> Selection:
    """Walk the candidates from the best down, gating each when its turn comes. A record and what is told inside it
    fit the token budget together or not at all."""
    told: dict[int, Disclosure] = {}
    verdicts: dict[int, str] = {}
    disputes: set[tuple[str, int, int]] = set()
    by_rid = {candidate.rid: candidate for candidate in candidates}
    best = max((candidate.score for candidate in candidates if candidate.excluded != OPPONENT), default=0.0)
    asked = cache(lambda rid: gate(by_rid[rid]))
    left = plan.budget_tokens
    for candidate in candidates:
        rid = candidate.rid
        if candidate.excluded in (WEAK, OPPONENT):
            verdicts[rid] = candidate.excluded
        elif len(told) >= plan.limit:
            verdicts[rid] = LIMIT
        elif isinstance(answer := asked(rid), str):
            verdicts[rid] = answer
        else:
            sides = _disputes(rid, opponents, by_rid, asked)
            cost = tokens(answer.text) + sum(tokens(side.content) for side in sides.values())
            if left is not None and cost > left:
                verdicts[rid] = BUDGET
                continue
            left = None if left is None else left - cost
            told[rid] = _finish(answer, candidate, best, tuple(sides.values()))
            disputes.update(sides)
    inside = {rid for _, a, b in disputes for rid in (a, b)}
    decided = tuple(
        msgspec.structs.replace(
            one, excluded=(rule := verdicts.get(one.rid)), inside=rule is not None and one.rid in inside
        )
        for one in candidates
        if one.excluded != OPPONENT or one.rid in inside
    )
    own = [one.excluded for one in decided if one.via is None and one.excluded not in (None, POLICY)]
    return Selection(
        told=tuple(told.values()),
        candidates=decided,
        opponents=tuple(pair for pair in opponents if pair in disputes),
        excluded=dict(Counter(str(rule) for rule in own)),
    )


def _disputes(
    rid: int, opponents: Opponents, known: Mapping[int, Candidate], gate: Callable[[int], Disclosure | str]
) -> dict[tuple[str, int, int], Dispute]:
    """The other sides of the disputes of a record that the reader may see, by the pair each is told for."""
    found: dict[tuple[str, int, int], Dispute] = {}
    for pair in opponents:
        conflict, a, b = pair
        other = b if a == rid else a
        if rid not in (a, b) or other not in known or len(found) == DISPUTES_MAX:
            continue
        answer = gate(other)
        if isinstance(answer, Disclosure):
            found[pair] = _dispute(conflict, answer)
    return found


def _dispute(conflict: str, other: Disclosure) -> Dispute:
    record = other.record
    content = other.text[:DISPUTE_CHARACTERS_MAX]
    return Dispute(
        conflict=conflict,
        id=record.id,
        revision=record.revision,
        actor=record.actor,
        confidence=other.standing.footing.effective,
        content=content,
        whole=content == record.content,
    )


def _finish(disclosure: Disclosure, candidate: Candidate, best: float, disputes: tuple[Dispute, ...]) -> Disclosure:
    """Add the score and what the reader must know about it. A dispute whose other side is not shown is not named."""
    notices = [f"disputed, see {one.conflict}: neither side is asserted" for one in disputes]
    if candidate.via is not None and candidate.via.startswith("it took"):
        notices.append(f"found because {candidate.via}")
    score = round(min(1.0, candidate.score / best), 6) if best > 0 else 0.0
    return msgspec.structs.replace(
        disclosure,
        score=score,
        conflicts=tuple(one.conflict for one in disputes),
        notices=tuple(notices),
        parts=candidate.parts,
        disputed_by=disputes,
    )
