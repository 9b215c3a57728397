"""The auditor's part of a memory for async callers, beside the ledger."""

from __future__ import annotations

from muniment.aio.threads import run
from muniment.engine import Activity, Tellings
from muniment.engine import Memory as _Memory
from muniment.model.arguments import checked


@checked
class Usage:
    """The same methods as those of `muniment.Memory`, awaited."""

    _memory: _Memory

    async def receipts_of(self, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings:
        return await run(self._memory.receipts_of, record_id, before=before, limit=limit)

    async def activity(self, *, bucket: str = "day", buckets: int = 30) -> Activity:
        return await run(self._memory.activity, bucket=bucket, buckets=buckets)
