"""memory_record ⇄ our memory: the plain part, field by field."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.json_diff import unspell
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.retrieval.wire import Retention
from muniment.contracts.retrieval.words import SCORES, UNDATED, UNKNOWN, end_of, kind_of, level_of, retention_of
from muniment.contracts.strict.instants import instant_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks, times
from muniment.model.claim import Belief, Claim, Nature, Origin, Slot, Times
from muniment.model.errors import CallerError
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, MemoryClass, TrustLevel

REVISION_MAX = 2**31
DEFAULT_TENANT = "default"
SLOT = "muniment"
"""Under this name our words travel in `extensions`."""


_BELIEFS = {trust: Belief(score=score) for trust, score in SCORES.items()}
_NATURES = {
    (kind, class_.value): Nature(kind=kind, memory_class=class_) for kind in Kind for class_ in MemoryClass
}  # frozen values are made once: most of the time to read a document goes into making them
_usual_stamp = lru_cache(maxsize=1024)(instant_of)
_STAMP_MAX = 40
_written = lru_cache(maxsize=1024)(times.show)
# to read and to write back meets the same instant several times


class RetrievalRecordCodec:
    """The contract's own record. A key that names a kind says what sort of memory it is; any other key is a slot of
    the tenant, whose content reads `key: value`."""

    name = "retrieval"

    def read(self, document: JsonObject) -> InterchangeRecord:
        said = cast("dict[str, str]", document)  # found valid before: all that is read here but the revision is text
        trust = TrustLevel(said["trust_level"])
        stamp = _stamp(said["created_at"])
        created_at = None if stamp == UNDATED else stamp
        content, slot, kind = _content(said)
        return InterchangeRecord(
            id=safe_id(said["record_id"]),
            tenant=safe_id(said["tenant_id"]),
            revision=min(int(said["revision"]), REVISION_MAX),
            trust=trust,
            created_at=created_at,
            claim=Claim(
                content=content,
                slot=slot,
                nature=_NATURES[kind, said["memory_class"]],
                origin=Origin(source=known(said["provenance"]), source_type=safe_text(said["source"])),
                belief=_BELIEFS[trust],
                times=Times(expires_at=end_of(Retention(said["retention"]), stamp)),
            ),
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        created_at = UNDATED if memory.created_at is None else memory.created_at
        slot = claim.slot
        return {
            "kind": "memory_record",
            "record_id": memory.id,
            "tenant_id": memory.tenant or DEFAULT_TENANT,
            "memory_class": claim.nature.memory_class.value,
            "key": slot.key if slot is not None else claim.nature.kind.value,
            "value": slot.value if slot is not None else claim.content,
            "source": claim.origin.source_type or memory.actor or UNKNOWN,
            "provenance": provenance_of(claim),
            "revision": memory.revision,
            "trust_level": (memory.trust or level_of(claim.belief.score)).value,
            "created_at": _written(created_at),
            "retention": retention_of(created_at, claim.times.expires_at).value,
        }

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None:
        there = document.get("extensions")
        return {**document, "extensions": {**(there if isinstance(there, dict) else {}), SLOT: words}}

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        there = document.get("extensions")
        if not isinstance(there, dict) or not unspell(there.get(SLOT)):
            return document, None
        rest = {name: value for name, value in there.items() if name != SLOT}
        bare = {name: value for name, value in document.items() if name != "extensions"}
        return ({**bare, "extensions": rest} if rest else bare), there[SLOT]


def _stamp(text: str) -> Instant:
    return _usual_stamp(text) if len(text) <= _STAMP_MAX else instant_of(text)


def _content(said: dict[str, str]) -> tuple[str, Slot | None, Kind]:
    """What a key and a value say together: content, the slot if it is one, the kind."""
    key, value = said["key"], said["value"]
    kind = kind_of(key)
    if kind is not None:
        return safe_text(value, limit=checks.CONTENT_BYTES_MAX), None, kind
    usual = Kind.PREFERENCE if said["memory_class"] == MemoryClass.PROFILE else Kind.OBSERVATION
    try:
        slot = Slot(subject=safe_text(said["tenant_id"]), key=key, value=value)
    except CallerError:
        slot = None  # no slot of ours can hold it; the codec keeps the key and the value as they are
    return safe_text(f"{key}: {value}", limit=checks.CONTENT_BYTES_MAX), slot, usual


def known(token: str) -> str | None:
    """A source or provenance, unless it is the token for none."""
    return None if token.strip() == UNKNOWN else safe_text(token)


def provenance_of(claim: Claim) -> str:
    """How a claim became believable, in one token: where it was had from, else its first piece of evidence."""
    return claim.origin.source or next(iter(claim.belief.evidence), UNKNOWN)
