"""The server at `/mcp`: every message stands alone, and whoever sends it proves who it is.

There are no sessions: nothing to steal, nothing to expire, and a restart of the server goes unnoticed. A message is
admitted at the same doors as every other request, read within the same bounds, and answered with one JSON document.
"""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from muniment.surfaces.http.doors import visitor_of
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.reception.server_context import ServerContext

PATH = "/mcp"


def mount(reception: ServerContext) -> BaseRoute:
    """The route of the protocol. Without the SDK it says what is missing; the rest of the server does without."""
    return Route(PATH, _Door(reception))


class _Door:
    """Lets callers in and loads the SDK for the first of them: it takes longer to load than all the rest."""

    def __init__(self, reception: ServerContext) -> None:
        self._reception = reception
        self._loading = asyncio.Lock()
        self._endpoint: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await visitor_of(Request(scope, receive))
        if find_spec("mcp") is None:
            raise Declined(
                status=501,
                code="not_offered",
                detail="this server does not speak the Model Context Protocol",
                hint="Whoever runs it can install muniment[mcp].",
            )
        async with self._loading:
            if self._endpoint is None:
                self._endpoint = await self._reception.run(_loaded, self._reception)
        await self._endpoint(scope, receive, send)


def _loaded(reception: ServerContext) -> ASGIApp:
    from muniment.surfaces.mcp.endpoint import McpEndpoint

    return McpEndpoint(reception)
