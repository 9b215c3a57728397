"""How long a test waits for what must come about: so long that only a broken program does not get there.

A machine that many share can be fifty times as slow as a quiet one. Nothing is measured with this bound.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

WAIT_S = 300


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for something to be so; fail with its name if it never is."""
    ends, pause = time.monotonic() + WAIT_S, threading.Event()
    while not true():
        assert time.monotonic() < ends, f"it never came about: {what}"
        pause.wait(0.01)
