"""How the Akashik binding answers: the HTTP status of each code of the protocol, its error object, and the grant that
each operation takes."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from muniment.contracts.akashik.codes import Code, code_of, error_document
from muniment.contracts.akashik.words import DetectMode, Operation
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
from muniment.surfaces.reception.visitor import Grant

_VALIDATION, _GONE, _CLASH, _BROKEN = 400, 404, 409, 500

STATUS: dict[Code, int] = {
    Code.MISSING_INTENT: _VALIDATION,
    Code.MISSING_CONFIDENCE: _VALIDATION,
    Code.INVALID_CONFIDENCE: _VALIDATION,
    Code.INVALID_TYPE: _VALIDATION,
    Code.INVALID_ENVELOPE: _VALIDATION,
    Code.INVALID_PAYLOAD: _VALIDATION,
    Code.AGENT_NOT_REGISTERED: _VALIDATION,
    Code.UNSUPPORTED_STRATEGY: _VALIDATION,
    Code.EPOCH_OVERFLOW: _VALIDATION,
    Code.UNAUTHENTICATED: 401,
    Code.INSUFFICIENT_AUTHORITY: 403,
    Code.CONFLICT_NOT_FOUND: _GONE,
    Code.UNIT_NOT_FOUND: _GONE,
    Code.SESSION_NOT_FOUND: _GONE,
    Code.TASK_NOT_FOUND: _GONE,
    Code.SUBSCRIPTION_NOT_FOUND: _GONE,
    Code.AGENT_ID_TAKEN: _CLASH,
    Code.INVALID_TRANSITION: _CLASH,
    Code.MERGE_FAILED: _CLASH,
    Code.QUORUM_NOT_MET: _CLASH,
    Code.REPLAY_TOO_LARGE: 413,
    Code.TOO_MANY_REQUESTS: 429,
    Code.INTERNAL_ERROR: _BROKEN,
    Code.ENRICHMENT_FAILED: _BROKEN,
    Code.DETECTION_TIMEOUT: _BROKEN,
    Code.UNSUPPORTED_OPERATION: 501,
    Code.UNAVAILABLE: 503,
    Code.STORAGE_FULL: 507,
}

GRANTS: dict[Operation, Grant] = {
    Operation.REGISTER: Grant.READ,
    Operation.DEREGISTER: Grant.READ,
    Operation.ATTUNE: Grant.READ,
    Operation.SUBSCRIBE: Grant.READ,
    Operation.REPLAY: Grant.READ,
    Operation.RECORD: Grant.WRITE,
    Operation.DETECT: Grant.WRITE,
    Operation.COORDINATE: Grant.WRITE,
    Operation.HANDOFF: Grant.WRITE,
    Operation.SESSION: Grant.WRITE,
    Operation.MERGE: Grant.REVIEW,
    Operation.COMPACT: Grant.REVIEW,
}

_ENCODER = msgspec.json.Encoder()
_OURS = {
    Code.INTERNAL_ERROR: "the server failed; send it again with the same message id to learn the outcome",
    Code.UNAVAILABLE: "the store cannot be used now; nothing was changed",
    Code.STORAGE_FULL: "there is no room left; nothing was written, and reading goes on",
}


_HEADERS = {
    Code.UNAUTHENTICATED: {"www-authenticate": 'Bearer realm="muniment"'},
    Code.UNAVAILABLE: {"retry-after": "1"},
}


def grant_of(operation: Operation, payload: Json) -> Grant:
    """What a credential must be good for. To list conflicts is to read; to look for new ones may write them down."""
    listing = operation is Operation.DETECT and isinstance(payload, dict) and payload.get("mode") == DetectMode.LIST
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


def refused_with(document: JsonObject) -> Code | None:
    """The code of an error object; None for any other answer. No answer but an error object has a code."""
    code = document.get("code")
    return Code(code) if isinstance(code, str) else None


class Refused(Exception):
    """A refusal of the binding's own, under a code of the protocol."""

    def __init__(self, answer: Code, words: str) -> None:
        super().__init__(words)
        self.answer = answer


Failure = (MunimentError, Refused, Declined)
"""Everything that a call to the binding may end in on purpose."""


def wire_code(error: Exception) -> Code:
    """The code of an error that was met on the way to the Field."""
    match error:
        case Refused():
            return error.answer
        case TooManyRequests():
            return Code.TOO_MANY_REQUESTS
        case Unreadable() | Declined():
            return Code.INVALID_ENVELOPE
        case StoreFull():
            return Code.STORAGE_FULL
        case StoreBusy() | StoreUnavailable():
            return Code.UNAVAILABLE
        case MunimentError():
            return code_of(error)
        case _:
            return Code.INTERNAL_ERROR


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
    return answer(error_document(Code.INTERNAL_ERROR, operation, _OURS[Code.INTERNAL_ERROR]), status=_BROKEN)
