"""Tell the guided tour, then serve what it left behind: `python -m examples.tour.showcase [FOLDER]`.

Everything it prints to try works as it stands: the address, a line for the shell, a configuration for an MCP client and
a few lines of Python.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import msgspec
from examples.tour import play, queue
from examples.tour.stage import MARKER

from muniment.config import ServerSettings, read_server
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.surfaces.cli.output import complain, prepare, write_text
from muniment.surfaces.http.running import run_server
from muniment.surfaces.http.server import bound
from muniment.surfaces.problems import ExitCode, problem_of
from muniment.surfaces.reception.server_context import ServerContext

INTERRUPTED = 130


def run(argv: Sequence[str] | None = None) -> int:
    """Tell the tour in the folder that is named, `muniment-tour` by default, and serve it until Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    prepare()
    try:
        return _shown(Path(words[0] if words else "muniment-tour"), words)
    except KeyboardInterrupt:
        write_text("\nThe tour was broken off; it begins anew the next time.\n")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # the outermost surface: nothing passes it
        problem = problem_of(error)
        complain(problem, as_json=False)
        return problem.exit


def _shown(folder: Path, words: Sequence[str]) -> int:
    with _held(folder), _listening() as asked_to_end:
        told = play.run(words)
        if asked_to_end.is_set():  # an interrupt that meets a finaliser is not raised, and still was meant
            raise KeyboardInterrupt
    if told != ExitCode.ANSWERED:
        return told
    with _held(folder):
        queue.lay(folder)
        run_server(_settings(folder), _greet)
    write_text("The server has ended; nothing was lost.\n")
    return ExitCode.ANSWERED


@contextmanager
def _listening() -> Iterator[threading.Event]:
    """Take note of Ctrl-C besides raising it."""
    heard = threading.Event()

    def noted(_: int, __: FrameType | None) -> None:
        heard.set()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only the main thread hears of signals
        yield heard
        return
    before = signal.signal(signal.SIGINT, noted)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep others from telling the tour anew in a folder that is in use: they would begin by taking it away."""
    if not folder.is_dir():
        yield
        return
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _lock(place)
        yield
    finally:
        os.close(place)


def _lock(place: int) -> None:
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConfigurationError(
            "folder", "another tour uses it", hint="End that one with Ctrl-C, or name another folder."
        ) from None


def _settings(folder: Path) -> ServerSettings:
    """The usual address, or any other if somebody listens there already."""
    settings = read_server(flags={"vault": str(folder.resolve()), "log_level": "warning"})
    try:
        bound(settings).close()
    except StoreUnavailable:
        return msgspec.structs.replace(settings, port=0)
    return settings


def _greet(reception: ServerContext, url: str) -> None:
    folder, python = reception.settings.vault, sys.executable
    client = {"command": python, "args": ["-m", "muniment", "mcp", "--vault", folder]}
    configuration = msgspec.json.encode({"mcpServers": {"muniment": client}}).decode()
    assert (Path(folder) / MARKER).is_file(), "the tour has been told here"
    question = "which Python does the nightly build run on?"
    write_text(
        f"""
The tour's memory is served at {url} (anyone on this machine, as the owner; no key is asked for).

Look at it: open {url}/ in a browser. Four proposals wait there for you, two records disagree, and agents are at work.

Ask it from another shell:

  curl -s {url}/api/recall -H 'content-type: application/json' -d '{{"query": "{question}"}}'

Give it to an MCP client:

  {configuration}

Or use it from Python ({python}):

  from muniment import Client
  with Client("{url}") as memory:
      print([found.record.content for found in memory.recall("{question}").records])

The API is described at {url}/openapi.json; agents meet in the shared field at {url}/v1 and over MCP at {url}/mcp.
Press Ctrl-C to end it.
"""
    )


if __name__ == "__main__":
    sys.exit(run())
