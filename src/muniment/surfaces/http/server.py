"""The server itself: one process that listens, bounds what a connection may cost, and ends without losing anything."""

from __future__ import annotations

import asyncio
import errno
import math
import socket
from asyncio import TimerHandle
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.surfaces.reception.server_context import ServerContext
from muniment.surfaces.reception.settings import ServerSettings

STREAM_FRAME_BYTES_MAX = 16_384
BACKLOG = 1024
AROUND_BYTES_MAX = 16
"""So many bytes may be put around each byte of a body that is sent in pieces."""
STREAMS_END_S = 2.0
_PAUSE_S = 0.01


def bound(settings: ServerSettings) -> socket.socket:
    """A socket at the server's address."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise ConfigurationError("host", "an address or a name of this machine") from None
    listener = socket.socket(family, kind, number)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise ConfigurationError("host", "an address of this machine") from None
        refusal = StoreUnavailable(f"port {settings.port} cannot be listened on: {error.strerror}")
        refusal.hint = "Stop whoever listens there, or choose another with --port; --port 0 lets the system choose."
        raise refusal from None
    return listener


def url_of(listener: socket.socket) -> str:
    """Where a socket can be called."""
    host, port = listener.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def _silent() -> None:
    return None


class Listening(uvicorn.Server):
    """A server that says when it is ready, and tells the reception first when it is to end."""

    def __init__(
        self,
        app: ASGIApp,
        reception: ServerContext,
        *,
        ready: Callable[[], None] = _silent,
        told: Callable[[], bool] = lambda: False,
    ) -> None:
        settings = reception.settings
        bounded = type("Bounded", (_Bounded,), {"settings": settings})
        bounded_socket = type("BoundedSocket", (_BoundedSocket,), {"settings": settings})
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http=bounded,
                ws=bounded_socket,
                ws_max_size=STREAM_FRAME_BYTES_MAX,
                ws_ping_interval=settings.heartbeat_seconds,
                ws_ping_timeout=settings.stall_seconds,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=settings.connections_max,
                timeout_keep_alive=math.ceil(settings.idle_seconds),
                timeout_graceful_shutdown=math.ceil(settings.shutdown_seconds),
            )
        )
        self._reception = reception
        self._ready = ready
        self._told = told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """From here on a signal ends the server in good order."""
        await super().startup(sockets)
        self._ready()
        if self._told():
            asyncio.get_running_loop().call_soon(self._end)

    def _end(self) -> None:
        """End as by a signal: it came before anybody listened for one."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that the end is near, let balancers and streams take notice, and only then stop accepting."""
        self._reception.begin_closing()
        await asyncio.sleep(self._reception.settings.drain_seconds)
        until = asyncio.get_running_loop().time() + STREAMS_END_S
        while self._reception.limits.streams_open and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(_PAUSE_S)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As the server does, but a signal to end is answered by ending: it is not raised again afterwards."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


class _Read(asyncio.Protocol):
    """A connection whose other end must read: what stays unread for too long is dropped with its connection. A stream
    that goes unread has the time to say so first."""

    settings: ServerSettings
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _unread: TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        if not self.transport.is_closing():
            self._stop_waiting_for_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting_for_reader()
        super().connection_lost(exc)

    def _wait_for_reader(self) -> None:
        if self._unread is None:
            seconds = 2 * (self.settings.stall_seconds + self.settings.heartbeat_seconds)
            self._unread = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting_for_reader(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


class _BoundedSocket(_Read, WebSocketsSansIOProtocol):
    """A WebSocket whose other end must read."""


class _Bounded(_Read, HttpToolsProtocol):
    """A connection whose heads must be short and come in time. Bodies are bounded by whoever reads them; what is put
    around their pieces is bounded here, and trailers are not taken."""

    _patience: TimerHandle | None = None
    _head: int = 0
    _around: int = 0
    _reading_head: bool = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the library has it
        super().connection_made(transport)
        self._wait(self.settings.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._reading_head:
            if self._patience is None:
                self._wait(self.settings.header_seconds)
            self._head += len(data)
        else:
            self._around += len(data)
        super().data_received(data)
        if max(self._head, self._around) > self.settings.header_bytes_max + self.settings.url_bytes_max:
            self._give_up()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take what stands in the head alone: what is said after the body was not there when the doors looked."""
        if self._reading_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._reading_head, self._head, self._around = False, 0, 0
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._around = max(0, self._around - AROUND_BYTES_MAX * len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stop_waiting()
        super().on_message_complete()
        self._reading_head, self._around = True, 0

    def on_response_complete(self) -> None:
        """An answer may go out before its request is all there; the rest is not waited for without end."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._wait_for_reader()
        elif not self._reading_head:
            self._wait(self.settings.body_seconds)

    def timeout_keep_alive_handler(self) -> None:
        self._give_up()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
            self._wait_for_reader()
