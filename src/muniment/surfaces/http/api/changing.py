"""GET /api/changes: a line that says, as Server-Sent Events, that the tenant's ledger has moved and how far, and which
records the listener was told that no longer hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from muniment.engine.governing import withdrawn_after
from muniment.engine.notebook import Notebook
from muniment.model.errors import MunimentError, NotPermitted
from muniment.model.query import Withdrawn
from muniment.operations import answers, operation
from muniment.operations.wire import shape_of
from muniment.surfaces.http import doors, problems
from muniment.surfaces.http.api.asking import check_accept, read_query
from muniment.surfaces.http.push_delivery import GOODBYE_SECONDS, Stalled, either, gone, within
from muniment.surfaces.http.push_sse import BEGINNING, EVENT_STREAM, HEADERS
from muniment.surfaces.http.streams import Hub, StreamListener
from muniment.surfaces.reception.principal import Principal

_OPERATION = operation("changes")
_CHANGED = shape_of(answers.Changed)
_WITHDRAWN = shape_of(Withdrawn)
_PROBLEM = shape_of(problems.ProblemDocument)
_ALIVE = b": alive\n\n"
_CLOSING = b": the server closes; come again\n\n"


class Changes:
    """One endpoint for every listener of a server."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        visitor = await doors.permitted(request, _OPERATION.grant)
        check_accept(request, EVENT_STREAM)
        read_query(scope["query_string"], None)
        line = ChangeLine(self._hub, visitor)
        first = await line.look()
        if request.method == "HEAD":
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await send({"type": "http.response.body", "body": b""})
            return
        with self._hub.listen(visitor, "sse") as (_, listener):
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            try:
                await either(gone(receive), self._tell(request, send, line.events(first, listener)))
            except Stalled:
                return

    async def _tell(self, request: Request, send: Send, events: AsyncIterator[bytes]) -> None:
        """Every event, then why there are no more."""
        stall = self._hub.reception.settings.stall_seconds
        last = _CLOSING
        try:
            await within(stall, send({"type": "http.response.body", "body": BEGINNING, "more_body": True}))
            async for event in events:
                await within(stall, send({"type": "http.response.body", "body": event, "more_body": True}))
        except MunimentError as error:
            if isinstance(error, doors.DENIALS):
                doors.record(request.scope, self._hub.reception, error.code)
            last = b"event: error\ndata: " + _PROBLEM.write(problems.document_of(error)) + b"\n\n"
        await within(GOODBYE_SECONDS, send({"type": "http.response.body", "body": last, "more_body": False}))


class ChangeLine:
    """What one listener is told. Nothing waits in memory for a slow one: it hears where the ledger stands, not where
    it has been."""

    def __init__(self, hub: Hub, visitor: Principal) -> None:
        self._hub = hub
        self._visitor = visitor
        self._notebook = Notebook.of(hub.reception.owner(visitor.tenant))

    async def look(self) -> int:
        """Where the ledger stands, if the listener may still be here."""
        return await self._hub.reception.run(self._look)

    def _look(self) -> int:
        self._visitor = self._hub.reception.recheck(self._visitor)
        if _OPERATION.grant not in self._visitor.grants:
            raise NotPermitted(self._visitor.actor.id, f"use this credential to {_OPERATION.grant}")
        return self._notebook.marks()[0]

    def _news(self, epoch: int) -> tuple[Withdrawn, ...]:
        """What the listener was told before and that has ended since an entry."""
        return withdrawn_after(self._hub.reception.memory(self._visitor), epoch)

    async def events(self, epoch: int, listener: StreamListener) -> AsyncIterator[bytes]:
        """The present epoch, then each that follows, many moves at once as one, and a comment where the line was
        silent for the time of a heartbeat. Ends when the server closes; raises when the listener may no longer be
        here."""
        settings = self._hub.reception.settings
        yield changed(epoch)
        beat_at = monotonic() + settings.heartbeat_seconds
        while not self._hub.closing:
            await listener.wait(min(settings.recheck_seconds, beat_at - monotonic()))
            present = await self.look()
            if present != epoch:
                for news in await self._hub.reception.run(self._news, epoch):
                    yield withdrawn(news)
            if present != epoch or monotonic() >= beat_at:
                yield changed(present) if present != epoch else _ALIVE
                epoch, beat_at = present, monotonic() + settings.heartbeat_seconds


def withdrawn(news: Withdrawn) -> bytes:
    r"""The event that says that a record no longer holds which the listener was told before.

    >>> withdrawn(Withdrawn(id="rec_1", why="retracted", since=7))
    b'event: memory.retracted\ndata: {"id":"rec_1","why":"retracted","since":7}\n\n'
    """
    return f"event: memory.{news.why}\ndata: ".encode() + _WITHDRAWN.write(news) + b"\n\n"


def changed(epoch: int) -> bytes:
    r"""The event that says where the ledger stands.

    >>> changed(7)
    b'event: changed\ndata: {"epoch":7}\n\n'
    """
    return b"event: changed\ndata: " + _CHANGED.write(answers.Changed(epoch=epoch)) + b"\n\n"
