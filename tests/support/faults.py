"""A store that dies on purpose. Wraps any store, counts every touch of it inside a write, and dies at the n-th.

Knows nothing of what is written: a touch is a call on the unit or on one of its reading halves, the end of the job
just before it is made durable, and the moment after that, when it is durable and nobody has been told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar, cast

from muniment.model.entry import Document, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.receipt import StoredReceipt
from muniment.model.rows import Row, ToldRow
from muniment.ports.facts import FactsAsked, FactsFound
from muniment.ports.health import StoreHealth
from muniment.ports.lexicon import Lexicon, Names
from muniment.ports.store import (
    Catalogue,
    Documents,
    Ledger,
    Links,
    Notes,
    Proposals,
    Receipts,
    Snapshot,
    TenantStore,
    Unit,
)
from muniment.ports.vectors import Vectors, VectorSearch

T = TypeVar("T")


class Crash(BaseException):
    """The end of the world, as far as the code under test is concerned. No `except Exception` stops it."""


class CrashingStore:
    """A store that counts its touches and raises `Crash` at touch number `at`; with None it only counts.

    >>> from tests.support.memory_store.store import MemoryTenant
    >>> store = CrashingStore(MemoryTenant("acme"))
    >>> store.write(lambda unit: unit.ledger.head()), store.touches
    (None, 3)
    """

    def __init__(self, inner: TenantStore, *, at: int | None = None) -> None:
        self.tenant = inner.tenant
        self.touches = 0
        self._inner = inner
        self._at = at

    def arm(self, at: int | None) -> None:
        """Count from nothing again, and die at touch `at`."""
        self.touches, self._at = 0, at

    def touch(self) -> None:
        self.touches += 1
        if self.touches == self._at:
            raise Crash(f"died at touch {self.touches}")

    @property
    def vectors(self) -> Vectors:
        return self._inner.vectors

    def read(self) -> AbstractContextManager[Snapshot]:
        return self._inner.read()

    def write(self, job: Callable[[Unit], T]) -> T:
        def doomed(unit: Unit) -> T:
            result = job(_DoomedUnit(unit, self.touch))
            self.touch()
            return result

        result = self._inner.write(doomed)
        self.touch()
        return result

    @property
    def read_only(self) -> bool:
        return self._inner.read_only

    def marks(self) -> tuple[int, int, int]:
        return self._inner.marks()

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        return self._inner.watching(wake)

    def scratch(self) -> AbstractContextManager[TenantStore]:
        return self._inner.scratch()

    def integrity(self) -> tuple[str, ...]:
        return self._inner.integrity()

    def scrub(self) -> bool:
        return self._inner.scrub()

    def size_bytes(self) -> int:
        return self._inner.size_bytes()

    def health(self) -> StoreHealth:
        return self._inner.health()

    def close(self) -> None:
        self._inner.close()


class _Watched:
    """A reading half each of whose calls is a touch."""

    def __init__(self, half: object, touch: Callable[[], None]) -> None:
        self._half = half
        self._touch = touch

    def __getattr__(self, name: str) -> object:
        self._touch()
        return getattr(self._half, name)


class _DoomedUnit:
    """A unit each of whose calls is a touch, before and after it does its work."""

    def __init__(self, unit: Unit, touch: Callable[[], None]) -> None:
        self._unit = unit
        self._touch = touch
        self.ledger = cast(Ledger, _Watched(unit.ledger, touch))
        self.documents = cast(Documents, _Watched(unit.documents, touch))
        self.catalogue = cast(Catalogue, _Watched(unit.catalogue, touch))
        self.links = cast(Links, _Watched(unit.links, touch))
        self.desk = cast(Proposals, _Watched(unit.desk, touch))
        self.lexicon = cast(Lexicon, _Watched(unit.lexicon, touch))
        self.names = cast(Names, _Watched(unit.names, touch))
        self.meanings = cast(VectorSearch, _Watched(unit.meanings, touch))
        self.notes = cast(Notes, _Watched(unit.notes, touch))
        self.receipts = cast(Receipts, _Watched(unit.receipts, touch))

    def facts(self, asked: Sequence[FactsAsked]) -> Iterator[FactsFound]:
        self._touch()
        for found in self._unit.facts(asked):
            self._touch()
            yield found

    def ahead(self, *asks: Callable[[], object]) -> None:
        self._unit.ahead(*asks)

    def append(self, entry: StoredEntry) -> None:
        self._around(lambda: self._unit.append(entry))

    def keep(self, *documents: Document) -> None:
        """One by one, so that there is a death between any two of them."""
        for document in documents:
            self._around(partial(self._unit.keep, document))

    def drop(self, doc: int) -> None:
        self._around(lambda: self._unit.drop(doc))

    def amend(self, document: Document) -> None:
        self._around(lambda: self._unit.amend(document))

    def reword(self, doc: int, body: str | None) -> None:
        self._around(lambda: self._unit.reword(doc, body))

    def blank(self, seq: int, salt: bytes, account: bytes) -> None:
        self._around(lambda: self._unit.blank(seq, salt, account))

    def certify(self, signed: SignedCertificate) -> None:
        self._around(lambda: self._unit.certify(signed))

    def erase(self, docs: Iterable[int]) -> None:
        self._around(lambda: self._unit.erase(docs))

    def project(self, rows: tuple[Row, ...], texts: dict[int, str]) -> None:
        """Row by row, so that there is a death between any two of them."""
        for row in rows:
            self._around(partial(self._unit.project, (row,), texts))

    def clear_projections(self) -> None:
        self._around(self._unit.clear_projections)

    def append_receipt(self, receipt: StoredReceipt) -> None:
        self._around(lambda: self._unit.append_receipt(receipt))

    def tell(self, rows: Sequence[ToldRow]) -> None:
        """Row by row, so that there is a death between any two of them."""
        for row in rows:
            self._around(partial(self._unit.tell, (row,)))

    def checkpoint(self, signed: SignedCheckpoint) -> None:
        self._around(lambda: self._unit.checkpoint(signed))

    def _around(self, work: Callable[[], None]) -> None:
        self._touch()
        work()
        self._touch()
