"""Scores of different producers made comparable: each means something only among the scores of the same producer."""

from __future__ import annotations

from collections.abc import Iterable

from omir_conformance.instants import Json, JsonObject

UNSAID = ""
"""Stands for the producer of a resource that names none."""


def comparable(resources: Iterable[JsonObject], field: str) -> dict[tuple[str, str], float]:
    """For each resource that has the score, by type and id, where it stands among those of its own producer: 0 the
    lowest, 1 the highest, one half if it is alone or all are alike. The resources are left as they are.

    >>> comparable([{"resourceType": "Entity", "id": "a", "salience": 0.2}], "salience")
    {('Entity', 'a'): 0.5}
    """
    groups: dict[str, list[tuple[tuple[str, str], float]]] = {}
    for resource in resources:
        score = resource.get(field)
        if isinstance(score, (int, float)) and not isinstance(score, bool):
            key = str(resource["resourceType"]), str(resource["id"])
            groups.setdefault(producer(resource), []).append((key, float(score)))
    return {key: place for scored in groups.values() for key, place in _placed(scored)}


def producer(resource: JsonObject) -> str:
    """Who wrote the numbers of a resource."""
    meta: Json = resource.get("meta")
    source = meta.get("source") if isinstance(meta, dict) else None
    return source if isinstance(source, str) else UNSAID


def _placed(scored: list[tuple[tuple[str, str], float]]) -> list[tuple[tuple[str, str], float]]:
    """Each with the share of the others that it is above, those it ties with counted half."""
    others = len(scored) - 1
    if others == 0:
        return [(key, 0.5) for key, _ in scored]
    order = sorted(score for _, score in scored)
    first = {score: place for place, score in reversed(list(enumerate(order)))}
    last = {score: place for place, score in enumerate(order)}
    return [(key, (first[score] + last[score]) / 2 / others) for key, score in scored]
