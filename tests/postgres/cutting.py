"""A wire to a server that breaks after a given number of messages, or so many after certain words."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from tests.patience import WAIT_S

_PIECE = 65_536


class Wire:
    """A socket that passes everything on to a server's socket, until it is told to break.

    It breaks after so many more messages of clients: the server does what they say, and nobody hears its answer.
    """

    def __init__(self, folder: Path, server: Path, *, port: int = 5432) -> None:
        self.folder = folder
        self._server = str(server / f".s.PGSQL.{port}")
        self._left: int | None = None
        self._cue: tuple[bytes, int] | None = None
        self._counting = threading.Lock()
        self.passed = 0
        self.broken = 0
        self._threads: list[threading.Thread] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / f".s.PGSQL.{port}"))
        self._listening.listen()
        self._start(self._accept)

    def break_after(self, messages: int) -> None:
        """Let so many messages through and no more, on whatever connection; those that are made afterwards are well."""
        with self._counting:
            self._left = messages

    def mend(self) -> None:
        """Let everything through, whether or not it has come to the break."""
        with self._counting:
            self._left = None

    def break_after_saying(self, words: bytes, *, then: int) -> None:
        """The same, counted from the next message that has these words in it."""
        with self._counting:
            self._cue = (words, then)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(WAIT_S)
            assert not thread.is_alive(), "somebody is still connected"

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self, task: Callable[[], None]) -> None:
        thread = threading.Thread(target=task, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed: there are no more clients to come
                return
            server = socket.socket(socket.AF_UNIX)
            server.settimeout(WAIT_S)
            server.connect(self._server)
            pair = _Pair(client, server)
            self._start(pair.answer)
            self._start(partial(self._ask, pair))

    def _ask(self, pair: _Pair) -> None:
        """Pass on what the client says, message by message."""
        with pair.client.makefile("rb") as said:
            first = True
            while message := _message(said, first=first):
                first = False
                if not self._may_pass(message):
                    break
                pair.server.sendall(message)
            pair.end()

    def _may_pass(self, message: bytes) -> bool:
        with self._counting:
            if self._cue is not None and self._cue[0] in message:
                self._left, self._cue = self._cue[1] + 1, None
            if self._left == 0:
                self._left = None
                self.broken += 1
                return False
            if self._left is not None:
                self._left -= 1
            self.passed += 1
            return True


class _Pair:
    """A client and the server's end that belongs to it."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self._deaf = threading.Event()
        self._answered = threading.Event()

    def told(self, message: bytes) -> bool:
        """Pass a message on, if the server still listens."""
        try:
            self.server.sendall(message)
        except OSError:
            return False
        return True

    def answer(self) -> None:
        """Pass on what the server says; what it says after the break is lost."""
        with self.server:
            while piece := self._heard():
                if not self._deaf.is_set():
                    try:
                        self.client.sendall(piece)
                    except OSError:
                        self._deaf.set()
        self._answered.set()

    def _heard(self) -> bytes:
        try:
            return self.server.recv(_PIECE)
        except ConnectionError:  # hung up without a word
            return b""

    def end(self) -> None:
        """Let the server finish what it was told, hear nothing of it, and hang up."""
        self._deaf.set()
        with self.client:
            with suppress(OSError):  # the server has hung up already
                self.server.shutdown(socket.SHUT_WR)
            assert self._answered.wait(WAIT_S), "the server does not end"


def _message(said: BinaryIO, *, first: bool) -> bytes:
    """The next message of a client, whole; nothing when it has gone. The first one has no letter before its length."""
    head = said.read(4 if first else 5)
    return head + said.read(int.from_bytes(head[-4:]) - 4) if len(head) >= 4 + (not first) else b""
