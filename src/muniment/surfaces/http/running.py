"""Run a server from its settings until it is told to end."""

from __future__ import annotations

from collections.abc import Callable

from muniment.config import ServerSettings
from muniment.surfaces.http.app import build_app
from muniment.surfaces.http.server import Listening, bound, url_of
from muniment.surfaces.reception.reception import Reception

Greet = Callable[[Reception, str], None]
"""Called with the reception and the server's address, once it can be called and a signal ends it in good order."""


def run_server(settings: ServerSettings, greet: Greet) -> None:
    """Listen, serve, and end without losing anything."""
    listener = bound(settings)
    try:
        reception = Reception(settings)
        try:
            reception.telemetry.log.install()
            url = url_of(listener)
            Listening(build_app(reception), reception, ready=lambda: greet(reception, url)).run([listener])
        finally:
            reception.close()
    finally:
        listener.close()
