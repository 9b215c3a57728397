"""A server's refusal as the error that the embedded memory would have raised."""

from __future__ import annotations

import msgspec

from muniment.model import errors
from muniment.model.decoding import decode_json
from muniment.model.errors import LimitExceeded, MunimentError, StoreUnavailable, TooManyRequests
from muniment.model.value import Value


class Problem(Value, forbid_unknown_fields=False):
    """A problem document, as far as it is needed."""

    code: str = ""
    detail: str = ""
    hint: str = ""
    field: str | None = None


_BY_CODE: dict[str, type[MunimentError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, MunimentError) and "code" in vars(kind)
}
_BY_STATUS = {401: "unauthenticated", 403: "not_permitted", 404: "not_found", 412: "stale", 429: "too_many_requests"}
_LATER_S = 1.0


def error_of(status: int, content: bytes, *, retry_after: str | None = None) -> MunimentError:
    """The error that a response tells of. What has no place in our tree is told by its branch."""
    problem = _read(content)
    kind = _BY_CODE.get(problem.code) or _BY_CODE.get(_BY_STATUS.get(status, "")) or _branch(status)
    error = kind.__new__(kind)
    Exception.__init__(error, problem.detail or f"the server answered {status}")
    _fill(error, problem, retry_after)
    said = {"hint": problem.hint or getattr(kind, "hint", ""), "code": problem.code or kind.code}
    for name, value in said.items():
        setattr(error, name, value)
    return error


def in_use(status: int, content: bytes) -> bool:
    """Whether a request under this one's key has not come to its end, so that its answer may be had in a moment."""
    return status == 409 and _read(content).code == "key_in_use"


def _read(content: bytes) -> Problem:
    try:
        return decode_json(content, Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Problem()


def _branch(status: int) -> type[MunimentError]:
    return errors.CallerError if 400 <= status < 500 else errors.OperationalError


def _fill(error: MunimentError, problem: Problem, retry_after: str | None) -> None:
    """Give an error the attributes its kind has, as far as a problem document tells them."""
    attributes: dict[str, object] = {}
    if isinstance(error, (errors.Malformed, errors.Unreadable)):
        attributes = {"field": problem.field or "", "expected": problem.detail, "line": 0, "column": 0}
    elif isinstance(error, errors.Unauthenticated):
        attributes = {"field": problem.field or ""}
    elif isinstance(error, errors.OnHold):
        attributes = {"hold": "", "reason": problem.detail, "records": 0, "proposals": 0}
    elif isinstance(error, errors.RolledBack):
        attributes = {"batch": ""}
    elif isinstance(error, errors.Undecided):
        attributes = {"what": problem.detail}
    elif isinstance(error, TooManyRequests):
        attributes = {"what": problem.detail, "retry_after": _seconds(retry_after)}
    elif isinstance(error, LimitExceeded):
        attributes = {"field": problem.field or "", "limit": 0, "unit": "", "sent": 0}
    elif isinstance(error, errors.NotPermitted):
        attributes = {"actor": "", "operation": problem.detail}
    elif isinstance(error, errors.NotFound):
        attributes = {"what": problem.detail, "name": ""}
    elif isinstance(error, errors.Stale):
        attributes = {"what": problem.detail, "yours": "", "present": ""}
    elif isinstance(error, errors.ConfigurationError):
        attributes = {"setting": "", "place": "", "line": 0}
    elif isinstance(error, errors.IntegrityError):
        attributes = {"seq": None, "found": 0, "needed": 0}
    for name, value in attributes.items():
        setattr(error, name, value)


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdigit() else _LATER_S


def unreachable(url: str) -> StoreUnavailable:
    """That there is no server, or none any more. Says where, never with which key."""
    error = StoreUnavailable(f"{url} cannot be reached, or did not answer in time")
    error.hint = "Check the address and that `muniment serve` runs there; what is repeatable was tried again."
    return error


def closed() -> StoreUnavailable:
    """That this client was closed, as an embedded memory says it of its store."""
    error = StoreUnavailable("the client is closed")
    error.hint = "Make a new one; a closed client does not open again."
    return error
