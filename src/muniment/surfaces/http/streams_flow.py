"""One agent's notices from a cursor on, as frames: fetched from the ledger when there is something new, never queued.

A frame says up to which epoch it tells everything. It is whole or it is not there, so whoever resumes after the epoch
of the last frame misses nothing and hears nothing twice. Nobody waits in memory for a slow reader: the next frame is
fetched when the last one is out of the house.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic

from muniment.compat.akashik.feed import NotificationPage, debounced
from muniment.contracts.akashik.notices import LastNotified
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.value import Value
from muniment.surfaces.http.akashik_answers import encoded
from muniment.surfaces.http.akashik_doors import credential_of, permit
from muniment.surfaces.http.streams import Hub, StreamListener, StreamWatch
from muniment.surfaces.reception.principal import Grant, Principal

POSITIONS_MAX = 256
"""How much of the ledger one frame covers at most."""
_POSITIONS_FIRST = 16
_NOTICES = 500
"""About so many notices a frame should hold: whoever has many subscriptions gets shorter steps."""


class Frame(Value):
    """What is told at once: every notice up to an epoch. Without notices it says that the line is alive."""

    epoch: int
    notices: tuple[JsonObject, ...] = ()

    @property
    def text(self) -> bytes:
        notices: list[Json] = list(self.notices)
        return encoded({"epoch": self.epoch, "notices": notices})


class Flow:
    """The frames of one stream."""

    def __init__(self, hub: Hub, visitor: Principal, agent: str, after: int) -> None:
        self.visitor = visitor
        self.agent = agent
        self.cursor = after
        self._hub = hub
        self._step = _POSITIONS_FIRST
        self._told = LastNotified()

    async def look(self) -> Frame:
        """What is new after the cursor. Asks first whether the caller may still be here, and sees what the agent may
        see now. The cursor moves with it."""
        notices = await self._hub.reception.run(self._fetch)
        self.cursor = notices.epoch
        self._step = min(POSITIONS_MAX, max(1, self._step * _NOTICES // max(len(notices.documents), _NOTICES // 2)))
        now_ms = int(monotonic() * 1000)
        due, self._told = debounced(notices.documents, notices.waits, self._told, now_ms)
        return Frame(epoch=notices.epoch, notices=tuple(due))

    def _fetch(self) -> NotificationPage:
        self.visitor = self._hub.reception.recheck(self.visitor)
        permit(self.visitor, Grant.READ, "listen")
        field = self._hub.reception.field(self.visitor.tenant)
        return field.notices(self.agent, credential_of(self.visitor), self.cursor, self._step)

    async def frames(self, first: Frame, watch: StreamWatch, listener: StreamListener) -> AsyncIterator[Frame]:
        """The first frame, then others as they come, and one without notices where the line was silent for the time of
        a heartbeat. Ends when the server closes; raises when the caller may no longer be here."""
        settings = self._hub.reception.settings
        yield first
        beat_at, moved = monotonic() + settings.heartbeat_seconds, True
        while not self._hub.closing:
            if not moved or self.cursor >= watch.epoch:
                await listener.wait(min(settings.recheck_seconds, beat_at - monotonic()))
            before = self.cursor
            frame = await self.look()
            moved = self.cursor > before
            if frame.notices or monotonic() >= beat_at:
                yield frame
                beat_at = monotonic() + settings.heartbeat_seconds
