"""News among processes: that a tenant's ledger has moved, as a hint. Where it stands is asked of the ledger itself.

Whoever writes tells it here once its commit is durable. Those who watch in the same process are woken at once; other
processes are told by NOTIFY, which is a statement of its own, a moment later and in another thread, so that no writer
waits for it and a burst becomes one message. A hint that is lost costs nothing but time: those who watch are also woken
now and then without one.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue

import psycopg

from muniment.backends.postgres.listener import LedgerMoved, Listener
from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.pool import Pool
from muniment.model.errors import MunimentError

GATHER_S = 0.05
"""So long news is gathered before it is told: a tenant is spoken of no more often than that."""
_RETRY_S = 1.0
_PARTING_S = 2.0
_HURRIED = b"SET LOCAL synchronous_commit = off"
"""A message that is lost when the server crashes was worth nothing by then, so nobody waits for a disk."""
_TELL = b"SELECT pg_notify('muniment:' || current_schema(), $1)"


class ChangeFeed:
    """The news of one schema, as one process tells and hears it."""

    def __init__(self, pool: Pool) -> None:
        self.users = 0
        self._name = secrets.token_hex(8)
        self._watchers: dict[int, list[Callable[[], None]]] = {}
        self._changing = threading.Lock()
        self._teller = _Teller(pool)
        self._pool = pool
        self._hearing: Listener | None = None

    def wrote(self, tenant: int, before: int, after: int) -> None:
        """Tell that a commit took the ledger of a tenant from one position to another. Waits for nobody."""
        if after != before:
            self._ring(tenant)
            self._teller.tell(LedgerMoved(tenant=tenant, seq=after, sender=self._name))

    @contextmanager
    def watching(self, tenant: int, wake: Callable[[], None]) -> Iterator[Callable[[], bool]]:
        """Have `wake` called whenever a tenant may have moved: it is quick and raises nothing. Says whether other
        processes are heard at present. Who has listened once listens until the feed is closed."""
        with self._changing:
            self._watchers.setdefault(tenant, []).append(wake)
            if self._hearing is None:
                self._hearing = Listener(self._pool, self._heard, self._ring_all)
            hearing = self._hearing
        try:
            yield lambda: hearing.up
        finally:
            with self._changing:
                self._watchers[tenant].remove(wake)
                if not self._watchers[tenant]:
                    del self._watchers[tenant]

    def close(self) -> None:
        """Tell what is left to tell, and listen no more."""
        with self._changing:
            hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.close()
        self._teller.close()

    def _heard(self, news: LedgerMoved) -> None:
        if news.sender != self._name:
            self._ring(news.tenant)

    def _ring(self, tenant: int) -> None:
        for wake in tuple(self._watchers.get(tenant, ())):
            wake()

    def _ring_all(self) -> None:
        for tenant in tuple(self._watchers):
            self._ring(tenant)


class _Teller:
    """Tells other processes, a little later, from a thread that is there once there is something to tell."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._due: dict[int, LedgerMoved] = {}
        self._changing = threading.Lock()
        self._bell: SimpleQueue[None] = SimpleQueue()  # unlike an event's, its lock cannot be left held by a Ctrl-C
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self.trouble: Exception | None = None

    def tell(self, news: LedgerMoved) -> None:
        """What was to be told of the same tenant before needs no telling any more."""
        with self._changing:
            known = self._due.get(news.tenant)
            if known is None or known.seq < news.seq:
                self._due[news.tenant] = news
            if self._thread is None and not self._over.is_set():
                self._begin()
        self._bell.put(None)

    def _begin(self) -> None:
        thread = threading.Thread(target=self._run, name="muniment-telling", daemon=True)
        with suppress(RuntimeError):  # no more threads, or the end of the program: it is only a hint
            thread.start()
            self._thread = thread

    def close(self) -> None:
        """Tell the rest, if that is done soon."""
        self._over.set()
        self._bell.put(None)
        with self._changing:
            thread = self._thread
        if thread is not None:
            thread.join(_PARTING_S)

    def _run(self) -> None:
        while not self._over.is_set():
            self._bell.get()
            self._over.wait(GATHER_S)
            while not self._bell.empty():
                self._bell.get()
            if not self._send():
                self._bell.put(None)
                self._over.wait(_RETRY_S)
        self._send()

    def _send(self) -> bool:
        """Tell all that is due; False when it could not be told. It stays due then."""
        with self._changing:
            due, self._due = self._due, {}
        if not due:
            return True
        try:
            with self._pool.lend() as connection, Pipeline(connection) as channel:
                channel.tell(b"BEGIN")
                channel.tell(_HURRIED)
                for news in due.values():
                    channel.tell(_TELL, (str(news),))
                channel.finish(b"COMMIT")
        except (psycopg.Error, MunimentError) as error:
            self.trouble = error
            with self._changing:
                self._due = due | self._due
            return False
        self.trouble = None
        return True


_feeds: dict[Pool, ChangeFeed] = {}
_sharing = threading.Lock()


def _forked() -> None:
    """A new process has none of them, and no thread that would let go of the lock."""
    global _sharing
    _sharing = threading.Lock()
    _feeds.clear()


os.register_at_fork(after_in_child=_forked)


def join(pool: Pool) -> ChangeFeed:
    """The feed of those who share the connections of a pool. Whoever joins leaves."""
    with _sharing:
        feed = _feeds.get(pool)
        if feed is None:
            feed = _feeds[pool] = ChangeFeed(pool)
        feed.users += 1
        return feed


def leave(pool: Pool) -> None:
    """Be one less; the last one ends it."""
    with _sharing:
        feed = _feeds[pool]
        feed.users -= 1
        if feed.users:
            return
        del _feeds[pool]
    feed.close()
