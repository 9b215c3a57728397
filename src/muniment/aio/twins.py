"""Make the async form of a class: each public method runs in a thread, each iterator is read there a page at a time."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from itertools import islice
from typing import TypeVar

from muniment.model.arguments import bind

_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)
_PAGE = 1_000

run = asyncio.to_thread


def awaited(source: type) -> Callable[[_C], _C]:
    """Give a class an async twin of every public method of `source` that it does not define itself. Its instances hold
    the object that does the work as `_inner`."""

    def fill(kind: _C) -> _C:
        for name, member in vars(source).items():
            if name.startswith("_") or name in vars(kind):
                continue
            if isinstance(member, property):
                setattr(kind, name, property(_read(name), doc=member.__doc__))
            elif inspect.isfunction(member):
                setattr(kind, name, _stream(member) if _iterates(member) else _call(member))
        return kind

    return fill


def _iterates(method: Callable[..., object]) -> bool:
    return str(inspect.signature(method).return_annotation).startswith("Iterator[")


def _read(name: str) -> Callable[[object], object]:
    return lambda self: getattr(_inner(self), name)


def _call(method: Callable[..., object]) -> Callable[..., object]:
    async def started(self: object, args: tuple[object, ...], options: dict[str, object]) -> object:
        return await run(getattr(_inner(self), method.__name__), *args, **options)

    @wraps(method)
    def call(self: object, *args: object, **options: object) -> Coroutine[object, object, object]:
        bind(method, args, dict(options))  # a call that does not fit is refused before anything is awaited
        return started(self, args, options)

    return call


def _stream(method: Callable[..., object]) -> Callable[..., object]:
    @wraps(method)
    async def stream(self: object, *args: object, **options: object) -> AsyncIterator[object]:
        items = getattr(_inner(self), method.__name__)(*args, **options)
        while page := await run(_page, items):
            for one in page:
                yield one

    return stream


def _page(items: Iterator[_T]) -> tuple[_T, ...]:
    """The next part of a stream; empty when it is at its end."""
    return tuple(islice(items, _PAGE))


def _inner(twin: object) -> object:
    """The object that does the work."""
    return vars(twin)["_inner"]
