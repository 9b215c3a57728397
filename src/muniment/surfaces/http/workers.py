"""More than one process behind one address: this one listens and keeps the others, they accept and answer.

It answers nobody itself. A worker that dies is replaced; when they die one after the other it gives up, says so and
ends. When it is told to end it hands that on and waits; when it is killed its workers notice and end too.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

import msgspec

from muniment.config import ServerSettings
from muniment.model.errors import StoreUnavailable
from muniment.surfaces.http.worker import Errand
from muniment.surfaces.reception.worker_group import WorkerGroup
from muniment.surfaces.telemetry.logs import Log
from muniment.surfaces.telemetry.settings import LogLevel, telemetry_of

DEATHS_MAX = 5
DEATHS_WITHIN_S = 60.0
"""When so many workers have died within so long, a new one would die too."""
SLACK_S = 30.0
"""So much longer than its settings allow a worker may take to end."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Ready:
    """A worker accepts."""


class _Worker:
    """One worker, and the thread that tells what becomes of it."""

    def __init__(self, errand: Errand, events: SimpleQueue[Event]) -> None:
        self.number = errand.crew.worker
        self.ready = False
        self._events = events
        self._process = subprocess.Popen(
            [sys.executable, "-m", "muniment.surfaces.http.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=errand.sockets,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._write(msgspec.json.encode(errand) + b"\n")
        threading.Thread(target=self._watch, name=f"muniment-worker-{self.number}", daemon=True).start()

    def send(self, number: int) -> None:
        """Hand a signal on, unless the worker has ended already."""
        self._process.send_signal(number)

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # it has died; whoever watches it will say so

    def _watch(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self._process.stdout.readline():
            self._events.put((self, Ready()))
        code = self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._events.put((self, code))


Event = int | tuple[_Worker, "Ready | int"]
"""A signal; or a worker that accepts, or that has ended, with its exit code."""


def run_workers(settings: ServerSettings, listener: socket.socket, greet: Callable[[], None]) -> None:
    """Keep so many workers on a socket until told to end. `greet` is called when all of them accept."""
    folder = Path(tempfile.mkdtemp(prefix="muniment-crew-"))
    try:
        _Crew(settings, listener, folder).run(greet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Crew:
    def __init__(self, settings: ServerSettings, listener: socket.socket, folder: Path) -> None:
        self._settings = settings
        self._listener = listener
        self._folder = folder
        self._log = Log(telemetry_of(settings))
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._workers: dict[int, _Worker] = {}
        self._deaths: deque[float] = deque(maxlen=DEATHS_MAX)
        self._until: float | None = None
        self._failure: StoreUnavailable | None = None

    def run(self, greet: Callable[[], None]) -> None:
        with self._signals():
            greeted = False
            try:
                for number in range(self._settings.workers):
                    self._hire(number)
                while self._workers:
                    self._take(self._next(), greeted=greeted)
                    if not greeted and self._until is None and all(one.ready for one in self._workers.values()):
                        greeted = True
                        greet()
            finally:
                for worker in self._workers.values():
                    worker.send(signal.SIGKILL)
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def take(number: int, _: FrameType | None) -> None:
            self._events.put(number)

        before = [(number, signal.signal(number, take)) for number in _SIGNALS]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _hire(self, number: int) -> None:
        crew = WorkerGroup(worker=number, of=self._settings.workers, folder=str(self._folder))
        sockets = (self._listener.fileno(),)
        worker = _Worker(Errand(settings=self._settings, crew=crew, sockets=sockets), self._events)
        self._workers[number] = worker
        self._log.say(LogLevel.INFO, "worker_started", worker=number, pid=worker.pid)

    def _next(self) -> Event:
        if self._until is None:
            return self._events.get()
        try:
            return self._events.get(timeout=max(0.0, self._until - time.monotonic()))
        except Empty:
            raise StoreUnavailable(
                "a worker did not end in time and was killed; nothing acknowledged is lost"
            ) from None

    def _take(self, event: Event, *, greeted: bool) -> None:
        if isinstance(event, int):
            self._hand_on(event)
            return
        worker, what = event
        if isinstance(what, Ready):
            worker.ready = True
            return
        del self._workers[worker.number]
        if what == -signal.SIGTERM and not worker.ready:  # told to end before it had begun anything
            if self._until is None:
                self._hand_on(signal.SIGTERM)
        elif self._until is None:
            self._log.say(LogLevel.ERROR, "worker_died", worker=worker.number, pid=worker.pid, code=what)
            self._replace(worker, greeted=greeted)
        elif what != 0:
            self._failure = self._failure or StoreUnavailable(f"a worker ended with code {what}")

    def _replace(self, worker: _Worker, *, greeted: bool) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        often = len(self._deaths) == DEATHS_MAX and now - self._deaths[0] < DEATHS_WITHIN_S
        if greeted and not often:
            self._hire(worker.number)
            return
        why = "its workers died one after the other" if greeted else "a worker did not start"
        self._failure = StoreUnavailable(f"the server gave up: {why}")
        self._failure.hint = "What went wrong stands in the lines above, or in the system's log if it was killed."
        self._hand_on(signal.SIGTERM)

    def _hand_on(self, number: int) -> None:
        """Have the workers end; a second interrupt tells them not to wait for anybody."""
        again = self._until is not None
        for worker in self._workers.values():
            worker.send(number if again else signal.SIGTERM)
        if not again:
            self._listener.close()
            allowed = self._settings.drain_seconds + self._settings.shutdown_seconds + SLACK_S
            self._until = time.monotonic() + allowed
