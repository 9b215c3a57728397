"""How values travel: whole, as JSON, with instants as RFC 3339 text and bytes as hex; and back into the same values.

Each value has a twin that is spelled in full, made once from its fields. What is ours alone, such as the numbers of
documents, has no place in a twin and comes back as a fixed filling.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from typing import Annotated, Generic, TypeVar

import msgspec

from muniment.engine import QueueItem, RevisionView
from muniment.engine.session import clean
from muniment.model import times
from muniment.model.decoding import convert, json_decoder
from muniment.model.entry import Entry
from muniment.model.errors import Malformed
from muniment.model.form import DisclosureShape, RecordShape
from muniment.model.query import Disclosure, Listing
from muniment.model.receipt import Account, Candidate
from muniment.model.times import Instant
from muniment.model.value import Json as Json
from muniment.model.value import Value

T = TypeVar("T", bound=Value)

INSTANT_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
_INSTANT = re.compile(INSTANT_PATTERN, re.ASCII)
_INSTANT_WORDS = "an RFC 3339 instant, such as 2026-03-01T09:30:00Z"
_OURS: dict[type, dict[str, object]] = {
    Candidate: {"rid": 0},
    Account: {"opponents": (), "policy": 0, "notified": ()},
    Entry: {"pepper": None},
    Listing: {"after": 0},
}
"""Fields that stay inside, and what stands in their place on the other side."""


class RecordForm(DisclosureShape, total=False):
    """A record as it is told: what most readers need, or what they name."""


class RevisionForm(RecordShape, total=False):
    """A revision with what happened to it."""

    events: list[dict[str, str | int | float | None]]


_FLAT: dict[type, object] = {Disclosure: RecordForm, RevisionView: RevisionForm, QueueItem: dict}
"""Values whose flat form is not their fields, and what it is."""


class Moment(int):
    """An instant on its way: whole microseconds here, text outside."""


class Hex(bytes):
    """Bytes on their way: text of hexadecimal digits outside."""


def _wrap(kind: type, value: object) -> object:
    """Dress what a value holds for the way out."""
    if kind is Moment and type(value) is int:
        return Moment(value)
    if kind is Hex and type(value) is bytes:
        return Hex(value)
    raise NotImplementedError(kind.__name__)


def _parse(kind: type, value: object) -> object:
    """Read what came in. A `ValueError` becomes a refusal that names the field."""
    if kind is Moment:
        if not isinstance(value, str) or _INSTANT.fullmatch(value) is None:
            raise ValueError(_INSTANT_WORDS)
        try:
            return Moment(times.parse(value, field=""))
        except Malformed:
            raise ValueError("an instant that exists") from None
    if kind is Hex:
        if not isinstance(value, str):
            raise ValueError("bytes as hexadecimal digits")
        return Hex.fromhex(value)
    raise NotImplementedError(kind.__name__)


def _spell(value: object) -> str:
    if isinstance(value, Moment):
        return times.show(Instant(value))
    assert isinstance(value, Hex), "twins hold nothing else that needs spelling"
    return value.hex()


def describe(kind: type) -> dict[str, object]:
    """The JSON Schema of what JSON itself has no word for."""
    if kind is Moment:
        return {"type": "string", "format": "date-time", "pattern": INSTANT_PATTERN}
    assert kind is Hex, "twins hold nothing else that needs describing"
    return {"type": "string", "pattern": "^([0-9a-f]{2})*$"}


@cache
def flat_type(kind: type[Value]) -> object:
    """The type that describes the flat JSON form of a value. What holds no record is as it travels."""
    if kind in _FLAT:
        return _FLAT[kind]
    if _says_itself(kind):
        return dict
    if not _holds_records(kind):
        return twin(kind)
    hints = typing.get_type_hints(kind, include_extras=True)
    hidden = _OURS.get(kind, {})
    fields = [(one.name, _flattened(hints[one.name])) for one in msgspec.structs.fields(kind) if one.name not in hidden]
    return msgspec.defstruct(kind.__name__, fields, module=kind.__module__, namespace={"__doc__": kind.__doc__})


def _flattened(hint: object) -> object:
    if isinstance(hint, type) and issubclass(hint, Value):
        return flat_type(hint)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return reduce(or_, (_flattened(part) for part in parts))
    if origin in (tuple, list, dict):
        return origin[tuple(part if part is Ellipsis else _flattened(part) for part in parts)]
    return _dressed(hint, False)


@cache
def _holds_records(kind: type[Value]) -> bool:
    """Whether a record, or a value with a form of its own, is anywhere in a value of this type."""
    seen: set[type] = set()
    waiting: list[object] = [kind]
    while waiting:
        hint = waiting.pop()
        if not (isinstance(hint, type) and issubclass(hint, Value)):
            waiting += typing.get_args(hint)
        elif hint in _FLAT or _says_itself(hint):
            return True
        elif hint not in seen:
            seen.add(hint)
            waiting += typing.get_type_hints(hint).values()
    return False


def _says_itself(kind: type[Value]) -> bool:
    """Whether the form of a value is not simply its fields."""
    return kind.to_dict is not Value.to_dict


def twin(kind: type[Value]) -> type[msgspec.Struct]:
    """The type that a value travels as: the same fields, none left out when it says the usual."""
    return _twin(kind, False)


@cache
def _twin(kind: type[Value], lenient: bool) -> type[msgspec.Struct]:
    """A `lenient` one passes over fields that it does not know: a server may be newer than whoever asks it."""
    hints = typing.get_type_hints(kind, include_extras=True)
    hidden = _OURS.get(kind, {})
    named = [field for field in msgspec.structs.fields(kind) if field.name not in hidden]
    fields: list[tuple[str, object] | tuple[str, object, object]] = []
    for field in named:
        hint = _dressed(hints[field.name], lenient)
        if field.default is not msgspec.NODEFAULT:
            fields.append((field.name, hint, _outward(field.default)))
        elif field.default_factory is not msgspec.NODEFAULT:
            fields.append((field.name, hint, msgspec.field(default_factory=field.default_factory)))
        else:
            fields.append((field.name, hint))
    made = msgspec.defstruct(
        kind.__name__,
        fields,
        module=kind.__module__,
        namespace={"__doc__": kind.__doc__, **hidden},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=not lenient,
    )
    assert issubclass(made, msgspec.Struct)
    return made


def _dressed(hint: object, lenient: bool) -> object:
    """A field's type as the twin has it."""
    if hint is Instant:
        return Moment
    if hint is bytes:
        return Hex
    if isinstance(hint, type) and issubclass(hint, Value):
        return hint if hint.__struct_config__.tag is not None else _twin(hint, lenient)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return Annotated[(_dressed(parts[0], lenient), *parts[1:])]
    if origin in (typing.Union, types.UnionType):
        return reduce(or_, (_dressed(part, lenient) for part in parts))
    if origin in (tuple, list, dict):
        return origin[tuple(part if part is Ellipsis else _dressed(part, lenient) for part in parts)]
    return hint


def _outward(value: object) -> object:
    if isinstance(value, Value) and value.__struct_config__.tag is None:
        return convert(value, twin(type(value)), from_attributes=True, dec_hook=_wrap)
    return value


class Shape(Generic[T]):
    """How values of one type are written, and read back."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        self.twin = twin(kind)
        self._encoder = msgspec.json.Encoder(enc_hook=_spell)
        self._decoder = json_decoder(self.twin, dec_hook=_parse)
        self._listener = json_decoder(_twin(kind, True), dec_hook=_parse)

    def write(self, value: T) -> bytes:
        """The value as JSON, nothing left out."""
        return self._encoder.encode(convert(value, self.twin, from_attributes=True, dec_hook=_wrap))

    def read(self, body: bytes) -> T:
        """Read back what `write` wrote, wherever it was written."""
        return self.settle(self.sketch(body))

    def hear(self, body: bytes) -> T:
        """Read what somebody wrote who may have more to say: fields that are not known here are passed over."""
        return self.settle(self._sketched(lambda: self._listener.decode(body)))

    def sketch(self, body: bytes) -> msgspec.Struct:
        """JSON text, if it has the shape; else it is refused by the name of the field."""
        return self._sketched(lambda: self._decoder.decode(body))

    def sketch_plain(self, plain: Json) -> msgspec.Struct:
        """The same for JSON that was parsed already."""
        return self._sketched(lambda: convert(plain, self.twin, dec_hook=_parse))

    def settle(self, sketch: msgspec.Struct) -> T:
        """The value that a sketch describes. What has the shape may still say what cannot be: then it is refused."""
        return convert(sketch, self.kind, from_attributes=True)

    def _sketched(self, read: Callable[[], msgspec.Struct]) -> msgspec.Struct:
        try:
            return read()
        except msgspec.ValidationError as error:
            raise misshapen(str(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Malformed("body", "one JSON value in UTF-8") from None


_shapes: dict[type[Value], object] = {}


def shape_of(kind: type[T]) -> Shape[T]:
    """The shape of a type, made once. A server makes all of them before its first call."""
    found = _shapes.get(kind)
    if found is None:
        found = _shapes[kind] = Shape(kind)
    assert isinstance(found, Shape)
    return found


_AT = re.compile(r" - at `(?:key in )?\$\.?(?P<path>.*)`$", re.DOTALL)
_FIELD = re.compile(r"Object (?:missing required|contains unknown) field `(?P<name>.*)`$", re.DOTALL)
_EXPECTED = re.compile(r"Expected (?P<what>.*?)(?:, got .*)?$", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_.\[\]-]{1,128}", re.ASCII)
_WORDS = {"`str`": "text", "`int`": "a whole number", "`float`": "a number", "`bool`": "true or false"}


def misshapen(message: str) -> Malformed:
    """The library's refusal in our words: which field, what it must be, and nothing of what it was.

    >>> str(misshapen("Expected `int`, got `str` - at `$.limit`"))
    'limit: expected a whole number'
    >>> str(misshapen("Object contains unknown field `tenant`"))
    'tenant: expected nothing: there is no such field here'
    """
    placed = _AT.search(message)
    path, said = (placed["path"], message[: placed.start()]) if placed is not None else ("", message)
    if (named := _FIELD.fullmatch(said)) is not None:
        path = f"{path}.{named['name']}" if path else named["name"]
        expected = "a value: it is required" if "missing" in said else "nothing: there is no such field here"
        return Malformed(_safe(path), expected)
    if said.startswith("Invalid enum value"):
        return Malformed(_safe(path), "one of its words")
    wanted = _EXPECTED.fullmatch(said)
    expected = wanted["what"] if wanted is not None else said
    return Malformed(_safe(path), _WORDS.get(expected, expected.replace("`", "")))


def _safe(path: str) -> str:
    """A place is told unless it is no plain name, or may be a secret that was sent as one."""
    return path if _PLAIN.fullmatch(path) is not None and clean(path) == path else "body"
