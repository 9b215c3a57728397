"""What a decision needs to know of the store, fetched up front. The only part of curation that reads."""

from __future__ import annotations

from muniment.model.card import Card, fingerprint, slot_key
from muniment.model.change import Key, Seen
from muniment.model.claim import Claim
from muniment.model.entry import Role
from muniment.model.errors import IntegrityError
from muniment.model.record import Record
from muniment.model.rows import ConflictRow
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import ConflictStatus
from muniment.ports.store import Snapshot


class Held(Value):
    """A revision as it stands, with what it says."""

    card: Card
    record: Record


class Facts(Value):
    """Everything looked at, and the version each thing had."""

    links: dict[str, Held | None]
    twin: Held | None
    occupants: tuple[Held, ...]
    contradicted: tuple[Held, ...]
    seen: tuple[Seen, ...]


def fetch(snapshot: Snapshot, card: Card) -> Held:
    """A revision with its record."""
    document = snapshot.documents.get(card.rid)
    if document is None:
        raise IntegrityError(f"the {Role.RECORD} of {card.id} revision {card.revision} is missing")
    return Held(card=card, record=read_canonical(document.body, Record))


def look_up(snapshot: Snapshot, record: str) -> Held | None:
    """The revision of a record that speaks for now, or its last one, or None."""
    card = _latest(snapshot, record)
    return None if card is None else fetch(snapshot, card)


def _latest(snapshot: Snapshot, record: str) -> Card | None:
    current = snapshot.catalogue.current(record)
    return current or next(reversed(snapshot.catalogue.revisions(record)), None)


def gather(snapshot: Snapshot, claim: Claim, *, target: str | None, pepper: bytes) -> Facts:
    """Look at everything the decision on a claim may depend on."""
    lineage = claim.lineage
    names = {*lineage.derived_from, *(relation.target for relation in lineage.relations)}
    names |= {name for name in (target, lineage.supersedes, lineage.parent) if name is not None}
    links = {name: look_up(snapshot, name) for name in sorted(names)}
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
    return Facts(
        links=links,
        twin=fetch(snapshot, twin) if twin else None,
        occupants=tuple(fetch(snapshot, card) for card in occupants),
        contradicted=contradicted,
        seen=tuple(seen),
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
