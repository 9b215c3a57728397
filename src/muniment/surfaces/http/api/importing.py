"""POST /api/import: documents and streams of lines come in; what became of each memory is told as it happens.

The body is set down on disk before any of it is taken in: who sends slowly holds nothing up, who breaks off leaves
nothing behind, and nobody has to read the answer while still sending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from tempfile import SpooledTemporaryFile

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from muniment.contracts.registry import ContractName
from muniment.engine import Memory
from muniment.model.errors import MunimentError, Unauthenticated
from muniment.operations import operation, queries
from muniment.operations.answers import LedgerLine
from muniment.operations.wire import shape_of
from muniment.surfaces.http import bodies, doors, problems
from muniment.surfaces.http.api.asking import check_accept, read_query, understood
from muniment.surfaces.http.api.lines import Intake
from muniment.surfaces.http.streams import hub_of
from muniment.surfaces.reception.principal import Principal

NDJSON = "application/x-ndjson"
_BY_LINE = (NDJSON, "application/ndjson", "application/jsonl")
_KINDS = (*_BY_LINE, bodies.JSON)
_IN_MEMORY = 1_048_576
_CHUNK = 65_536
_OPERATION = operation("import")
_LINE = shape_of(LedgerLine)


async def take_in(request: Request) -> Response:
    """Propose every memory that the body holds."""
    visitor = await doors.permitted(request, _OPERATION.grant)
    check_accept(request, NDJSON)
    query = read_query(request.scope["query_string"], queries.Import)
    assert isinstance(query, queries.Import)
    reception = doors.reception_of(request)
    upload = Upload()
    try:
        async for piece in bodies.stream_body(request, reception.settings.import_bytes_max, kinds=_KINDS):
            upload.write(piece)
        by_line = request.headers["content-type"].partition(";")[0].strip().lower() in _BY_LINE
        memory = reception.memory(visitor)
        with understood():
            first = await reception.run(upload.begin, memory, query, by_line=by_line)
    except BaseException:
        _let_go(upload)
        raise
    return StreamingResponse(_told(request, visitor, upload, first), media_type=NDJSON)


class Upload:
    """A body that was set down, and the telling of what became of it. One thread at a time works on it."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # closed by `close`, in whichever thread is last
        self._lock = threading.Lock()
        self._told: Iterator[LedgerLine] = iter(())
        self._closed = False
        self._failed = False

    def write(self, piece: bytes) -> None:
        self._file.write(piece)

    def begin(self, memory: Memory, query: queries.Import, *, by_line: bool) -> bytes:
        """Take the first of it in. What is refused before anything was told is an answer of its own."""
        intake = Intake(
            memory,
            ContractName(query.contract),
            hold=bool(query.hold),
            preview=bool(query.preview),
            again=bool(query.again),
        )
        with self._lock:
            self._file.seek(0)
            self._told = intake.stream(self._file) if by_line else intake.document(self._file.read())
            return self._some()

    def more(self, holds: Callable[[], object]) -> bytes:
        """The next lines; none when it is over. A failure in the middle is the last line, and so is a credential that
        no longer `holds`."""
        with self._lock:
            if self._closed or self._failed:
                return b""
            try:
                holds()
                return self._some()
            except MunimentError as error:
                self._failed = True
                said = problems.document_of(error)
                return _spelled(
                    LedgerLine(what="failed", code=said.code, detail=said.detail, field=said.field, hint=said.hint)
                )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._file.close()

    def _some(self) -> bytes:
        """Lines up to the next progress, or as many as fill a chunk."""
        found = bytearray()
        for line in self._told:
            found += _spelled(line)
            if line.what == "progress" or len(found) >= _CHUNK:
                break
        return bytes(found)


async def _told(request: Request, visitor: Principal, upload: Upload, first: bytes) -> AsyncIterator[bytes]:
    reception = doors.reception_of(request)

    def holds() -> None:
        try:
            reception.recheck(visitor)
        except Unauthenticated as error:
            doors.record(request.scope, reception, error.code)
            raise

    try:
        chunk = first
        while chunk:
            hub_of(reception).nudge(visitor.tenant)
            yield chunk
            chunk = await reception.run(upload.more, holds)
    finally:
        _let_go(upload)


def _let_go(upload: Upload) -> None:
    """Close an upload beside the loop: a thread may be in the middle of a batch of somebody who has gone away, and it
    is let come to its end."""
    asyncio.get_running_loop().run_in_executor(None, upload.close)


def _spelled(line: LedgerLine) -> bytes:
    return _LINE.write(line) + b"\n"
