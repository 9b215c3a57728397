"""What a document must have, by conformance level 0 to 3, told in the protocol's own error codes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.akashik.conditional_fields import needed
from muniment.contracts.akashik.nouns import EPOCH_MAX, AttuneScope, MemoryUnit
from muniment.contracts.akashik.payloads import AttuneRequest, CompactRequest, MergeRequest, Message, RecordRequest
from muniment.contracts.akashik.wire import DOCUMENTS, REQUESTS
from muniment.contracts.akashik.words import AttuneFormat, FieldOperation, Mode
from muniment.contracts.finding import Finding, Severity
from muniment.contracts.shape import Flaw, flaws
from muniment.contracts.strict.pointer import below
from muniment.contracts.strict.values import Json
from muniment.model.errors import Malformed

LEVEL_OF: dict[FieldOperation, int] = {
    FieldOperation.REGISTER: 0,
    FieldOperation.RECORD: 0,
    FieldOperation.ATTUNE: 0,
    FieldOperation.DEREGISTER: 0,
    FieldOperation.DETECT: 1,
    FieldOperation.SUBSCRIBE: 1,
    FieldOperation.MERGE: 2,
    FieldOperation.REPLAY: 2,
    FieldOperation.COMPACT: 2,
    FieldOperation.HANDOFF: 2,
    FieldOperation.COORDINATE: 3,
    FieldOperation.SESSION: 3,
}
"""From which level on a Field must know an operation. DEREGISTER is always known here."""

HIGHEST = 3
SCOPE_LEVEL = {"since_epoch": 1}
SCOPE_LEVEL |= dict.fromkeys(
    ("max_tokens", "interests", "active_task_id", "temporal_layers", "relevance_threshold", "recency_weight"), 2
)
"""From which level on a Field honours a field of a scope."""

_OF_A_UNIT: dict[str, ErrorCode] = {
    "/intent": ErrorCode.MISSING_INTENT,
    "/intent/purpose": ErrorCode.MISSING_INTENT,
    "/confidence/score": ErrorCode.INVALID_CONFIDENCE,
    "/type": ErrorCode.INVALID_TYPE,
}
_OF_A_WISH: dict[str, ErrorCode] = {"/strategy": ErrorCode.UNSUPPORTED_STRATEGY}
_PLACES: dict[type, dict[str, ErrorCode]] = {
    MemoryUnit: _OF_A_UNIT,
    RecordRequest: _OF_A_UNIT,
    MergeRequest: _OF_A_WISH,
    CompactRequest: _OF_A_WISH,
}
"""Which code a flaw at a place of a document has; what is not listed is an invalid payload. A type that is unknown is
an `INVALID_TYPE` of units alone: conflicts and relations have types of their own."""
_INSIDE = re.compile(r"^(?:/record/[0-9]+)?/memory_unit(?=/)")
"""Where a unit stands inside another document: its flaws are those of a unit."""


def check_unit(unit: Json, level: int = 0, path: str = "/") -> tuple[Finding, ...]:
    """Everything a stored unit lacks at a level."""
    return _levelled(unit, level, path, _coded(unit, MemoryUnit, path))


def check_record(payload: Json, level: int = 0, path: str = "/") -> tuple[Finding, ...]:
    """Everything the payload of a RECORD lacks at a level."""
    return _levelled(payload, level, path, _coded(payload, RecordRequest, path))


def check_scope(scope: Json, level: int = 0, path: str = "/") -> tuple[Finding, ...]:
    """Everything wrong with a scope. What a Field of this level does not honour yet is told as a note."""
    found = _coded(scope, AttuneScope, path)
    early = [name for name in (scope if isinstance(scope, dict) else ()) if level < SCOPE_LEVEL.get(name, 0)]
    notes = (
        Finding(
            code=ErrorCode.INVALID_PAYLOAD.value,
            severity=Severity.INFO,
            path=below(path, name),
            message=f"honoured from level {SCOPE_LEVEL[name]} on",
        )
        for name in early
    )
    return (*found, *notes)


def check_payload(operation: FieldOperation, payload: Json, level: int = 0, path: str = "/") -> tuple[Finding, ...]:
    """Everything wrong with what is asked of one operation."""
    match operation:
        case FieldOperation.RECORD:
            return check_record(payload, level, path)
        case FieldOperation.ATTUNE:
            return _check_attune(payload, level, path)
        case _:
            found = _coded(payload, REQUESTS[operation], path)
            return found or tuple(
                _error(ErrorCode.INVALID_PAYLOAD, path, words) for words in needed(operation, payload)
            )


def check_envelope(value: Json, level: int = 0, path: str = "/") -> tuple[Finding, ...]:
    """Everything wrong with a message: its envelope first, and only if that is right, its payload."""
    if wrong := check_outside(value, path):
        return wrong
    assert isinstance(value, dict), "the shape was checked"
    operation = FieldOperation(str(value["operation"]))
    return check_payload(operation, value["payload"], level, below(path, "payload"))


def check_outside(value: Json, path: str = "/") -> tuple[Finding, ...]:
    """Everything wrong with the envelope of a message, whatever is in it."""
    return tuple(_finding(_envelope_code(flaw, value), flaw) for flaw in flaws(value, Message, path))


def check_document(name: str, value: Json, path: str = "/") -> tuple[Finding, ...]:
    """Everything wrong with a value as the document of that name; `DOCUMENTS` lists the names."""
    if name not in DOCUMENTS:
        raise Malformed("name", "one of " + ", ".join(sorted(DOCUMENTS)))
    special: dict[str, Callable[[], tuple[Finding, ...]]] = {
        "message": lambda: _whole(check_envelope(value, path=path)),
        "scope": lambda: check_scope(value, level=3, path=path),
    }
    return special[name]() if name in special else (*_coded(value, DOCUMENTS[name], path), *_untold(name, value, path))


def _whole(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Without the notes on what a low level does not honour: nobody said which level is meant."""
    return tuple(one for one in found if one.severity is not Severity.INFO)


def _untold(name: str, value: Json, path: str) -> tuple[Finding, ...]:
    """An error for each unit of an answer that is told neither itself nor by its id."""
    if not isinstance(value, dict):
        return ()
    if name == "attune_response" and isinstance(record := value.get("record"), list):
        told = enumerate(record)
        return tuple(one for at, unit in told for one in _untold("scoped_memory_unit", unit, below(path, "record", at)))
    bare = value.get("format") == AttuneFormat.IDS_ONLY
    wanted = "memory_unit_id" if bare else "memory_unit"
    if name != "scoped_memory_unit":
        return ()
    if wanted in value:
        return () if bare else _unsaid(value["memory_unit"], below(path, "memory_unit"))
    return (_error(ErrorCode.INVALID_PAYLOAD, path, f"{wanted} is missing"),)


def _unsaid(unit: Json, path: str) -> tuple[Finding, ...]:
    """An error for each part that is missing of a unit that is told; the parts that are there were looked at."""
    if not isinstance(unit, dict):
        return ()
    lost = (flaw for flaw in flaws(unit, MemoryUnit, path) if flaw.code == "missing" and flaw.path == path)
    return tuple(_finding(_payload_code(flaw, path, unit, MemoryUnit), flaw) for flaw in lost if "id" in unit)


def _check_attune(payload: Json, level: int, path: str) -> tuple[Finding, ...]:
    found = _coded(payload, AttuneRequest, path)
    scope = payload.get("scope") if isinstance(payload, dict) else None
    notes = (one for one in check_scope(scope, level, below(path, "scope")) if one.severity is Severity.INFO)
    return (*found, *notes)


def _coded(value: Json, kind: type, path: str) -> tuple[Finding, ...]:
    found = [_finding(_payload_code(flaw, path, value, kind), flaw) for flaw in flaws(value, kind, path)]
    place = below(path, "confidence", "score")
    if _no_number(value) and all(one.path != place for one in found):
        found.append(_error(ErrorCode.INVALID_CONFIDENCE, place, "expected a number from 0 to 1"))
    return tuple(found)


def _no_number(value: Json) -> bool:
    """Whether a score is NaN, which no bound catches."""
    confidence = value.get("confidence") if isinstance(value, dict) else None
    score = confidence.get("score") if isinstance(confidence, dict) else None
    return isinstance(score, float) and math.isnan(score)


def _payload_code(flaw: Flaw, path: str, value: Json, kind: type) -> ErrorCode:
    place = _place(flaw)[len(path) if path != "/" else 0 :]
    if place == "/epoch":
        return ErrorCode.EPOCH_OVERFLOW if _beyond(value) else ErrorCode.INVALID_PAYLOAD
    inner, depth = _INSIDE.subn("", place)
    codes = _OF_A_UNIT if depth else _PLACES.get(kind, {})
    if flaw.code == "missing" and inner in ("/type", "/strategy"):
        return ErrorCode.INVALID_PAYLOAD
    return codes.get(inner, ErrorCode.INVALID_PAYLOAD)


def _envelope_code(flaw: Flaw, value: Json) -> ErrorCode:
    return (
        ErrorCode.EPOCH_OVERFLOW if _place(flaw).endswith("/epoch") and _beyond(value) else ErrorCode.INVALID_ENVELOPE
    )


def _beyond(value: Json) -> bool:
    epoch = value.get("epoch") if isinstance(value, dict) else None
    return isinstance(epoch, int) and epoch > EPOCH_MAX


def _place(flaw: Flaw) -> str:
    """Where a flaw is; for something that is missing, where it should be."""
    return below(flaw.path, flaw.message.removesuffix(" is missing")) if flaw.code == "missing" else flaw.path


def _levelled(value: Json, level: int, path: str, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """From level 1 on a committed unit says how sure its author is, and why."""
    if level < 1 or not isinstance(value, dict) or value.get("mode", Mode.COMMITTED) != Mode.COMMITTED:
        return found
    confidence = value.get("confidence")
    given = confidence if isinstance(confidence, dict) else {}
    score, reasoning = given.get("score"), given.get("reasoning")
    said = score is not None and isinstance(reasoning, str) and reasoning.strip()
    if said or any(one.code == ErrorCode.INVALID_CONFIDENCE for one in found):
        return found
    place = below(path, "confidence")
    others = (one for one in found if one.path not in (place, below(place, "reasoning")))
    words = "a committed unit needs confidence.score and confidence.reasoning from level 1 on"
    return (*others, _error(ErrorCode.MISSING_CONFIDENCE, place, words))


def _finding(code: ErrorCode, flaw: Flaw) -> Finding:
    return _error(code, flaw.path, told(flaw))


def told(flaw: Flaw) -> str:
    """A flaw in words for a person. The one pattern there is asks for more than white space."""
    return "expected text that says something" if flaw.code == "pattern" else flaw.message


def _error(code: ErrorCode, path: str, message: str) -> Finding:
    return Finding(code=code.value, severity=Severity.ERROR, path=path, message=message)
