"""A record of the runtime layer's configuration ⇄ our memory: the plain part, field by field.

A seed without a name is named by its place, so a seed comes here with its place under `PLACE`. That key never comes
back from `write`: it stays with the memory as what is left over, and tells on the way out that it was a seed.
"""

from __future__ import annotations

from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.retrieval.record import DEFAULT_TENANT, REVISION_MAX, known, provenance_of
from muniment.contracts.retrieval.words import UNKNOWN, class_of, kind_of, trust_of
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.claim import Belief, Claim, Nature, Origin
from muniment.model.vocabulary import Kind

PLACE = "#"
CONFIDENCE = 0.5
"""What a seed that says nothing of its confidence has."""


def seed_name(place: int) -> str:
    """The name of a seed that has none, by its place, counted from 1.

    >>> seed_name(7)
    'mem-007'
    """
    return f"mem-{place:03}"


def name_of(seed: JsonObject, place: int) -> str:
    """The name a seed is known by: its own, else one made of its place."""
    return _text(seed, "memory_id", seed_name(place))


def seeds_of(config: JsonObject) -> list[Json]:
    """The seeds of a configuration that was found valid."""
    memory = config["memory"]
    seeds = memory["seed_records"] if isinstance(memory, dict) else None
    assert isinstance(seeds, list), "checked before"
    return seeds


class SeedRecordCodec:
    """The runtime layer's record. It has no place for anything of ours."""

    name = "retrieval.runtime"

    def read(self, document: JsonObject) -> InterchangeRecord:
        place, source = document[PLACE], _text(document, "source")
        score, revision = document.get("confidence", CONFIDENCE), document.get("revision", 1)
        assert isinstance(place, int), "put there by the decoder"
        assert isinstance(score, (int, float)), "checked before"
        assert isinstance(revision, (int, float)), "checked before"
        return InterchangeRecord(
            id=safe_id(name_of(document, place)),
            tenant=safe_id(_text(document, "tenant_id")),
            revision=min(int(revision), REVISION_MAX),
            trust=trust_of(source, score),
            claim=Claim(
                content=safe_text(_text(document, "content"), limit=checks.CONTENT_BYTES_MAX),
                nature=Nature(
                    kind=kind_of(_text(document, "kind")) or Kind.OBSERVATION,
                    memory_class=class_of(_text(document, "memory_class")),
                ),
                origin=Origin(source=known(_text(document, "provenance", UNKNOWN)), source_type=safe_text(source)),
                belief=Belief(score=score),
            ),
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        claim = memory.claim
        return {
            PLACE: 0,
            "memory_id": memory.id,
            "tenant_id": memory.tenant or DEFAULT_TENANT,
            "memory_class": claim.nature.memory_class.value,
            "kind": claim.nature.kind.value,
            "content": claim.content,
            "source": claim.origin.source_type or memory.actor or UNKNOWN,
            "confidence": claim.belief.score,
            "provenance": provenance_of(claim),
            "revision": memory.revision,
        }

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None:
        return None

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        return document, None


def _text(document: JsonObject, name: str, otherwise: str = "") -> str:
    """A field as the runtime layer keeps it: without blanks around it."""
    value = document.get(name, otherwise)
    assert isinstance(value, str), "checked before"
    return value.strip()
