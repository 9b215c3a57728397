"""Keeps the interpreter from ending while a thread is in a model's own code.

A daemon thread that comes back from compiled code after the interpreter has ended takes the process down with SIGABRT.
That is so for a run of the model, and also while it is loaded: its libraries are begun there. At exit the gate lets
nobody in any more and waits for those who are in: each is in there for one batch, or for one loading.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from muniment.model.errors import ModelUnavailable

EXIT_WAIT_S = 60.0
"""How long the end of the process waits. A batch takes well under a second, loading one or two."""


class ExitGate:
    """Counts who is in."""

    def __init__(self) -> None:
        self._begin()
        atexit.register(self._close)
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """A process that was forked has none of the threads that were counted."""
        self._changed = threading.Condition()
        self._running = 0
        self._closed = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        with self._changed:
            if self._closed:
                raise ModelUnavailable("the process is ending")
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._running == 0, EXIT_WAIT_S)


exit_gate = ExitGate()
