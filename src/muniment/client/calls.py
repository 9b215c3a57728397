"""A call as a request, and a response as what the call gives: made from the one table of operations. No network."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cache
from urllib.parse import quote

import msgspec

from muniment.model import checks, times
from muniment.model.claim import Claim
from muniment.model.claim_options import read_instant
from muniment.model.errors import CallerError, OperationalError
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.operations import OPERATIONS, Key, OperationSpec, operation
from muniment.operations.tags import revision_tag
from muniment.operations.wire import Shape, shape_of

JSON = "application/json"
USER_HEADER = "Muniment-User"
Parameters = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request that is ready to be sent. However often it arrives, it counts once: a change has a name."""

    operation: OperationSpec
    path: str
    parameters: Parameters = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


def prepare(name: str, arguments: Mapping[str, object], *, fresh: str, user: str | None = None) -> Wanted:
    """The request of a method with these keywords; what is None is not said. `fresh` names a change that has no name of
    its own, so that it can be sent again; `user` is whose memory is meant."""
    row = operation(name)
    said = {keyword: value for keyword, value in arguments.items() if value is not None}
    path = row.path
    for place in row.places:
        path = path.replace("{" + place + "}", _segment(place, said.pop(place, "")))
    headers = {"Accept": JSON, "Muniment-Form": "values"}
    if user is not None:
        headers[USER_HEADER] = quote(user, safe="")
    if row.matchable:
        expected = said.pop("expected_revision", None)
        if expected is not None:
            headers["If-Match"] = revision_tag(int(str(expected)))
    if row.key is Key.ANSWER and "proposal_id" in said and not _has(row.body, "proposal_id"):
        headers["Idempotency-Key"] = str(said.pop("proposal_id"))
    elif row.key is not Key.NONE and "proposal_id" not in said:
        headers["Idempotency-Key"] = fresh
    return Wanted(
        operation=row,
        path=path,
        parameters=_parameters(row, said),
        headers=headers | ({"Content-Type": JSON} if row.body is not None else {}),
        body=_body(row, said),
    )


def _segment(place: str, name: object) -> str:
    """A name as one part of a path, whatever it is made of: dots alone would lead elsewhere."""
    checks.identifier("id" if place == "record_id" else place, name)  # type: ignore[arg-type]  # that is what is checked
    return quote(str(name), safe="").replace(".", "%2E")


def proposed(given: Claim | tuple[str, Claim]) -> dict[str, object]:
    """One claim of a batch; a pair names its proposal."""
    name, claim = given if isinstance(given, tuple) else (None, given)
    return {"claim": claim} if name is None else {"claim": claim, "proposal_id": name}


def _has(kind: type[Value] | None, name: str) -> bool:
    return kind is not None and name in kind.__struct_fields__


def _parameters(row: OperationSpec, said: dict[str, object]) -> Parameters:
    if row.query is None:
        return []
    instants = _instants(row.query)
    found: Parameters = []
    for name in row.query.__struct_fields__:
        if name in said:
            value = _plain(name, said.pop(name), instants)
            found += [(name, _word(one)) for one in (value if isinstance(value, list) else [value])]
    return found


def _word(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _body(row: OperationSpec, said: dict[str, object]) -> bytes | None:
    """What is left, as the body; a keyword that has no place there is the server's to refuse by name."""
    if row.body is None and not said:
        return None
    instants = _instants(row.body) if row.body is not None else frozenset()
    return msgspec.json.encode({name: _plain(name, value, instants) for name, value in said.items()})


@cache
def _instants(kind: type[Value]) -> frozenset[str]:
    """The fields of a type that are instants."""
    hints = typing.get_type_hints(kind)
    return frozenset(name for name, hint in hints.items() if hint is Instant or Instant in _parts(hint))


def _parts(hint: object) -> tuple[object, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def _plain(name: str, value: object, instants: frozenset[str]) -> object:
    """A keyword as JSON. Times may be said in any way the embedded memory takes them."""
    if name in instants and isinstance(value, (str, int, datetime)) and not isinstance(value, bool):
        instant = read_instant(name, value)
        return times.show(instant) if instant is not None else None
    if isinstance(value, Value):
        return msgspec.Raw(_shape(type(value)).write(value))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain("", part, instants) for key, part in value.items()}
    if isinstance(value, (Sequence, frozenset, set)) and not isinstance(value, (str, bytes)):
        return [_plain("", part, instants) for part in value]
    return value


def _shape(kind: type[Value]) -> Shape[Value]:
    return shape_of(kind)


def answer_of(wanted: Wanted, content: bytes) -> Value:
    """What a method is told, as the value the embedded memory would give. Fields that a newer server adds are passed
    over; what is no such value comes from something else than such a server."""
    try:
        return _shape(wanted.operation.answer).hear(content)
    except CallerError:
        error = OperationalError("the server's answer cannot be read")
        error.hint = "Check that the address is that of a Muniment server, and that it is not older than this program."
        raise error from None


def ready() -> None:
    """Make the shape of every answer now, so that the first call does not wait for it."""
    for row in OPERATIONS:
        _shape(row.answer)
