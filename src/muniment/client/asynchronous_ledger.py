"""The ledger of a memory that is served, for async callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from muniment.client.sending import AsyncSender
from muniment.engine import ChainLink, RebuildResult, SigningKey, TrimResult, VerificationResult
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint
from muniment.model.receipt import Account, ReceiptEntry
from muniment.rest import answers
from muniment.rest.kinds import PAGE_MAX

_LAST = 2**62
_Page = answers.Chain | answers.Entries | answers.Receipts


@checked
class AsyncClientLedger:
    """`Memory.ledger` over HTTP. Progress of a check is not told over a wire."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def head(self) -> LedgerHead:
        found = await self._sender.call("ledger.head", {})
        assert isinstance(found, LedgerHead)
        return found

    async def entries(self, first: int = 1, last: int = _LAST) -> tuple[Entry, ...]:
        found: list[Entry] = []
        async for page in self._pages("ledger.entries", first, last):
            assert isinstance(page, answers.Entries)
            found += page.entries
        return tuple(found)

    async def chain(self, first: int = 1, last: int = _LAST) -> tuple[ChainLink, ...]:
        found: list[ChainLink] = []
        async for page in self._pages("ledger.chain", first, last):
            assert isinstance(page, answers.Chain)
            found += page.links
        return tuple(found)

    async def receipts(
        self, first: int = 1, last: int = _LAST, *, newest: bool = False
    ) -> AsyncIterator[tuple[ReceiptEntry, Account]]:
        async for page in self._pages("ledger.receipts", first, last, newest=newest or None):
            assert isinstance(page, answers.Receipts)
            for told in page.receipts:
                yield told.entry, told.account

    async def _pages(self, name: str, first: int, last: int, newest: bool | None = None) -> AsyncIterator[_Page]:
        cursor: str | None = None
        while True:
            told = {"first": first, "last": last, "newest": newest, "cursor": cursor, "limit": PAGE_MAX}
            page = await self._sender.call(name, told)
            assert isinstance(page, _Page)
            yield page
            cursor = page.next
            if cursor is None:
                return

    async def checkpoints(self, *, before: int | None = None, limit: int = 50) -> tuple[SignedCheckpoint, ...]:
        checks.whole("limit", limit, least=1, most=1_000)
        found: list[SignedCheckpoint] = []
        cursor: str | None = None
        while len(found) < limit:
            page = await self._sender.call(
                "ledger.checkpoints", {"before": before, "cursor": cursor, "limit": min(limit, PAGE_MAX)}
            )
            assert isinstance(page, answers.Checkpoints)
            found += page.checkpoints
            cursor = page.next
            if cursor is None:
                break
        return tuple(found[:limit])

    async def keys(self) -> tuple[SigningKey, ...]:
        found = await self._sender.call("ledger.keys", {})
        assert isinstance(found, answers.Keys)
        return found.keys

    async def checkpoint(self) -> SignedCheckpoint:
        found = await self._sender.call("ledger.checkpoint", {})
        assert isinstance(found, SignedCheckpoint)
        return found

    async def verify(
        self, *, anchor: LedgerHead | None = None, progress: Callable[[int], None] = lambda _: None
    ) -> VerificationResult:
        found = await self._sender.call("ledger.verify", {"anchor": anchor})
        assert isinstance(found, VerificationResult)
        return found

    async def replay(self, *, progress: Callable[[int], None] = lambda _: None) -> RebuildResult:
        found = await self._sender.call("ledger.replay", {})
        assert isinstance(found, RebuildResult)
        return found

    async def trim(
        self,
        *,
        older_than_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> TrimResult:
        said = {"older_than_days": older_than_days, "keep_bytes": keep_bytes, "dry_run": dry_run}
        found = await self._sender.call("ledger.trim", said)
        assert isinstance(found, TrimResult)
        return found
