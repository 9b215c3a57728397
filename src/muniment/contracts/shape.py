"""Whether a JSON value has the shape a wire type declares: everything that is wrong, not only the first thing.

A wire type is said once, as a msgspec struct; its published JSON Schema and this check both come out of it. Bounds are
those of `msgspec.Meta`; a named format stands in its `extra_json_schema` and is looked up in `FORMATS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import ClassVar, TypeAlias, dataclass_transform

import msgspec
from msgspec import inspect

from muniment.contracts.strict.instants import is_instant
from muniment.contracts.strict.pointer import Step, below
from muniment.contracts.strict.uris import is_uri
from muniment.contracts.strict.values import Json
from muniment.model.value import Value


class Flaw(Value):
    """One thing that is not as the shape wants it. `code` is one of: missing, unknown, type, enum, range, length,
    pattern, format, together."""

    code: str
    path: str
    message: str


class _Kind(msgspec.StructMeta):
    """Makes every wire type keyword-only; the option is not handed down by itself."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object], **options: bool) -> _Kind:
        return super().__new__(cls, name, bases, body, **{"kw_only": True, **options})  # type: ignore[arg-type]  # switches


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Wire(msgspec.Struct, metaclass=_Kind, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every wire type: closed, and with `UNSET` where a field may be absent. A type whose documents may carry
    further fields under names of a certain form says that form as `EXTENSIONS`, a pattern."""

    EXTENSIONS: ClassVar[str | None] = None


Way: TypeAlias = "str | tuple[Way, Step]"
"""A pointer, or a step below another way: spelled only when there is something to tell."""
Check = Callable[[Json, Way, list[Flaw]], None]
FORMATS: dict[str, Callable[[str], bool]] = {"date-time": is_instant, "uri": is_uri}
_FORMAT_WORDS = {"date-time": "an RFC 3339 instant, such as 2026-03-01T09:30:00Z", "uri": "an absolute URI"}


def flaws(value: Json, kind: type, path: str = "/") -> tuple[Flaw, ...]:
    """Everything in a value that a wire type does not allow."""
    found: list[Flaw] = []
    shape(kind)(value, path, found)
    return tuple(found)


@cache
def shape(kind: type) -> Check:
    """The check for a wire type, made once."""
    return _check(inspect.type_info(kind))


def _check(info: inspect.Type) -> Check:
    match info:
        case inspect.Metadata():
            return _described(info)
        case inspect.StructType():
            return _struct(info)
        case inspect.UnionType():
            return _union(info)
        case inspect.StrType():
            return _text(info)
        case inspect.IntType() | inspect.FloatType():
            return _number(info)
        case inspect.BoolType():
            return _exactly(bool, "true or false")
        case inspect.NoneType():
            return _exactly(type(None), "null")
        case inspect.EnumType():
            return _words(tuple(member.value for member in info.cls))
        case inspect.LiteralType():
            return _words(info.values)
        case inspect.ListType() | inspect.VarTupleType():
            return _list(info)
        case inspect.DictType():
            return _map(info)
        case inspect.RawType() | inspect.AnyType():
            return _anything
        case _:
            raise AssertionError(f"no wire type is made of {type(info).__name__}")


def _flaw(code: str, way: Way, message: str) -> Flaw:
    return Flaw(code=code, path=_spelled(way), message=message)


def _spelled(way: Way) -> str:
    return way if isinstance(way, str) else below(_spelled(way[0]), way[1])


def _anything(value: Json, path: Way, found: list[Flaw]) -> None:
    pass


def _exactly(kind: type, words: str) -> Check:
    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if type(value) is not kind:
            found.append(_flaw("type", path, f"expected {words}"))

    return check


def _described(info: inspect.Metadata) -> Check:
    plain = _check(info.type)
    said = info.extra_json_schema or {}
    if "const" in said:
        return _words((said["const"],))
    name = said.get("format")
    holds = FORMATS.get(str(name))
    if holds is None:
        return plain

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        before = len(found)
        plain(value, path, found)
        if len(found) == before and isinstance(value, str) and not holds(value):
            found.append(_flaw("format", path, f"expected {_FORMAT_WORDS[str(name)]}"))

    return check


def _text(info: inspect.StrType) -> Check:
    least, most = info.min_length or 0, info.max_length
    form = _pattern(info.pattern) if info.pattern is not None else None

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if type(value) is not str:
            found.append(_flaw("type", path, "expected text"))
        elif len(value) < least or (most is not None and len(value) > most):
            words = "text that is not empty" if most is None and least == 1 else f"text of {least} to {most} characters"
            found.append(_flaw("length", path, f"expected {words}"))
        elif form is not None and form.search(value) is None:
            found.append(_flaw("pattern", path, f"expected text of the form {info.pattern}"))

    return check


_SPACES = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_MEANT = {r"\s": f"[{_SPACES}]", r"\S": f"[^{_SPACES}]", "$": r"\Z"}


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern as JSON Schema means it: the end is the very end, not before a last line break, digits and letters are
    those of ASCII, and spaces are those of Unicode."""
    return re.compile(re.sub(r"\\.|\$", lambda found: _MEANT.get(found[0], found[0]), text), re.ASCII)


def _number(info: inspect.IntType | inspect.FloatType) -> Check:
    whole = isinstance(info, inspect.IntType)
    words = f"a {'whole ' if whole else ''}number{_bounds(info)}"

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or value - value != 0
            or (whole and value % 1)
        ):
            found.append(_flaw("type", path, f"expected {words}"))
        elif (
            (info.ge is not None and value < info.ge)
            or (info.le is not None and value > info.le)
            or (info.gt is not None and value <= info.gt)
            or (info.lt is not None and value >= info.lt)
        ):
            found.append(_flaw("range", path, f"expected {words}"))

    return check


def _bounds(info: inspect.IntType | inspect.FloatType) -> str:
    parts = [
        f"{sign} {plain_bound(bound)}"
        for sign, bound in (("from", info.ge), ("above", info.gt), ("to", info.le), ("below", info.lt))
        if bound is not None
    ]
    return " " + " ".join(parts) if parts else ""


def plain_bound(bound: int | float) -> int | float:
    """A bound in its shortest spelling. Python keeps one type for equal bounds, so that of `ge=0` and `ge=0.0` the one
    that was imported first would be told for both.

    >>> plain_bound(1.0), plain_bound(0.5), plain_bound(3)
    (1, 0.5, 3)
    """
    return int(bound) if bound % 1 == 0 else bound


def _words(known: tuple[Json, ...]) -> Check:
    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if not any(type(value) is type(word) and value == word for word in known):
            words = ", ".join(str(word) for word in known)
            found.append(
                _flaw(
                    "enum",
                    path,
                    f"expected {words if len(known) == 1 else 'one of ' + words}",
                )
            )

    return check


def _list(info: inspect.ListType | inspect.VarTupleType) -> Check:
    part = _check(info.item_type)
    least, most = info.min_length or 0, info.max_length

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if not isinstance(value, list):
            found.append(_flaw("type", path, "expected a list"))
            return
        if len(value) < least or (most is not None and len(value) > most):
            words = f"{least} or more" if most is None else f"{least} to {most}"
            found.append(_flaw("length", path, f"expected a list of {words}"))
        for number, one in enumerate(value):
            part(one, (path, number), found)

    return check


def _map(info: inspect.DictType) -> Check:
    name, part = _check(info.key_type), _check(info.value_type)
    least, most = info.min_length or 0, info.max_length

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if not isinstance(value, dict):
            found.append(_flaw("type", path, "expected an object"))
            return
        if len(value) < least or (most is not None and len(value) > most):
            words = f"{least} or more" if most is None else f"{least} to {most}"
            found.append(_flaw("length", path, f"expected an object of {words} fields"))
        for key, one in value.items():
            name(key, (path, key), found)
            part(one, (path, key), found)

    return check


def _struct(info: inspect.StructType) -> Check:
    fields = {field.encode_name: (_check(field.type), field.required) for field in info.fields}
    if info.tag_field is not None:
        fields[info.tag_field] = (_words((info.tag,)), True)
    needed = tuple(name for name, (_, required) in fields.items() if required)
    further = getattr(info.cls, "EXTENSIONS", None)
    form = _pattern(further) if further is not None else None

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if not isinstance(value, dict):
            found.append(_flaw("type", path, "expected an object"))
            return
        missing = (name for name in needed if name not in value)
        found.extend(_flaw("missing", path, f"{name} is missing") for name in missing)
        for name, one in value.items():
            known = fields.get(name)
            if known is not None:
                known[0](one, (path, name), found)
            elif info.forbid_unknown_fields and (form is None or form.search(name) is None):
                found.append(_flaw("unknown", (path, name), "there is no such field"))

    return check


def _union(info: inspect.UnionType) -> Check:
    """One of several shapes: the one whose tag it bears, or the first that fits, or what is wrong by the nearest."""
    parts = [_check(part) for part in info.types]
    structs = [part for part in info.types if isinstance(part, inspect.StructType) and part.tag_field is not None]
    tagged = {(one.tag_field, one.tag): _check(one) for one in structs}
    tag_field = structs[0].tag_field if structs else None

    def check(value: Json, path: Way, found: list[Flaw]) -> None:
        if tag_field is not None and isinstance(value, dict) and isinstance(tag := value.get(tag_field), (str, int)):
            named = tagged.get((tag_field, tag))
            if named is not None:
                return named(value, path, found)
        tried: list[list[Flaw]] = []
        for part in parts:
            here: list[Flaw] = []
            part(value, path, here)
            if not here:
                return None
            tried.append(here)
        nearest = min(tried, key=_distance)
        found.extend(nearest)
        return None

    return check


def _distance(tried: list[Flaw]) -> tuple[bool, int]:
    """How far a value is from a shape: another sort of value altogether is farther than any number of flaws in it."""
    return tried[0].code == "type" and len(tried) == 1, len(tried)
