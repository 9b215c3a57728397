"""Tell the tracer when a method of `Memory` or of a part begins and ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from muniment.engine.session import Sessioned

P = ParamSpec("P")
S = TypeVar("S", bound=Sessioned)
T = TypeVar("T")


def watched(name: str) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Tell the tracer that an operation of this name begins and ends, and what came of it. Nothing came of what was
    only rehearsed."""

    def wrap(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def told(self: S, /, *args: P.args, **options: P.kwargs) -> T:
            with self._session.watch(name, args[0] if args else None) as operation:
                answer = method(self, *args, **options)
                if options.get("dry_run") is not True:
                    operation.told(answer)
                return answer

        return told

    return wrap
