"""One caller at work: who it is, the memory as it sees it, and the Field of its tenant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from starlette.requests import Request

from muniment.engine import Memory
from muniment.surfaces.reception.principal import Principal

if TYPE_CHECKING:
    from muniment.compat.akashik import Field

T = TypeVar("T")


class McpSession:
    """A visitor's place: its memory is open, its Field opens when it is asked for."""

    def __init__(self, visitor: Principal, memory: Memory, field: Callable[[], Field]) -> None:
        self.visitor = visitor
        self.memory = memory
        self.field = field


class CallContext(Protocol):
    """What a transport knows and a tool does not: who sent a message, where the work is done, who hears of a denial."""

    def visitor(self, request: Request | None) -> Principal: ...

    def seat(self, visitor: Principal) -> McpSession: ...

    async def run(self, call: Callable[[], T]) -> T: ...

    def denied(self, visitor: Principal, request: Request | None, *, what: str, code: str) -> None: ...
