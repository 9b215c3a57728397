"""The way into the database for one tenant: transactions that say first whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from muniment.backends.open_reads import OpenReads
from muniment.backends.postgres.content_encryption import PLAIN, ContentCipher
from muniment.backends.postgres.error_mapping import translated
from muniment.backends.postgres.pipeline import Pipeline, Row
from muniment.backends.postgres.pool import Pool
from muniment.backends.postgres.server import tenant_prologue
from muniment.backends.postgres.transaction import Transaction, tenant_number
from muniment.model.errors import StoreUnavailable, closed

_READING = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITING = "ISOLATION LEVEL READ COMMITTED"


class TenantScope:
    """Transactions of one tenant. Without what they say first no row is visible to them."""

    def __init__(self, pool: Pool, tenant: str, *, citus: bool = False, seal: ContentCipher = PLAIN) -> None:
        self.tenant = tenant
        self.number = tenant_number(tenant)
        self.pool = pool
        self.seal = seal
        self._prologue = tenant_prologue(self.number, citus=citus)
        self.reads = OpenReads()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """One consistent moment. Nothing can be written."""
        with self.reads.one(), translated(self.tenant), self.speak() as channel:
            link = self.begin(channel, _READING)
            yield link
            link.settle()
            channel.part(b"ROLLBACK")

    @contextmanager
    def touching(self) -> Iterator[Transaction]:
        """A transaction that does not take the tenant's turn, kept when the block ends well."""
        with translated(self.tenant), self.speak() as channel:
            link = self.begin(channel, _WRITING)
            yield link
            link.settle()
            if channel.finish(b"COMMIT") != "COMMIT":  # a transaction that failed answers otherwise
                raise StoreUnavailable(f"tenant {self.tenant}: the server did not keep the write")

    @contextmanager
    def speak(self) -> Iterator[Pipeline]:
        """A connection that statements are said to without waiting. What a block leaves unfinished is undone."""
        with self.lend() as connection, Pipeline(connection) as channel:
            yield channel

    @contextmanager
    def lend(self) -> Iterator[psycopg.Connection[Row]]:
        if self._closed:
            raise closed(f"the memory of tenant {self.tenant}")
        with self.pool.lend() as connection:
            yield connection

    def begin(self, channel: Pipeline, how: str = _WRITING) -> Transaction:
        """Begin a transaction of this tenant."""
        channel.tell(f"BEGIN {how}".encode())
        for setting in self._prologue if how == _READING else (*self._prologue, *self.pool.bounds):
            channel.tell(setting.encode())
        return Transaction(channel, self.tenant, self.seal)

    def close(self) -> None:
        self._closed = True
