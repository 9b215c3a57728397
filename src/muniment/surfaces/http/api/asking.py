"""One request of the native surface, read strictly: its query string, its body, what it accepts and expects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect
from starlette.requests import Request

from muniment.contracts.strict.reader import ReaderLimits, read_json
from muniment.engine import Memory
from muniment.model.errors import LimitExceeded, Malformed
from muniment.model.value import Value
from muniment.operations import OperationSpec
from muniment.operations.wire import Json, shape_of
from muniment.surfaces.http.api.form import FLAT, Form
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.problems import field_of
from muniment.surfaces.reception.principal import Principal

_FIELDS_MAX = 512
_LIMITS = ReaderLimits(depth=40)
_EXACT = 2.0**53
_WHOLE = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_TRUTH = {"true": True, "false": False}


class ReadRequest:
    """A request as an operation takes it. Made in the thread that works on it."""

    __slots__ = ("body", "form", "headers", "memory", "operation", "places", "query", "visitor")

    def __init__(
        self,
        operation: OperationSpec,
        visitor: Principal,
        memory: Memory,
        *,
        places: dict[str, str],
        query: Value | None,
        body: Value | None,
        headers: dict[str, str],
        form: Form = FLAT,
    ) -> None:
        self.operation = operation
        self.visitor = visitor
        self.memory = memory
        self.places = places
        self.query = query
        self.body = body
        self.headers = headers
        self.form = form

    def said(self) -> dict[str, object]:
        """Everything that is said, by the keyword it is said under."""
        found: dict[str, object] = dict(self.places)
        for part in (self.query, self.body):
            if part is not None:
                found.update(said_of(part))
        return found


def said_of(part: Value) -> dict[str, object]:
    """The fields of a value that say something."""
    pairs = ((name, getattr(part, name)) for name in part.__struct_fields__)
    return {name: value for name, value in pairs if value is not None}


def read_query(raw: bytes, kind: type[Value] | None) -> Value | None:
    """The query string as a value of its type. What the operation does not know is refused."""
    try:
        text = raw.decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=_FIELDS_MAX
        )
    except ValueError:
        raise Malformed("query", "pairs of names and values, encoded as UTF-8") from None
    if kind is None:
        if pairs:
            raise Malformed("query", "nothing: this operation takes no parameters")
        return None
    shape = shape_of(kind)
    return shape.settle(shape.sketch_plain(_gathered(pairs, kind)))


def _gathered(pairs: list[tuple[str, str]], kind: type[Value]) -> dict[str, Json]:
    readers = _readers(kind)
    found: dict[str, Json] = {}
    for name, text in pairs:
        if name not in readers:
            known = re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name) is not None
            raise Malformed(name if known else "query", "nothing: there is no such parameter here")
        many, read = readers[name]
        if many:
            held = found.setdefault(name, [])
            assert isinstance(held, list)
            held.append(read(name, text))
        elif name in found:
            raise Malformed(name, "to be said once")
        else:
            found[name] = read(name, text)
    return found


_Read = Callable[[str, str], Json]


@cache
def _readers(kind: type[Value]) -> dict[str, tuple[bool, _Read]]:
    """How each parameter is read: whether it may be said more than once, and as what."""
    info = inspect.type_info(shape_of(kind).twin)
    assert isinstance(info, inspect.StructType)
    return {field.name: _reader(field.type) for field in info.fields}


def _reader(info: inspect.Type) -> tuple[bool, _Read]:
    match info:
        case inspect.UnionType():
            (told,) = (one for one in info.types if not isinstance(one, inspect.NoneType))
            return _reader(told)
        case inspect.Metadata():
            return _reader(info.type)
        case inspect.VarTupleType():
            return True, _reader(info.item_type)[1]
        case inspect.IntType():
            return False, _whole
        case inspect.FloatType():
            return False, _number
        case inspect.BoolType():
            return False, _truth
        case _:
            return False, _text


def _text(_: str, text: str) -> Json:
    return text


def _whole(name: str, text: str) -> Json:
    if _WHOLE.fullmatch(text) is None:
        raise Malformed(name, "a whole number")
    return int(text)


def _number(name: str, text: str) -> Json:
    if _NUMBER.fullmatch(text) is None:
        raise Malformed(name, "a number")
    return float(text)


def _truth(name: str, text: str) -> Json:
    if text not in _TRUTH:
        raise Malformed(name, "true or false")
    return _TRUTH[text]


def read_body(raw: bytes, kind: type[Value]) -> msgspec.Struct:
    """The body, if it is JSON of the shape the operation takes. In JSON `3.0` is a whole number, so it is one here."""
    plain = read_json(raw, limits=_LIMITS)
    return shape_of(kind).sketch_plain(_whole_where_whole(plain))


def _whole_where_whole(plain: Json) -> Json:
    if isinstance(plain, dict):
        return {name: _whole_where_whole(part) for name, part in plain.items()}
    if isinstance(plain, list):
        return [_whole_where_whole(part) for part in plain]
    return int(plain) if isinstance(plain, float) and plain.is_integer() and abs(plain) < _EXACT else plain


@contextmanager
def understood() -> Iterator[None]:
    """Within this, what is refused had the right shape and says what cannot be: 409, where 400 is for the shape."""
    try:
        yield
    except (Malformed, LimitExceeded) as error:
        raise Declined(status=409, code=error.code, detail=str(error), hint=error.hint, field=field_of(error)) from None


def check_accept(request: Request, kind: str) -> None:
    """Refuse a caller who takes no answer of this kind."""
    said = request.headers.getlist("accept")
    if not said:
        return
    family = kind.partition("/")[0]
    wanted = {kind, f"{family}/*", "*/*"}
    for choice in ",".join(said).split(","):
        name, *options = (part.strip().lower() for part in choice.split(";"))
        if name in wanted and not any(re.fullmatch(r"q=0(\.0{0,3})?", option) for option in options):
            return
    raise Declined(
        status=406,
        code="not_acceptable",
        detail=f"accept: the answer is {kind}",
        hint=f"Send the header Accept: {kind}, or none.",
        field="accept",
    )
