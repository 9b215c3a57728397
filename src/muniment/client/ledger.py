"""The ledger of a memory that is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muniment.client.sending import Sender
from muniment.engine import Rebuilt, Verified
from muniment.model.entry import Entry, Head, SignedCheckpoint
from muniment.model.receipt import Account, ReceiptEntry
from muniment.rest import answers
from muniment.rest.kinds import PAGE_MAX

_LAST = 2**62


class ClientLedger:
    """`Memory.ledger` over HTTP. Progress of a check is not told over a wire."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def head(self) -> Head:
        found = self._sender.call("ledger.head", {})
        assert isinstance(found, Head)
        return found

    def entries(self, first: int = 1, last: int = _LAST) -> tuple[Entry, ...]:
        found: list[Entry] = []
        for page in self._pages("ledger.entries", first, last):
            assert isinstance(page, answers.Entries)
            found += page.entries
        return tuple(found)

    def receipts(self, first: int = 1, last: int = _LAST) -> Iterator[tuple[ReceiptEntry, Account]]:
        for page in self._pages("ledger.receipts", first, last):
            assert isinstance(page, answers.Receipts)
            yield from ((told.entry, told.account) for told in page.receipts)

    def _pages(self, name: str, first: int, last: int) -> Iterator[answers.Entries | answers.Receipts]:
        cursor: str | None = None
        while True:
            told = {"first": first, "last": last, "cursor": cursor, "limit": PAGE_MAX}
            page = self._sender.call(name, told)
            assert isinstance(page, (answers.Entries, answers.Receipts))
            yield page
            cursor = page.next
            if cursor is None:
                return

    def checkpoint(self) -> SignedCheckpoint:
        found = self._sender.call("ledger.checkpoint", {})
        assert isinstance(found, SignedCheckpoint)
        return found

    def verify(self, *, anchor: Head | None = None, progress: Callable[[int], None] = lambda _: None) -> Verified:
        found = self._sender.call("ledger.verify", {"anchor": anchor})
        assert isinstance(found, Verified)
        return found

    def replay(self, *, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
        found = self._sender.call("ledger.replay", {})
        assert isinstance(found, Rebuilt)
        return found
