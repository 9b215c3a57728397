"""What a decision needs to know of the store, fetched up front. The only part of curation that reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from muniment.graph.walk import grounds
from muniment.model.card import SPEAKER, Card, fingerprint, identity_keys, same_text, slot_key
from muniment.model.change import DependencyKey, SeenVersion
from muniment.model.claim import Claim, Lineage
from muniment.model.entry import Document, DocumentRole, Entry, EntryKind
from muniment.model.errors import IntegrityError
from muniment.model.record import Record
from muniment.model.rows import ConflictRow
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import LABEL_RANK, STANDS_ON, ConflictStatus, Label
from muniment.ports.ahead import Ahead, Hearing
from muniment.ports.store import Snapshot
from muniment.text.compare import could_meet, may_meet
from muniment.text.differences import changed
from muniment.text.features import misspelt, salient, text_features
from muniment.text.identity import about
from muniment.write.poison import texts
from muniment.write.tombstones import tombstone_for

KIN_MAX = 16
ABOUT_MAX = 8
_LAST = 2**63 - 1
EVER = Instant(0)
HEARD_MAX = 256
"""So many records of low origin, those told last, are compared with what their reader writes next."""
CITED_MAX = 64
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
    longer speaks; `successors` speak in the place of what the claim would replace;
    `kin` is nearest by its words, in any state; `told` are those of all these that the proposer was
    told, `carried` those that stand on the target; `loops` are links that would lead back to the target; `pace` is
    when the actor wrote the revision so many before this one that, were it but a moment ago, they would be too
    many; `heard` is what the actor was told of outside origin, what was told last first, and `lately` those of it
    that were told within the window of the policy; `cited` are the records whose ids it gives as evidence or says
    anywhere; `buried` tells that the id it wants was that of something erased.
    """

    links: dict[str, Held | None]
    twin: Held | None
    occupants: tuple[Held, ...]
    contradicted: tuple[Held, ...]
    seen: tuple[SeenVersion, ...]
    marked: tuple[Held, ...] = ()
    past: tuple[Past, ...] = ()
    kin: tuple[Held, ...] = ()
    told: frozenset[int] = frozenset()
    carried: frozenset[str] = frozenset()
    loops: tuple[tuple[str, str], ...] = ()
    pace: Instant | None = None
    successors: tuple[Held, ...] = ()
    heard: tuple[Held, ...] = ()
    lately: frozenset[int] = frozenset()
    cited: tuple[Held, ...] = ()
    buried: bool = False
    tombstone: str | None = None
    """Why it may not come in, if a tombstone was put up for it before it came."""
    last_revision: int = 0
    """The highest number a revision of the target, or of the id that is wanted, ever had."""
    returns: bool = False
    """Whether the id that is wanted was the same actor's, and was given up when a batch was rolled back."""


def fetch(snapshot: Snapshot, card: Card) -> Held:
    """A revision with its record."""
    return _held(card, snapshot.documents.get(card.rid))


def fetch_all(snapshot: Snapshot, cards: Sequence[Card]) -> tuple[Held, ...]:
    """The same for several."""
    documents = snapshot.documents.many([card.rid for card in cards]) if cards else {}
    return tuple([_held(card, documents.get(card.rid)) for card in cards])


def _held(card: Card, document: Document | None) -> Held:
    if document is None:
        raise IntegrityError(f"the {DocumentRole.RECORD} of {card.id} revision {card.revision} is missing")
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
    is how many of one actor at once are too many, if anybody asks; `listens` tells that its words may be those of what
    its author was told, as a person's are not, and `since` is when that was lately."""

    claim: Claim
    actor: str
    target: str | None = None
    promotes: str | None = None
    wanted: str | None = None
    crowd: int | None = None
    arrives: bool = False
    listens: bool = True
    since: Instant = EVER


def with_marked(facts: Facts, marked: tuple[Held, ...]) -> Facts:
    """The same with what a reviewer names, each at the version they saw."""
    versions = tuple(
        SeenVersion(key=DependencyKey.RECORD, name=held.card.id, version=held.card.since) for held in marked
    )
    return msgspec.structs.replace(facts, marked=marked, seen=(*facts.seen, *versions)) if marked else facts


def ahead_of(proposals: Iterable[str], asked: Sequence[Asked], *, pepper: bytes) -> Ahead:
    """What `gather` will look up for these, as far as it can be told beforehand."""
    marks = dict.fromkeys(fingerprint(one.claim, one.actor, pepper=pepper) for one in asked)
    slots = dict.fromkeys(slot for one in asked if (slot := slot_key(one.claim)) is not None)
    return Ahead(
        actors=tuple(dict.fromkeys(one.actor for one in asked)),
        proposals=tuple(dict.fromkeys(proposals)),
        fingerprints=tuple(marks),
        slots=tuple(slots),
        records=tuple(sorted(set().union(*map(_names, asked), *(cited(one.claim) for one in asked)))),
        subjects=tuple(dict.fromkeys(key for one in asked for key in _subjects(one.claim, pepper))),
        words=tuple(_words(one.claim.content) for one in asked),
        heard=tuple(dict.fromkeys(hearing_of(one.actor) for one in asked if _hears(one))),
    )


def _names(asked: Asked) -> set[str]:
    """The records a claim names, is about, or wants to be."""
    others = (asked.target, asked.promotes, asked.wanted)
    return {*(target for _, target in asked.claim.lineage.links), *(name for name in others if name is not None)}


def gather(snapshot: Snapshot, asked: Asked, *, pepper: bytes) -> Facts:
    """Look at everything the decision on a claim may depend on."""
    claim, lineage = asked.claim, asked.claim.lineage
    links = {name: look_up(snapshot, name) for name in sorted(_names(asked))}
    mark = fingerprint(claim, asked.actor, pepper=pepper)
    twin = snapshot.catalogue.twin(mark)
    slot = slot_key(claim)
    occupants = snapshot.catalogue.occupants(slot) if slot is not None else ()
    contradicted = tuple(
        held
        for relation in lineage.relations
        if relation.type == "contradicts" and (held := links[relation.target]) is not None
    )
    seen = [
        SeenVersion(key=DependencyKey.RECORD, name=name, version=held.card.since if held else 0)
        for name, held in links.items()
    ]
    seen.append(SeenVersion(key=DependencyKey.TWIN, name=mark.hex(), version=twin.rid if twin else 0))
    if slot is not None:
        seen.append(
            SeenVersion(key=DependencyKey.SLOT, name=slot, version=max((card.since for card in occupants), default=0))
        )
    kin, heard = _kin(snapshot, claim, pepper), _heard(snapshot, asked)
    mentioned = [held for name in cited(claim) if (held := look_up(snapshot, name)) is not None]
    past = _past(snapshot, mark, slot, kin, claim)
    near = {held.card.rid for held in (*kin, *mentioned, *(held for one in past for held in (one.held, one.now)))}
    named = asked.target if asked.target is not None else asked.wanted
    revisions = snapshot.catalogue.revisions(named) if named is not None and links.get(named) is not None else ()
    return Facts(
        tombstone=tombstone_for(snapshot, claim, asked.wanted, pepper=pepper) if asked.arrives else None,
        last_revision=max((card.revision for card in revisions), default=0),
        returns=_returns(snapshot, asked, links),
        buried=asked.wanted is not None and snapshot.catalogue.buried(asked.wanted),
        links=links,
        twin=fetch(snapshot, twin) if twin else None,
        occupants=fetch_all(snapshot, occupants),
        contradicted=contradicted,
        successors=_successors(snapshot, asked, links),
        seen=tuple(seen),
        past=past,
        kin=kin,
        told=frozenset(
            [
                *(snapshot.receipts.told_to(asked.actor, sorted(near)) if near else ()),
                *(held.card.rid for held in heard),
            ]
        ),
        carried=frozenset(_carried(snapshot, kin, asked.target)) if asked.target is not None else frozenset(),
        loops=_loops(snapshot, lineage, asked.target) if asked.target is not None else (),
        pace=snapshot.catalogue.pace(asked.actor, nth=asked.crowd) if asked.crowd is not None else None,
        heard=heard,
        lately=_lately(snapshot, asked, heard),
        cited=tuple(mentioned),
    )


_ID = re.compile(r"\brec_[0-9a-z]{8,64}")
_ALONE = re.compile(r"([A-Za-z0-9._:-]{1,128})(?:@\d{1,9})?")


def cited(claim: Claim) -> tuple[str, ...]:
    """The ids a claim may mean: whatever stands alone as evidence, and any that reads as ours in whatever text."""
    given = [found[1] for text in claim.belief.evidence if (found := _ALONE.fullmatch(text.strip()))]
    said = [name for text in texts(claim) for name in _ID.findall(text)]
    return tuple(dict.fromkeys([*said, *given]))[:CITED_MAX]


def _lately(snapshot: Snapshot, asked: Asked, heard: tuple[Held, ...]) -> frozenset[int]:
    if not heard or not asked.listens:
        return frozenset()
    return snapshot.receipts.told_since(asked.actor, [held.card.rid for held in heard], asked.since)


def _returns(snapshot: Snapshot, asked: Asked, links: dict[str, Held | None]) -> bool:
    held = links.get(asked.wanted) if asked.wanted is not None else None
    given_up = held is not None and held.card.status == Status.RETRACTED and held.record.actor == asked.actor
    return given_up and held is not None and undone(snapshot, held.card)


def undone(snapshot: Snapshot, card: Card) -> bool:
    """Whether a revision was taken back with the batch that brought it."""
    if card.status in CURRENT:
        return False
    before: str = ""
    for row in snapshot.catalogue.standings(card.rid):
        status, before = before, row.standing.status
        if before is Status.RETRACTED and status != Status.RETRACTED:
            stored = snapshot.ledger.entry(row.standing.since)
            if stored is not None and read_canonical(stored.body, Entry).kind is EntryKind.UNDONE:
                return True
    return False


def _past(snapshot: Snapshot, mark: bytes, slot: str | None, kin: tuple[Held, ...], claim: Claim) -> tuple[Past, ...]:
    cards = {card.rid: card for card in snapshot.catalogue.past_twins(mark)[-PAST_MAX:]}
    if slot is not None:
        cards |= {card.rid: card for card in snapshot.catalogue.past_answers(slot, limit=PAST_MAX)}
    exact = [(held, False) for held in fetch_all(snapshot, [cards[rid] for rid in sorted(cards)])]
    near = [
        (held, not same_text(claim.content, held.record.content))
        for held in kin
        if held.card.rid not in cards and held.card.status not in CURRENT
    ]
    return tuple(
        Past(held=held, now=now, near=by_words)
        for held, by_words in [*exact, *near]
        if (now := _speaks_now(snapshot, held.card)) is not None
    )


def _successors(snapshot: Snapshot, asked: Asked, links: dict[str, Held | None]) -> tuple[Held, ...]:
    """What has taken the place of the claim's own predecessors already, and speaks."""
    names = (name for name in (asked.target, *asked.claim.lineage.replaced) if name is not None)
    over = [held for name in names if (held := links[name]) is not None and held.card.status not in CURRENT]
    found = (_speaks_now(snapshot, held.card) for held in over)
    return tuple({held.card.rid: held for held in found if held is not None}.values())


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


def _kin(snapshot: Snapshot, claim: Claim, pepper: bytes) -> tuple[Held, ...]:
    """The records nearest by their words, and those that are about the same thing."""
    words = _words(claim.content)
    near = snapshot.lexicon.near(words, keep=KIN_MAX) if words else ()
    said = text_features(claim.content)
    like = [
        found
        for found in near
        if (could_meet(claim.content, found.text) and may_meet(said, text_features(found.text)))
        or changed(claim.content, found.text)
    ]
    same = _about(snapshot, claim, pepper, crowded=len(near) == KIN_MAX)
    rids = list(dict.fromkeys([*(found.rid for found in like), *same]))
    cards = snapshot.catalogue.cards(rids) if rids else {}
    return fetch_all(snapshot, [cards[rid] for rid in rids if rid in cards])


def _about(snapshot: Snapshot, claim: Claim, pepper: bytes, *, crowded: bool) -> list[int]:
    """The latest records about the same thing. Those whose words are near are found by them, unless they are many or
    somebody speaks of themselves, which takes other words each time."""
    names = about(claim.content)
    if not names or not (crowded or names[0] == SPEAKER):
        return []
    keys = identity_keys(claim, names, pepper=pepper)
    return [row.rid for key in keys for row in snapshot.names.latest(key, upto=_LAST, keep=ABOUT_MAX)]


def _subjects(claim: Claim, pepper: bytes) -> tuple[str, ...]:
    """The keys of what a claim is about, whether or not it will come to be asked who else is about that."""
    return identity_keys(claim, about(claim.content), pepper=pepper)


def _heard(snapshot: Snapshot, asked: Asked) -> tuple[Held, ...]:
    """What an author was told can stand anywhere in a long text, and in any other words: neither is found by the words
    it begins with."""
    if not _hears(asked):
        return ()
    hearing = hearing_of(asked.actor)
    cards = snapshot.catalogue.heard(hearing.actor, below=hearing.below, keep=hearing.keep)
    return fetch_all(snapshot, cards)


def _hears(asked: Asked) -> bool:
    return asked.listens or is_long(asked.claim)


def is_long(claim: Claim) -> bool:
    return len(claim.content) >= _LONG


def hearing_of(actor: str) -> Hearing:
    """What is asked about what an actor was told."""
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


def version(snapshot: Snapshot, seen: SeenVersion) -> int:
    """The present version of something a decision looked at."""
    match seen.key:
        case DependencyKey.RECORD:
            card = _latest(snapshot, seen.name)
            return card.since if card else 0
        case DependencyKey.TWIN:
            twin = snapshot.catalogue.twin(bytes.fromhex(seen.name))
            return twin.rid if twin else 0
        case DependencyKey.SLOT:
            return max((card.since for card in snapshot.catalogue.occupants(seen.name)), default=0)
        case DependencyKey.PROPOSAL:
            filed = snapshot.desk.proposal(seen.name)
            return filed.seq if filed else 0


def open_conflicts(snapshot: Snapshot, rid: int) -> tuple[ConflictRow, ...]:
    return tuple(row for row in snapshot.desk.conflicts_of(rid) if row.status != ConflictStatus.RESOLVED)
