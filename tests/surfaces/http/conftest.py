"""A real server on a port the system chose, in a thread of its own. Knows no expected value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from starlette.routing import BaseRoute
from tests.patience import WAIT_S

from muniment import Memory
from muniment.config import ServerSettings
from muniment.model.times import Instant
from muniment.surfaces.http.app import build_app
from muniment.surfaces.http.server import Listening, bound, url_of
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import ServerContext, system_now


class Served:
    """A running server: its address, its reception, and its vault."""

    def __init__(self, url: str, reception: ServerContext, server: Listening) -> None:
        self.url = url
        self.reception = reception
        self._server = server

    @property
    def address(self) -> tuple[str, int]:
        found = httpx.URL(self.url)
        return found.host, found.port or 80

    @property
    def memory(self) -> Memory:
        """The memory of the server's own tenant, as its owner sees it."""
        return self.reception.owner(self.reception.settings.tenant)

    def key(self, wish: KeyRequest) -> str:
        """Make a key while the server runs; returns what a caller sends."""
        return keys.create(self.reception.settings.folder, wish, now=system_now())[1]

    def client(self, key: str | None = None) -> httpx.Client:
        headers = {"Muniment-Form": "values"} | ({"Authorization": f"Bearer {key}"} if key is not None else {})
        return httpx.Client(base_url=self.url, headers=headers, timeout=WAIT_S)

    def stop(self) -> None:
        """Ask it to end, as a signal would."""
        self._server.should_exit = True


Serve = Callable[..., Served]


@contextmanager
def serving(
    settings: ServerSettings, *, routes: list[BaseRoute] | None = None, now: Callable[[], Instant] = system_now
) -> Iterator[Served]:
    """A server for as long as the block lasts; it ends as it would by a signal."""
    reception = ServerContext(settings, now=now)
    listener = bound(settings)
    server = Listening(build_app(reception, routes), reception)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    url = url_of(listener)
    thread.start()
    try:
        yield Served(url, reception, server)
    finally:
        server.should_exit = True
        thread.join(timeout=WAIT_S)
        reception.close()
        listener.close()
        assert not thread.is_alive(), "the server did not end in time"


def settings_for(vault: Path, **said: object) -> ServerSettings:
    """Settings of a test server: a port of the system's choice, and what is said."""
    plain = {"vault": str(vault), "port": 0, "embedder": "none", "shutdown_seconds": 5.0, "log_level": "error"}
    return msgspec.convert({**plain, **said}, ServerSettings)


@pytest.fixture
def serve(vault: Path) -> Iterator[Serve]:
    """Start servers on this test's vault: `serve(level=2, routes=[…])`. They end with the test."""
    with ExitStack() as stack:

        def start(*, routes: list[BaseRoute] | None = None, **said: object) -> Served:
            return stack.enter_context(serving(settings_for(vault, **said), routes=routes))

        yield start


@pytest.fixture
def served(serve: Serve) -> Served:
    """A server that asks for no key: whoever calls is the owner."""
    return serve()


@pytest.fixture
def keyed(vault: Path, serve: Serve) -> tuple[Served, str]:
    """A server that asks for keys, and a key of a person with every grant and authority 10."""
    with Memory.open(vault):
        wish = KeyRequest.everything("ana")
        _, key = keys.create(vault, wish, now=system_now())
    return serve(), key
