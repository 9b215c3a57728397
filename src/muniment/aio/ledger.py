"""The ledger of a memory for async callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from muniment.aio.threads import page, run
from muniment.engine import ChainLink, RebuildResult, SigningKey, TrimResult, VerificationResult
from muniment.engine.audit import LedgerFace
from muniment.model.arguments import checked
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint
from muniment.model.receipt import Account, ReceiptEntry


@checked
class Ledger:
    """`LedgerFace` for async callers."""

    def __init__(self, ledger: LedgerFace) -> None:
        self._ledger = ledger

    async def head(self) -> LedgerHead:
        return await run(self._ledger.head)

    async def entries(self, first: int = 1, last: int = 2**62) -> tuple[Entry, ...]:
        return await run(self._ledger.entries, first, last)

    async def chain(self, first: int = 1, last: int = 2**62) -> tuple[ChainLink, ...]:
        return await run(self._ledger.chain, first, last)

    async def checkpoints(self, *, before: int | None = None, limit: int = 50) -> tuple[SignedCheckpoint, ...]:
        return await run(self._ledger.checkpoints, before=before, limit=limit)

    async def keys(self) -> tuple[SigningKey, ...]:
        return await run(self._ledger.keys)

    async def receipts(
        self, first: int = 1, last: int = 2**62, *, newest: bool = False
    ) -> AsyncIterator[tuple[ReceiptEntry, Account]]:
        receipts = self._ledger.receipts(first, last, newest=newest)
        while part := await run(page, receipts):
            for one in part:
                yield one

    async def checkpoint(self) -> SignedCheckpoint:
        return await run(self._ledger.checkpoint)

    async def verify(
        self, *, anchor: LedgerHead | None = None, progress: Callable[[int], None] = lambda _: None
    ) -> VerificationResult:
        return await run(self._ledger.verify, anchor=anchor, progress=progress)

    async def replay(self, *, progress: Callable[[int], None] = lambda _: None) -> RebuildResult:
        return await run(self._ledger.replay, progress=progress)

    async def trim(
        self,
        *,
        older_than_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> TrimResult:
        return await run(
            self._ledger.trim,
            older_than_days=older_than_days,
            keep_bytes=keep_bytes,
            dry_run=dry_run,
            progress=progress,
        )
