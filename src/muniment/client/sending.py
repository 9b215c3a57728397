"""Send requests, and send them again where an answer is lost: each counts once however often it arrives."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
import uuid
from collections.abc import Iterator, Mapping

import httpx

from muniment.client.calls import Wanted, answer_of, prepare, ready
from muniment.client.problems import closed, error_of, in_use, unreachable
from muniment.config import read_environment
from muniment.model.errors import ConfigurationError, Unauthenticated
from muniment.model.value import Value

TRIES = 4
TIMEOUT_S = 30.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_LATER = frozenset({429, 503})
_CONNECTIONS = httpx.Limits(max_connections=64, max_keepalive_connections=32)


class Address:
    """Where the server is and with which key it is called. The key is shown nowhere."""

    def __init__(self, url: str | None, key: str | None) -> None:
        config = read_environment()
        self.url = (url or config.url).rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise ConfigurationError("url", "the address of a server, such as http://127.0.0.1:8765")
        secret = key if key is not None else config.key
        if secret is not None and not (secret.isascii() and secret.isprintable() and " " not in secret):
            raise Unauthenticated("key")
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def __repr__(self) -> str:
        return f"Address({self.url!r})"


def _pauses() -> Iterator[float]:
    """How long to wait before each further try: longer each time, and never the same for two clients."""
    pause = _FIRST_PAUSE_S
    for _ in range(TRIES - 1):
        yield pause * (0.5 + random.random())  # spreads retries, protects nothing
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def _patience(response: httpx.Response, pause: float) -> float:
    said = response.headers.get("retry-after", "")
    return min(float(said), _LONGEST_PAUSE_S) if said.isdigit() else pause


def _later(response: httpx.Response) -> bool:
    """Whether the server asks for the same again later: nothing was done, or it is being done by the first try."""
    return response.status_code in _LATER or in_use(response.status_code, response.content)


def _trusted(url: str) -> ssl.SSLContext | bool:
    """Whose certificates count: those the library brings, and those of this machine."""
    if not url.startswith("https://"):
        return True
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def _settled(wanted: Wanted, response: httpx.Response) -> Value:
    if response.status_code >= 300:
        raise error_of(response.status_code, response.content, retry_after=response.headers.get("retry-after"))
    return answer_of(wanted, response.content)


def fresh() -> str:
    return uuid.uuid4().hex


class Sender:
    """Sends from any thread, over one pool of connections."""

    def __init__(self, url: str | None, key: str | None, timeout: float) -> None:
        self.address = Address(url, key)
        ready()
        self.http = httpx.Client(
            base_url=self.address.url,
            headers=self.address.headers,
            timeout=timeout,
            limits=_CONNECTIONS,
            verify=_trusted(self.address.url),
            trust_env=False,
        )

    def call(self, name: str, arguments: Mapping[str, object], *, user: str | None = None) -> Value:
        wanted = prepare(name, arguments, fresh=fresh(), user=user)
        return _settled(wanted, self._send(wanted))

    def _send(self, wanted: Wanted) -> httpx.Response:
        if self.http.is_closed:
            raise closed()
        for pause in _pauses():
            try:
                response = self._once(wanted)
            except httpx.TransportError:
                time.sleep(pause)
                continue
            if not _later(response):
                return response
            time.sleep(_patience(response, pause))
        try:
            return self._once(wanted)
        except httpx.TransportError:
            raise unreachable(self.address.url) from None

    def _once(self, wanted: Wanted) -> httpx.Response:
        return self.http.request(
            wanted.operation.verb.value,
            wanted.path,
            params=wanted.parameters,
            headers=wanted.headers,
            content=wanted.body,
        )

    def close(self) -> None:
        self.http.close()


class AsyncSender:
    """The same for one event loop."""

    def __init__(self, url: str | None, key: str | None, timeout: float) -> None:
        self.address = Address(url, key)
        ready()
        self.http = httpx.AsyncClient(
            base_url=self.address.url,
            headers=self.address.headers,
            timeout=timeout,
            limits=_CONNECTIONS,
            verify=_trusted(self.address.url),
            trust_env=False,
        )

    async def call(self, name: str, arguments: Mapping[str, object], *, user: str | None = None) -> Value:
        wanted = prepare(name, arguments, fresh=fresh(), user=user)
        return _settled(wanted, await self._send(wanted))

    async def _send(self, wanted: Wanted) -> httpx.Response:
        if self.http.is_closed:
            raise closed()
        for pause in _pauses():
            try:
                response = await self._once(wanted)
            except httpx.TransportError:
                await asyncio.sleep(pause)
                continue
            if not _later(response):
                return response
            await asyncio.sleep(_patience(response, pause))
        try:
            return await self._once(wanted)
        except httpx.TransportError:
            raise unreachable(self.address.url) from None

    async def _once(self, wanted: Wanted) -> httpx.Response:
        return await self.http.request(
            wanted.operation.verb.value,
            wanted.path,
            params=wanted.parameters,
            headers=wanted.headers,
            content=wanted.body,
        )

    async def close(self) -> None:
        await self.http.aclose()
