"""Three pages for whoever keeps the server running: /healthz, /readyz and /metrics."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from muniment.config import ServerSettings
from muniment.engine.place import Folder, place_of
from muniment.model.errors import NotFound
from muniment.surfaces.http.doors import permitted
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import ServerContext, ServerState
from muniment.surfaces.telemetry.exposition import CONTENT_TYPE
from muniment.surfaces.telemetry.readiness import Readiness
from muniment.surfaces.telemetry.settings import MetricsOpen

WAIT_S = 2.0
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def routes(reception: ServerContext) -> list[BaseRoute]:
    """The three pages. The first two ask nobody who they are, and tell a stranger next to nothing."""
    pages = _Pages(reception)
    return [
        Route("/healthz", pages.alive, methods=["GET"]),
        Route("/readyz", pages.ready, methods=["GET"]),
        Route("/metrics", pages.metrics, methods=["GET"]),
    ]


class _Pages:
    def __init__(self, reception: ServerContext) -> None:
        self._reception = reception
        settings, gauges = reception.settings, reception.telemetry.gauges
        self._readiness = Readiness(lambda: gauges.memory(settings.tenant), _folder(settings))
        self._checking: asyncio.Future[tuple[str, ...]] | None = None

    async def alive(self, request: Request) -> Response:
        """The process runs and answers. Says nothing of the store: what does not help by a restart is not asked."""
        return _answer(200, {"status": "alive"})

    async def ready(self, request: Request) -> Response:
        """Whether to send it work."""
        state = self._reception.state
        if state is not ServerState.OPEN:
            return _answer(503, {"status": state.value, "missing": []})
        missing = await self._missing()
        if missing:
            return _answer(503, {"status": "not ready", "missing": list(missing)})
        return _answer(200, {"status": "ready", "missing": []})

    async def metrics(self, request: Request) -> Response:
        """Every figure for those on this machine, those of its own tenant for a key with the grant `audit`."""
        telemetry = self._reception.telemetry
        if telemetry.settings.metrics_open is MetricsOpen.OFF:
            raise NotFound("page", "metrics")
        tenant = None
        if telemetry.settings.metrics_open is MetricsOpen.AUDIT or not _local(request):
            tenant = (await permitted(request, Grant.AUDIT)).tenant
        page = await asyncio.to_thread(telemetry.page, tenant)
        return PlainTextResponse(page, media_type=CONTENT_TYPE)

    async def _missing(self) -> tuple[str, ...]:
        """What is missing; the store itself if it does not answer in time. However many ask, one thread looks."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.ensure_future(asyncio.to_thread(self._readiness.missing))
        try:
            return await asyncio.wait_for(asyncio.shield(self._checking), WAIT_S)
        except TimeoutError:
            return ("store",)


def _folder(settings: ServerSettings) -> Path | None:
    place = place_of(settings.vault)
    return place.path if isinstance(place, Folder) else None


def _local(request: Request) -> bool:
    """Whether the caller sits on this machine. What a proxy hands on comes from this machine too: it is not local."""
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _answer(status: int, said: dict[str, str | list[str]]) -> Response:
    return Response(
        msgspec.json.encode(said),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
