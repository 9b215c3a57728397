"""Typed decoding with msgspec. All decoders of the package are made here, one thread at a time.

msgspec 0.22 ends the process when one thread uses a type that another thread is describing for the first time: it
publishes the description before it has filled it in. Importing a module is no protection, because two threads can
import two modules that share a type. So each type is described under one lock before anything is decoded into it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
DecodeHook = Callable[[Any, Any], Any]
_describing = threading.RLock()
os.register_at_fork(
    before=_describing.acquire, after_in_parent=_describing.release, after_in_child=_describing.release
)  # a child that inherits a half-filled description would crash on first use


@cache
def _described(kind: Any) -> msgspec.json.Decoder[Any]:  # a type expression: a class, a union, `list[…]`
    with _describing:
        return _described_once(kind)


@cache
def _described_once(kind: Any) -> msgspec.json.Decoder[Any]:
    """Asked for under the lock only. The cache around the lock answers without it, but lets threads in together."""
    return msgspec.json.Decoder(kind)


@overload
def json_decoder(kind: type[T], *, dec_hook: DecodeHook | None = None) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any, *, dec_hook: DecodeHook | None = None) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any, *, dec_hook: DecodeHook | None = None) -> msgspec.json.Decoder[Any]:
    """The JSON decoder of a type. Without a hook there is one per type, however often it is asked for."""
    if dec_hook is None:
        return _described(kind)
    with _describing:
        return msgspec.json.Decoder(kind, dec_hook=dec_hook)


def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """The MessagePack decoder of a type."""
    with _describing:
        return msgspec.msgpack.Decoder(kind)


@overload
def decode_json(data: bytes | str, kind: type[T]) -> T: ...
@overload
def decode_json(data: bytes | str, kind: Any) -> Any: ...
def decode_json(data: bytes | str, kind: Any) -> Any:
    """Decode JSON text into a type."""
    return _described(kind).decode(data)


@overload
def convert(
    value: object,
    kind: type[T],
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: DecodeHook | None = None,
) -> T: ...
@overload
def convert(
    value: object, kind: Any, *, strict: bool = True, from_attributes: bool = False, dec_hook: DecodeHook | None = None
) -> Any: ...
def convert(
    value: object, kind: Any, *, strict: bool = True, from_attributes: bool = False, dec_hook: DecodeHook | None = None
) -> Any:
    """Convert plain data, or with `from_attributes` another value's fields, into a type."""
    _described(kind)
    return msgspec.convert(value, kind, strict=strict, from_attributes=from_attributes, dec_hook=dec_hook)
