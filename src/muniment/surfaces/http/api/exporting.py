"""GET /api/export: records go out as documents of a contract, one a line, a page of the store at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from muniment.contracts.registry import ContractName
from muniment.engine import Memory
from muniment.model.errors import Unauthenticated
from muniment.operations import operation, queries
from muniment.operations.cursor import seal, unseal
from muniment.surfaces.http import doors
from muniment.surfaces.http.api.asking import check_accept, read_query, understood
from muniment.surfaces.http.api.lines import PAGE, lines_of
from muniment.surfaces.http.api.paging import listed, trail_of
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext

NDJSON = "application/x-ndjson"
_OPERATION = operation("export")


async def give_out(request: Request) -> Response:
    """Every record the caller may see, within the bounds; with a limit, one page and the way on."""
    visitor = await doors.permitted(request, _OPERATION.grant)
    check_accept(request, NDJSON)
    query = read_query(request.scope["query_string"], queries.ExportQuery)
    assert isinstance(query, queries.ExportQuery)
    reception = doors.reception_of(request)
    with understood():
        going = Outgoing(reception.memory(visitor), query)
        first = await reception.run(going.page)
    if query.limit is not None:
        return Response(first, media_type=NDJSON, headers=_link(request, query, going))
    return StreamingResponse(_told(request, visitor, going, first), media_type=NDJSON)


class Outgoing:
    """An export on its way: where it is, and whether it is over."""

    def __init__(self, memory: Memory, query: queries.ExportQuery) -> None:
        self._memory = memory
        self._query = query
        self._size = PAGE if query.limit is None else query.limit
        self.trail = None if query.cursor is None else unseal(_OPERATION.name, bounds_of(query), query.cursor)
        self.over = False

    def page(self) -> bytes:
        """The lines of the next page."""
        query = self._query
        told = listed(self._memory, query, trail=self.trail, limit=self._size)
        self.over = len(told) < self._size
        if told:
            self.trail = trail_of(self.trail, told)
        return b"".join(lines_of(self._memory, ContractName(query.contract), told, query.since))


def bounds_of(query: queries.ExportQuery) -> queries.ExportQuery:
    """What must stay the same from page to page."""
    return msgspec.structs.replace(query, cursor=None, limit=None)


async def _told(request: Request, visitor: Principal, going: Outgoing, first: bytes) -> AsyncIterator[bytes]:
    """Page after page. Before each it is asked whether the credential still holds; if not, the answer is cut off, so
    that it never looks whole."""
    reception = doors.reception_of(request)
    yield first
    while not going.over:
        try:
            chunk = await reception.run(_next, reception, visitor, going)
        except Unauthenticated as error:
            doors.record(request.scope, reception, error.code)
            raise
        yield chunk


def _next(reception: ServerContext, visitor: Principal, going: Outgoing) -> bytes:
    reception.recheck(visitor)
    return going.page()


def _link(request: Request, query: queries.ExportQuery, going: Outgoing) -> dict[str, str]:
    """The way to the next page, if there may be one."""
    if going.over or going.trail is None:
        return {}
    cursor = seal(_OPERATION.name, bounds_of(query), going.trail)
    url = request.url.include_query_params(cursor=cursor)
    return {"Link": f'<{url.path}?{url.query}>; rel="next"'}
