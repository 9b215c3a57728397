"""One caller at work: who it is, the memory as it sees it, and the Field of its tenant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from starlette.requests import Request

from muniment.engine import Memory
from muniment.surfaces.reception.visitor import Visitor

if TYPE_CHECKING:
    from muniment.compat.akashik import Field

T = TypeVar("T")


class Seat:
    """A visitor's place: its memory is open, its Field opens when it is asked for."""

    def __init__(self, visitor: Visitor, memory: Memory, field: Callable[[], Field]) -> None:
        self.visitor = visitor
        self.memory = memory
        self.field = field


class Desk(Protocol):
    """What a transport knows and a tool does not: who sent a message, where the work is done, who hears of a denial."""

    def visitor(self, request: Request | None) -> Visitor: ...

    def seat(self, visitor: Visitor) -> Seat: ...

    async def run(self, call: Callable[[], T]) -> T: ...

    def denied(self, visitor: Visitor, request: Request | None, *, what: str, code: str) -> None: ...
