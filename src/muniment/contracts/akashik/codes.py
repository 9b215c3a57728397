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


class ErrorCode(StrEnum):
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


class ErrorMeaning(Value):
    """What a code says: its class, whether the same caller can put it right, and how. `extension` marks those that are
    ours and not the protocol's."""

    sort: str
    recoverable: bool
    action: str | None
    extension: bool = False


_VALIDATION, _OPERATIONAL, _SYSTEM = "validation", "operational", "system"

CODES: dict[ErrorCode, ErrorMeaning] = {
    ErrorCode.MISSING_INTENT: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Say the purpose in intent.purpose."
    ),
    ErrorCode.MISSING_CONFIDENCE: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Give confidence.score and confidence.reasoning, or record a draft."
    ),
    ErrorCode.INVALID_CONFIDENCE: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Give a number from 0 to 1 as confidence.score."
    ),
    ErrorCode.INVALID_TYPE: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Use a type that the protocol names."
    ),
    ErrorCode.AGENT_NOT_REGISTERED: ErrorMeaning(sort=_VALIDATION, recoverable=True, action="REGISTER first."),
    ErrorCode.AGENT_ID_TAKEN: ErrorMeaning(sort=_VALIDATION, recoverable=True, action="REGISTER with another id."),
    ErrorCode.CONFLICT_NOT_FOUND: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None),
    ErrorCode.UNIT_NOT_FOUND: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None),
    ErrorCode.INVALID_TRANSITION: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Look at the present state first."
    ),
    ErrorCode.UNSUPPORTED_OPERATION: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None),
    ErrorCode.ENRICHMENT_FAILED: ErrorMeaning(
        sort=_OPERATIONAL, recoverable=True, action="Nothing: the unit is kept and enriched later."
    ),
    ErrorCode.DETECTION_TIMEOUT: ErrorMeaning(
        sort=_OPERATIONAL, recoverable=True, action="Nothing: the unit is kept and compared later."
    ),
    ErrorCode.MERGE_FAILED: ErrorMeaning(sort=_OPERATIONAL, recoverable=True, action="Try another strategy."),
    ErrorCode.REPLAY_TOO_LARGE: ErrorMeaning(sort=_OPERATIONAL, recoverable=True, action="Ask with the depth summary."),
    ErrorCode.STORAGE_FULL: ErrorMeaning(sort=_OPERATIONAL, recoverable=False, action="COMPACT, or enlarge the store."),
    ErrorCode.EPOCH_OVERFLOW: ErrorMeaning(sort=_SYSTEM, recoverable=False, action=None),
    ErrorCode.INTERNAL_ERROR: ErrorMeaning(sort=_SYSTEM, recoverable=False, action=None),
    ErrorCode.INVALID_ENVELOPE: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Put the envelope right.", extension=True
    ),
    ErrorCode.INVALID_PAYLOAD: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Put the payload right.", extension=True
    ),
    ErrorCode.UNAUTHENTICATED: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Send a valid token.", extension=True
    ),
    ErrorCode.INSUFFICIENT_AUTHORITY: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    ErrorCode.SESSION_NOT_FOUND: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    ErrorCode.TASK_NOT_FOUND: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    ErrorCode.SUBSCRIPTION_NOT_FOUND: ErrorMeaning(sort=_VALIDATION, recoverable=False, action=None, extension=True),
    ErrorCode.UNSUPPORTED_STRATEGY: ErrorMeaning(
        sort=_VALIDATION, recoverable=True, action="Use a strategy that the Field names.", extension=True
    ),
    ErrorCode.QUORUM_NOT_MET: ErrorMeaning(
        sort=_OPERATIONAL, recoverable=True, action="Wait for more votes.", extension=True
    ),
    ErrorCode.TOO_MANY_REQUESTS: ErrorMeaning(
        sort=_OPERATIONAL, recoverable=True, action="Wait and send it again.", extension=True
    ),
    ErrorCode.UNAVAILABLE: ErrorMeaning(
        sort=_OPERATIONAL, recoverable=True, action="Send it again with the same message id.", extension=True
    ),
}

_LOST = {
    "record": ErrorCode.UNIT_NOT_FOUND,
    "conflict": ErrorCode.CONFLICT_NOT_FOUND,
    "agent": ErrorCode.AGENT_NOT_REGISTERED,
    "session": ErrorCode.SESSION_NOT_FOUND,
    "task": ErrorCode.TASK_NOT_FOUND,
}


def code_of(error: MunimentError) -> ErrorCode:
    """The code under which an error of the engine is told.

    >>> code_of(NotFound("conflict", "con_1")), code_of(Undecided("conflict con_1", "both sides are equal"))
    (<ErrorCode.CONFLICT_NOT_FOUND: 'CONFLICT_NOT_FOUND'>, <ErrorCode.MERGE_FAILED: 'MERGE_FAILED'>)
    """
    match error:
        case NotFound():
            return _LOST.get(error.what, ErrorCode.INVALID_PAYLOAD)
        case Stale():
            return ErrorCode.INVALID_TRANSITION
        case Undecided():
            return ErrorCode.MERGE_FAILED
        case NotPermitted():
            return ErrorCode.INSUFFICIENT_AUTHORITY
        case Unauthenticated():
            return ErrorCode.UNAUTHENTICATED
        case StoreFull():
            return ErrorCode.STORAGE_FULL
        case TooManyRequests():
            return ErrorCode.TOO_MANY_REQUESTS
        case StoreBusy() | StoreUnavailable():
            return ErrorCode.UNAVAILABLE
        case CallerError():
            return ErrorCode.INVALID_PAYLOAD
        case _:
            return ErrorCode.INTERNAL_ERROR


def error_document(code: ErrorCode, operation: str, message: str) -> JsonObject:
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
