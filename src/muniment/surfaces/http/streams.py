"""Who is listening: the open streams of a server, and one watch per tenant that wakes them when its ledger has moved.

A watch runs only while somebody listens. It asks for the present epoch when the store says that there may be news, and
at once when this server has written something. It also asks by itself, so that it sees what other processes write where
the store cannot say so: a few times a second then, once a second otherwise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from muniment.engine.notebook import Notebook
from muniment.model.errors import OperationalError
from muniment.surfaces.http.streams_tickets import SharedTickets, Tickets
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext

_PAUSE_SECONDS = 0.02
"""A watch rests so long between two looks, so that many writes become few frames."""
_HEARD_SECONDS = 1.0
"""So often a watch looks without a hint while there are hints."""


class StreamListener:
    """One open stream, as far as waking it goes."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()

    def wake(self) -> None:
        self._wake.set()

    def wake_from_elsewhere(self) -> None:
        """The same from another thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake.set)

    async def wait(self, seconds: float) -> None:
        """Until something may be new, or so long."""
        try:
            async with asyncio.timeout(max(seconds, 0.0)):
                await self._wake.wait()
        except TimeoutError:
            return
        finally:
            self._wake.clear()


class StreamWatch:
    """Looks where one tenant's ledger stands, for as long as anybody listens."""

    def __init__(self, reception: ServerContext, tenant: str) -> None:
        self.epoch = 0
        self.listeners: set[StreamListener] = set()
        self._reception = reception
        self._tenant = tenant
        self._notebook = Notebook.of(reception.owner(tenant))
        self._nudged = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._run())

    def nudge(self) -> None:
        self._nudged.set()

    def nudge_from_elsewhere(self) -> None:
        """The same from another thread."""
        try:
            self._loop.call_soon_threadsafe(self._nudged.set)
        except RuntimeError:  # the loop is closed, and nobody listens any more
            return

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        often = self._reception.settings.watch_ms / 1000
        with self._notebook.watching(self.nudge_from_elsewhere) as heard:
            while True:
                await self._look()
                await asyncio.sleep(_PAUSE_SECONDS)
                await self._rest(max(often, _HEARD_SECONDS) if heard() else often)

    async def _rest(self, seconds: float) -> None:
        """Until there may be news, or so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._nudged.wait()
        except TimeoutError:
            return
        finally:
            self._nudged.clear()

    async def _look(self) -> None:
        """A store that cannot be read now may be readable later; the streams find out by themselves what is wrong."""
        try:
            epoch = await self._reception.run(self._present)
        except OperationalError:
            return
        if epoch != self.epoch:
            self.epoch = epoch
            for listener in self.listeners:
                listener.wake()

    def _present(self) -> int:
        return self._reception.field(self._tenant).epoch()


class Hub:
    """All streams of one server."""

    def __init__(self, reception: ServerContext) -> None:
        self.reception = reception
        seconds, crew = reception.settings.ticket_seconds, reception.crew
        self.tickets = Tickets(seconds) if crew is None else SharedTickets(seconds, crew.path)
        self.closing = False
        self._watches: dict[str, StreamWatch] = {}
        reception.when_closing(self.close)

    def close(self) -> None:
        """End every stream with a proper close. May be called from any thread."""
        self.closing = True
        _HUBS.pop(self.reception, None)
        for watch in tuple(self._watches.values()):
            for listener in tuple(watch.listeners):
                listener.wake_from_elsewhere()

    def nudge(self, tenant: str) -> None:
        """Something was written for this tenant."""
        watch = self._watches.get(tenant)
        if watch is not None:
            watch.nudge()

    @contextmanager
    def listen(self, visitor: Principal, carrier: str) -> Iterator[tuple[StreamWatch, StreamListener]]:
        """A place among the streams, up to so many for each actor."""
        with self.reception.limits.stream(visitor), self.reception.telemetry.stream(carrier):
            watch = self._watches.get(visitor.tenant)
            if watch is None:
                watch = self._watches[visitor.tenant] = StreamWatch(self.reception, visitor.tenant)
            listener = StreamListener()
            watch.listeners.add(listener)
            try:
                yield watch, listener
            finally:
                watch.listeners.discard(listener)
                if not watch.listeners:
                    watch.stop()
                    del self._watches[visitor.tenant]


_HUBS: WeakKeyDictionary[ServerContext, Hub] = WeakKeyDictionary()


def hub_of(reception: ServerContext) -> Hub:
    """The one hub of a reception."""
    if reception not in _HUBS:
        _HUBS[reception] = Hub(reception)
    return _HUBS[reception]
