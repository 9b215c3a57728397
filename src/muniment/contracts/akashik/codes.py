"""The protocol's error codes as one table, the extension codes beside them, and the error document made of a code."""

from __future__ import annotations

from enum import StrEnum

from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import (
    CallerError,
    MunimentError,
    NotFound,
    NotPermitted,
    Stale,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
    TooManyRequests,
    Unauthenticated,
    Undecided,
)
from muniment.model.value import Value


class Code(StrEnum):
    MISSING_INTENT = "MISSING_INTENT"
    MISSING_CONFIDENCE = "MISSING_CONFIDENCE"
    INVALID_CONFIDENCE = "INVALID_CONFIDENCE"
    INVALID_TYPE = "INVALID_TYPE"
    AGENT_NOT_REGISTERED = "AGENT_NOT_REGISTERED"
    AGENT_ID_TAKEN = "AGENT_ID_TAKEN"
    CONFLICT_NOT_FOUND = "CONFLICT_NOT_FOUND"
    UNIT_NOT_FOUND = "UNIT_NOT_FOUND"
    INVALID_TRANSITION = "INVALID_TRANSITION"
    UNSUPPORTED_OPERATION = "UNSUPPORTED_OPERATION"
    ENRICHMENT_FAILED = "ENRICHMENT_FAILED"
    DETECTION_TIMEOUT = "DETECTION_TIMEOUT"
    MERGE_FAILED = "MERGE_FAILED"
    REPLAY_TOO_LARGE = "REPLAY_TOO_LARGE"
    STORAGE_FULL = "STORAGE_FULL"
    EPOCH_OVERFLOW = "EPOCH_OVERFLOW"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    INVALID_ENVELOPE = "INVALID_ENVELOPE"
    INVALID_PAYLOAD = "INVALID_PAYLOAD"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    INSUFFICIENT_AUTHORITY = "INSUFFICIENT_AUTHORITY"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    TASK_NOT_FOUND = "TASK_NOT_FOUND"
    SUBSCRIPTION_NOT_FOUND = "SUBSCRIPTION_NOT_FOUND"
    UNSUPPORTED_STRATEGY = "UNSUPPORTED_STRATEGY"
    QUORUM_NOT_MET = "QUORUM_NOT_MET"
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"
    UNAVAILABLE = "UNAVAILABLE"


class Meaning(Value):
    """What a code says: its class, whether the same caller can put it right, and how. `extension` marks those that are
    ours and not the protocol's."""

    sort: str
    recoverable: bool
    action: str | None
    extension: bool = False


_VALIDATION, _OPERATIONAL, _SYSTEM = "validation", "operational", "system"

CODES: dict[Code, Meaning] = {
    Code.MISSING_INTENT: Meaning(sort=_VALIDATION, recoverable=True, action="Say the purpose in intent.purpose."),
    Code.MISSING_CONFIDENCE: Meaning(
        sort=_VALIDATION, recoverable=True, action="Give confidence.score and confidence.reasoning, or record a draft."
    ),
    Code.INVALID_CONFIDENCE: Meaning(
        sort=_VALIDATION, recoverable=True, action="Give a number from 0 to 1 as confidence.score."
    ),
    Code.INVALID_TYPE: Meaning(sort=_VALIDATION, recoverable=True, action="Use a type that the protocol names."),
    Code.AGENT_NOT_REGISTERED: Meaning(sort=_VALIDATION, recoverable=True, action="REGISTER first."),
    Code.AGENT_ID_TAKEN: Meaning(sort=_VALIDATION, recoverable=True, action="REGISTER with another id."),
    Code.CONFLICT_NOT_FOUND: Meaning(sort=_VALIDATION, recoverable=False, action=None),
    Code.UNIT_NOT_FOUND: Meaning(sort=_VALIDATION, recoverable=False, action=None),
    Code.INVALID_TRANSITION: Meaning(sort=_VALIDATION, recoverable=True, action="Look at the present state first."),
    Code.UNSUPPORTED_OPERATION: Meaning(sort=_VALIDATION, recoverable=False, action=None),
    Code.ENRICHMENT_FAILED: Meaning(
        sort=_OPERATIONAL, recoverable=True, action="Nothing: the unit is kept and enriched later."
    ),
    Code.DETECTION_TIMEOUT: Meaning(
        sort=_OPERATIONAL, recoverable=True, action="Nothing: the unit is kept and compared later."
    ),
    Code.MERGE_FAILED: Meaning(sort=_OPERATIONAL, recoverable=True, action="Try another strategy."),
    Code.REPLAY_TOO_LARGE: Meaning(sort=_OPERATIONAL, recoverable=True, action="Ask with the depth summary."),
    Code.STORAGE_FULL: Meaning(sort=_OPERATIONAL, recoverable=False, action="COMPACT, or enlarge the store."),
    Code.EPOCH_OVERFLOW: Meaning(sort=_SYSTEM, recoverable=False, action=None),
    Code.INTERNAL_ERROR: Meaning(sort=_SYSTEM, recoverable=False, action=None),
    Code.INVALID_ENVELOPE: Meaning(
        sort=_VALIDATION, recoverable=True, action="Put the envelope right.", extension=True
    ),
    Code.INVALID_PAYLOAD: Meaning(sort=_VALIDATION, recoverable=True, action="Put the payload right.", extension=True),
    Code.UNAUTHENTICATED: Meaning(sort=_VALIDATION, recoverable=True, action="Send a valid token.", extension=True),
    Code.INSUFFICIENT_AUTHORITY: Meaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    Code.SESSION_NOT_FOUND: Meaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    Code.TASK_NOT_FOUND: Meaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    Code.SUBSCRIPTION_NOT_FOUND: Meaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    Code.UNSUPPORTED_STRATEGY: Meaning(
        sort=_VALIDATION, recoverable=True, action="Use a strategy that the Field names.", extension=True
    ),
    Code.QUORUM_NOT_MET: Meaning(sort=_OPERATIONAL, recoverable=True, action="Wait for more votes.", extension=True),
    Code.TOO_MANY_REQUESTS: Meaning(
        sort=_OPERATIONAL, recoverable=True, action="Wait and send it again.", extension=True
    ),
    Code.UNAVAILABLE: Meaning(
        sort=_OPERATIONAL, recoverable=True, action="Send it again with the same message id.", extension=True
    ),
}

_LOST = {
    "record": Code.UNIT_NOT_FOUND,
    "conflict": Code.CONFLICT_NOT_FOUND,
    "agent": Code.AGENT_NOT_REGISTERED,
    "session": Code.SESSION_NOT_FOUND,
    "task": Code.TASK_NOT_FOUND,
}


def code_of(error: MunimentError) -> Code:
    """The code under which an error of the engine is told.

    >>> code_of(NotFound("conflict", "con_1")), code_of(Undecided("conflict con_1", "both sides are equal"))
    (<Code.CONFLICT_NOT_FOUND: 'CONFLICT_NOT_FOUND'>, <Code.MERGE_FAILED: 'MERGE_FAILED'>)
    """
    match error:
        case NotFound():
            return _LOST.get(error.what, Code.INVALID_PAYLOAD)
        case Stale():
            return Code.INVALID_TRANSITION
        case Undecided():
            return Code.MERGE_FAILED
        case NotPermitted():
            return Code.INSUFFICIENT_AUTHORITY
        case Unauthenticated():
            return Code.UNAUTHENTICATED
        case StoreFull():
            return Code.STORAGE_FULL
        case TooManyRequests():
            return Code.TOO_MANY_REQUESTS
        case StoreBusy() | StoreUnavailable():
            return Code.UNAVAILABLE
        case CallerError():
            return Code.INVALID_PAYLOAD
        case _:
            return Code.INTERNAL_ERROR


def error_document(code: Code, operation: str, message: str) -> JsonObject:
    """The document that answers a question which failed."""
    meaning = CODES[code]
    return {
        "code": code.value,
        "message": message,
        "operation": str(operation),
        "recoverable": meaning.recoverable,
        "suggested_action": meaning.action,
    }


def error_of(error: MunimentError, operation: str) -> JsonObject:
    """The same for an error that the engine raised."""
    return error_document(code_of(error), operation, str(error))
