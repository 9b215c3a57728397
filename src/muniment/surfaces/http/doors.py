"""The doors of the HTTP surfaces: which hosts and origins are served, who is calling, and what was turned away."""

from __future__ import annotations

import re

from starlette.requests import HTTPConnection
from starlette.types import Scope

from muniment.config import is_loopback
from muniment.model.errors import NotPermitted, TooManyRequests, Unauthenticated
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.reception.fair_threads import CALLER
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.server_context import ServerContext
from muniment.surfaces.reception.settings import ServerSettings

DENIALS = (Unauthenticated, NotPermitted, TooManyRequests)
"""Errors that say that a call was denied; they are kept."""
UNGUARDED = ("/healthz", "/readyz")
"""Probes call by whatever address they have, and are told nothing."""
_AFTER = "muniment.after"
_RECORDED = "muniment.recorded"
_PART = re.compile(r"[a-z_.-]{1,24}\d?")
_ELSEWHERE = (b"cross-site", b"same-site")


async def visitor_of(connection: HTTPConnection) -> Principal:
    """Who is calling. Asked once for each request; raises if they do not prove it or ask too much."""
    found: Principal | None = getattr(connection.state, "visitor", None)
    if found is not None:
        return found
    reception, scope = reception_of(connection), connection.scope
    visitor: Principal | None = None
    try:
        visitor = await _identified(connection, reception)
        reception.limits.ask(visitor)
        if scope["type"] == "http":
            scope.setdefault(_AFTER, []).append(reception.limits.enter(visitor))
    except DENIALS as error:
        record(scope, reception, error.code, visitor)
        raise
    connection.state.visitor = visitor
    CALLER.set((visitor.tenant, visitor.actor.id))
    return visitor


async def permitted(connection: HTTPConnection, grant: Grant) -> Principal:
    """Who is calling, if their credential is good for this."""
    visitor = await visitor_of(connection)
    if grant not in visitor.grants:
        error = NotPermitted(visitor.actor.id, f"use this credential to {grant}")
        record(connection.scope, reception_of(connection), error.code)
        raise error
    return visitor


def reception_of(connection: HTTPConnection) -> ServerContext:
    found = connection.app.state.reception
    assert isinstance(found, ServerContext)
    return found


def peer_of(scope: Scope) -> str:
    """The address the call comes from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def record(scope: Scope, reception: ServerContext, code: str, visitor: Principal | None = None) -> None:
    """Keep that this request was denied, once, and by whom it was made if that is known."""
    if scope.get(_RECORDED):
        return
    scope[_RECORDED] = True
    known = visitor if visitor is not None else scope.get("state", {}).get("visitor")
    reception.denied(known, what=operation_of(scope), code=code, peer=peer_of(scope))


def operation_of(scope: Scope) -> str:
    """What was asked for, as far as it may be kept: the method and the first two parts of the path, if they are plain
    words.

    >>> operation_of({"type": "http", "method": "GET", "path": "/api/records/rec_1/history"})
    'GET /api/records'
    >>> operation_of({"type": "websocket", "path": "/v1/Tr0ub4dor"})
    'WEBSOCKET /v1/…'
    """
    parts = [part if _PART.fullmatch(part) else "…" for part in scope["path"].split("/")[1:3] if part]
    return f"{scope.get('method', 'WEBSOCKET')} /{'/'.join(parts)}"


def leave(scope: Scope) -> None:
    """Give back what the request took: its place among those of its actor."""
    for give_back in scope.get(_AFTER, ()):
        give_back()


def check_door(scope: Scope, settings: ServerSettings) -> None:
    """Refuse a request that was meant for another host, or that a foreign web page sent.

    A page can make a browser call this machine, under a name of the page's own choosing. It cannot make the browser
    lie about that name (Host) or about where the page is from (Origin).
    """
    if scope["path"] in UNGUARDED:
        return
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 or not _served(hosts[0].decode("latin-1"), settings):
        raise Declined(
            status=421,
            code="foreign_host",
            detail="host: expected a name of this server",
            hint="Call it by its address, or name the host in the server's setting `hosts`.",
            field="host",
        )
    if _foreign(scope, headers, hosts[0].decode("latin-1").lower(), settings):
        raise Declined(
            status=403,
            code="foreign_origin",
            detail="origin: pages of other origins may not call this server",
            hint="Name the origin in the server's setting `origins` if it may.",
            field="origin",
        )


def _served(host: str, settings: ServerSettings) -> bool:
    name = host_name(host)
    if name in {one.lower() for one in settings.hosts} or name == settings.host.lower():
        return True
    if settings.loopback:
        return is_loopback(name)
    return not settings.hosts


def host_name(host: str) -> str:
    """The name in a Host header, without the port.

    >>> host_name("LocalHost:8765"), host_name("[::1]:80"), host_name("evil@127.0.0.1")
    ('localhost', '::1', '')
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?", host)
    return (found[1] or found[2]).lower() if found else ""


def _foreign(scope: Scope, headers: list[tuple[bytes, bytes]], host: str, settings: ServerSettings) -> bool:
    origins = [value.decode("latin-1").lower() for name, value in headers if name == b"origin"]
    if origins:
        own = (f"http://{host}", f"https://{host}", *(one.lower() for one in settings.origins))
        return any(origin not in own for origin in origins)
    fetched = {name: value for name, value in headers if name in (b"sec-fetch-site", b"sec-fetch-mode")}
    if fetched.get(b"sec-fetch-site") not in _ELSEWHERE:
        return False
    followed = scope.get("method") in ("GET", "HEAD") and fetched.get(b"sec-fetch-mode") == b"navigate"
    return not followed


async def _identified(connection: HTTPConnection, reception: ServerContext) -> Principal:
    """Ask the reception; in a thread if it may have to open a store or ask an issuer for its keys."""
    authorization, peer = _authorization(connection), peer_of(connection.scope)
    if reception.quick(authorization):
        return reception.identify(authorization, peer=peer)
    return await reception.run(reception.identify, authorization, peer=peer)


def _authorization(connection: HTTPConnection) -> str | None:
    said = connection.headers.getlist("authorization")
    if len(said) > 1:
        return ""  # two credentials are none
    return said[0] if said else None
