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
from muniment.model.record import Record
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.model.vocabulary import Contested
from muniment.read.gate import POLICY

WEAK = "weak"
LIMIT = "limit"
BUDGET = "budget"
CONTESTED = "contested"
OPPONENT = "opponent"
"""A candidate that did not match by itself: it is told inside the records it disputes, and has no place of its own."""

DISPUTES_MAX = 3
"""A record names at most so many of those that dispute it."""

DISPUTE_CHARACTERS_MAX = 280

Gate = Callable[[Candidate], Disclosure | str]
Authority = Callable[[Record], int]
Opponents = Sequence[tuple[str, int, int]]


class Selection(Value):
    """What came through, what did not and why. `told` and `candidates` are in rank order; of the opponents that have
    no place of their own only those that were told inside a record are left."""

    told: tuple[Disclosure, ...]
    candidates: tuple[Candidate, ...]
    opponents: tuple[tuple[str, int, int], ...]
    excluded: dict[str, int]


def select(
    plan: Plan, candidates: Sequence[Candidate], opponents: Opponents, gate: Gate, authority: Authority
) -> Selection:
    """Walk the candidates from the best down, gating each when its turn comes. A record and what is told inside it
    fit the token budget together or not at all."""
    told: dict[int, Disclosure] = {}
    verdicts: dict[int, str] = {}
    disputes: set[tuple[str, int, int]] = set()
    by_rid = {candidate.rid: candidate for candidate in candidates}
    best = max((candidate.score for candidate in candidates if candidate.excluded != OPPONENT), default=0.0)
    asked = cache(lambda rid: gate(by_rid[rid]))
    left = plan.budget_tokens
    stands_for: dict[int, int] = {}
    if plan.contested is Contested.NEWEST:
        stands_for = _newest(candidates, opponents, asked, authority)
        candidates = _in_their_stead(candidates, stands_for)
    for candidate in candidates:
        rid = candidate.rid
        if candidate.excluded in (WEAK, OPPONENT):
            verdicts[rid] = candidate.excluded
        elif stands_for.get(rid, rid) != rid:
            verdicts[rid] = CONTESTED
        elif len(told) >= plan.limit:
            verdicts[rid] = LIMIT
        elif isinstance(answer := asked(rid), str):
            verdicts[rid] = answer
        else:
            sides = {} if rid in stands_for else _disputes(rid, opponents, by_rid, asked)
            cost = tokens(answer.text) + sum(tokens(side.content) for side in sides.values())
            if left is not None and cost > left:
                verdicts[rid] = BUDGET
                continue
            left = None if left is None else left - cost
            told[rid] = _finish(answer, candidate, best, tuple(sides.values()))
            if rid in stands_for:
                told[rid] = _marked(told[rid], [name for name, a, b in opponents if rid in (a, b)])
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
        opponents=tuple(pair for pair in opponents if pair in disputes or stands_for.keys() & {*pair[1:]}),
        excluded=dict(Counter(str(rule) for rule in own)),
    )


def _newest(
    candidates: Sequence[Candidate],
    opponents: Opponents,
    gate: Callable[[int], Disclosure | str],
    authority: Authority,
) -> dict[int, int]:
    """For each record in a dispute of which the reader may see another side, the one that is told: the newest among
    those whose authors have the most authority."""
    known, sides = {one.rid for one in candidates}, {side for _, a, b in opponents for side in (a, b)}
    passed = {rid: found for rid in known & sides if isinstance(found := gate(rid), Disclosure)}
    groups: dict[int, set[int]] = {}
    for _, a, b in opponents:
        if a in passed and b in passed:
            joined = groups.get(a, {a}) | groups.get(b, {b})
            groups |= dict.fromkeys(joined, joined)
    return {rid: max(group, key=lambda one: (authority(passed[one].record), one)) for rid, group in groups.items()}


def _in_their_stead(candidates: Sequence[Candidate], stands_for: Mapping[int, int]) -> Sequence[Candidate]:
    """The candidates with the one that is told of each dispute in the place of the best of its sides."""
    by_rid = {one.rid: one for one in candidates}
    placed: dict[int, Candidate] = {}
    for one in candidates:
        chosen = stands_for.get(one.rid, one.rid)
        if chosen != one.rid and one.excluded is None and chosen not in placed and by_rid[chosen].excluded == OPPONENT:
            via = f"it is the newest of those that dispute {one.id}, which matches"
            placed[chosen] = msgspec.structs.replace(by_rid[chosen], score=one.score, excluded=None, via=via)
        placed.setdefault(one.rid, one)
    return tuple(placed.values())


def _marked(disclosure: Disclosure, conflicts: Sequence[str]) -> Disclosure:
    notices = [f"disputed, see {name}: told is the newest of the most authority" for name in conflicts]
    return msgspec.structs.replace(disclosure, conflicts=tuple(conflicts), notices=(*disclosure.notices, *notices))


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
