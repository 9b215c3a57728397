"""Which records an erasure means, what stands on them, and what becomes of each."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.model.card import Card
from muniment.model.entry import Document
from muniment.model.erasure import Certainty, DerivedPolicy, ErasureOutcome, PlannedErasure, Target, TargetKind
from muniment.model.record import Record
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import STANDS_ON
from muniment.ports.store import Snapshot
from muniment.text.entities import entity_key
from muniment.write.erase.names import NO_NAME, SubjectName
from muniment.write.erase.texts import texts_of_record
from muniment.write.erase.words import words_of

_WHY = {
    TargetKind.RECORD: "it was named",
    TargetKind.SUBJECT: "it speaks of the subject",
    TargetKind.SOURCE: "it came from the source",
    TargetKind.ACTOR: "the actor wrote it",
    TargetKind.SESSION: "it was written in the session",
    TargetKind.USER: "it is the user's memory",
}
_FATE = {
    DerivedPolicy.ERASE: ErasureOutcome.ERASED,
    DerivedPolicy.REDACT: ErasureOutcome.REDACTED,
    DerivedPolicy.REVIEW: ErasureOutcome.REVIEWED,
}
_WHY_DERIVED = {
    ErasureOutcome.ERASED: "it was derived from what is erased",
    ErasureOutcome.REDACTED: "it was derived from what is erased, and loses what it took over",
    ErasureOutcome.REVIEWED: "it was derived from what is erased, and is kept back until somebody has looked at it",
}
_WHY_PROBABLE = "its letters stand in a longer word, or without their accents"
_UPTO = 2**62


class MatchedRecords(Value):
    """What a target comes to: the records by id, other documents that may speak of it, and the names it goes by.
    `probable` are records that only may be meant, among `records` if the search was `wide`."""

    records: tuple[str, ...]
    documents: frozenset[int] = frozenset()
    names: tuple[str, ...] = ()
    probable: tuple[str, ...] = ()
    wide: bool = False


def find(snapshot: Snapshot, target: Target, *, wide: bool = False) -> MatchedRecords:
    """Everything a target means, and what it only may mean; with `wide` no difference is made."""
    match target.by:
        case TargetKind.RECORD:
            there = bool(snapshot.catalogue.revisions(target.value))
            return MatchedRecords(records=(target.value,) if there else ())
        case TargetKind.SUBJECT:
            return _about(snapshot, target.value, wide=wide)
        case TargetKind.SOURCE | TargetKind.ACTOR | TargetKind.SESSION | TargetKind.USER:
            cards = snapshot.catalogue.contributed(target)
            return MatchedRecords(records=tuple(dict.fromkeys(card.id for card in cards)))


def _about(snapshot: Snapshot, subject: str, *, wide: bool) -> MatchedRecords:
    """Every record that names a subject, in whatever field and under whatever name it was given. All documents are
    looked through by their letters: no index decides that nothing is there."""
    key = entity_key(subject)
    keys = set(snapshot.names.groups([key], as_of=_UPTO).get(key, (key,)) if key else ())
    if words_of(key) != words_of(subject):
        keys.discard(key)  # a key without the title is many people's
    names = tuple(dict.fromkeys((subject, *sorted(keys))))
    name = SubjectName(names)
    likely: dict[int, Document] = {}
    spoken = set[int]()
    for document in snapshot.documents.all():
        found = name.certainty_in(document.body)
        if found is not None:
            likely[document.doc] = document
        if found is Certainty.CERTAIN or (wide and found is not None):
            spoken.add(document.doc)
    cards = snapshot.catalogue.cards(likely)
    holders = snapshot.names.holders(keys, upto=_UPTO, keep=_UPTO)
    rids = {rid for found in holders.values() for rid in found}
    maybe = set[int]()
    for rid in cards.keys() - rids:
        record = read_canonical(likely[rid].body, Record)
        told = {name.certainty(text) for text in texts_of_record(record)}
        if Certainty.CERTAIN in told:
            rids.add(rid)
        elif Certainty.PROBABLE in told:
            maybe.add(rid)
    records = _ids(snapshot, rids)
    probable = tuple(one for one in _ids(snapshot, maybe) if one not in records)
    return MatchedRecords(
        records=(*records, *probable) if wide else records,
        documents=frozenset(spoken - cards.keys()),
        names=names,
        probable=probable,
        wide=wide,
    )


def _ids(snapshot: Snapshot, rids: Iterable[int]) -> tuple[str, ...]:
    cards = snapshot.catalogue.cards(rids)
    return tuple(dict.fromkeys(card.id for _, card in sorted(cards.items())))


def name_of(meant: MatchedRecords) -> SubjectName:
    return SubjectName(meant.names, wide=meant.wide) if meant.names else NO_NAME


class AffectedRecords(Value):
    """The records of a plan with all their revisions."""

    nodes: tuple[PlannedErasure, ...]
    cards: dict[str, tuple[Card, ...]]

    def of(self, fate: ErasureOutcome) -> list[Card]:
        """Every revision of the records that meet this fate."""
        return [card for node in self.nodes if node.fate is fate for card in self.cards[node.id]]


class Dependents:
    """Who stands on whom, over all revisions, those that were replaced included: a word taken over stays taken over."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._links: dict[str, list[tuple[int, str]]] = {}
        for edge in snapshot.links.all():
            self._links.setdefault(edge.target, []).append((edge.rid, edge.type))

    def linked(self, record: str) -> dict[str, set[str]]:
        """The records that have links to this one, each with the types of its links."""
        links = self._links.get(record, [])
        cards = self._snapshot.catalogue.cards({rid for rid, _ in links})
        found: dict[str, set[str]] = {}
        for rid, type_ in links:
            if rid in cards and cards[rid].id != record:
                found.setdefault(cards[rid].id, set()).add(type_)
        return found


def reach(snapshot: Snapshot, meant: MatchedRecords, by: TargetKind, derived: DerivedPolicy) -> AffectedRecords:
    """What is meant, then everything that was ever derived from it, then what is only related and stays."""
    family = Dependents(snapshot)
    named = set(meant.records)
    under: dict[str, list[str]] = {}
    related: dict[str, list[str]] = {}
    frontier = list(meant.records)
    while frontier:
        following: list[str] = []
        for record in frontier:
            for other, types in sorted(family.linked(record).items()):
                if not types & STANDS_ON:
                    related.setdefault(other, []).append(record)
                    continue
                if other not in named and other not in under:
                    following.append(other)
                under.setdefault(other, []).append(record)
        frontier = following
    fate = _FATE[derived]
    unsure = set(meant.probable)
    nodes = [_meant(name, ErasureOutcome.ERASED, _WHY[by], probable=name in unsure) for name in meant.records]
    nodes += (
        PlannedErasure(id=name, revisions=0, fate=fate, why=_WHY_DERIVED[fate], under=tuple(parents))
        for name, parents in under.items()
        if name not in named
    )
    maybe = [name for name in meant.probable if name not in named and name not in under]
    nodes += (_meant(name, ErasureOutcome.KEPT, _WHY[by], probable=True) for name in maybe)
    nodes += (
        PlannedErasure(
            id=name,
            revisions=0,
            fate=ErasureOutcome.KEPT,
            why="it is related, and was not derived",
            under=tuple(parents),
        )
        for name, parents in related.items()
        if name not in named and name not in under and name not in maybe
    )
    cards = {node.id: snapshot.catalogue.revisions(node.id) for node in nodes}
    counted = tuple(msgspec.structs.replace(node, revisions=len(cards[node.id])) for node in nodes)
    return AffectedRecords(nodes=counted, cards=cards)


def _meant(record: str, fate: ErasureOutcome, why: str, *, probable: bool) -> PlannedErasure:
    """A record that is meant itself, or may be."""
    if not probable:
        return PlannedErasure(id=record, revisions=0, fate=fate, why=why)
    return PlannedErasure(id=record, revisions=0, fate=fate, why=_WHY_PROBABLE, certainty=Certainty.PROBABLE)


def with_redacted(snapshot: Snapshot, reached: AffectedRecords, records: Iterable[str]) -> AffectedRecords:
    """The same, with these records redacted too, whether they were derived from anything here or not."""
    gone = {node.id for node in reached.nodes if node.fate in (ErasureOutcome.ERASED, ErasureOutcome.REDACTED)}
    cards = {name: snapshot.catalogue.revisions(name) for name in records if name not in gone}
    others = (node for node in reached.nodes if node.id not in cards)
    forced = (
        PlannedErasure(
            id=name, revisions=len(found), fate=ErasureOutcome.REDACTED, why=_WHY_DERIVED[ErasureOutcome.REDACTED]
        )
        for name, found in cards.items()
    )
    return AffectedRecords(nodes=(*others, *forced), cards={**reached.cards, **cards})


def records_of(snapshot: Snapshot, cards: list[Card]) -> dict[int, Record]:
    """What these revisions say, by their numbers."""
    found = snapshot.documents.many([card.rid for card in cards])
    return {doc: read_canonical(document.body, Record) for doc, document in found.items()}
