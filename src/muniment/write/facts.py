"""What a decision needs to know of the store, fetched up front. The only part of curation that reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from muniment.ports.facts import FactsAsked, FactsFound, Hearing
from muniment.ports.store import Snapshot
from muniment.text.compare import could_meet, may_meet
from muniment.text.differences import changed
from muniment.text.features import misspelt, salient, text_features
from muniment.text.identity import about
from muniment.write.poison import texts
from muniment.write.tombstones import tombstone_for

KIN_MAX = 16
ABOUT_MAX = 8
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


class PastFacts(Value):
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
    past: tuple[PastFacts, ...] = ()
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
    card = _latest(snapshot.catalogue.revisions(record))
    return None if card is None else fetch(snapshot, card)


def _latest(revisions: Sequence[Card]) -> Card | None:
    current = next((card for card in revisions if card.status in CURRENT), None)
    return current or (revisions[-1] if revisions else None)


class FactsRequest(Value):
    """What is being decided: the claim, who makes it, what it is to the records there are, and the id it wants. `crowd`
    is how many of one actor at once are too many, if anybody asks; `listens` tells that its words may be those of what
    its author was told, as a person's are not. `proposal` is the id it is filed under."""

    claim: Claim
    actor: str
    proposal: str | None = None
    target: str | None = None
    promotes: str | None = None
    wanted: str | None = None
    crowd: int | None = None
    arrives: bool = False
    listens: bool = True


def with_marked(facts: Facts, marked: tuple[Held, ...]) -> Facts:
    """The same with what a reviewer names, each at the version they saw."""
    versions = tuple(
        SeenVersion(key=DependencyKey.RECORD, name=held.card.id, version=held.card.since) for held in marked
    )
    return msgspec.structs.replace(facts, marked=marked, seen=(*facts.seen, *versions)) if marked else facts


def question(asked: FactsRequest, *, pepper: bytes) -> FactsAsked:
    """What a decision on a claim asks of the store."""
    claim = asked.claim
    return FactsAsked(
        actor=asked.actor,
        fingerprint=fingerprint(claim, asked.actor, pepper=pepper),
        proposal=asked.proposal,
        slot=slot_key(claim),
        answers_max=PAST_MAX,
        records=tuple(sorted({*_names(asked), *cited(claim)})),
        subjects=identity_keys(claim, about(claim.content), pepper=pepper),
        subjects_max=ABOUT_MAX,
        words=(*salient(claim.content), *misspelt(claim.content)),
        near_max=KIN_MAX,
        burst=asked.crowd,
        hearing=hearing_of(asked.actor) if asked.listens or is_long(claim) else None,
    )


def _names(asked: FactsRequest) -> set[str]:
    """The records a claim names, is about, or wants to be."""
    others = (asked.target, asked.promotes, asked.wanted)
    return {*(target for _, target in asked.claim.lineage.links), *(name for name in others if name is not None)}


def facts_now(snapshot: Snapshot, asked: FactsRequest, *, pepper: bytes) -> Facts:
    """The facts of one claim, asked for by themselves."""
    wanted = question(asked, pepper=pepper)
    return gather(snapshot, asked, wanted, next(iter(snapshot.facts([wanted]))))


def gather(
    snapshot: Snapshot, asked: FactsRequest, wanted: FactsAsked, found: FactsFound, *, since: Instant = EVER
) -> Facts:
    """Everything the decision on a claim may depend on: what was asked and found, with what the records found say.
    `since` is when something was told lately."""
    claim, lineage = asked.claim, asked.claim.lineage
    latest = {name: card for name, cards in found.revisions.items() if (card := _latest(cards)) is not None}
    kin = _kin(snapshot, claim, found)
    past = [*found.past_twins[-PAST_MAX:], *found.past_answers]
    twin = () if found.twin is None else (found.twin,)
    shelf = _shelf(snapshot, [*latest.values(), *twin, *found.occupants, *found.heard, *past, *kin])
    names, mentions = sorted(_names(asked)), cited(claim)
    links = {name: shelf[latest[name].rid] if name in latest else None for name in names}
    near_by = tuple(shelf[card.rid] for card in kin)
    heard = tuple(shelf[card.rid] for card in found.heard)
    mentioned = tuple(shelf[latest[name].rid] for name in mentions if name in latest)
    before = _past(snapshot, claim, [shelf[rid] for rid in sorted({card.rid for card in past})], near_by)
    near = {held.card.rid for held in (*near_by, *mentioned, *(held for one in before for held in (one.held, one.now)))}
    told = snapshot.receipts.told_to(asked.actor, sorted(near)) if near else frozenset[int]()
    named = asked.target if asked.target is not None else asked.wanted
    revisions = found.revisions.get(named, ()) if named is not None else ()
    return Facts(
        tombstone=tombstone_for(snapshot, claim, asked.wanted) if asked.arrives else None,
        last_revision=max((card.revision for card in revisions), default=0),
        returns=_returns(snapshot, asked, links),
        buried=asked.wanted is not None and asked.wanted in found.buried,
        links=links,
        twin=shelf[found.twin.rid] if found.twin is not None else None,
        occupants=tuple(shelf[card.rid] for card in found.occupants),
        contradicted=tuple(
            held
            for relation in lineage.relations
            if relation.type == "contradicts" and (held := links[relation.target]) is not None
        ),
        successors=_successors(snapshot, asked, links),
        seen=_seen(links, wanted, found),
        past=before,
        kin=near_by,
        told=told.union(held.card.rid for held in heard),
        carried=frozenset(_carried(snapshot, near_by, asked.target)) if asked.target is not None else frozenset(),
        loops=_loops(snapshot, lineage, asked.target) if asked.target is not None else (),
        pace=found.pace,
        heard=heard,
        lately=_lately(snapshot, asked, heard, since),
        cited=mentioned,
    )


def _shelf(snapshot: Snapshot, cards: Sequence[Card]) -> dict[int, Held]:
    """These revisions with their records, by number: one question for all."""
    by_rid = {card.rid: card for card in cards}
    documents = snapshot.documents.many(list(by_rid)) if by_rid else {}
    return {rid: _held(card, documents.get(rid)) for rid, card in by_rid.items()}


def _seen(links: dict[str, Held | None], wanted: FactsAsked, found: FactsFound) -> tuple[SeenVersion, ...]:
    """The versions of what was looked at."""
    seen = [
        SeenVersion(key=DependencyKey.RECORD, name=name, version=held.card.since if held else 0)
        for name, held in links.items()
    ]
    twin = found.twin.rid if found.twin is not None else 0
    seen.append(SeenVersion(key=DependencyKey.TWIN, name=wanted.fingerprint.hex(), version=twin))
    if wanted.slot is not None:
        since = max((card.since for card in found.occupants), default=0)
        seen.append(SeenVersion(key=DependencyKey.SLOT, name=wanted.slot, version=since))
    return tuple(seen)


_ID = re.compile(r"\brec_[0-9a-z]{8,64}")
_ALONE = re.compile(r"([A-Za-z0-9._:-]{1,128})(?:@\d{1,9})?")


def cited(claim: Claim) -> tuple[str, ...]:
    """The ids a claim may mean: whatever stands alone as evidence, and any that reads as ours in whatever text."""
    given = [found[1] for text in claim.belief.evidence if (found := _ALONE.fullmatch(text.strip()))]
    said = [name for text in texts(claim) for name in _ID.findall(text)]
    return tuple(dict.fromkeys([*said, *given]))[:CITED_MAX]


def _lately(snapshot: Snapshot, asked: FactsRequest, heard: tuple[Held, ...], since: Instant) -> frozenset[int]:
    if not heard or not asked.listens:
        return frozenset()
    return snapshot.receipts.told_since(asked.actor, [held.card.rid for held in heard], since)


def _returns(snapshot: Snapshot, asked: FactsRequest, links: dict[str, Held | None]) -> bool:
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


def _past(snapshot: Snapshot, claim: Claim, exact: list[Held], kin: tuple[Held, ...]) -> tuple[PastFacts, ...]:
    """What no longer speaks, by the claim's words or question or near to it, with what took its place."""
    known = {held.card.rid for held in exact}
    near = [
        (held, not same_text(claim.content, held.record.content))
        for held in kin
        if held.card.rid not in known and held.card.status not in CURRENT
    ]
    return tuple(
        PastFacts(held=held, now=now, near=by_words)
        for held, by_words in [*((held, False) for held in exact), *near]
        if (now := _speaks_now(snapshot, held.card)) is not None
    )


def _successors(snapshot: Snapshot, asked: FactsRequest, links: dict[str, Held | None]) -> tuple[Held, ...]:
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


def _kin(snapshot: Snapshot, claim: Claim, found: FactsFound) -> tuple[Card, ...]:
    """The records nearest by their words, and those that are about the same thing. Of these, those whose words are near
    are found by them, unless they are many or somebody speaks of themselves, which takes other words each time."""
    said = text_features(claim.content)
    like = [
        one.rid
        for one in found.near
        if (could_meet(claim.content, one.text) and may_meet(said, text_features(one.text)))
        or changed(claim.content, one.text)
    ]
    names = about(claim.content)
    same = found.about if names and (len(found.near) == KIN_MAX or names[0] == SPEAKER) else ()
    rids = list(dict.fromkeys([*like, *same]))
    cards = snapshot.catalogue.cards(rids) if rids else {}
    return tuple(cards[rid] for rid in rids if rid in cards)


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
            card = _latest(snapshot.catalogue.revisions(seen.name))
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
