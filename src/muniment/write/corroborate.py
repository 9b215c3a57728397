"""Raise where a record counts as coming from, when sources that have nothing in common stand behind it.

Two records support it, neither repeats it or the other, each brings grounds of its own, two actors wrote them, and no
ancestor is shared. Saying a thing often is not saying it twice.
"""

from __future__ import annotations

from itertools import combinations

import msgspec

from muniment.graph.walk import grounds
from muniment.model.card import Card, standing_of
from muniment.model.change import ChangeSet
from muniment.model.entry import Entry, EntryKind, StateChange
from muniment.model.record import Record
from muniment.model.status import CURRENT
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, Label, RelationType, Support
from muniment.ports.store import Snapshot
from muniment.text.features import text_features
from muniment.text.similarity import echoes
from muniment.trust.support import lowest
from muniment.write.cascade import become
from muniment.write.case import Case
from muniment.write.facts import Held, fetch

SUPPORTERS_MAX = 64


class Voice(Value):
    """One supporter: what it says, where it comes from, and everything it stands on, itself included."""

    rid: int
    record: Record
    label: Label
    grounds: frozenset[str]


def corroborated(snapshot: Snapshot, case: Case, record: Record) -> tuple[StateChange, ...]:
    """What a new record, by supporting others, raises among them."""
    names = [one.target for one in case.claim.lineage.relations if one.type is RelationType.SUPPORTS]
    found = (case.facts.links[name] for name in dict.fromkeys(names))
    changes = (_raised(snapshot, case, held, record) for held in found if held is not None)
    return tuple(change for change in changes if change is not None)


def _raised(snapshot: Snapshot, case: Case, held: Held, record: Record) -> StateChange | None:
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
    return echoes(text_features(one.content), text_features(other.content))


def _newcomer(snapshot: Snapshot, case: Case, record: Record) -> Voice:
    stands_on = grounds(snapshot, [name for type_, name in record.links if type_ in STANDS_ON])
    return Voice(rid=0, record=record, label=record.label, grounds=frozenset({record.id, *stands_on}))


def _voices(snapshot: Snapshot, record: str) -> list[Voice]:
    """Those that support a record already, the latest first, as far as they still stand."""
    rows = [row for row in snapshot.links.to([record]) if row.type == RelationType.SUPPORTS]
    cards = snapshot.catalogue.cards(sorted((row.rid for row in rows), reverse=True)[:SUPPORTERS_MAX])
    live = [card for card in cards.values() if card.status in CURRENT and card.support == Support.STANDING]
    return [_voice(snapshot, fetch(snapshot, card)) for card in live]


def _voice(snapshot: Snapshot, held: Held) -> Voice:
    label = standing_of(held.card).footing.label
    return Voice(
        rid=held.card.rid, record=held.record, label=label, grounds=frozenset(grounds(snapshot, [held.card.id]))
    )


def with_lapses(snapshot: Snapshot, change: ChangeSet) -> ChangeSet:
    """The same change set, with labels taken back that rested on supporters who end or fall in it."""
    if not change.changes:
        return change
    lost = (Support.FALLEN, Support.DEPRECATED)
    gone = {one.rid for one in change.changes if one.status not in CURRENT or one.footing.support in lost}
    targets = {row.target for row in snapshot.links.of(gone) if row.type == RelationType.SUPPORTS} if gone else set()
    changes = {one.rid: one for one in change.changes}
    for _, card in sorted(snapshot.catalogue.latest(targets).items()) if targets else ():
        label = _left(snapshot, fetch(snapshot, card), gone)
        if card.status in CURRENT and LABEL_RANK[label] < card.label:
            before = changes.get(card.rid) or become(card)
            footing = msgspec.structs.replace(before.footing, label=label)
            changes[card.rid] = msgspec.structs.replace(before, footing=footing)
    return msgspec.structs.replace(change, changes=tuple(one for _, one in sorted(changes.items())))


def _left(snapshot: Snapshot, held: Held, gone: set[int]) -> Label:
    """Where a record counts as coming from without these supporters: by birth, by a reviewer's word, by those left."""
    voices = [voice for voice in _voices(snapshot, held.card.id) if voice.rid not in gone]
    below = grounds(snapshot, [held.card.id])
    labels = [held.record.label, *_vouched(snapshot, held.card)]
    labels += (
        lowest((one.label, other.label))
        for one, other in combinations(voices, 2)
        if independent(one, other, held.record, below)
    )
    return max(labels, key=LABEL_RANK.__getitem__)


def _vouched(snapshot: Snapshot, card: Card) -> list[Label]:
    """What reviewers have vouched for, as the ledger tells it."""
    found = []
    for row in snapshot.catalogue.standings(card.rid)[1:]:
        stored = snapshot.ledger.entry(row.standing.since)
        entry = read_canonical(stored.body, Entry) if stored is not None else None
        if entry is not None and entry.kind is EntryKind.VOUCHED and entry.filing is not None:
            found += [row.standing.footing.label] if entry.filing.record == card.id else []
    return found
