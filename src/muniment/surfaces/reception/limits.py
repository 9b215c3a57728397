"""How much a caller may ask for: requests a second, requests and streams at once, failures to say who it is."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address

from muniment.config import ServerSettings
from muniment.model.errors import TooManyRequests
from muniment.surfaces.reception.principal import Principal

Clock = Callable[[], float]
NAMES_MAX = 10_000
_SOON_S = 1.0


class RateLimit:
    """A bucket for each name: it holds `burst` at most and fills by `per_second`. A rate of 0 limits nothing."""

    def __init__(self, per_second: float, burst: float, *, clock: Clock = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._turn = threading.Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """Take one. Returns 0, or in how many seconds there will be one again.

        >>> rate = RateLimit(2.0, 1, clock=lambda: 0.0)
        >>> rate.take("ana"), rate.take("ana"), rate.take("ben")
        (0.0, 0.5, 0.0)
        """
        if self._per_second <= 0:
            return 0.0
        with self._turn:
            now = self._clock()
            level, at = self._levels.pop(name, (self._burst, now))
            level = min(self._burst, level + (now - at) * self._per_second)
            enough = level >= 1
            self._levels[name] = (level - 1 if enough else level, now)
            if len(self._levels) > NAMES_MAX:
                self._levels.popitem(last=False)
        return 0.0 if enough else (1 - level) / self._per_second


class ConcurrencyLimit:
    """At most so many of each name at once."""

    def __init__(self, what: str, most: int) -> None:
        self._what = what
        self._most = most
        self._turn = threading.Lock()
        self._taken: dict[str, int] = {}

    @property
    def taken(self) -> int:
        """How many places are taken, of all names together."""
        with self._turn:
            return sum(self._taken.values())

    def enter(self, name: str) -> Callable[[], None]:
        """Take a place; what is returned gives it back, once."""
        with self._turn:
            taken = self._taken.get(name, 0)
            if taken >= self._most:
                raise TooManyRequests(self._what, retry_after=_SOON_S)
            self._taken[name] = taken + 1
        left = False

        def leave() -> None:
            nonlocal left
            with self._turn:
                if left:
                    return
                left = True
                remaining = self._taken[name] - 1
                if remaining:
                    self._taken[name] = remaining
                else:
                    del self._taken[name]

        return leave


class ServerLimits:
    """The limits of one server. Nobody is slowed down by what others do."""

    def __init__(self, settings: ServerSettings, *, clock: Clock = time.monotonic) -> None:
        self._rate = RateLimit(settings.rate_per_second, settings.rate_burst, clock=clock)
        self._failures = RateLimit(settings.failures_per_minute / 60, settings.failures_per_minute, clock=clock)
        self._requests = ConcurrencyLimit("requests under way", settings.concurrent_per_actor)
        self._streams = ConcurrencyLimit("open streams", settings.streams_per_actor)

    def ask(self, visitor: Principal) -> None:
        """Count a request. Whoever is alone on the machine shares with nobody, and is not held to a rate."""
        if visitor.anonymous:
            return
        wait = self._rate.take(_name(visitor))
        if wait > 0:
            raise TooManyRequests("requests", retry_after=wait)

    def failed(self, peer: str) -> None:
        """Count a failure to say who one is."""
        wait = self._failures.take(_block(peer))
        if wait > 0:
            raise TooManyRequests("attempts to authenticate", retry_after=wait)

    def enter(self, visitor: Principal) -> Callable[[], None]:
        """Take a place for a request; what is returned gives it back."""
        return self._requests.enter(_name(visitor))

    @property
    def streams_open(self) -> int:
        return self._streams.taken

    @contextmanager
    def stream(self, visitor: Principal) -> Iterator[None]:
        """A place for a stream, for as long as the block lasts."""
        leave = self._streams.enter(_name(visitor))
        try:
            yield
        finally:
            leave()


def _name(visitor: Principal) -> str:
    return f"{visitor.tenant}/{visitor.actor.id}"


def _block(peer: str) -> str:
    """An address, or for IPv6 the block that one household is given. An IPv4 address stays one, however it is spelled.

    >>> _block("192.0.2.7"), _block("::ffff:192.0.2.7"), _block("2001:db8:1:2:3::4"), _block("unix")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::', 'unix')
    """
    try:
        found = ip_address(peer)
    except ValueError:
        return peer
    if not isinstance(found, IPv6Address):
        return peer
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
