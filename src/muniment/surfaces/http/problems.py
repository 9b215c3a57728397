"""Errors as HTTP tells them: RFC 9457 problem documents with a stable code, by the class of the error.

What the caller got wrong is told in the error's own words, which never repeat a value. What went wrong on our side is
told in words that stand here: an exception may speak of paths and contents.
"""

from __future__ import annotations

import math

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from muniment.model.errors import (
    CallerError,
    ConfigurationError,
    IntegrityError,
    LimitExceeded,
    MunimentError,
    NotFound,
    NotPermitted,
    OnHold,
    OperationalError,
    RolledBack,
    Stale,
    StoreFull,
    TooManyRequests,
    Unauthenticated,
    Undecided,
)
from muniment.model.value import Value
from muniment.surfaces.problems import field_of, printable

MEDIA_TYPE = "application/problem+json"
BODY = "body"
_LATER_S = 1
_encoder = msgspec.json.Encoder()

_STATUS: tuple[tuple[type[MunimentError], int], ...] = (
    (Unauthenticated, 401),
    (NotPermitted, 403),
    (NotFound, 404),
    (Stale, 409),
    (RolledBack, 409),
    (OnHold, 409),
    (Undecided, 409),
    (CallerError, 400),
    (TooManyRequests, 429),
    (StoreFull, 507),
    (OperationalError, 503),
    (ConfigurationError, 500),
    (IntegrityError, 500),
)
_TITLES = {
    400: "The request is wrong",
    401: "Nobody is named as the caller",
    403: "Not permitted",
    404: "Not found",
    405: "No such method here",
    406: "No answer of that kind",
    408: "The request took too long to arrive",
    409: "Not as things stand",
    411: "The length is missing",
    412: "Not as things stand",
    413: "The request is too large",
    414: "The address is too long",
    415: "A body of another kind is needed",
    421: "Another server was meant",
    429: "Too many requests",
    431: "The head of the request is too large",
    500: "Internal error",
    501: "Not offered",
    503: "Not now",
    507: "No room left",
}
_OURS = {
    500: ("the server failed; nothing you sent is the reason", "Tell whoever runs the server; its log has the place."),
    503: ("the store cannot be used now; nothing was changed", "Send the request again in a moment."),
    507: ("there is no room left; nothing was written, and reading goes on", "Have room made on the server's disk."),
}
_BY_ROUTE = {
    404: ("not_found", "there is nothing at this address", "See /openapi.json for what there is."),
    405: ("method_not_allowed", "this address takes other methods", "The header Allow names them."),
}


class ProblemDocument(Value):
    """The body of every refusal. `type` leads to the page of the code, `field` names what is wrong with the request."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str
    field: str | None = None


class Declined(Exception):
    """A refusal that only HTTP knows: a method, a media type, a precondition, a host."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        hint: str = "",
        field: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.field = field
        self.headers = headers or {}


def status_of(error: MunimentError) -> int:
    """The status of an error of our tree. Every branch has one; a test walks the tree."""
    if isinstance(error, LimitExceeded) and error.field == BODY:
        return 413
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def document_of(error: Exception) -> ProblemDocument:
    """What is told of an error. Of what nobody expected nothing is told.

    >>> from muniment.model.errors import Malformed
    >>> found = document_of(Malformed("limit", "a whole number"))
    >>> found.status, found.code, found.field, found.type
    (400, 'malformed', 'limit', '/problems/malformed')
    """
    if isinstance(error, Declined):
        return _document(error.status, error.code, error.detail, error.hint, error.field)
    if isinstance(error, HTTPException):
        code, detail, hint = _BY_ROUTE.get(error.status_code, ("http_error", "the request cannot be answered", ""))
        return _document(error.status_code, code, detail, hint)
    if not isinstance(error, MunimentError):
        return _document(500, "internal", *_OURS[500])
    status = status_of(error)
    if status >= 500:
        return _document(status, error.code, *_OURS[status])
    return _document(status, error.code, printable(str(error)), printable(error.hint), field_of(error))


def headers_of(error: Exception) -> dict[str, str]:
    """The headers a refusal brings: how to authenticate, when to come again, which methods there are."""
    if isinstance(error, Declined):
        return error.headers
    if isinstance(error, HTTPException):
        return dict(error.headers or {})
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="muniment"'}
    if isinstance(error, TooManyRequests):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    if isinstance(error, OperationalError) and not isinstance(error, StoreFull):
        return {"Retry-After": str(_LATER_S)}
    return {}


def response_of(error: Exception) -> Response:
    """The answer to a request that ended in an error."""
    document = document_of(error)
    body = _encoder.encode(document)
    return Response(body, status_code=document.status, media_type=MEDIA_TYPE, headers=headers_of(error))


def _document(status: int, code: str, detail: str, hint: str, field: str | None = None) -> ProblemDocument:
    title = _TITLES.get(status, "The request cannot be answered")
    return ProblemDocument(
        type=f"/problems/{code}", title=title, status=status, detail=detail, code=code, hint=hint, field=field
    )
