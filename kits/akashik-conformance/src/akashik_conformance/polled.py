"""A stream for bindings that do not push: it asks for what is new, and gives it out one by one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from akashik_conformance.binding import JsonObject

PAUSE_S = 0.05
Fetch = Callable[[int], tuple[list[JsonObject], int]]
"""What happened after an epoch, and up to which epoch that is all there is."""


class Polled:
    """Notices that are fetched. What was fetched once is not fetched again."""

    def __init__(self, fetch: Fetch, *, after: int) -> None:
        self._fetch, self._after = fetch, after
        self._waiting: deque[JsonObject] = deque()

    def next(self, wait_s: float) -> JsonObject | None:
        until = time.monotonic() + wait_s
        while not self._waiting:
            found, reached = self._fetch(self._after)
            self._waiting.extend(found)
            if not found and reached == self._after:
                if time.monotonic() > until:
                    return None
                time.sleep(PAUSE_S)
            self._after = reached
        return self._waiting.popleft()

    def close(self) -> None:
        self._waiting.clear()
