"""Choose what is told: gate every candidate, keep the two sides of a dispute together, fit the bounds, say why.

Pure over what it is handed, so that a receipt's candidates can be decided again and give the same ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from muniment.model.query import Disclosure
from muniment.model.receipt import Candidate, Plan
from muniment.model.tokens import tokens
from muniment.model.value import Value
from muniment.read.gate import POLICY

WEAK = "weak"
LIMIT = "limit"
BUDGET = "budget"
Gate = Callable[[Candidate], Disclosure | str]


class Selection(Value):
    """What came through, what did not and why. `told` and `candidates` are in rank order."""

    told: tuple[Disclosure, ...]
    candidates: tuple[Candidate, ...]
    excluded: dict[str, int]


def select(
    plan: Plan, candidates: Sequence[Candidate], opponents: Sequence[tuple[str, int, int]], gate: Gate
) -> Selection:
    """Walk the candidates from the best down, gating each when its turn comes. A side of a dispute is told with its
    other side or not at all, unless the caller may not see the other side."""
    told: dict[int, Disclosure] = {}
    verdicts: dict[int, str] = {}
    by_rid = {candidate.rid: candidate for candidate in candidates}
    best = max((candidate.score for candidate in candidates), default=0.0)
    budget = _Budget(plan)
    for candidate in candidates:
        if candidate.rid in told or candidate.rid in verdicts:
            continue
        if candidate.excluded == WEAK:
            verdicts[candidate.rid] = WEAK
            continue
        if budget.spent:
            verdicts[candidate.rid] = LIMIT
            continue
        group = [rid for rid in _group(candidate.rid, opponents, by_rid) if verdicts.get(rid) in (None, WEAK)]
        answers = {rid: gate(by_rid[rid]) for rid in group}
        verdicts.update({rid: answer for rid, answer in answers.items() if isinstance(answer, str)})
        open_ = {rid: answer for rid, answer in answers.items() if isinstance(answer, Disclosure)}
        if candidate.rid not in open_:
            continue
        refusal = budget.take([answer.text for answer in open_.values()])
        if refusal is not None:
            verdicts.update(dict.fromkeys(open_, refusal))
            continue
        for rid, answer in open_.items():
            verdicts.pop(rid, None)
            told[rid] = _finish(answer, by_rid[rid], best, opponents, open_.keys())
    decided = tuple(msgspec.structs.replace(one, excluded=verdicts.get(one.rid)) for one in candidates)
    own = [one.excluded for one in decided if one.via is None and one.excluded not in (None, POLICY)]
    return Selection(told=tuple(told.values()), candidates=decided, excluded=dict(Counter(str(rule) for rule in own)))


class _Budget:
    """How many records and tokens are left. The other side of a dispute does not count as a record of its own."""

    def __init__(self, plan: Plan) -> None:
        self._records = plan.limit
        self._tokens = plan.budget_tokens

    @property
    def spent(self) -> bool:
        return self._records < 1

    def take(self, texts: list[str]) -> str | None:
        """Take a group in, or name the bound that has no room for it."""
        cost = sum(tokens(text) for text in texts)
        if self._tokens is not None and cost > self._tokens:
            return BUDGET
        self._records -= 1
        self._tokens = self._tokens - cost if self._tokens is not None else None
        return None


def _group(rid: int, opponents: Sequence[tuple[str, int, int]], known: Mapping[int, Candidate]) -> list[int]:
    """A record with everything it is in dispute with, itself first."""
    group = [rid]
    for member in group:
        for _, a, b in opponents:
            other = b if a == member else a if b == member else None
            if other is not None and other in known and other not in group:
                group.append(other)
    return group


def _finish(
    disclosure: Disclosure,
    candidate: Candidate,
    best: float,
    opponents: Sequence[tuple[str, int, int]],
    shown: AbstractSet[int],
) -> Disclosure:
    """Add the score and what the reader must know about it. A dispute whose other side is not shown is not named."""
    disputes = tuple(name for name, a, b in opponents if candidate.rid in (a, b) and a in shown and b in shown)
    notices = [f"disputed, see {name}: neither side is asserted" for name in disputes]
    if candidate.via is not None and candidate.via.startswith("it took"):
        notices.append(f"found because {candidate.via}")
    score = round(min(1.0, candidate.score / best), 6) if best > 0 else 0.0
    return msgspec.structs.replace(
        disclosure,
        score=score,
        conflicts=disputes,
        notices=tuple(notices),
        parts=candidate.parts,
    )
