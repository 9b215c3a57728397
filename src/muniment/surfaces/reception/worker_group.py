"""The crew of a server: which of its processes this one is, what they share, and how big each one's part is."""

from __future__ import annotations

from pathlib import Path

import msgspec

from muniment.config import ServerSettings
from muniment.model.value import Value

SHARED_OUT = (
    "rate_burst",
    "failures_per_minute",
    "concurrent_per_actor",
    "waiting_max",
    "threads",
    "connections_max",
    "streams_per_actor",
)
"""Bounds that each process keeps by itself. The parts add up to the setting."""


class WorkerGroup(Value):
    """One of several processes that answer at one address. `worker` counts from 0. `folder` is open to this crew alone
    and gone when it is."""

    worker: int
    of: int
    folder: str

    @property
    def path(self) -> Path:
        return Path(self.folder)

    @property
    def first(self) -> bool:
        return self.worker == 0


def part_of(settings: ServerSettings, crew: WorkerGroup) -> ServerSettings:
    """The settings of one process of a crew. Nobody's part is nothing: where there is less than one for each, a server
    allows more than its setting.

    >>> whole = ServerSettings(threads=16, streams_per_actor=5, rate_per_second=300.0)
    >>> parts = [part_of(whole, WorkerGroup(worker=number, of=3, folder="")) for number in range(3)]
    >>> [part.threads for part in parts], [part.streams_per_actor for part in parts], parts[0].rate_per_second
    ([6, 5, 5], [2, 2, 1], 100.0)
    """
    parts: dict[str, int] = {name: max(1, _part(getattr(settings, name), crew)) for name in SHARED_OUT}
    return msgspec.structs.replace(settings, rate_per_second=settings.rate_per_second / crew.of, **parts)


def _part(whole: int, crew: WorkerGroup) -> int:
    return whole // crew.of + (crew.worker < whole % crew.of)
