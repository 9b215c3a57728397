"""What a COMPACT writes and answers. What it takes out of sight stays in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from muniment.contracts.akashik.encode import shortened
from muniment.contracts.strict.values import JsonObject
from muniment.model.claim import Belief, Claim, Intent, Lineage, Nature, Place, Relation
from muniment.model.query import Disclosure
from muniment.model.vocabulary import Kind, RelationType

PURPOSE = "stand for units that are archived"
"""By which a synthesis that a COMPACT made is known: it repeats the words of units."""
MEMBERS_MAX = 100
"""How many units one synthesis stands for."""


def summaries(units: Sequence[Disclosure]) -> tuple[Claim, ...]:
    """Syntheses that stand for these units: one per place, so that none tells more to anybody than they did."""
    ordered = sorted(units, key=lambda one: (_spot(one), one.record.created_at, one.record.id))
    groups = [list(same) for _, same in groupby(ordered, key=_spot)]
    return tuple(
        _synthesis(group[first : first + MEMBERS_MAX])
        for group in groups
        for first in range(0, len(group), MEMBERS_MAX)
    )


def _spot(one: Disclosure) -> tuple[str, str, str]:
    place = one.record.claim.place
    return place.scope.value, place.scope_id, place.namespace


def _synthesis(group: Sequence[Disclosure]) -> Claim:
    place = group[0].record.claim.place
    lines = [f"- {shortened(one.record.content)}" for one in group]
    return Claim(
        content="\n".join([f"In short ({len(group)}):", *lines]),
        nature=Nature(kind=Kind.SYNTHESIS),
        place=Place(scope=place.scope, scope_id=place.scope_id, namespace=place.namespace, session_id=place.session_id),
        intent=Intent(purpose=PURPOSE),
        belief=Belief(
            score=min(one.standing.footing.effective for one in group),
            reasoning="no surer than the least sure of what it stands for",
            evidence=tuple(one.record.id for one in group),
        ),
        lineage=Lineage(relations=tuple(Relation(type=RelationType.ELABORATES, target=one.record.id) for one in group)),
    )


def compact_response(*, affected: int, created: int, reclaimed: int | None = None) -> JsonObject:
    return {
        "status": "ok",
        "units_affected": affected,
        "synthesis_units_created": created,
        "storage_reclaimed_bytes": reclaimed,
    }
