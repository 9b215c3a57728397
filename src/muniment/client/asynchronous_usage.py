"""The same for async callers: how a memory is used, how much there is, how good it is."""

from __future__ import annotations

from collections.abc import Callable

from muniment.client.asynchronous_guardian import AsyncAsks
from muniment.client.usage import tellings_of
from muniment.engine import Activity, Quality, Stats, Tellings
from muniment.model.arguments import checked
from muniment.rest import answers


@checked
class AsyncUsage:
    """How a served memory is used, how much there is of it, and how good it is."""

    async def quality(
        self: AsyncAsks,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = "muniment",
        progress: Callable[[int], None] = lambda _: None,
    ) -> Quality:
        return await self._ask(Quality, "quality", namespace=namespace, session=session, profile=profile)

    async def stats(self: AsyncAsks) -> Stats:
        return await self._ask(Stats, "stats")

    async def receipts_of(self: AsyncAsks, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings:
        return tellings_of(
            await self._ask(answers.ReceiptsOf, "receipts_of", record_id=record_id, before=before, limit=limit)
        )

    async def activity(self: AsyncAsks, *, bucket: str = "day", buckets: int = 30) -> Activity:
        return await self._ask(Activity, "activity", bucket=bucket, buckets=buckets)
