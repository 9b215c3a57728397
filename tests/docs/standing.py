"""A `muniment` that stands ready: one process with everything imported forks a child for each command of a sample.

Samples and tests start some hundreds of commands, and starting takes most of the time of each. `stand` puts a command
of the name into a folder; it hands its words, folder, environment and open streams to the standing process, whose child
runs the same `run` that the installed command does, and ends with the child's exit code. Commands that go on until they
are told to stop (`serve`, `mcp`) are started as installed unless the caller says otherwise: no signal passes the shim.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn, TextIO

import msgspec
from tests.patience import WAIT_S

READY = b"ready\n"
GOING_ON = ("serve", "mcp")
INSTALLED = Path(sys.executable).parent / "muniment"

_SHIM = """\
#!{python} -IS
import json, os, socket, sys

words = sys.argv[1:]
if any(word in {going_on!r} for word in words):
    os.execv({installed!r}, [{installed!r}, *words])
call = json.dumps({{"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}}).encode()
with socket.socket(socket.AF_UNIX) as wire:
    wire.connect({door!r})
    socket.send_fds(wire, [len(call).to_bytes(8, "big")], [0, 1, 2])
    wire.sendall(call)
    code = wire.recv(1)
sys.exit(code[0] if code else 70)
"""


class Call(msgspec.Struct):
    """One command, as it was called."""

    words: list[str]
    folder: str
    environment: dict[str, str]


@contextmanager
def stand(folder: Path, *, installed: tuple[str, ...] = GOING_ON, modules: tuple[str, ...] = ()) -> Iterator[Path]:
    """A folder that holds a `muniment` for the front of the path, as long as the standing process stands. `installed`
    are the commands that are started as installed, `modules` are imported besides those of the command line."""
    with TemporaryDirectory(prefix="m") as short:  # the name of a socket may not be long
        door = str(Path(short) / "door")
        with _standing(door, modules):
            shim = folder / "muniment"
            shim.write_text(
                _SHIM.format(python=sys.executable, going_on=installed, installed=str(INSTALLED), door=door)
            )
            shim.chmod(0o755)
            yield folder


@contextmanager
def _standing(door: str, modules: tuple[str, ...]) -> Iterator[None]:
    standing = subprocess.Popen(
        [sys.executable, "-m", "tests.docs.standing", door, *modules],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert standing.stdin is not None
    assert standing.stdout is not None
    try:
        assert select.select([standing.stdout], [], [], WAIT_S)[0], "the standing process did not get ready"
        assert standing.stdout.readline() == READY
        yield
    finally:
        standing.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(standing.pid, signal.SIGKILL)
        standing.wait(WAIT_S)
        standing.stdout.close()


def main(door: str, *modules: str) -> None:
    """Wait for calls until whoever started this process has gone."""
    from muniment.engine.vault import default_policy_text
    from muniment.policy.parse import parse_policy
    from muniment.surfaces.cli.command_table import declare_all

    declare_all()
    for module in modules:
        import_module(module)
    parse_policy(default_policy_text(), place="policy.yaml")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(door)
        listening.listen()
        os.write(1, READY)
        while True:
            ready, _, _ = select.select([listening.fileno(), 0], [], [])
            if 0 in ready:
                return
            wire, _ = listening.accept()
            if os.fork() == 0:
                _live(wire)
            wire.close()


def _live(wire: socket.socket) -> NoReturn:
    """The life of a child. If it fails its caller is sent no code, and ends with one that no command has."""
    try:
        _run(wire)
    finally:
        if (error := sys.exc_info()[1]) is not None:
            traceback.print_exception(error)
        os._exit(0)


def _run(wire: socket.socket) -> None:
    """Take the place of the command that called, and run it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(wire, 8, 3)
    call = msgspec.json.decode(_received(wire, int.from_bytes(size, "big")), type=Call)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(call.folder)
    os.environ.clear()
    os.environ.update(call.environment)
    sys.stdin, sys.stdout, sys.stderr = _stream(0), _stream(1), _stream(2)
    sys.argv = ["muniment", *call.words]
    from muniment.surfaces.cli import run

    code = int(run())
    sys.stdout.flush()
    sys.stderr.flush()
    wire.sendall(bytes([code]))


def _received(wire: socket.socket, size: int) -> bytes:
    with wire.makefile("rb") as reading:
        return reading.read(size)


def _stream(number: int) -> TextIO:
    return open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
