"""One of several processes that answer at one address: `python -m muniment.surfaces.http.worker`, started by another.

What it is to do comes as the first line of its standard input. When that closes, whoever started it is gone, and it
ends as it would by a signal: no process is left behind by a server that was killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType

from muniment.config import ServerSettings
from muniment.model.decoding import decode_json
from muniment.model.value import Value
from muniment.surfaces.cli.output import complain, prepare
from muniment.surfaces.http.app import build_app
from muniment.surfaces.http.server import Listening
from muniment.surfaces.problems import ExitCode, problem_of
from muniment.surfaces.reception.server_context import ServerContext
from muniment.surfaces.reception.worker_group import WorkerGroup, part_of
from muniment.surfaces.telemetry.logs import Log
from muniment.surfaces.telemetry.settings import TelemetrySettings

READY = b"ready\n"


class Errand(Value):
    """What a worker is to do: by which settings, as which of the crew, and on which sockets, by their numbers."""

    settings: ServerSettings
    crew: WorkerGroup
    sockets: tuple[int, ...]


class _Told:
    """Whether this process was told to end, from its first line on: before it listens that is only remembered, and once
    it has stopped listening it changes nothing."""

    def __init__(self) -> None:
        self.yes = False
        signal.signal(signal.SIGTERM, self._take)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.yes = True


def serve_as(errand: Errand, told: Callable[[], bool] = lambda: False) -> None:
    """Accept and answer until told to end, and lose nothing."""
    sockets = [socket.socket(fileno=number) for number in errand.sockets]
    reception = ServerContext(part_of(errand.settings, errand.crew), crew=errand.crew)
    try:
        reception.telemetry.log.install()
        Listening(build_app(reception), reception, ready=_say_ready, told=told).run(sockets)
    finally:
        reception.close()


def _say_ready() -> None:
    os.write(sys.stdout.fileno(), READY)


class _Lifeline:
    """The standard input: it stays open for as long as whoever started this process lives."""

    def __init__(self) -> None:
        self.cut = False
        self._file = sys.stdin.fileno()

    def errand(self) -> Errand:
        line = b""
        while not line.endswith(b"\n"):
            more = os.read(self._file, 65_536)
            if not more:
                raise EOFError("nobody said what to do")
            line += more
        return decode_json(line, Errand)

    def watch(self) -> None:
        threading.Thread(target=self._wait, name="muniment-lifeline", daemon=True).start()

    def _wait(self) -> None:
        while os.read(self._file, 1_024):
            continue
        self.cut = True
        os.kill(os.getpid(), signal.SIGTERM)


def main() -> int:
    told = _Told()
    prepare()
    try:
        lifeline = _Lifeline()
        errand = lifeline.errand()
        lifeline.watch()
        serve_as(errand, lambda: told.yes)
        if lifeline.cut:
            shutil.rmtree(errand.crew.path, ignore_errors=True)
    except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
        Log(TelemetrySettings()).failed(None, error)
        problem = problem_of(error)
        complain(problem, as_json=False)
        return problem.exit
    return ExitCode.ANSWERED


if __name__ == "__main__":
    sys.exit(main())
