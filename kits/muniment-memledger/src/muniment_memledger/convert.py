"""A record of memledger's as a claim of ours, and a record of ours as memledger shows it. Both by the contract."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from muniment.contracts import codec
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.memledger.contract import record_flaws, wish
from muniment.contracts.memledger.plain import PLAIN
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.errors import LimitExceeded, Malformed
from muniment.model.query import Disclosure
from muniment.model.record import Record
from muniment.model.status import Status
from muniment_memledger.records import MemoryRecord, record_from_dict
from muniment_memledger.strategies.scoring import compute_mqs

_OURS_TO_SAY = (
    "created_at",
    "updated_at",
    "embedding",
    "score",
    "accessed_by",
    "confidence_flag",
    "conflicts",
    "quality_score",
    "access_count",
    "last_accessed_at",
    "success_count",
    "failure_count",
    "status",
)
"""What the engine knows better than the author of a record: times, use, outcomes, verdicts, vectors."""


def claim_of(record: MemoryRecord) -> tuple[Claim, str | None]:
    """What would be proposed, and in whose name."""
    document = record.to_dict()
    for name in _OURS_TO_SAY:
        document.pop(name, None)
    document |= _moments(record)
    for name, value in document.items():
        _require_plain(name, value)
    for flaw in record_flaws(document):
        raise Malformed(flaw.path.strip("/").replace("/", ".") or "record", wish(flaw.message))
    carried = codec.decode(PLAIN, {**document, "status": "active"})
    return carried.claim, carried.actor


def _require_plain(name: str, value: Json) -> None:
    """Refuse what no JSON text can hold, and content that would not be kept whole."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise Malformed(name, "finite numbers, and text without half of a surrogate pair") from None
    if name == "content" and isinstance(value, str):
        sent, limit = len(value.encode()), checks.CONTENT_BYTES_MAX
        if sent > limit:
            raise LimitExceeded(name, limit=limit, unit="bytes", sent=sent)


def _moments(record: MemoryRecord) -> JsonObject:
    """Times of the author's as text; one without a zone is taken as UTC."""
    given = getattr(record, "event_time", None)
    if not isinstance(given, datetime):
        return {}
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    return {"event_time": aware.isoformat()}


def namespace_of(record: Record) -> str:
    """The path of a record as it was given, which a record of ours may not be able to hold."""
    document = codec.encode(PLAIN, InterchangeRecord(id=record.id, claim=record.claim, status=Status.ACTIVE))[0]
    return str(document["namespace"])


def record_of(found: Disclosure, first: Record | None = None) -> MemoryRecord:
    """A record as memledger shows it. `first` is its first revision, which says who wrote it and when."""
    born, footing, vigour = first or found.record, found.standing.footing, found.standing.vigour
    carried = InterchangeRecord(
        id=found.record.id,
        claim=found.record.claim,
        status=found.standing.status,
        actor=born.actor,
        created_at=born.created_at,
        updated_at=found.record.created_at,
        accesses=vigour.accesses,
        last_access=vigour.last_access,
        helpful=footing.helpful,
        misleading=footing.misleading,
    )
    document: JsonObject = PLAIN.take_slot(codec.encode(PLAIN, carried)[0])[0]
    record = record_from_dict(document)
    record.quality_score = compute_mqs(record, footing.effective)
    return record


_FIXED = ("id", "record_type", "agent_id", "created_by", "supersedes")
"""What a record is from its first revision on."""


def changed(record: MemoryRecord, fields: dict[str, object]) -> MemoryRecord:
    """The record with some fields otherwise; a name that is none of its fields is refused."""
    allowed = set(record.__struct_fields__) - {*_OURS_TO_SAY, *_FIXED}
    if unknown := sorted(fields.keys() - allowed):
        raise Malformed(unknown[0], "a field that can be updated: " + ", ".join(sorted(allowed | {"status"})))
    metadata = fields.get("metadata")
    merged = {"metadata": {**record.metadata, **metadata}} if isinstance(metadata, dict) else {}
    return record_from_dict({**record.to_dict(), **fields, **merged})
