"""HTTP by hand: bytes out, bytes in, over a plain socket. Knows no expected value."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterable

from tests.patience import WAIT_S


class Wire:
    """One connection to a server."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, timeout=WAIT_S)

    def send(self, *parts: bytes) -> None:
        for part in parts:
            self._socket.sendall(part)

    def read(self) -> bytes:
        """Everything until the server closes the connection."""
        found = []
        try:
            while piece := self._socket.recv(65_536):
                found.append(piece)
        except ConnectionResetError:
            found.append(b"")
        return b"".join(found)

    def read_until(self, mark: bytes) -> bytes:
        found = b""
        while mark not in found:
            piece = self._socket.recv(65_536)
            if not piece:
                break
            found += piece
        return found

    def answered(self) -> bool:
        """Whether anything has come back yet."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._socket.close()


def exchange(address: tuple[str, int], *parts: bytes) -> bytes:
    """Send, and read until the server closes."""
    wire = Wire(address)
    try:
        wire.send(*parts)
        return wire.read()
    finally:
        wire.close()


def head(line: str, headers: Iterable[str] = ()) -> bytes:
    """The head of a request that asks for the connection to be closed."""
    lines = [line, "Host: 127.0.0.1", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode()


def status_in(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0
