"""One tenant in a PostgreSQL schema: many readers, one writer at a time among all processes, shared commits.

Every write begins by taking the tenant's turn: it updates the tenant's one row, and whoever is next waits for that row.
Nothing else is ever waited for, so no two writers can wait for each other. A commit whose connection is lost may have
happened or not: the next attempt, which has the turn and so comes after it, looks before it writes again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TypeVar, cast

import psycopg

from muniment.backends.group_commit import Group, PendingWrite, WriteQueue, WriteUndone, run_alone, run_along
from muniment.backends.nearness import NEAR_POSTINGS_MAX
from muniment.backends.postgres import change_feed, consistency_check, scrubbing
from muniment.backends.postgres.content_encryption import PLAIN
from muniment.backends.postgres.error_mapping import RETRIED, lost, translated, unsure
from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.scrubbing import AT_ONCE_BYTES
from muniment.backends.postgres.tenant_row import SETTLED, WORDS, HeadRow, demand_words, move_head, take_turn
from muniment.backends.postgres.tenant_scope import TenantScope
from muniment.backends.postgres.transaction import Transaction
from muniment.backends.postgres.unit import PostgresSnapshot, PostgresUnit
from muniment.backends.postgres.vectors import PostgresVectors
from muniment.backends.postgres.writer_memory import WriterMemory
from muniment.backends.sqlite.store import scratch_store
from muniment.model.entry import LedgerHead
from muniment.model.errors import OperationalError, StoreUnavailable, closed
from muniment.ports.health import StoreHealth
from muniment.ports.store import Snapshot, TenantStore, Unit

T = TypeVar("T")
PATIENCE_S = 10.0
"""So long a call waits for a server that has gone away to come back, or for another to take its place."""
_TRIES = 3
_PAUSES_S = (0.02, 0.05, 0.1, 0.25, 0.5)


class _Attempt:
    """What is known of the last attempt at a commit: where it would have left the tenant and whose jobs were in it, if
    it was sent."""

    def __init__(self) -> None:
        self.sent: tuple[HeadRow, HeadRow] | None = None
        self.group: Group = []

    def send(self, channel: Pipeline, before: HeadRow, after: HeadRow, group: Group) -> str:
        """Commit. Whatever is answered is known; only what is lost on the way may have been kept all the same."""
        self.group = list(group)
        self.sent = (before, after)
        try:
            return channel.finish(b"COMMIT")
        except psycopg.Error as error:
            if not lost(error):
                self.sent = None
            raise

    def landed(self, link: Transaction) -> bool:
        """Whether that attempt was kept after all. Asked by who has the turn, so it is decided by now."""
        if self.sent is None:
            return False
        before, after = self.sent
        if after.seq != before.seq:
            found = link.row("entry_hash", after.seq)
            return found is not None and bytes(found[0]) == after.hash
        if after.receipts != before.receipts:
            found = link.row("receipt_hash", after.receipts)
            return found is not None and bytes(found[0]) == after.receipts_hash
        return False  # whatever else a job writes, writing it once more changes nothing


class PostgresTenant:
    """One tenant's rows."""

    def __init__(self, door: TenantScope, *, patience_s: float = PATIENCE_S, scrub_bytes: int = AT_ONCE_BYTES) -> None:
        self.tenant = door.tenant
        self._door = door
        self._patience_s = patience_s
        self._line = WriteQueue(self._carry)
        self._writing = threading.Lock()
        self._latest = WriterMemory(keep=NEAR_POSTINGS_MAX)
        self._turn = -1
        self._known: LedgerHead | None = None
        self._last = _Attempt()
        self._closed = False
        self._renewing = False
        self.vectors = PostgresVectors(door)
        self._scrub_bytes = scrub_bytes
        self._left = not scrubbing.finish(door, most=scrub_bytes)
        self._feed = change_feed.join(door.pool)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        with self._moment() as (link, row):
            yield PostgresSnapshot(link, row)

    @property
    def read_only(self) -> bool:
        return False

    def marks(self) -> tuple[int, int, int]:
        with self._moment() as (_, row):
            return row.seq, row.notes, row.erasure

    @contextmanager
    def _moment(self) -> Iterator[tuple[Transaction, HeadRow]]:
        """A moment of the tenant, which the first answer fixes. Until then a server that has gone away is waited for,
        as long as by a write."""
        tries, until = 0, time.monotonic() + self._patience_s
        with ExitStack() as reading:
            while True:
                try:
                    with ExitStack() as begun:
                        link = begun.enter_context(self._door.reading())
                        link.ahead(partial(link.row, "last_entry"))
                        row = HeadRow.of(self.tenant, link.row("head_row"))
                        if not self._renewing:
                            demand_words(self.tenant, row)
                        reading.push(begun.pop_all())
                    break
                except OperationalError as error:
                    tries += 1
                    if not lost(error) or time.monotonic() >= until:
                        raise
                    time.sleep(_PAUSES_S[min(tries, len(_PAUSES_S)) - 1])
            yield link, row

    def watching(self, wake: Callable[[], None]) -> AbstractContextManager[Callable[[], bool]]:
        return self._feed.watching(self._door.number, wake)

    def write(self, job: Callable[[Unit], T]) -> T:
        return self._line.run(job)

    def _carry(self, group: Group, gather: Callable[[], None]) -> None:
        """Run a group until it is kept: again when others were in the way, apart when one of it failed, and on another
        connection when one was lost, for a bounded time."""
        with self._writing, translated(self.tenant):
            if self._closed:
                gather()
                raise closed(f"the memory of tenant {self.tenant}")
            gather()
            apart, tries, until = False, 0, time.monotonic() + self._patience_s
            while True:
                try:
                    self._attempt(group, gather, apart=apart)
                    group[:] = [ticket for ticket in group if not ticket.decided]
                    if not group:  # else the commit of an interrupted leader was found kept, and ours come now
                        return
                except WriteUndone:
                    apart = True
                except (psycopg.Error, OperationalError) as error:
                    tries += 1
                    if lost(error) and time.monotonic() < until:
                        time.sleep(_PAUSES_S[min(tries, len(_PAUSES_S)) - 1])
                    elif self._last.sent is not None:
                        self._last = _Attempt()
                        raise unsure(self.tenant) from error
                    elif isinstance(error, OperationalError):
                        raise
                    elif len(group) > 1 and not apart:  # one of the jobs; which, is seen when each is on its own
                        apart = True
                    elif not isinstance(error, RETRIED) or tries >= _TRIES:
                        raise

    def _attempt(self, group: Group, gather: Callable[[], None], *, apart: bool) -> None:
        """Take the turn, run the jobs of a group and commit once. The last attempt is remembered until its fate is
        known: its leader may have been interrupted, and the next one then finds out first."""
        try:
            with self._door.speak() as channel:
                ending = self._transaction(channel, group, gather, apart=apart)
                if ending != "COMMIT":  # a transaction that failed answers otherwise
                    self._last.sent = None
                    raise StoreUnavailable(f"tenant {self.tenant}: the server did not keep the write")
                if channel.warned:
                    raise psycopg.OperationalError("the server no longer waits for its copy to have the write too")
        except BaseException:
            self._latest.clear()
            self._turn, self._known = -1, None
            if self._last.sent is None:
                for ticket in group:
                    ticket.error = None
            raise
        last, self._last = self._last, _Attempt()
        for ticket in last.group:
            ticket.kept = ticket.error is None
        if last.sent is not None:
            self._feed.wrote(self._door.number, last.sent[0].seq, last.sent[1].seq)

    def _transaction(self, channel: Pipeline, group: Group, gather: Callable[[], None], *, apart: bool) -> str:
        """Everything from BEGIN to COMMIT, and how that was answered."""
        link, last = self._door.begin(channel), self._last
        before, head = take_turn(link, self._known)
        if not self._renewing:
            demand_words(self.tenant, before)
        if last.landed(link):  # on this server; once the turn is kept, its copies have all that came before it too
            return channel.finish(b"COMMIT")
        last.sent = None
        gather()
        unit = self._unit(link, before, head)
        self._run(group, unit, apart=apart)
        if unit.row != before:
            move_head(link, unit.row)
        link.settle()
        self._turn, self._known = before.turn, unit.ledger.head()
        return last.send(channel, before, unit.row, group)

    def _unit(self, link: Transaction, row: HeadRow, head: LedgerHead | None) -> PostgresUnit:
        if row.turn != self._turn + 1 or head != self._known:  # others have written since, or this is another history
            self._latest.clear()
        return PostgresUnit(link, row, head, self._latest)

    def _run(self, group: Group, unit: PostgresUnit, *, apart: bool) -> None:
        for ticket in group:
            ticket.error = None
            if apart:
                self._run_apart(ticket, unit)
            elif len(group) == 1:
                run_alone(ticket, unit)
            else:
                run_along(ticket, unit)

    def _run_apart(self, ticket: PendingWrite[object], unit: PostgresUnit) -> None:
        """Run a job so that its failure is its own: what it wrote is undone, the others go on."""
        link, row, head = unit.link, unit.row, unit.ledger.head()
        link.tell("SAVEPOINT job", ())
        try:
            with translated(self.tenant):
                ticket.result = ticket.job(unit)
                link.hear()
        except Exception as error:
            if lost(error):
                raise
            link.drop()
            link.tell("ROLLBACK TO job", ())
            unit.restore(row, head)
            self._latest.clear()
            ticket.error = error
        link.tell("RELEASE job", ())

    def renew(self, *, settled: bool, progress: Callable[[int, int], None]) -> None:
        """Index every text anew, in one commit."""
        self._renewing = True
        try:
            self._line.run(lambda unit: cast(PostgresUnit, unit).renew_words(SETTLED if settled else WORDS, progress))
        finally:
            self._renewing = False

    def scratch(self) -> AbstractContextManager[TenantStore]:
        """An embedded store: it gives the same answers, and is gone without a trace in the database."""
        return scratch_store(self.tenant, sealed=self._door.seal is not PLAIN)

    def integrity(self) -> tuple[str, ...]:
        return consistency_check.complaints(self._door)

    def scrub(self) -> bool:
        self._left = True
        self._left = not scrubbing.scrub(self._door, most=self._scrub_bytes)
        return not self._left

    def size_bytes(self) -> int:
        with self._door.reading() as link:
            row = link.row("size")
        return 0 if row is None else int(row[0])

    def health(self) -> StoreHealth:
        oldest = self._door.reads.oldest_s()
        with self._door.reading() as link:
            receipts, size = link.row("receipts_bytes"), link.row("size")
        return StoreHealth(
            oldest_read_s=oldest,
            wal_bytes=0,
            receipts_bytes=0 if receipts is None else int(receipts[0]),
            total_bytes=0 if size is None else int(size[0]),
        )

    def close(self) -> None:
        try:
            if not self._closed:
                self._left = self._left and not scrubbing.finish(self._door, most=self._scrub_bytes)
                self.vectors.close()
        finally:
            with self._writing:
                closed, self._closed = self._closed, True
                self._door.close()
            if not closed:
                change_feed.leave(self._door.pool)
