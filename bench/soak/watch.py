"""Figures of a process and of a vault, taken every so often while a soak runs: what grows, and whether it should."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STATEMENTS = 200
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """`statement` is the time of a statement, divided by that of a fixed piece of work in the same moment: it does not
    move when the machine is busy. What a version does not tell is 0."""

    at: float
    records: int
    entries: int
    rss: dict[str, int]
    handles: dict[str, int]
    threads: dict[str, int]
    wal_bytes: int
    statement: float
    oldest_read_s: float
    trailing: int


def take(
    records: int, processes: dict[str, int], vault: Path, statement: Callable[[], object], told: dict[str, object]
) -> Sample:
    return Sample(
        at=time.monotonic(),
        records=records,
        entries=int(_number(told.get("entries"))),
        rss={name: rss_of(pid) for name, pid in processes.items()},
        handles={name: len(os.listdir(f"/proc/{pid}/fd")) for name, pid in processes.items()},
        threads={name: len(os.listdir(f"/proc/{pid}/task")) for name, pid in processes.items()},
        wal_bytes=sum(file.stat().st_size for file in vault.glob("*-wal")),
        statement=relative_time(statement),
        oldest_read_s=_number(told.get("oldest_read_s")),
        trailing=int(_number(told.get("vectors_trailing"))),
    )


def rss_of(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * _KIB
    return 0


def relative_time(statement: Callable[[], object]) -> float:
    """The median time of a statement over the median time of a loop of Python, taken by turns."""
    ours, fixed = list[float](), list[float]()
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(STATEMENTS):
            begun = time.thread_time()
            statement()
            between = time.thread_time()
            sum(number * number for number in range(300))
            ours.append(between - begun)
            fixed.append(time.thread_time() - between)
    finally:
        if enabled:
            gc.enable()
    return statistics.median(ours) / max(statistics.median(fixed), 1e-9)


def growth(values: list[float]) -> float:
    """The median of the last third over the median of the first: 1 when nothing grows."""
    third = max(1, len(values) // 3)
    first = statistics.median(values[:third])
    return statistics.median(values[-third:]) / first if first else 1.0


def _number(found: object) -> float:
    return float(found) if isinstance(found, int | float) else 0.0
