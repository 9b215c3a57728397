"""Raise where a record counts as coming from, when sources that have nothing in common stand behind it.

Two records support it, neither repeats it or the other, each brings grounds of its own, two actors wrote them, and no
ancestor is shared. Saying a thing often is not saying it twice.
"""

from __future__ import annotations

from itertools import combinations

import msgspec

from muniment.graph.walk import grounds
from muniment.model.card import standing_of
from muniment.model.entry import Change
from muniment.model.record import Record
from muniment.model.status import CURRENT
from muniment.model.value import Value
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, Label, RelationType, Support
from muniment.ports.store import Snapshot
from muniment.trust.footing import lowest
from muniment.trust.text.likeness import echoes
from muniment.trust.text.reading import reading
from muniment.write.aftermath import become
from muniment.write.facts import Held, fetch
from muniment.write.steps import Case

SUPPORTERS_MAX = 64


class Voice(Value):
    """One supporter: what it says, where it comes from, and everything it stands on, itself included."""

    record: Record
    label: Label
    grounds: frozenset[str]


def corroborated(snapshot: Snapshot, case: Case, record: Record) -> tuple[Change, ...]:
    """What a new record, by supporting others, raises among them."""
    names = [one.target for one in case.claim.lineage.relations if one.type is RelationType.SUPPORTS]
    found = (case.facts.links[name] for name in dict.fromkeys(names))
    changes = (_raised(snapshot, case, held, record) for held in found if held is not None)
    return tuple(change for change in changes if change is not None)


def _raised(snapshot: Snapshot, case: Case, held: Held, record: Record) -> Change | None:
    present = standing_of(held.card).footing
    if held.card.status not in CURRENT:
        return None
    below = grounds(snapshot, [held.card.id])
    ours = _newcomer(snapshot, case, record)
    others = [voice for voice in _voices(snapshot, held.card.id) if voice.record.id not in case.replaced]
    best = [
        lowest((one.label, other.label))
        for one, other in combinations([ours, *others], 2)
        if one is ours and independent(one, other, held.record, below)
    ]
    label = max(best, key=LABEL_RANK.__getitem__, default=present.label)
    if LABEL_RANK[label] <= LABEL_RANK[present.label]:
        return None
    return become(held.card, footing=msgspec.structs.replace(present, label=label))


def independent(one: Voice, other: Voice, about: Record, below: set[str]) -> bool:
    """Whether two supporters have nothing in common with each other, nor with what they support."""
    mine, theirs = one.record, other.record
    evidence = {*mine.claim.belief.evidence}, {*theirs.claim.belief.evidence}
    sources = mine.claim.origin.source, theirs.claim.origin.source
    return (
        mine.actor != theirs.actor
        and about.actor not in (mine.actor, theirs.actor)
        and all(evidence)
        and evidence[0].isdisjoint(evidence[1])
        and (sources[0] is None or sources[0] != sources[1])
        and one.grounds.isdisjoint(other.grounds)
        and below.isdisjoint(one.grounds | other.grounds)
        and not _alike(mine, theirs)
        and not _alike(mine, about)
        and not _alike(theirs, about)
    )


def _alike(one: Record, other: Record) -> bool:
    return echoes(reading(one.content), reading(other.content))


def _newcomer(snapshot: Snapshot, case: Case, record: Record) -> Voice:
    stands_on = grounds(snapshot, [name for type_, name in record.links if type_ in STANDS_ON])
    return Voice(record=record, label=record.label, grounds=frozenset({record.id, *stands_on}))


def _voices(snapshot: Snapshot, record: str) -> list[Voice]:
    """Those that support a record already, the latest first, as far as they still stand."""
    rows = [row for row in snapshot.links.to([record]) if row.type == RelationType.SUPPORTS]
    cards = snapshot.catalogue.cards(sorted((row.rid for row in rows), reverse=True)[:SUPPORTERS_MAX])
    live = [card for card in cards.values() if card.status in CURRENT and card.support == Support.STANDING]
    return [_voice(snapshot, fetch(snapshot, card)) for card in live]


def _voice(snapshot: Snapshot, held: Held) -> Voice:
    label = standing_of(held.card).footing.label
    return Voice(record=held.record, label=label, grounds=frozenset(grounds(snapshot, [held.card.id])))
