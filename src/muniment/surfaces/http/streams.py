"""Who is listening: the open streams of a server, and one watch per tenant that wakes them when its ledger has moved.

A watch runs only while somebody listens. It asks for the present epoch a few times a second, so that it also sees what
other processes write, and at once when this server has written something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from muniment.model.errors import OperationalError
from muniment.surfaces.http.streams_tickets import SharedTickets, Tickets
from muniment.surfaces.reception.reception import Reception
from muniment.surfaces.reception.visitor import Visitor

_PAUSE_SECONDS = 0.02
"""A watch rests so long between two looks, so that many writes become few frames."""


class Listener:
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


class Watch:
    """Looks where one tenant's ledger stands, for as long as anybody listens."""

    def __init__(self, reception: Reception, tenant: str) -> None:
        self.epoch = 0
        self.listeners: set[Listener] = set()
        self._reception = reception
        self._tenant = tenant
        self._nudged = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def nudge(self) -> None:
        self._nudged.set()

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(_PAUSE_SECONDS)
            try:
                async with asyncio.timeout(self._reception.settings.watch_ms / 1000):
                    await self._nudged.wait()
            except TimeoutError:
                continue
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

    def __init__(self, reception: Reception) -> None:
        self.reception = reception
        seconds, crew = reception.settings.ticket_seconds, reception.crew
        self.tickets = Tickets(seconds) if crew is None else SharedTickets(seconds, crew.path)
        self.closing = False
        self._watches: dict[str, Watch] = {}
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
    def listen(self, visitor: Visitor, carrier: str) -> Iterator[tuple[Watch, Listener]]:
        """A place among the streams, up to so many for each actor."""
        with self.reception.limits.stream(visitor), self.reception.telemetry.stream(carrier):
            watch = self._watches.get(visitor.tenant)
            if watch is None:
                watch = self._watches[visitor.tenant] = Watch(self.reception, visitor.tenant)
            listener = Listener()
            watch.listeners.add(listener)
            try:
                yield watch, listener
            finally:
                watch.listeners.discard(listener)
                if not watch.listeners:
                    watch.stop()
                    del self._watches[visitor.tenant]


_HUBS: WeakKeyDictionary[Reception, Hub] = WeakKeyDictionary()


def hub_of(reception: Reception) -> Hub:
    """The one hub of a reception."""
    if reception not in _HUBS:
        _HUBS[reception] = Hub(reception)
    return _HUBS[reception]
