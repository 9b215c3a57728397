"""What we ask of whoever watches the engine work: to be told of each operation, its steps and what came of it."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from muniment.model.actor import Actor


class Operation(Protocol):
    """One operation while it runs. Its steps may be told from another thread than the one that waits for it."""

    def lap(self, step: str) -> None:
        """The step of this name ends now, and the next one begins. A step told again begins the rest anew: a job
        may run more than once."""

    def told(self, answer: object) -> None:
        """What came of it. Not kept longer than it takes to read figures and names from it."""

    def __enter__(self) -> Operation: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Tracer(Protocol):
    def operation(self, name: str, *, tenant: str, actor: Actor, about: object = None) -> Operation:
        """An operation of this name begins, about a claim, a query, or the id of a record or a proposal."""


class Unwatched:
    """Nobody watches: costs as good as nothing."""

    def __repr__(self) -> str:
        return "UNWATCHED"

    def operation(self, name: str, *, tenant: str, actor: Actor, about: object = None) -> Operation:
        return self

    def lap(self, step: str) -> None:
        return

    def told(self, answer: object) -> None:
        return

    def __enter__(self) -> Operation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


UNWATCHED = Unwatched()
