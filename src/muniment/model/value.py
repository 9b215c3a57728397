"""The one way a value is made: frozen, keyword-only, closed, and spelled the same in JSON every time."""

from __future__ import annotations

from typing import TypeVar, dataclass_transform

import msgspec

from muniment.model.errors import CallerError, IntegrityError

_V = TypeVar("_V", bound="Value")
_decoders: dict[type, msgspec.json.Decoder[Value]] = {}


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every value. A value checks itself once, when it is made; an invalid one cannot exist."""


_encoder = msgspec.json.Encoder(order="sorted")


def canonical(value: Value) -> bytes:
    """The canonical bytes of a value: UTF-8 JSON, keys sorted, no white space, defaults left out.

    For values without fractions this is RFC 8785 as well, so that another program can check a ledger.
    """
    return _encoder.encode(value)


def read_canonical(body: bytes, kind: type[_V]) -> _V:
    """Read back what `canonical` wrote. Anything else means the store was changed behind our back."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        value = decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, CallerError) as error:
        raise IntegrityError(f"a stored {kind.__name__} cannot be read: {error}") from None
    assert isinstance(value, kind)
    return value
