"""The ledger of a memory that is served, for async callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from muniment.client.sending import AsyncSender
from muniment.engine import Rebuilt, Verified
from muniment.model.entry import Entry, Head, SignedCheckpoint
from muniment.model.receipt import Account, ReceiptEntry
from muniment.rest import answers
from muniment.rest.kinds import PAGE_MAX

_LAST = 2**62


class AsyncClientLedger:
    """`Memory.ledger` over HTTP. Progress of a check is not told over a wire."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def head(self) -> Head:
        found = await self._sender.call("ledger.head", {})
        assert isinstance(found, Head)
        return found

    async def entries(self, first: int = 1, last: int = _LAST) -> tuple[Entry, ...]:
        found: list[Entry] = []
        async for page in self._pages("ledger.entries", first, last):
            assert isinstance(page, answers.Entries)
            found += page.entries
        return tuple(found)

    async def receipts(self, first: int = 1, last: int = _LAST) -> AsyncIterator[tuple[ReceiptEntry, Account]]:
        async for page in self._pages("ledger.receipts", first, last):
            assert isinstance(page, answers.Receipts)
            for told in page.receipts:
                yield told.entry, told.account

    async def _pages(self, name: str, first: int, last: int) -> AsyncIterator[answers.Entries | answers.Receipts]:
        cursor: str | None = None
        while True:
            told = {"first": first, "last": last, "cursor": cursor, "limit": PAGE_MAX}
            page = await self._sender.call(name, told)
            assert isinstance(page, (answers.Entries, answers.Receipts))
            yield page
            cursor = page.next
            if cursor is None:
                return

    async def checkpoint(self) -> SignedCheckpoint:
        found = await self._sender.call("ledger.checkpoint", {})
        assert isinstance(found, SignedCheckpoint)
        return found

    async def verify(self, *, anchor: Head | None = None, progress: Callable[[int], None] = lambda _: None) -> Verified:
        found = await self._sender.call("ledger.verify", {"anchor": anchor})
        assert isinstance(found, Verified)
        return found

    async def replay(self, *, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
        found = await self._sender.call("ledger.replay", {})
        assert isinstance(found, Rebuilt)
        return found
