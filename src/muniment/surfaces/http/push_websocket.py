"""Push over a WebSocket: one text message per notice, or per frame; what a client may say is how far it has read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from muniment.contracts.akashik.codes import ErrorCode
from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json
from muniment.model.errors import MunimentError, OperationalError
from muniment.surfaces.http.akashik_answers import Failure, encoded, failed, wire_code
from muniment.surfaces.http.akashik_doors import turned_away
from muniment.surfaces.http.push_delivery import GOODBYE_SECONDS, Stalled, either, within
from muniment.surfaces.http.push_opening import LISTEN, in_frames, opened
from muniment.surfaces.http.streams import Hub
from muniment.surfaces.http.streams_flow import Frame

GOING_AWAY, NOT_TEXT, NOT_UNDERSTOOD, NOT_ALLOWED, FAILED, LATER = 1001, 1003, 1007, 1008, 1011, 1013


class StreamEnded(Exception):
    """The stream is over, and why: a close code and a few words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class Socket:
    """WebSocket /v1/stream."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        try:
            whole = in_frames(socket)
            flow, first = await opened(self._hub, socket)
            with self._hub.listen(flow.visitor, "websocket") as (watch, listener):
                await socket.accept()
                await self._carry(socket, flow.frames(first, watch, listener), whole)
        except Failure as error:
            turned_away(socket, error)
            await socket.send_denial_response(failed(error, LISTEN))

    async def _carry(self, socket: WebSocket, frames: AsyncIterator[Frame], whole: bool) -> None:
        talk = Talk(socket, self._hub.reception.settings.stall_seconds, whole=whole)
        try:
            await either(talk.hear(), talk.tell(frames))
        except WebSocketDisconnect:
            return
        except StreamEnded as end:
            await talk.close(end)


class Talk:
    """Both directions of one open socket."""

    def __init__(self, socket: WebSocket, stall_seconds: float, *, whole: bool) -> None:
        self._socket = socket
        self._whole = whole
        self._stall = stall_seconds
        self._sent = -1
        self._acked = -1

    async def tell(self, frames: AsyncIterator[Frame]) -> None:
        """Every frame, then why there are no more."""
        try:
            async for frame in frames:
                for text in [frame.text] if self._whole else [encoded(notice) for notice in frame.notices]:
                    await within(self._stall, self._socket.send_text(text.decode()))
                self._sent = frame.epoch
        except Stalled:
            raise StreamEnded(LATER, "nothing was read for too long; resume after the last epoch") from None
        except Failure as error:
            turned_away(self._socket, error)
            raise StreamEnded(*reason_of(error)) from None
        raise StreamEnded(GOING_AWAY, "the server closes; resume after the last epoch")

    async def hear(self) -> None:
        """What the client says, until it hangs up."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                raise StreamEnded(NOT_TEXT, "only text is understood")
            self._acked = self._ack(text)

    def _ack(self, text: str) -> int:
        """How far the client says it has read: further than before, and no further than was sent. That also bounds how
        often it may say so."""
        try:
            said: Json = read_json(text.encode("utf-8", "surrogatepass"))
        except MunimentError:
            raise StreamEnded(NOT_UNDERSTOOD, "only an ack is understood") from None
        epoch = said.get("ack") if isinstance(said, dict) and len(said) == 1 else None
        if not isinstance(epoch, int) or isinstance(epoch, bool) or not self._acked < epoch <= self._sent:
            raise StreamEnded(NOT_UNDERSTOOD, "an ack names an epoch that was sent and not acked before")
        return epoch

    async def close(self, end: StreamEnded) -> None:
        """Say goodbye, to a reader that may have stopped reading."""
        try:
            await within(GOODBYE_SECONDS, self._socket.close(end.code, end.words))
        except (Stalled, WebSocketDisconnect, WebSocketDisconnected):
            return


def reason_of(error: Exception) -> tuple[int, str]:
    """How a stream ends that cannot go on: come again later, not like this, or tell somebody."""
    code = wire_code(error)
    if isinstance(error, OperationalError):
        return LATER, code.value
    return FAILED if code is ErrorCode.INTERNAL_ERROR else NOT_ALLOWED, code.value
