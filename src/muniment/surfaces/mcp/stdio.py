"""The server on standard input and output, for a client that starts it: one vault, one actor, until input ends.

Standard output carries the protocol alone. A signal ends the server as cleanly as the end of input does: what was
begun is finished, and the last checkpoint is signed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from muniment.engine import Memory
from muniment.model.actor import OWNER
from muniment.model.times import from_datetime
from muniment.surfaces.mcp.server import build_server
from muniment.surfaces.mcp.session import McpSession
from muniment.surfaces.mcp.stdin_lines import StdinLines, end_on_signal, suppress_gone
from muniment.surfaces.mcp.tool_profiles import ToolProfile
from muniment.surfaces.reception.denials import Denial, DenialLog
from muniment.surfaces.reception.principal import ANYONE, Principal

if TYPE_CHECKING:
    from muniment.compat.akashik import Field

T = TypeVar("T")
THREADS = 8
PEER = "stdio"


class LocalContext:
    """The desk of a server that one client started: everybody who writes to its input is that client."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._owner = memory.as_actor(OWNER)
        self._denials = DenialLog(lambda _: self._owner)
        self._opening = threading.Lock()
        self._field: Field | None = None
        self._threads = anyio.CapacityLimiter(THREADS)
        actor = memory.actor
        self._visitor = Principal(actor=actor, tenant=memory.tenant, agents=(ANYONE,) if actor.id == OWNER else ())

    def visitor(self, request: Request | None) -> Principal:
        return self._visitor

    def seat(self, visitor: Principal) -> McpSession:
        return McpSession(visitor, self._memory, self._shared_field)

    async def run(self, call: Callable[[], T]) -> T:
        """A call that was begun is finished, whether or not anybody still waits for it."""
        return await anyio.to_thread.run_sync(call, limiter=self._threads)

    def denied(self, visitor: Principal, request: Request | None, *, what: str, code: str) -> None:
        now = from_datetime(datetime.now(UTC), field="at")
        denial = Denial(what=what, code=code, peer=PEER, first=now, last=now, who=visitor.actor.id)
        self._denials.add(visitor.tenant, denial)

    def close(self) -> None:
        self._denials.close()

    def _shared_field(self) -> Field:
        from muniment.compat.akashik import Field

        with self._opening:
            if self._field is None:
                self._field = Field(self._owner)
            return self._field


def serve(memory: Memory, choice: ToolProfile) -> None:
    """Serve until standard input ends, nobody reads on, or somebody asks the process to end."""
    with suppress_gone():
        anyio.run(_serve, memory, choice)


async def _serve(memory: Memory, choice: ToolProfile) -> None:
    desk = LocalContext(memory)
    server = build_server(desk, choice)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(end_on_signal, group.cancel_scope)
            lines = StdinLines()
            async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (read, write):
                await server.run(read, write, server.create_initialization_options())
            group.cancel_scope.cancel()
    finally:
        desk.close()
