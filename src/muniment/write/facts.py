"""What a decision needs to know of the store, fetched up front. The only part of curation that reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from muniment.graph.walk import grounds
from muniment.model.card import Card, fingerprint, slot_key
from muniment.model.change import Key, Seen
from muniment.model.claim import Claim, Lineage
from muniment.model.entry import Document, Role
from muniment.model.errors import IntegrityError
from muniment.model.record import Record
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, ConflictStatus, Label
from muniment.ports.ahead import Ahead, Hearing
from muniment.ports.store import Snapshot
from muniment.text.compare import could_meet, may_meet
from muniment.text.reading import misspelt, reading, salient

KIN_MAX = 16
HEARD_MAX = 64
_LONG = 160
PAST_MAX = 8
CHAIN_MAX = 100
_KEPT_BYTES_MAX = 4_096


class Held(Value):
    """A revision as it stands, with what it says."""

    card: Card
    record: Record


class Past(Value):
    """A revision that no longer speaks, and the record that took its place and does. `near`: it was only found by its
    words, so that they must still be compared."""

    held: Held
    now: Held
    near: bool


class Facts(Value):
    """Everything looked at, and the version each thing had.

    `marked` is what a reviewer sees it disagree with; `past` said the same or answered the same question and no
    longer speaks; `kin` is nearest by its words, in any state; `told` are those of the kin that the proposer was
    told, `carried` those that stand on the target; `loops` are links that would lead back to the target; `pace` is
    when the actor wrote the revision so many before this one that, were it but a moment ago, they would be too
    many; `heard` is what the actor was told of outside origin, for a claim that is too long to be found by its
    words; `buried` tells that the id it wants was that of something erased.
    """

    links: dict[str, Held | None]
    twin: Held | None
    occupants: tuple[Held, ...]
    contradicted: tuple[Held, ...]
    seen: tuple[Seen, ...]
    marked: tuple[Held, ...] = ()
    past: tuple[Past, ...] = ()
    kin: tuple[Held, ...] = ()
    told: frozenset[int] = frozenset()
    carried: frozenset[str] = frozenset()
    loops: tuple[tuple[str, str], ...] = ()
    pace: Instant | None = None
    heard: tuple[Held, ...] = ()
    buried: bool = False


def fetch(snapshot: Snapshot, card: Card) -> Held:
    """A revision with its record."""
    return _held(card, snapshot.documents.get(card.rid))


def fetch_all(snapshot: Snapshot, cards: Sequence[Card]) -> tuple[Held, ...]:
    """The same for several."""
    documents = snapshot.documents.many([card.rid for card in cards]) if cards else {}
    return tuple([_held(card, documents.get(card.rid)) for card in cards])


def _held(card: Card, document: Document | None) -> Held:
    if document is None:
        raise IntegrityError(f"the {Role.RECORD} of {card.id} revision {card.revision} is missing")
    body = document.body
    return Held(card=card, record=_record(body) if len(body) <= _KEPT_BYTES_MAX else read_canonical(body, Record))


@lru_cache(maxsize=512)  # what is near to a claim was mostly near to the last ones too
def _record(body: bytes) -> Record:
    return read_canonical(body, Record)


def look_up(snapshot: Snapshot, record: str) -> Held | None:
    """The revision of a record that speaks for now, or its last one, or None."""
    card = _latest(snapshot, record)
    return None if card is None else fetch(snapshot, card)


def _latest(snapshot: Snapshot, record: str) -> Card | None:
    current = snapshot.catalogue.current(record)
    return current or next(reversed(snapshot.catalogue.revisions(record)), None)


class Asked(Value):
    """What is being decided: the claim, who makes it, what it is to the records there are, and the id it wants. `crowd`
    is how many of one actor at once are too many, if anybody asks."""

    claim: Claim
    actor: str
    target: str | None = None
    promotes: str | None = None
    wanted: str | None = None
    crowd: int | None = None


def with_marked(facts: Facts, marked: tuple[Held, ...]) -> Facts:
    """The same with what a reviewer names, each at the version they saw."""
    versions = tuple(Seen(key=Key.RECORD, name=held.card.id, version=held.card.since) for held in marked)
    return msgspec.structs.replace(facts, marked=marked, seen=(*facts.seen, *versions)) if marked else facts


def ahead_of(proposals: Iterable[str], asked: Sequence[Asked], *, pepper: bytes) -> Ahead:
    """What `gather` will look up for these, as far as it can be told beforehand."""
    marks = dict.fromkeys(fingerprint(one.claim, pepper=pepper) for one in asked)
    slots = dict.fromkeys(slot for one in asked if (slot := slot_key(one.claim)) is not None)
    return Ahead(
        actors=tuple(dict.fromkeys(one.actor for one in asked)),
        proposals=tuple(dict.fromkeys(proposals)),
        fingerprints=tuple(marks),
        slots=tuple(slots),
        records=tuple(sorted(set().union(*map(_names, asked)))),
        words=tuple(_words(one.claim.content) for one in asked),
        heard=tuple(dict.fromkeys(_hearing(one.actor) for one in asked if _is_long(one.claim))),
    )


def _names(asked: Asked) -> set[str]:
    """The records a claim names, is about, or wants to be."""
    others = (asked.target, asked.promotes, asked.wanted)
    return {*(target for _, target in asked.claim.lineage.links), *(name for name in others if name is not None)}


def gather(snapshot: Snapshot, asked: Asked, *, pepper: bytes) -> Facts:
    """Look at everything the decision on a claim may depend on."""
    claim, lineage = asked.claim, asked.claim.lineage
    links = {name: look_up(snapshot, name) for name in sorted(_names(asked))}
    mark = fingerprint(claim, pepper=pepper)
    twin = snapshot.catalogue.twin(mark)
    slot = slot_key(claim)
    occupants = snapshot.catalogue.occupants(slot) if slot is not None else ()
    contradicted = tuple(
        held
        for relation in lineage.relations
        if relation.type == "contradicts" and (held := links[relation.target]) is not None
    )
    seen = [Seen(key=Key.RECORD, name=name, version=held.card.since if held else 0) for name, held in links.items()]
    seen.append(Seen(key=Key.TWIN, name=mark.hex(), version=twin.rid if twin else 0))
    if slot is not None:
        seen.append(Seen(key=Key.SLOT, name=slot, version=max((card.since for card in occupants), default=0)))
    kin, heard = _kin(snapshot, claim), _heard(snapshot, asked)
    return Facts(
        buried=asked.wanted is not None and snapshot.catalogue.buried(asked.wanted),
        links=links,
        twin=fetch(snapshot, twin) if twin else None,
        occupants=fetch_all(snapshot, occupants),
        contradicted=contradicted,
        seen=tuple(seen),
        past=_past(snapshot, mark, slot, kin),
        kin=kin,
        told=frozenset(
            [
                *(snapshot.receipts.told_to(asked.actor, [held.card.rid for held in kin]) if kin else ()),
                *(held.card.rid for held in heard),
            ]
        ),
        carried=frozenset(_carried(snapshot, kin, asked.target)) if asked.target is not None else frozenset(),
        loops=_loops(snapshot, lineage, asked.target) if asked.target is not None else (),
        pace=snapshot.catalogue.pace(asked.actor, nth=asked.crowd) if asked.crowd is not None else None,
        heard=heard,
    )


def _past(snapshot: Snapshot, mark: bytes, slot: str | None, kin: tuple[Held, ...]) -> tuple[Past, ...]:
    cards = {card.rid: card for card in snapshot.catalogue.past_twins(mark)[-PAST_MAX:]}
    if slot is not None:
        cards |= {card.rid: card for card in snapshot.catalogue.past_answers(slot, limit=PAST_MAX)}
    exact = [(held, False) for held in fetch_all(snapshot, [cards[rid] for rid in sorted(cards)])]
    near = [(held, True) for held in kin if held.card.rid not in cards and held.card.status not in CURRENT]
    return tuple(
        Past(held=held, now=now, near=by_words)
        for held, by_words in [*exact, *near]
        if (now := _speaks_now(snapshot, held.card)) is not None
    )


def _speaks_now(snapshot: Snapshot, card: Card) -> Held | None:
    """The record that took a revision's place, if one did and still speaks."""
    for _ in range(CHAIN_MAX):
        if card.successor is None:
            return None
        following = snapshot.catalogue.latest([card.successor]).get(card.successor)
        if following is None or following.rid == card.rid:
            return None
        if following.status in CURRENT:
            return fetch(snapshot, following)
        card = following
    return None


@lru_cache(maxsize=256)  # asked when it is looked for ahead, and again when it is decided
def _words(content: str) -> tuple[str, ...]:
    """The words to look for neighbours of a text with."""
    return (*salient(content), *misspelt(content))


def _kin(snapshot: Snapshot, claim: Claim) -> tuple[Held, ...]:
    words = _words(claim.content)
    near = snapshot.lexicon.near(words, keep=KIN_MAX) if words else ()
    like = [found for found in near if could_meet(claim.content, found.text)]
    if not like:
        return ()
    said = reading(claim.content)
    rids = [found.rid for found in like if may_meet(said, reading(found.text))]
    cards = snapshot.catalogue.cards(rids) if rids else {}
    return fetch_all(snapshot, [cards[rid] for rid in rids])


def _heard(snapshot: Snapshot, asked: Asked) -> tuple[Held, ...]:
    """A long text can hold what its author was told anywhere in it, and few of its words are looked for."""
    if not _is_long(asked.claim):
        return ()
    hearing = _hearing(asked.actor)
    cards = snapshot.catalogue.heard(hearing.actor, below=hearing.below, keep=hearing.keep)
    return fetch_all(snapshot, cards)


def _is_long(claim: Claim) -> bool:
    return len(claim.content) >= _LONG


def _hearing(actor: str) -> Hearing:
    return Hearing(actor=actor, below=LABEL_RANK[Label.AGENT], keep=HEARD_MAX)


def _carried(snapshot: Snapshot, kin: tuple[Held, ...], target: str) -> list[str]:
    """Those of the kin that stand on the target, and so cannot be what it stands on."""
    others = [held.card.id for held in kin if held.card.id != target]
    return [name for name in others if target in grounds(snapshot, [name])]


_ONE_WAY = STANDS_ON | {"caused_by", "supersedes"}


def _loops(snapshot: Snapshot, lineage: Lineage, target: str) -> tuple[tuple[str, str], ...]:
    """The links of a new revision that would make a record stand on itself."""
    return tuple(
        (type_, name)
        for type_, name in lineage.links
        if type_ in _ONE_WAY and (name == target or target in grounds(snapshot, [name]))
    )


def version(snapshot: Snapshot, seen: Seen) -> int:
    """The present version of something a decision looked at."""
    match seen.key:
        case Key.RECORD:
            card = _latest(snapshot, seen.name)
            return card.since if card else 0
        case Key.TWIN:
            twin = snapshot.catalogue.twin(bytes.fromhex(seen.name))
            return twin.rid if twin else 0
        case Key.SLOT:
            return max((card.since for card in snapshot.catalogue.occupants(seen.name)), default=0)
        case Key.PROPOSAL:
            filed = snapshot.desk.proposal(seen.name)
            return filed.seq if filed else 0


def open_conflicts(snapshot: Snapshot, rid: int) -> tuple[ConflictRow, ...]:
    return tuple(row for row in snapshot.desk.conflicts_of(rid) if row.status != ConflictStatus.RESOLVED)
