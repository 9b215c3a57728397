"""The whole application without a network: asked in this process, by as many callers as a test needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
from starlette.testclient import TestClient

from muniment import Memory
from muniment.config import ServerSettings
from muniment.surfaces.http.app import build_app
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import ServerContext, system_now

HOST = "http://127.0.0.1"


class Caller:
    """Somebody who calls, with a key or without."""

    def __init__(self, client: TestClient, key: str | None) -> None:
        self._client = client
        self._headers = [("Authorization", f"Bearer {key}")] if key is not None else []

    def request(
        self,
        verb: str,
        path: str,
        *,
        json: object = None,
        content: bytes | None = None,
        params: Mapping[str, str | Sequence[str]] | None = None,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    ) -> httpx.Response:
        said = list(headers.items() if isinstance(headers, Mapping) else headers)
        if not any(name.lower() == "muniment-form" for name, _ in said):
            said.append(("Muniment-Form", "values"))
        if json is not None:
            content = msgspec.json.encode(json)
            said.append(("Content-Type", "application/json"))
        wire = [(name.lower().encode(), value.encode()) for name, value in [*self._headers, *said]]
        query = {name: value if isinstance(value, str) else list(value) for name, value in (params or {}).items()}
        return self._client.request(verb, path, content=content, params=query or None, headers=httpx.Headers(wire))  # type: ignore[return-value]  # the same class under the library's own name

    def get(self, path: str, **said: object) -> httpx.Response:
        return self.request("GET", path, **said)  # type: ignore[arg-type]  # checked by request

    def post(self, path: str, **said: object) -> httpx.Response:
        return self.request("POST", path, **said)  # type: ignore[arg-type]  # checked by request

    def delete(self, path: str, **said: object) -> httpx.Response:
        return self.request("DELETE", path, **said)  # type: ignore[arg-type]  # checked by request


class Desk:
    """An application that runs: its reception, and a way to call it."""

    def __init__(self, client: TestClient, reception: ServerContext) -> None:
        self._client = client
        self.reception = reception

    @property
    def memory(self) -> Memory:
        """The memory of the server's own tenant, as its owner sees it."""
        return self.reception.owner(self.reception.settings.tenant)

    def caller(self, wish: KeyRequest | None = None) -> Caller:
        """Somebody with a key of that kind; nobody in particular, if none is wished."""
        if wish is None:
            return Caller(self._client, None)
        return Caller(self._client, keys.create(self.reception.settings.folder, wish, now=system_now())[1])

    def bearer(self, key: str) -> Caller:
        return Caller(self._client, key)


@contextmanager
def opened(vault: Path, **said: object) -> Iterator[Desk]:
    """The application on a vault, for as long as the block lasts."""
    plain = {"vault": str(vault), "embedder": "none", "log_level": "error", "rate_per_second": 0.0}
    reception = ServerContext(msgspec.convert({**plain, **said}, ServerSettings))
    try:
        with TestClient(build_app(reception), base_url=HOST, raise_server_exceptions=False) as client:
            yield Desk(client, reception)
    finally:
        reception.close()
