"""The threads of a server, shared fairly: whoever burns more of the processor waits longer, and holds up nobody else.

Knows callers by name and what their calls cost. Knows nothing of requests, memories or what a call does.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Clock = Callable[[], float]

CALLER: ContextVar[tuple[str, str]] = ContextVar("caller", default=("", ""))
"""For whom a task works: a tenant, and an actor of it. Nobody in particular before a caller is known."""
AHEAD_S = 0.25
"""Who has used so many seconds of the processor more than another with work here gets one thread, not its share."""


class _Account:
    """What a caller or a tenant with work here has used of the processor, and what of it runs or waits."""

    def __init__(self, used: float) -> None:
        self.used = used
        self.running = 0
        self.jobs: deque[Callable[[], None]] = deque()
        self.work = 0


class FairThreads:
    """So many threads. No caller has more than half of them; of those who wait, the tenant and in it the caller that
    has used least of the processor is next. Who comes anew begins with the least that anybody here has used."""

    def __init__(self, threads: int, *, clock: Clock = time.thread_time) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="muniment-call")
        self._free = threads
        self._share = max(1, threads // 2)
        self._clock = clock
        self._turn = threading.Condition()
        self._callers: dict[tuple[str, str], _Account] = {}
        self._tenants: dict[str, _Account] = {}

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have a call run in a thread when it is its caller's turn."""
        caller, future = CALLER.get(), Future[T]()
        with self._turn:
            self._tenants.setdefault(caller[0], _Account(_least(self._tenants.values()))).work += 1
            own = self._callers.setdefault(caller, _Account(_least(self._callers.values())))
            own.work += 1
            own.jobs.append(lambda: self._work(caller, call, future))
            self._begin()
        return future

    def close(self) -> None:
        """Finish what runs and what waits."""
        with self._turn:
            self._turn.wait_for(lambda: not self._callers)
        self._pool.shutdown(wait=True)

    def _begin(self) -> None:
        """Begin what may begin. Called with the turn held."""
        least = _least(self._callers.values())
        while self._free:
            waiting = [
                (self._tenants[name[0]].used, one.used, name)
                for name, one in self._callers.items()
                if one.jobs and one.running < (self._share if one.used <= least + AHEAD_S else 1)
            ]
            if not waiting:
                return
            own = self._callers[min(waiting)[2]]
            own.running += 1
            self._free -= 1
            self._pool.submit(own.jobs.popleft())

    def _work(self, caller: tuple[str, str], call: Callable[[], T], future: Future[T]) -> None:
        began = self._clock()
        if future.set_running_or_notify_cancel():
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001  # handed to whoever waits, as a pool of threads does
                self._ended(caller, self._clock() - began)
                future.set_exception(error)
                return
        self._ended(caller, self._clock() - began)
        if not future.cancelled():
            future.set_result(result)

    def _ended(self, caller: tuple[str, str], used: float) -> None:
        with self._turn:
            self._free += 1
            own, tenant = self._callers[caller], self._tenants[caller[0]]
            own.running -= 1
            for one in (own, tenant):
                one.work -= 1
                one.used += used
            if not own.work:
                del self._callers[caller]
            if not tenant.work:
                del self._tenants[caller[0]]
            self._begin()
            self._turn.notify_all()


def _least(accounts: Iterable[_Account]) -> float:
    return min((one.used for one in accounts), default=0.0)
