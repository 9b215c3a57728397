"""The ranking of a search by words as one statement, and the formula behind it: BM25 with FTS5's constants.

What a phrase adds to a score is found beforehand and handed in; what a single term adds is computed where its postings
are. Parts are added up in the order of what was asked, so equal texts have equal scores whatever the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from muniment.backends.conditions import Bound, translate
from muniment.backends.postgres.phrases import Fractions, Numbers
from muniment.backends.postgres.transaction import numbered
from muniment.model.receipt import Plan

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class ScoredTerm:
    """A term that is scored: which part of the question it is, and how telling."""

    place: int
    term: str
    weight: float


@dataclass(frozen=True, slots=True)
class PhraseParts:
    """What phrases add to the scores of revisions: the number of each, which part of the question, how much."""

    rids: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    worth: list[float] = field(default_factory=list)

    def add(self, place: int, rids: Numbers, worth: Fractions) -> None:
        self.rids.extend(rids.tolist())
        self.places.extend([place] * len(rids))
        self.worth.extend(worth.tolist())


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """What is ranked: terms and parts; how many of the first parts must all be there; the only revisions that can have
    them, if that is known; and how many terms a text has on average."""

    singles: Sequence[ScoredTerm]
    parts: PhraseParts
    required: int
    within: Sequence[int] | None
    mean: float


class RankingStatement:
    """A statement that is being put together, with its values; the first is the tenant's number."""

    def __init__(self, tenant: int) -> None:
        self.values: list[object] = [tenant]

    def value(self, value: object) -> str:
        """A value, as the statement names it."""
        self.values.append(value)
        return f"${len(self.values)}"

    def condition(self, sql: str, values: Bound) -> str:
        """A condition with its values."""
        written = numbered(sql, len(self.values) + 1)
        self.values.extend(values)
        return written


def worth(weight: float, times: Numbers, sizes: Numbers, mean: float) -> Fractions:
    """What something that occurs so many times in texts of these sizes adds to their scores."""
    found: Fractions = weight * ((times * (K1 + 1)) / (times + K1 * (1 - B + B * sizes / mean)))
    return found


def scores(statement: RankingStatement, question: RankingQuery, depth: int | None) -> str:
    """The SELECT of the best matches, numbers and scores, the best first."""
    ranked = (
        f"SELECT part.rid, sum(part.worth ORDER BY part.place) AS score FROM ({_parts(statement, question)}) AS part"
    )
    ranked += " GROUP BY part.rid"
    if question.required:
        must = statement.value(question.required)
        ranked += f" HAVING count(*) FILTER (WHERE part.place < {must}) = {must}"
    return ranked if depth is None else f"{ranked} ORDER BY score DESC, part.rid DESC LIMIT {depth}"


def _parts(statement: RankingStatement, question: RankingQuery) -> str:
    """The SELECT of everything that adds to a score.

    Term by term, whatever the planner thinks: it is told nothing of how often terms occur, because a sample of them
    would outlive an erasure, and left to itself it reads every posting of a large tenant.
    """
    mean, within = statement.value(question.mean), question.within
    terms = statement.value([single.term for single in question.singles])
    weights = statement.value([single.weight for single in question.singles])
    places = statement.value([single.place for single in question.singles])
    only = "" if within is None else f" AND one.rid = ANY({statement.value(list(within))}::bigint[])"
    times = "(octet_length(p.spots) / 4)"
    norm = f"{_float(K1)} * ({_float(1 - B)} + {_float(B)} * p.size / {mean}::double precision)"
    singles = (
        f"SELECT p.rid, asked.place, asked.weight * (({times} * {_float(K1 + 1)}) / ({times} + {norm})) AS worth "
        f"FROM unnest({terms}::text[], {weights}::double precision[], {places}::bigint[]) "
        "AS asked (term, weight, place) CROSS JOIN LATERAL ("
        "SELECT one.rid, one.size, one.spots FROM postings AS one "
        f"WHERE one.tenant_id = $1 AND one.term = asked.term{only} OFFSET 0) AS p"
    )
    parts = question.parts
    if not parts.rids:
        return singles
    rids, orders, worths = (statement.value(values) for values in (parts.rids, parts.places, parts.worth))
    more = f"unnest({rids}::bigint[], {orders}::bigint[], {worths}::double precision[])"
    return f"{singles} UNION ALL SELECT known.rid, known.place, known.worth FROM {more} AS known (rid, place, worth)"


def matches(tenant: int, plan: Plan, question: RankingQuery, depth: int | None) -> tuple[str, list[object]]:
    """The best matches with what the filters say of each: whether it is hidden, and the number of the first of the
    caller's bounds that it fails. One that is hidden says no more than that it is there."""
    statement = RankingStatement(tenant)
    best = scores(statement, question, depth)
    as_of = f"{statement.value(plan.as_of)}::bigint"
    moving, join = ("c", "") if plan.at_head else ("s", standing_join(as_of))
    visible = statement.condition(*translate(plan.visible, moving))
    bounds = (translate(condition, moving) for _, condition in plan.wanted)
    whens = [f"WHEN NOT ({statement.condition(*bound)}) THEN {number}" for number, bound in enumerate(bounds)]
    failed = f"CASE {' '.join(whens)} END" if whens else "NULL::integer"
    return (
        f"WITH best AS MATERIALIZED ({best}) "
        f"SELECT c.rid, best.score, {moving}.status, NOT (({visible}) AND c.seq <= {as_of}), {failed} "
        f"FROM best JOIN cards AS c ON c.tenant_id = $1 AND c.rid = best.rid {join}"
        "ORDER BY best.score DESC, c.rid DESC",
        statement.values,
    )


def standing_join(as_of: str) -> str:
    """The join that brings in what a card `c` was at a position, as `s`."""
    return (
        "LEFT JOIN standings AS s ON s.tenant_id = $1 AND s.rid = c.rid AND s.since = ("
        "SELECT max(was.since) FROM standings AS was "
        f"WHERE was.tenant_id = $1 AND was.rid = c.rid AND was.since <= {as_of}) "
    )


def intersection(found: Sequence[Numbers]) -> Numbers:
    """The numbers that are in every one of these lists."""
    common = found[0]
    for more in found[1:]:
        common = np.intersect1d(common, more)
    return common


def _float(number: float) -> str:
    return f"{number!r}::double precision"
