"""Run a server from its settings until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable

import msgspec

from muniment.config import ServerSettings
from muniment.surfaces.http.app import build_app
from muniment.surfaces.http.server import Listening, bound, url_of
from muniment.surfaces.http.workers import run_workers
from muniment.surfaces.reception.server_context import ServerContext

Greet = Callable[[ServerContext, str], None]
"""Called with the reception and the server's address, once it can be called and a signal ends it in good order. Of a
server of several processes the reception is closed already: it tells how the server is set up."""


def run_server(settings: ServerSettings, greet: Greet) -> None:
    """Listen, serve, and end without losing anything."""
    listener = bound(settings)
    try:
        if settings.workers > 1:
            _run_several(settings, listener, greet)
        else:
            _run_alone(settings, listener, greet)
    finally:
        listener.close()


def _run_alone(settings: ServerSettings, listener: socket.socket, greet: Greet) -> None:
    url, reception = url_of(listener), ServerContext(settings)
    try:
        reception.telemetry.log.install()
        Listening(build_app(reception), reception, ready=lambda: greet(reception, url)).run([listener])
    finally:
        reception.close()


def _run_several(settings: ServerSettings, listener: socket.socket, greet: Greet) -> None:
    """Make the vault if it is not there, and meet what stands in the way, before there is anybody to share it with."""
    url, reception = url_of(listener), ServerContext(msgspec.structs.replace(settings, embedder="none"))
    reception.close()
    run_workers(settings, listener, lambda: greet(reception, url))
