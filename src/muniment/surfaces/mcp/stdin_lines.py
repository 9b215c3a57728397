"""Standard input line by line, read by a thread that nobody waits for, so that a signal can end whoever listens."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import anyio.from_thread
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

_CHUNK = 65_536
LINE_BYTES_MAX = 16_777_216


@contextmanager
def suppress_gone() -> Iterator[None]:
    """End as usual when whoever read our output has gone away: the rest is not wanted."""
    try:
        yield
    except* BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


async def end_on_signal(scope: anyio.CancelScope) -> None:
    """Cancel a scope when somebody asks the process to end."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()


class StdinLines:
    """Standard input as lines, one at a time. A line that is too long is handed on as one that no message is."""

    def __init__(self) -> None:
        self._token = anyio.lowlevel.current_token()
        streams = anyio.create_memory_object_stream[str](0)
        self._send: MemoryObjectSendStream[str] = streams[0]
        self._receive: MemoryObjectReceiveStream[str] = streams[1]
        threading.Thread(target=self._read, name="muniment-input", daemon=True).start()

    def __aiter__(self) -> StdinLines:
        return self

    async def __anext__(self) -> str:
        try:
            return await self._receive.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def _read(self) -> None:
        """In a thread of its own. It reads the descriptor itself: a lock of a buffer could not be given up at exit."""
        try:
            kept = bytearray()
            while chunk := os.read(0, _CHUNK):
                first, *rest = chunk.split(b"\n")
                kept += first[: LINE_BYTES_MAX + 1 - len(kept)]
                for piece in rest:
                    self._hand_on(kept)
                    kept = bytearray(piece)
            if kept:
                self._hand_on(kept)
            anyio.from_thread.run_sync(self._send.close, token=self._token)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError):
            return  # the server has ended; nobody reads on

    def _hand_on(self, line: bytearray) -> None:
        text = line.decode(errors="replace") if len(line) <= LINE_BYTES_MAX else ""
        anyio.from_thread.run(self._send.send, text, token=self._token)
