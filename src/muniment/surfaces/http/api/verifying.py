"""POST /api/ledger/verification: one answer at the end, or lines that tell how far it is for whoever asks for lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from muniment.engine import Memory, VerificationResult
from muniment.model.entry import LedgerHead
from muniment.model.errors import MunimentError
from muniment.operations import answers, bodies, operation
from muniment.operations.wire import shape_of
from muniment.surfaces.http import bodies as wire
from muniment.surfaces.http import doors, problems
from muniment.surfaces.http.api.asking import check_accept, read_body, read_query, understood
from muniment.surfaces.http.api.endpoint import ApiEndpoint
from muniment.surfaces.http.problems import Declined
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.reception.server_context import ServerContext

NDJSON = "application/x-ndjson"
_OPERATION = operation("ledger.verify")
_LINE = shape_of(answers.CheckedCount)
_BODY = shape_of(bodies.Verify)
_OFTEN_S = 0.2
"""So often a line tells how far it is."""


class Verification:
    """The operation for those who wait, and for those who want to be told on the way."""

    def __init__(self, reception: ServerContext) -> None:
        self._plain = ApiEndpoint(reception, _OPERATION)

    async def ask(self, request: Request) -> Response:
        if not _by_line(request):
            return await self._plain(request)
        visitor = await doors.permitted(request, _OPERATION.grant)
        read_query(request.scope["query_string"], None)
        raw = await wire.read_body(request)
        reception = doors.reception_of(request)
        check = VerifyRun(reception, visitor)
        await reception.run(check.begin, raw)
        return StreamingResponse(_told(request, check), media_type=NDJSON)


def _by_line(request: Request) -> bool:
    """Whether the caller takes lines, and nothing that is said at once."""
    try:
        check_accept(request, wire.JSON)
    except Declined:
        check_accept(request, NDJSON)
        return True
    return False


class Abandoned(Exception):
    """Nobody waits for the result any more."""


class VerifyRun:
    """One verification under way. A thread works on it, the loop tells of it."""

    def __init__(self, reception: ServerContext, visitor: Principal) -> None:
        self.reception = reception
        self.entries = 0
        self.of = 0
        self.abandoned = False
        self._visitor = visitor
        self._memory: Memory | None = None
        self._anchor: LedgerHead | None = None

    def begin(self, raw: bytes) -> None:
        """Read what is asked, and refuse whoever may not: before anything is told."""
        sketch = read_body(raw, bodies.Verify)
        with understood():
            self._anchor = _BODY.settle(sketch).anchor
        self._memory = self.reception.memory(self._visitor)
        self.of = self._memory.ledger.head().seq

    def work(self) -> VerificationResult:
        assert self._memory is not None, "it has begun"
        found = self._memory.ledger.verify(anchor=self._anchor, progress=self._reached)
        self.reception.recheck(self._visitor)
        return found

    def _reached(self, entries: int) -> None:
        self.entries = entries
        if self.abandoned:
            raise Abandoned


async def _told(request: Request, check: VerifyRun) -> AsyncIterator[bytes]:
    """Lines while it goes on, then how it ended. Who goes away ends it at the next stop."""
    working = asyncio.ensure_future(check.reception.run(check.work))
    try:
        while True:
            done, _ = await asyncio.wait([working], timeout=_OFTEN_S)
            yield _line(answers.CheckedCount(what="progress", entries=check.entries, of=max(check.of, check.entries)))
            if done:
                break
        yield _ended(request, check, working)
    finally:
        check.abandoned = True
        working.cancel()


def _ended(request: Request, check: VerifyRun, working: asyncio.Future[VerificationResult]) -> bytes:
    try:
        found = working.result()
    except MunimentError as error:
        if isinstance(error, doors.DENIALS):
            doors.record(request.scope, check.reception, error.code)
        said = problems.document_of(error)
        return _line(
            answers.CheckedCount(what="failed", code=said.code, detail=said.detail, field=said.field, hint=said.hint)
        )
    return _line(answers.CheckedCount(what="result", of=check.of, **msgspec.structs.asdict(found)))


def _line(line: answers.CheckedCount) -> bytes:
    return _LINE.write(line) + b"\n"
