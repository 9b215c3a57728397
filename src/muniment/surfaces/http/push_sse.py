"""Push as Server-Sent Events: `id` is the epoch to resume after, comments keep the line alive."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from muniment.surfaces.http.akashik_answers import Failure, encoded, failed, failure
from muniment.surfaces.http.akashik_doors import turned_away, wrong_method
from muniment.surfaces.http.push_delivery import GOODBYE_SECONDS, Stalled, either, gone, within
from muniment.surfaces.http.push_opening import LISTEN, opened
from muniment.surfaces.http.streams import Hub
from muniment.surfaces.http.streams_flow import Frame

BEGINNING = b"retry: 1000\n\n"
"""A client that lost the stream comes again after a second."""
EVENT_STREAM = "text/event-stream"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_CLOSING = b": the server closes; resume from the last id\n\n"
_TOO_SLOW = b": nothing was read for too long; resume from the last id\n\n"


class Events:
    """GET /v1/events."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "GET":
            await wrong_method(LISTEN, "GET")(scope, receive, send)
            return
        begun = False
        try:
            flow, first = await opened(self._hub, request)
            with self._hub.listen(flow.visitor, "sse") as (watch, listener):
                begun = True
                await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                await either(gone(receive), self._tell(request, send, flow.frames(first, watch, listener)))
        except Stalled:
            return
        except Failure as error:
            assert not begun, "a stream that began ends in its own words"
            turned_away(request, error)
            await failed(error, LISTEN)(scope, receive, send)

    async def _tell(self, request: Request, send: Send, frames: AsyncIterator[Frame]) -> None:
        """Every frame, then why there are no more."""
        stall = self._hub.reception.settings.stall_seconds
        last = _CLOSING
        try:
            await within(stall, send({"type": "http.response.body", "body": BEGINNING, "more_body": True}))
            async for frame in frames:
                await within(stall, send({"type": "http.response.body", "body": event(frame), "more_body": True}))
        except Stalled:
            last = _TOO_SLOW
        except Failure as error:
            turned_away(request, error)
            last = b"event: error\ndata: " + encoded(failure(error, LISTEN)) + b"\n\n"
        await within(GOODBYE_SECONDS, send({"type": "http.response.body", "body": last, "more_body": False}))


def event(frame: Frame) -> bytes:
    r"""A frame as an event. One without notices is a comment, and the id alone: the client's cursor moves silently.

    >>> event(Frame(epoch=7))
    b': alive\nid: 7\n\n'
    """
    if not frame.notices:
        return b": alive\nid: %d\n\n" % frame.epoch
    return b"id: %d\nevent: notices\ndata: %b\n\n" % (frame.epoch, frame.text)
