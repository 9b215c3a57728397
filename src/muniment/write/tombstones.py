"""Tombstones for what was never here: a deletion that is known before the record is. An archive that brings it later is
refused for it, and for what stands on it at any depth.

Kept are the id as it is, an external id as a keyed digest, and content as the salted digest that was given: nothing
that could not be known without having the record.
"""

from __future__ import annotations

import hashlib
import re

from muniment.model.claim import Claim
from muniment.model.entry import Entry
from muniment.model.erasure import TombstoneAhead
from muniment.model.errors import Malformed
from muniment.model.note import NoteDraft
from muniment.model.value import canonical, read_canonical
from muniment.model.vocabulary import STANDS_ON
from muniment.ports.store import Snapshot

TOPIC, DIGESTS = "tombstone", "tombstone_digest"
STANDS_ON_IT = "it stands on what a tombstone is for"
_DIGEST = re.compile(r"(?:[0-9a-f]{2}){8,64}:[0-9a-f]{64}")


def content_digest(content: str, salt: bytes) -> str:
    """How a text is named without being told: the salt, and SHA-256 over salt and text, both in hexadecimal.

    >>> content_digest("x", b"12345678")[:20]
    '3132333435363738:032'
    """
    return f"{salt.hex()}:{hashlib.sha256(salt + content.encode()).hexdigest()}"


def checked_digest(given: str) -> str:
    if not _DIGEST.fullmatch(given):
        raise Malformed("digest", "a salt of 8 to 64 bytes and a SHA-256 digest, in hexadecimal, with a colon between")
    return given


def external_digest(external_id: str, *, pepper: bytes) -> str:
    return hashlib.blake2b(external_id.encode(), digest_size=16, key=pepper).hexdigest()


def note_of(stone: TombstoneAhead) -> NoteDraft:
    body = canonical(stone).decode()
    if stone.by == "digest":
        return NoteDraft(topic=DIGESTS, key=stone.value, body=body)
    return NoteDraft(topic=TOPIC, key=f"{stone.by}:{stone.value}", body=body)


def tombstone_for(snapshot: Snapshot, claim: Claim, wanted: str | None) -> str | None:
    """Why a record that arrives is refused: there is a tombstone for it, or for what it stands on. None if there is
    none."""
    if wanted is not None and has_tombstone(snapshot, wanted):
        return "there is a tombstone for it"
    external = claim.origin.external_id
    if external is not None and _for_external(snapshot, external):
        return "there is a tombstone for its external id"
    for note in snapshot.notes.present(DIGESTS):
        salt = bytes.fromhex(note.key.partition(":")[0])
        if content_digest(claim.content, salt) == note.key:
            return "there is a tombstone for what it says"
    grounds = (name for type_, name in claim.lineage.links if type_ in STANDS_ON)
    return STANDS_ON_IT if any(has_tombstone(snapshot, name) for name in grounds) else None


def _for_external(snapshot: Snapshot, external_id: str) -> bool:
    stored = snapshot.ledger.entry(1)
    pepper = read_canonical(stored.body, Entry).pepper if stored is not None else None
    digest = external_digest(external_id, pepper=bytes.fromhex(pepper or ""))
    return snapshot.notes.get(TOPIC, f"external_id:{digest}") is not None


def has_tombstone(snapshot: Snapshot, record: str) -> bool:
    return snapshot.notes.get(TOPIC, f"id:{record}") is not None


def tombstones(snapshot: Snapshot) -> tuple[TombstoneAhead, ...]:
    """Every tombstone that was put up ahead, the oldest first."""
    notes = sorted((*snapshot.notes.present(TOPIC), *snapshot.notes.present(DIGESTS)), key=lambda note: note.doc)
    return tuple(read_canonical((note.body or "").encode(), TombstoneAhead) for note in notes)
