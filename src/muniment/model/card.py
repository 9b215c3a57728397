"""The index card of one revision: the flat fields every store can filter on, and nothing to read.

A card is derived from a record and its standing, so it can always be written again. A store narrows with
cards; the gate then decides on the record itself, so a card that was tampered with hides or finds, but never discloses.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TypedDict

import msgspec

from muniment.model.claim import Claim
from muniment.model.errors import CallerError, IntegrityError
from muniment.model.record import Record, RecordState, TrustState, UsageState
from muniment.model.status import read_status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import (
    EXTENSION_SCOPES,
    LABEL_RANK,
    SENSITIVITY_RANK,
    TRUST_RANK,
    RelationType,
    Support,
    Tier,
)

_APART = "\x1f"
SPEAKER = "@self"
"""The subject of a claim in which somebody speaks of themselves."""
SUBJECT = "subject"
"""The sort of mention by which a claim is found under what it is about."""
_LABELS = {rank: label for label, rank in LABEL_RANK.items()}


class Card(Value):
    """One revision, flat. `rid` numbers revisions within a tenant; `seq` is the entry it was born in."""

    rid: int
    id: str
    revision: int
    seq: int
    kind: str
    memory_class: str
    scope: str
    scope_id: str
    namespace: str
    session_id: str | None
    sensitivity: int
    trust: int
    label: int
    confidence: float
    provenance: bool
    actor: str
    created_at: Instant
    valid_from: Instant | None
    valid_until: Instant | None
    expires_at: Instant | None
    fingerprint: bytes
    slot: str | None
    importance: float
    half_life: float | None
    anchored: bool
    review_at: Instant | None
    readers: str
    status: str
    since: int
    successor: str | None
    own: float
    effective: float
    support: str
    helpful: float
    misleading: float
    tier: str
    accesses: int
    last_access: Instant | None
    event_time: Instant | None


def card_of(record: Record, standing: RecordState, *, rid: int, pepper: bytes | None) -> Card:
    """Write the card of a revision. Without `pepper` it has no fingerprint and cannot be kept, only looked at."""
    claim = record.claim
    return Card(
        rid=rid,
        id=record.id,
        revision=record.revision,
        seq=standing.since,
        kind=claim.nature.kind,
        memory_class=claim.nature.memory_class,
        scope=claim.place.scope,
        scope_id=claim.place.scope_id,
        namespace=claim.place.namespace,
        session_id=claim.place.session_id,
        sensitivity=SENSITIVITY_RANK[claim.handling.sensitivity],
        trust=TRUST_RANK[record.trust],
        label=LABEL_RANK[standing.footing.label],
        confidence=float(claim.belief.score),
        provenance=record.has_provenance,
        actor=record.actor,
        created_at=record.created_at,
        valid_from=claim.times.valid_from,
        valid_until=claim.times.valid_until,
        expires_at=claim.times.expires_at,
        fingerprint=b"" if pepper is None else _mark(record, pepper),
        slot=slot_key(claim),
        importance=float(claim.strength.importance),
        half_life=claim.strength.half_life_hours,
        anchored=claim.strength.anchored,
        review_at=record.next_review_at,
        readers=readers_of(claim),
        event_time=claim.times.event_time,
        **_standing_fields(standing),
    )


def readers_of(claim: Claim) -> str:
    """Who may read what is kept under a charter, as one text in which a name can be found whole; empty for the rest."""
    charter = claim.charter
    if claim.place.scope not in EXTENSION_SCOPES:
        return ""
    named = {*(charter.access if charter is not None else ()), claim.handling.owner}
    named |= {charter.reviewer} if charter is not None else set()
    return _APART + _APART.join(sorted(name for name in named if name is not None)) + _APART


def reader_mark(name: str) -> str:
    """A name as `readers_of` writes it."""
    return f"{_APART}{name}{_APART}"


def moved(card: Card, standing: RecordState) -> Card:
    """The card of the same revision once its standing is another."""
    return msgspec.structs.replace(card, label=LABEL_RANK[standing.footing.label], **_standing_fields(standing))


class _StandingFields(TypedDict):
    status: str
    since: int
    successor: str | None
    own: float
    effective: float
    support: str
    helpful: float
    misleading: float
    tier: str
    accesses: int
    last_access: Instant | None


def _standing_fields(standing: RecordState) -> _StandingFields:
    footing, vigour = standing.footing, standing.vigour
    return {
        "status": standing.status.value,
        "since": standing.since,
        "successor": standing.successor,
        "own": footing.own,
        "effective": footing.effective,
        "support": footing.support.value,
        "helpful": footing.helpful,
        "misleading": footing.misleading,
        "tier": vigour.tier.value,
        "accesses": vigour.accesses,
        "last_access": vigour.last_access,
    }


def normalise(text: str) -> str:
    """Fold what does not change meaning: case, width, white space, closing punctuation.

    >>> normalise("The  Build is GREEN.") == normalise("the build is green")
    True
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split()).rstrip(".!;, ")


def _mark(record: Record, pepper: bytes) -> bytes:
    """The fingerprint of a revision. One that was written before subjects were read keeps that of its words alone."""
    if record.about is not None:
        return fingerprint(record.claim, record.actor, pepper=pepper)
    claim = record.claim
    place, slot, times = claim.place, claim.slot, claim.times
    filled = (slot.subject, slot.key, slot.value) if slot is not None else ()
    where = (claim.nature.kind, place.scope, place.scope_id, place.namespace)
    parts = (normalise(claim.content), *where, str(times.valid_from), str(times.valid_until), *filled)
    return hashlib.blake2b(_APART.join(parts).encode(), digest_size=16, key=pepper).digest()


def identity_keys(claim: Claim, about: tuple[str, ...], *, pepper: bytes) -> tuple[str, ...]:
    """The keys under which a claim meets others that are about the same, in the same place."""
    place = claim.place
    where = (place.scope, place.scope_id, place.namespace)
    return tuple(_identity((*where, one), pepper) for one in about if one != SPEAKER)


def _identity(parts: tuple[str, ...], pepper: bytes) -> str:
    return _APART + hashlib.blake2b(_APART.join(parts).encode(), digest_size=16, key=pepper).hexdigest()


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for surrounding white space and Unicode composition.

    >>> same_text(" Caf\u00e9 ", "Cafe\u0301"), same_text("5 mW", "5 MW")
    (True, False)
    """
    return one == other or _composed(one) == _composed(other)


def _composed(text: str) -> str:
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def fingerprint(claim: Claim, actor: str, *, pepper: bytes) -> bytes:
    """Equal for two claims in which one author says the same about the same thing: the same words for the same place,
    person, question, task, session, time and derivation. How sure the author is, on what evidence, what it replaces,
    and how the record is to be handled make no other claim of it.

    Keyed with the tenant's own `pepper`, so that a leaked index cannot be searched with guessed sentences.
    """
    nature, times, lineage = claim.nature, claim.times, claim.lineage
    relations = [one for one in lineage.relations if one.type is not RelationType.SUPERSEDES]
    said = (
        actor,
        _composed(claim.content),
        _person(claim),
        (nature.kind, nature.memory_type, nature.lifecycle),
        claim.place,
        claim.intent,
        claim.slot,
        (times.event_time, times.valid_from, times.valid_until),
        (sorted(lineage.derived_from), lineage.parent, relations),
    )
    return hashlib.blake2b(msgspec.json.encode(said, order="sorted"), digest_size=16, key=pepper).digest()


def _person(claim: Claim) -> str | None:
    """Whom a claim is about, where its contract has a word for that and our record has not. What has no place in our
    record is kept beside what the record says in its stead; the word itself is the last."""
    for one in claim.extensions:
        if '"user_id"' in one.body and isinstance(kept := msgspec.json.decode(one.body), dict):
            value = kept.get("user_id")
            while isinstance(value, list):
                value = value[-1] if value else None
            return value if isinstance(value, str) else None
    return None


def slot_key(claim: Claim) -> str | None:
    """Name the question a claim answers, within its own scope; None for a claim that fills no slot."""
    slot, place = claim.slot, claim.place
    if slot is None:
        return None
    return "\x1f".join((place.scope, place.scope_id, normalise(slot.subject), normalise(slot.key)))


def standing_of(card: Card) -> RecordState:
    """The standing a card shows. What cannot be one means that the store was changed behind our back."""
    try:
        return RecordState(
            status=read_status(card.status),
            since=card.since,
            successor=card.successor,
            footing=TrustState(
                own=card.own,
                effective=card.effective,
                label=_LABELS[card.label],
                support=Support(card.support),
                helpful=card.helpful,
                misleading=card.misleading,
            ),
            vigour=UsageState(tier=Tier(card.tier), accesses=card.accesses, last_access=card.last_access),
        )
    except (CallerError, KeyError, ValueError) as error:
        raise IntegrityError(f"a stored standing cannot be read: {error}") from None
