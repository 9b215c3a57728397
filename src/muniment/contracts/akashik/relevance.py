"""How much each unit matters to one caller: a score from 0 to 1 that is a sum of named parts, and its reason.

The engine says how well a unit fits the topics and what it is worth in itself; what only this protocol knows (types,
tasks, relations to the task, how recency is to count, that authors should be mixed) is added here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from muniment.contracts.akashik.commands import AttuneCommand
from muniment.contracts.akashik.tables import TYPE_OF
from muniment.contracts.akashik.words import UnitType
from muniment.model.claim import Claim
from muniment.model.query import Disclosure
from muniment.model.value import Value

TYPE_WEIGHT: dict[UnitType, float] = {
    UnitType.HUMAN_DIRECTIVE: 1.0,
    UnitType.DECISION: 0.9,
    UnitType.CONTRADICTION: 0.9,
    UnitType.CORRECTION: 0.9,
    UnitType.CONSTRAINT: 0.8,
    UnitType.SYNTHESIS: 0.7,
    UnitType.FINDING: 0.6,
    UnitType.QUESTION: 0.5,
    UnitType.INTENTION: 0.5,
    UnitType.ASSUMPTION: 0.4,
    UnitType.OBSERVATION: 0.3,
}
TYPE_SHARE, TASK_SHARE, RELATED_SHARE = 0.2, 0.4, 0.15
CROWDED = 0.02
"""What each further unit of one author loses, so that a short answer is not one voice."""

MOST = 1.5 + TYPE_SHARE + TASK_SHARE + RELATED_SHARE
"""What the parts can add up to: a topic that fits wholly, what a unit is worth in itself, and ours."""

_ENGINE = ("topic", "confidence", "importance", "origin", "recency", "faded")
"""The engine's parts that count here. Its weight by kind is left out: types are weighed here."""

_AGEING = frozenset({"recency", "faded"})
TOPIC_SHARE, SURE_SHARE = 1.0, 0.3
SHORT = 3
"""Words of no more letters than this tell nothing of a topic."""
_WORD = re.compile(r"\w+")


class Relevant(Value):
    """A unit, its score and what that is made of."""

    found: Disclosure
    score: float
    parts: tuple[tuple[str, float], ...]

    @property
    def reason(self) -> str:
        """The score in words a person can read."""
        told = ", ".join(f"{name} {value:.2f}" for name, value in self.parts if round(value, 2))
        return told or "nothing in particular speaks for it"


def weigh(found: Sequence[Disclosure], command: AttuneCommand) -> tuple[Relevant, ...]:
    """Everything found with its score for this caller, the best first; equals the newer first."""
    mine = [one for one in found if command.task is not None and _task(one) == command.task]
    near = TaskNeighbourhood(
        units=frozenset(one.record.id for one in mine),
        linked=frozenset(target for one in mine for _, target in one.record.links),
    )
    ages = _ages(found)
    rough = [_weighed(one, command, near, ages[one.record.id]) for one in found]
    return _mixed(sorted(rough, key=_rank))


class TaskNeighbourhood(Value):
    """The units of the task at hand, and what they are linked to."""

    units: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()

    def touches(self, one: Disclosure) -> bool:
        """Whether a unit is linked with one of the task, in either direction."""
        return one.record.id in self.linked or any(target in self.units for _, target in one.record.links)


def _rank(one: Relevant) -> tuple[float, int, str]:
    return -one.score, -one.found.record.created_at, one.found.record.id


def _weighed(one: Disclosure, command: AttuneCommand, near: TaskNeighbourhood, age: float) -> Relevant:
    parts = {name: value for name, value in one.parts if name in _ENGINE}
    parts["type"] = TYPE_SHARE * TYPE_WEIGHT[TYPE_OF[one.record.claim.nature.kind]]
    if one.record.id in near.units:
        parts["task"] = TASK_SHARE
    elif near.units and near.touches(one):
        parts["related to the task"] = RELATED_SHARE
    if command.recency is not None:
        parts = {name: value * (1 - command.recency) for name, value in parts.items() if name not in _AGEING}
        parts["recency"] = MOST * command.recency * age
    score = min(1.0, max(0.0, math.fsum(parts.values()) / MOST))
    return Relevant(found=one, score=score, parts=tuple((name, value / MOST) for name, value in parts.items()))


def lasting(claim: Claim, topics: Sequence[str]) -> float:
    """How much a unit matters to somebody with these topics, by what never changes: its words, its type and how sure
    its author was. For notices, which must come out the same whenever they are asked for again."""
    parts = (TOPIC_SHARE * shared(claim.content, topics), TYPE_SHARE * TYPE_WEIGHT[TYPE_OF[claim.nature.kind]])
    return min(1.0, math.fsum((*parts, SURE_SHARE * claim.belief.score)) / (TOPIC_SHARE + TYPE_SHARE + SURE_SHARE))


def shared(text: str, topics: Sequence[str]) -> float:
    """How much of the topic that fits best a text holds, by its words.

    >>> shared("The harbour is deep", ["keeper of the harbour", "tides"]), shared("It rains", [])
    (0.5, 0.0)
    """
    held = _words(text)
    wanted = [words for words in map(_words, topics) if words]
    return max((len(words & held) / len(words) for words in wanted), default=0.0)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.casefold()) if len(word) > SHORT)


def _task(one: Disclosure) -> str | None:
    return one.record.claim.place.task_id


def _ages(found: Sequence[Disclosure]) -> dict[str, float]:
    """How recent each is among the others: 0 for the oldest, 1 for the newest."""
    order = sorted({one.record.created_at for one in found})
    last = max(1, len(order) - 1)
    places = {at: number / last for number, at in enumerate(order)}
    return {one.record.id: places[one.record.created_at] for one in found}


def _mixed(ranked: Sequence[Relevant]) -> tuple[Relevant, ...]:
    """The same with a little taken off whatever an author says more than once, and in order again."""
    seen: Counter[str] = Counter()
    mixed = []
    for one in ranked:
        author = one.found.record.actor
        loss = min(one.score, CROWDED * seen[author])
        seen[author] += 1
        parts = (*one.parts, ("said by the same agent", -loss)) if loss else one.parts
        mixed.append(Relevant(found=one.found, score=one.score - loss, parts=parts))
    return tuple(sorted(mixed, key=_rank))
