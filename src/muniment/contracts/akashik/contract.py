"""The protocol as a contract: documents told by their shape, memory units read and written without loss."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from muniment.contracts import codec
from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.nouns import MemoryUnit
from muniment.contracts.akashik.units import UnitCodec
from muniment.contracts.akashik.validation import HIGHEST, check_document, check_envelope, check_unit, told
from muniment.contracts.contract import Encoded
from muniment.contracts.documents import each, piled
from muniment.contracts.finding import Finding, Severity, finding_of
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.shape import flaws
from muniment.contracts.strict.instants import is_instant
from muniment.contracts.strict.pointer import below
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.decoding import convert
from muniment.model.errors import CallerError, Malformed

MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("message", frozenset({"protocol"})),
    ("message", frozenset({"operation", "payload"})),
    ("register_response", frozenset({"field_capabilities"})),
    ("deregister_response", frozenset({"cleanup"})),
    ("record_response", frozenset({"conflicts_detected"})),
    ("attune_response", frozenset({"context_budget"})),
    ("detect_response", frozenset({"scan_coverage"})),
    ("merge_response", frozenset({"conflict", "side_effects"})),
    ("subscribe_response", frozenset({"status", "subscription"})),
    ("subscribe_response", frozenset({"subscriptions"})),
    ("replay_response", frozenset({"timeline"})),
    ("compact_response", frozenset({"units_affected"})),
    ("handoff_response", frozenset({"package"})),
    ("coordinate_response", frozenset({"side_effects"})),
    ("session_response", frozenset({"status", "session"})),
    ("session_response", frozenset({"sessions"})),
    ("scoped_memory_unit", frozenset({"relevance_reason"})),
    ("scoped_memory_unit", frozenset({"memory_unit"})),
    ("conflict", frozenset({"unit_a"})),
    ("conflict", frozenset({"detected_by"})),
    ("notification", frozenset({"subscription_id"})),
    ("event", frozenset({"event_type"})),
    ("notification", frozenset({"requires_action"})),
    ("error", frozenset({"recoverable"})),
    ("error", frozenset({"code", "message"})),
    ("field_capabilities", frozenset({"conformance_level"})),
    ("context_budget", frozenset({"units_returned"})),
    ("scope", frozenset({"max_units"})),
    ("handoff_package", frozenset({"open_questions"})),
    ("task", frozenset({"title", "goal"})),
    ("session", frozenset({"goal", "members"})),
    ("subscription", frozenset({"events"})),
    ("memory_unit", frozenset({"content"})),
    ("memory_unit", frozenset({"intent"})),
    ("relation", frozenset({"target_id"})),
    ("agent", frozenset({"id", "role"})),
    ("agent", frozenset({"role", "status"})),
    ("scope", frozenset({"role"})),
)
"""By which keys a document is known, in the order they are asked; what has none of them should be a memory unit. What
is asked travels in messages, so that no payload of a question is known by itself."""

_UNITS = UnitCodec()


def recognise(value: Json) -> str:
    """The name of the document a value seems to be.

    >>> recognise({"protocol": "akashik"}), recognise({"unit_a": "m1"}), recognise({"content": "x"}), recognise(7)
    ('message', 'conflict', 'memory_unit', 'memory_unit')
    """
    if not isinstance(value, dict):
        return "memory_unit"
    return next((name for name, marks in MARKS if marks <= value.keys()), "memory_unit")


class AkashikContract:
    """The contract. One file holds one document or a list of them."""

    @property
    def name(self) -> str:
        return "akashik"

    def check(self, data: bytes) -> tuple[Finding, ...]:
        try:
            value = read_json(data)
        except CallerError as error:
            return (finding_of(error),)
        found = tuple(finding for path, one in each(value) for finding in _check(one, path))
        return (*found, *_said_twice(value))

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]:
        return tuple(_decode(one, path) for path, one in each(read_json(data)))

    def encode(self, memories: Sequence[InterchangeRecord]) -> Encoded:
        return piled([codec.encode(_UNITS, memory) for memory in memories])


def _check(value: Json, path: str) -> tuple[Finding, ...]:
    """Everything wrong at every level, as errors; what only a higher level demands, as warnings."""
    name = recognise(value)
    found = check_document(name, value, path)
    if found or name not in ("memory_unit", "message"):
        return found
    later = check_unit(value, HIGHEST, path) if name == "memory_unit" else check_envelope(value, HIGHEST, path)
    return tuple(msgspec.structs.replace(one, severity=Severity.WARNING) for one in later)


def _said_twice(value: Json) -> tuple[Finding, ...]:
    """A warning for each unit of a list whose id an earlier one has: ids are given once."""
    ids = [one.get("id") for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if len({one for one in ids if isinstance(one, str)}) == len(ids):
        return ()
    met: set[str] = set()
    found = []
    for path, one in each(value):
        name = one.get("id") if isinstance(one, dict) and recognise(one) == "memory_unit" else None
        if isinstance(name, str) and name in met:
            words = "an earlier unit has this id, and ids are given once"
            found.append(
                Finding(
                    code=ErrorCode.INVALID_PAYLOAD.value,
                    severity=Severity.WARNING,
                    path=below(path, "id"),
                    message=words,
                )
            )
        met |= {name} if isinstance(name, str) else set()
    return tuple(found)


def _decode(value: Json, path: str) -> InterchangeRecord:
    if not _fits(value):
        _refuse(value, path)
    document: JsonObject = value if isinstance(value, dict) else {}
    return codec.decode(_UNITS, document, path=path)


def _fits(value: Json) -> bool:
    """Whether a value is a unit beyond doubt. The quick way; what it doubts is looked at closely."""
    try:
        unit = convert(value, MemoryUnit)
    except msgspec.ValidationError:
        return False
    return is_instant(unit.source.timestamp)


def _refuse(value: Json, path: str) -> None:
    if recognise(value) != "memory_unit":
        raise Malformed(path, "a memory unit; the other documents of the protocol carry no memory")
    for flaw in flaws(value, MemoryUnit, path):
        if flaw.code == "missing":
            raise Malformed(flaw.path, "an object with " + flaw.message.removesuffix(" is missing"))
        raise Malformed(flaw.path, told(flaw).removeprefix("expected "))
