"""Tickets: short-lived leave to open one stream, for callers that cannot send a header. A key never stands in a URL."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from time import monotonic

from muniment.model.errors import Unauthenticated
from muniment.model.value import Value
from muniment.surfaces.reception.visitor import Visitor

_KEPT_MAX = 10_000


class Ticket(Value):
    """Whose ticket it is, for which agent, and until when on this machine's clock."""

    visitor: Visitor
    agent: str
    ends: float


class Tickets:
    """The tickets that are out. They live in this process only: after a restart one asks for a new one."""

    def __init__(self, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._out: dict[str, Ticket] = {}

    def issue(self, visitor: Visitor, agent: str) -> str:
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
