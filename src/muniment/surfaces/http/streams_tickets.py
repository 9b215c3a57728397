"""Tickets: short-lived leave to open one stream, for callers that cannot send a header. A key never stands in a URL."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from muniment.model.errors import Unauthenticated
from muniment.model.value import Value, canonical, read_canonical
from muniment.surfaces.reception.principal import Principal

_KEPT_MAX = 10_000
_SWEEP_EVERY = 100
_SUFFIX = ".ticket"


class Ticket(Value):
    """Whose ticket it is, for which agent, and until when on this machine's clock."""

    visitor: Principal
    agent: str
    ends: float


class Tickets:
    """The tickets that are out, of a server of one process. After a restart one asks for a new one."""

    def __init__(self, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._out: dict[str, Ticket] = {}

    def issue(self, visitor: Principal, agent: str) -> str:
        """A new ticket. The oldest go when there are too many: they are the next to end anyway."""
        self._sweep()
        while len(self._out) >= _KEPT_MAX:
            del self._out[next(iter(self._out))]
        name = secrets.token_urlsafe(32)
        self._out[name] = Ticket(visitor=visitor, agent=agent, ends=self._clock() + self.seconds)
        return name

    def take(self, name: str) -> Ticket:
        """Use a ticket up. One that was used, that ended or that never was: the same answer."""
        ticket = self._out.pop(name, None)
        if ticket is None or ticket.ends <= self._clock():
            raise Unauthenticated("ticket")
        return ticket

    def _sweep(self) -> None:
        """Tickets are kept in the order in which they end."""
        now = self._clock()
        while self._out and next(iter(self._out.values())).ends <= now:
            del self._out[next(iter(self._out))]


class SharedTickets:
    """The tickets that are out, of a server of several processes: a file for each, so that any of them can take it and
    one of them does. The name of a file is a digest: whoever can list the folder has no ticket."""

    def __init__(self, seconds: float, folder: Path, clock: Callable[[], float] = monotonic) -> None:
        self.seconds = seconds
        self._folder = folder
        self._clock = clock
        self._count = 0

    def issue(self, visitor: Principal, agent: str) -> str:
        """A new ticket. Those that ended unused are swept out now and then."""
        if self._count % _SWEEP_EVERY == 0:
            self._sweep()
        self._count += 1
        name = secrets.token_urlsafe(32)
        ticket = Ticket(visitor=visitor, agent=agent, ends=self._clock() + self.seconds)
        path = self._path(name)
        fresh = path.with_suffix(".new")
        fresh.write_bytes(canonical(ticket))
        fresh.rename(path)
        return name

    def take(self, name: str) -> Ticket:
        """Use a ticket up. Of several that try at once the one that moves the file away has it."""
        path = self._path(name)
        taken = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        try:
            path.rename(taken)
        except FileNotFoundError:
            raise Unauthenticated("ticket") from None
        ticket = read_canonical(taken.read_bytes(), Ticket)
        taken.unlink()
        if ticket.ends <= self._clock():
            raise Unauthenticated("ticket")
        return ticket

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()}{_SUFFIX}"

    def _sweep(self) -> None:
        """Take away what ended, and the oldest when there are too many: they are the next to end anyway."""
        there = sorted((ends, path) for path in self._folder.glob(f"*{_SUFFIX}") if (ends := _ends(path)) is not None)
        spare = max(0, len(there) - _KEPT_MAX)
        for number, (ends, path) in enumerate(there):
            if number < spare or ends <= self._clock():
                path.unlink(missing_ok=True)


def _ends(path: Path) -> float | None:
    """When a ticket ends; None if it was taken meanwhile."""
    try:
        return read_canonical(path.read_bytes(), Ticket).ends
    except FileNotFoundError:
        return None
