"""The one way a value is made: frozen, keyword-only, closed, and spelled the same in JSON every time."""

from __future__ import annotations

import re
from functools import cache
from typing import TypeVar, dataclass_transform

import msgspec

from muniment.model.decoding import decode_json
from muniment.model.errors import CallerError, IntegrityError

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
_V = TypeVar("_V", bound="Value")
_PLACE = re.compile(r" - at `(\$[A-Za-z0-9_.\[\]]{1,128})`")


class _Kind(msgspec.StructMeta):
    """Makes every value keyword-only, and leaves it out of the search for reference cycles: frozen values cannot form
    one. Neither option is handed down by itself."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object], **options: bool) -> _Kind:
        chosen = {"kw_only": True, "gc": False, **options}
        return super().__new__(cls, name, bases, body, **chosen)  # type: ignore[arg-type]  # all of ours are switches


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, metaclass=_Kind, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every value. A value checks itself once, when it is made; an invalid one cannot exist."""

    def to_dict(self) -> dict[str, Json]:
        """The value as JSON, in the flat form that every surface uses."""
        from muniment.model.form import form_of  # it knows the values that are made of this one

        return form_of(self)


@cache
def _foldable(kind: type[Value]) -> tuple[tuple[str, object], ...]:
    fields = msgspec.structs.fields(kind)
    return tuple((field.name, field.default) for field in fields if isinstance(field.default, (float, str, Value)))


def fold_defaults(value: Value) -> None:
    """Make every field that equals its default *be* its default.

    Defaults are left out of the canonical bytes by identity, so without this two equal values could be spelled
    differently. To be called when a value is made, by those that have fractions, texts or values as defaults.
    """
    for name, default in _foldable(type(value)):
        given = getattr(value, name)
        if given is not default and given == default:
            msgspec.structs.force_setattr(value, name, default)


def as_fraction(value: Value, name: str) -> None:
    """Make a whole number, or a negative zero, the one fraction it equals."""
    given = getattr(value, name)
    if type(given) is not float or given == 0.0:
        msgspec.structs.force_setattr(value, name, float(given) + 0.0)


_encoder = msgspec.json.Encoder(order="sorted")


def canonical(value: Value) -> bytes:
    """The canonical bytes of a value: UTF-8 JSON, keys sorted, no white space, defaults left out.

    For values without fractions this is RFC 8785 as well, so that another program can check a ledger.
    """
    return _encoder.encode(value)


def _place(sentence: str) -> str:
    """Where in a value something is wrong, as a library says it. Nothing else of what it says: it quotes."""
    found = _PLACE.search(sentence)
    return f", at {found[1]}" if found else ""


def read_canonical(body: bytes, kind: type[_V]) -> _V:
    """Read back what `canonical` wrote. Anything else means the store was changed behind our back."""
    try:
        value = decode_json(body, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, CallerError, TypeError, RecursionError) as error:
        raise IntegrityError(f"a stored {kind.__name__} cannot be read{_place(str(error))}") from None
    return value
