"""The reference store: a tenant is a set of dictionaries, a transaction is a copy of them. Keeps nothing on disk.

Naive on purpose. A write works on a copy and puts it in place at the end, so a job that raises leaves nothing;
a snapshot holds on to the dictionaries of its moment, so no later write can reach it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

from tests.support.memory_store.meanings import MemoryVectors
from tests.support.memory_store.tables import Tables
from tests.support.memory_store.unit import MemorySnapshot, MemoryUnit

from muniment.backends.open_reads import OpenReads
from muniment.backends.tokens import tokenize
from muniment.model.checks import identifier
from muniment.model.errors import NotFound, closed
from muniment.model.record import Record
from muniment.model.value import read_canonical
from muniment.ports.health import StoreHealth
from muniment.ports.store import Snapshot, TenantStore, Unit

T = TypeVar("T")


class Shelf:
    """Where a tenant's tables lie between transactions. Outlives the store that was opened on it, as a file would."""

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = tables if tables is not None else Tables()
        self.vectors = MemoryVectors(lambda rid: self.tables.cards[rid].seq)
        self.writing = threading.Lock()


class MemoryTenant:
    """One tenant's memory in this process."""

    def __init__(self, tenant: str, *, shelf: Shelf | None = None) -> None:
        identifier("tenant", tenant)
        self.tenant = tenant
        self._shelf = shelf if shelf is not None else Shelf()
        self._reads = OpenReads()
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        self._refuse_closed()
        with self._reads.one():
            yield MemorySnapshot(self._shelf.tables, self.tenant, self.vectors)

    @property
    def vectors(self) -> MemoryVectors:
        return self._shelf.vectors

    def write(self, job: Callable[[Unit], T]) -> T:
        with self._shelf.writing:
            self._refuse_closed()
            draft = self._shelf.tables.copy()
            result = job(MemoryUnit(draft, self.tenant, self.vectors))
            self._shelf.tables = draft
            return result

    def _refuse_closed(self) -> None:
        if self._closed:
            raise closed(f"the memory of tenant {self.tenant}")

    @property
    def read_only(self) -> bool:
        return False

    def marks(self) -> tuple[int, int, int]:
        self._refuse_closed()
        tables = self._shelf.tables
        noted = max((note.seq for note in tables.notes.values()), default=0)
        return max(tables.entries, default=0), noted, max(tables.certificates, default=0)

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        """There are no other processes."""
        return nullcontext(lambda: False)

    @contextmanager
    def scratch(self) -> Iterator[TenantStore]:
        store = MemoryTenant(self.tenant)
        try:
            yield store
        finally:
            store.close()

    def integrity(self) -> tuple[str, ...]:
        """Compare the word index with the records, both ways."""
        tables = self._shelf.tables
        complaints = [f"text {rid} is indexed without a card" for rid in tables.terms.keys() - tables.cards.keys()]
        for rid in sorted(tables.cards):
            document = tables.documents.get(rid)
            held = tokenize(read_canonical(document.body, Record).content) if document is not None else None
            if tables.terms.get(rid) != held:
                complaints.append(f"the index of card {rid} differs from its record")
        return tuple(complaints)

    def scrub(self) -> bool:
        tables = self._shelf.tables
        self.vectors.forget(tables.tombstones)
        return True

    def size_bytes(self) -> int:
        tables = self._shelf.tables
        entries = sum(len(stored.body) for stored in tables.entries.values())
        receipts = sum(len(stored.body) + len(stored.account) for stored in tables.receipts.values())
        return entries + receipts + sum(len(document.body) for document in tables.documents.values())

    def health(self) -> StoreHealth:
        self._refuse_closed()
        kept = self._shelf.tables.receipts.values()
        parts = [len(part) for one in kept for part in (one.id, one.body, one.hash, one.salt, one.account)]
        return StoreHealth(
            oldest_read_s=self._reads.oldest_s(),
            wal_bytes=0,
            receipts_bytes=sum(parts),
            total_bytes=self.size_bytes(),
        )

    def close(self) -> None:
        with self._shelf.writing:
            self._closed = True


class MemoryVault:
    """Tenants that live as long as this object does. Closing it closes the stores; opening one again finds it whole."""

    def __init__(self) -> None:
        self._shelves: dict[str, Shelf] = {}
        self._open: dict[str, MemoryTenant] = {}
        self._opening = threading.Lock()

    def copy(self) -> MemoryVault:
        """A vault that holds the same and goes its own way from here."""
        twin = MemoryVault()
        for tenant, shelf in self._shelves.items():
            twin._shelves[tenant] = Shelf(shelf.tables.copy())
            twin._shelves[tenant].vectors.take_over(shelf.vectors)
        return twin

    def tenants(self) -> tuple[str, ...]:
        return tuple(sorted(self._shelves))

    def open(self, tenant: str, *, create: bool) -> MemoryTenant:
        identifier("tenant", tenant)
        with self._opening:
            if tenant not in self._open:
                if not create and tenant not in self._shelves:
                    raise NotFound("tenant", tenant)
                self._open[tenant] = MemoryTenant(tenant, shelf=self._shelves.setdefault(tenant, Shelf()))
            return self._open[tenant]

    def close(self) -> None:
        with self._opening:
            for store in self._open.values():
                store.close()
            self._open.clear()
