"""How the Akashik binding answers: the HTTP status of each code of the protocol, its error object, and the grant that
each operation takes."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from muniment.contracts.akashik.codes import ErrorCode, code_of, error_document
from muniment.contracts.akashik.words import DetectMode, FieldOperation
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import (
    LimitExceeded,
    MunimentError,
    StoreBusy,
    StoreFull,
    StoreUnavailable,
    TooManyRequests,
    Unreadable,
)
from muniment.surfaces.http.problems import Declined, headers_of
from muniment.surfaces.problems import printable
from muniment.surfaces.reception.principal import Grant

_VALIDATION, _GONE, _CLASH, _BROKEN = 400, 404, 409, 500

STATUS: dict[ErrorCode, int] = {
    ErrorCode.MISSING_INTENT: _VALIDATION,
    ErrorCode.MISSING_CONFIDENCE: _VALIDATION,
    ErrorCode.INVALID_CONFIDENCE: _VALIDATION,
    ErrorCode.INVALID_TYPE: _VALIDATION,
    ErrorCode.INVALID_ENVELOPE: _VALIDATION,
    ErrorCode.INVALID_PAYLOAD: _VALIDATION,
    ErrorCode.AGENT_NOT_REGISTERED: _VALIDATION,
    ErrorCode.UNSUPPORTED_STRATEGY: _VALIDATION,
    ErrorCode.EPOCH_OVERFLOW: _VALIDATION,
    ErrorCode.UNAUTHENTICATED: 401,
    ErrorCode.INSUFFICIENT_AUTHORITY: 403,
    ErrorCode.CONFLICT_NOT_FOUND: _GONE,
    ErrorCode.UNIT_NOT_FOUND: _GONE,
    ErrorCode.SESSION_NOT_FOUND: _GONE,
    ErrorCode.TASK_NOT_FOUND: _GONE,
    ErrorCode.SUBSCRIPTION_NOT_FOUND: _GONE,
    ErrorCode.AGENT_ID_TAKEN: _CLASH,
    ErrorCode.INVALID_TRANSITION: _CLASH,
    ErrorCode.MERGE_FAILED: _CLASH,
    ErrorCode.QUORUM_NOT_MET: _CLASH,
    ErrorCode.REPLAY_TOO_LARGE: 413,
    ErrorCode.TOO_MANY_REQUESTS: 429,
    ErrorCode.INTERNAL_ERROR: _BROKEN,
    ErrorCode.ENRICHMENT_FAILED: _BROKEN,
    ErrorCode.DETECTION_TIMEOUT: _BROKEN,
    ErrorCode.UNSUPPORTED_OPERATION: 501,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.STORAGE_FULL: 507,
}

GRANTS: dict[FieldOperation, Grant] = {
    FieldOperation.REGISTER: Grant.READ,
    FieldOperation.DEREGISTER: Grant.READ,
    FieldOperation.ATTUNE: Grant.READ,
    FieldOperation.SUBSCRIBE: Grant.READ,
    FieldOperation.REPLAY: Grant.READ,
    FieldOperation.RECORD: Grant.WRITE,
    FieldOperation.DETECT: Grant.WRITE,
    FieldOperation.COORDINATE: Grant.WRITE,
    FieldOperation.HANDOFF: Grant.WRITE,
    FieldOperation.SESSION: Grant.WRITE,
    FieldOperation.MERGE: Grant.REVIEW,
    FieldOperation.COMPACT: Grant.REVIEW,
}

_ENCODER = msgspec.json.Encoder()
_OURS = {
    ErrorCode.INTERNAL_ERROR: "the server failed; send it again with the same message id to learn the outcome",
    ErrorCode.UNAVAILABLE: "the store cannot be used now; nothing was changed",
    ErrorCode.STORAGE_FULL: "there is no room left; nothing was written, and reading goes on",
}


_HEADERS = {
    ErrorCode.UNAUTHENTICATED: {"www-authenticate": 'Bearer realm="muniment"'},
    ErrorCode.UNAVAILABLE: {"retry-after": "1"},
}


def grant_of(operation: FieldOperation, payload: Json) -> Grant:
    """What a credential must be good for. To list conflicts is to read; to look for new ones may write them down."""
    listing = (
        operation is FieldOperation.DETECT and isinstance(payload, dict) and payload.get("mode") == DetectMode.LIST
    )
    return Grant.READ if listing else GRANTS[operation]


def encoded(document: JsonObject) -> bytes:
    return _ENCODER.encode(document)


def answer(document: JsonObject, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A document as an answer."""
    return Response(encoded(document), status_code=status, headers=headers, media_type="application/json")


def told(document: JsonObject) -> Response:
    """What the Field says, with the status that belongs to it: an error object is known by its code."""
    code = refused_with(document)
    if code is None:
        return answer(document)
    return answer(document, status=STATUS[code], headers=_HEADERS.get(code))


def refused_with(document: JsonObject) -> ErrorCode | None:
    """The code of an error object; None for any other answer. No answer but an error object has a code."""
    code = document.get("code")
    return ErrorCode(code) if isinstance(code, str) else None


class Refused(Exception):
    """A refusal of the binding's own, under a code of the protocol."""

    def __init__(self, answer: ErrorCode, words: str) -> None:
        super().__init__(words)
        self.answer = answer


Failure = (MunimentError, Refused, Declined)
"""Everything that a call to the binding may end in on purpose."""


def wire_code(error: Exception) -> ErrorCode:
    """The code of an error that was met on the way to the Field."""
    match error:
        case Refused():
            return error.answer
        case TooManyRequests():
            return ErrorCode.TOO_MANY_REQUESTS
        case Unreadable() | Declined():
            return ErrorCode.INVALID_ENVELOPE
        case StoreFull():
            return ErrorCode.STORAGE_FULL
        case StoreBusy() | StoreUnavailable():
            return ErrorCode.UNAVAILABLE
        case MunimentError():
            return code_of(error)
        case _:
            return ErrorCode.INTERNAL_ERROR


def failure(error: Exception, operation: str) -> JsonObject:
    """What went wrong, as the protocol's error object. Of what went wrong on our side the words are not repeated: they
    may speak of paths and contents."""
    code = wire_code(error)
    return error_document(code, operation, _OURS.get(code) or printable(str(error)))


def failed(error: Exception, operation: str) -> Response:
    """The same as an answer. What HTTP has a word of its own for keeps that status."""
    return answer(failure(error, operation), status=_status(error), headers=headers_of(error))


def _status(error: Exception) -> int:
    if isinstance(error, Declined):
        return error.status
    return 413 if isinstance(error, LimitExceeded) else STATUS[wire_code(error)]


def broken(operation: str) -> Response:
    """The answer to what nobody expected."""
    return answer(error_document(ErrorCode.INTERNAL_ERROR, operation, _OURS[ErrorCode.INTERNAL_ERROR]), status=_BROKEN)
