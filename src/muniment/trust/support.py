"""What a record is worth given what it stands on: the weakest link, and whether its support still stands.

Pure and local: each record is judged by its own pillars alone, as they are now. What falls far below reaches a record
through the pillars between, one after the other, so depth costs nothing and order changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, Consequence, Label, Support

_GONE = frozenset({Status.RETRACTED, Status.DEPRECATED, Status.EXPIRED, Status.ERASED, Status.DISCARDED})
"""States in which a pillar bears nothing any more. What is superseded or contested still does, under a flag."""

_LOST = (Support.FALLEN, Support.DEPRECATED)


class Supporter(Value):
    """A record that another one stands on, as it is now. `moved`: it was revised after the other was written;
    `followed`: the other one is its successor, and stands on it with its eyes open."""

    status: Status
    support: Support
    effective: float
    moved: bool = False
    followed: bool = False


class SupportTerms(Value):
    """What policy says of support: how much a pillar that is gone still bears, and what follows from each end."""

    floor: float
    consequences: dict[Status, Consequence]


class SupportResult(Value):
    """The outcome: how far a record can be believed, and whether what it stands on stands."""

    effective: float
    support: Support


def support_of(own: float, pillars: Iterable[Supporter | None], terms: SupportTerms) -> SupportResult:
    """Judge a record by its own confidence and its pillars; None is a pillar that is missing.

    >>> from muniment.model.vocabulary import Consequence
    >>> terms = SupportTerms(floor=0.2, consequences={Status.RETRACTED: Consequence.FLAG})
    >>> weak = Supporter(status=Status.ACTIVE, support=Support.STANDING, effective=0.3)
    >>> support_of(0.9, [weak], terms).effective
    0.3
    >>> gone = Supporter(status=Status.RETRACTED, support=Support.STANDING, effective=0.9)
    >>> (support_of(0.9, [gone], terms).effective, support_of(0.9, [gone], terms).support.value)
    (0.2, 'fallen')
    """
    effective = own
    found: list[Support] = []
    for pillar in pillars:
        if pillar is None:
            effective = min(effective, terms.floor)
            found.append(Support.FALLEN)
            continue
        effective = min(effective, pillar.effective)
        support = _bears(pillar, terms.consequences)
        if support in _LOST:
            effective = min(effective, terms.floor)
        found.append(support)
    return SupportResult(effective=effective, support=_together(found))


def _bears(pillar: Supporter, consequences: Mapping[Status, Consequence]) -> Support:
    """What one pillar means for the record on it."""
    if pillar.followed:
        return Support.STANDING
    status = Status.SUPERSEDED if pillar.moved and pillar.status is Status.ACTIVE else pillar.status
    consequence = consequences.get(status, Consequence.FLAG if status in _GONE else Consequence.LEAVE)
    if status is not Status.ACTIVE and consequence is Consequence.DEPRECATE:
        return Support.DEPRECATED
    if pillar.support in _LOST:  # it has fallen itself, and takes along what is on it
        return pillar.support
    if consequence is not Consequence.FLAG or status is Status.ACTIVE:
        return pillar.support
    return Support.FALLEN if status in _GONE else Support.FLAGGED


def _together(found: list[Support]) -> Support:
    """All pillars together. A record with another pillar to stand on is flagged for a person, not dropped."""
    lost = sum(1 for support in found if support in _LOST)
    if found and lost == len(found):
        return Support.DEPRECATED if Support.DEPRECATED in found else Support.FALLEN
    return Support.FLAGGED if lost or Support.FLAGGED in found else Support.STANDING


def lowest(labels: Iterable[Label]) -> Label:
    """The label that may steer least. A derived record takes it from all its inputs.

    >>> lowest([Label.PERSON, Label.EXTERNAL, Label.AGENT]).value
    'external'
    """
    return min(labels, key=LABEL_RANK.__getitem__)
