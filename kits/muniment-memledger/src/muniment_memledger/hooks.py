"""Functions of the caller that are told what happened. A hook that fails is on record and stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Hook = Callable[..., Awaitable[object] | object]


class LifecycleHooks:
    """Lists of functions, plain or async, by what they are told of."""

    def __init__(self) -> None:
        self.on_add: list[Hook] = []
        self.on_update: list[Hook] = []
        self.on_delete: list[Hook] = []
        self.on_status_change: list[Hook] = []
        self.on_outcome: list[Hook] = []
        self.on_conflict: list[Hook] = []
        self.on_promote: list[Hook] = []


async def tell(hooks: list[Hook], *words: object) -> list[BaseException]:
    """Call each hook in turn and return what they raised."""
    raised: list[BaseException] = []
    for hook in [*hooks]:
        (answer,) = await asyncio.gather(_call(hook, words), return_exceptions=True)
        if isinstance(answer, BaseException):
            raised.append(answer)
    return raised


async def _call(hook: Hook, words: tuple[object, ...]) -> object:
    answer = hook(*words)
    return await answer if isinstance(answer, Awaitable) else answer
