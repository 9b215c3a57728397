"""Connections to the server: a bounded number of them, each in a known state when it is lent.

Whoever needs a connection makes it: there is no thread behind this that could be late, or know a reason that nobody
is told. A server that is away is waited for, for a bounded time; it may be another one that answers then.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import psycopg
from psycopg.types.numeric import Int8Dumper

from muniment.backends.permits import Permits
from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.error_mapping import lost, translated
from muniment.backends.postgres.pipeline import Row, parted, settled
from muniment.model.errors import MunimentError, OperationalError, StoreBusy, StoreUnavailable, closed

CONNECTIONS_MAX = 16
WAIT_S = 10.0
"""So many connections for a process, and so long one waits for a free one."""
IDLE_S = 300.0
"""So long a connection is kept that nobody needs."""
_BOUNDS = {
    "lock_timeout": "SET LOCAL lock_timeout = '30s'",
    "idle_in_transaction_session_timeout": "SET LOCAL idle_in_transaction_session_timeout = '5min'",
}
"""So long a writer waits for its turn, and so long one that has it may be silent, where the server has no bounds of its
own: a process that was stopped with the turn in its hands must not stop the fleet."""
_PAUSES_S = (0.02, 0.05, 0.1, 0.25, 0.5)
_PARTING_MS = 100

Connection = psycopg.Connection[Row]


class Pool:
    """The connections of one process to one schema, all in one role."""

    def __init__(
        self, address: DatabaseAddress, *, settings: tuple[str, ...] = (), most: int = CONNECTIONS_MAX
    ) -> None:
        self._owner = os.getpid()
        self._name = (address, settings)
        self._users = 0
        self._address = address
        self._settings = settings
        self._room = Permits(most)
        # Taken again by the thread that has it when a read that was abandoned is collected there.
        self._changing = threading.RLock()
        self._free: list[tuple[float, Connection]] = []
        self._age = 0
        self._closed = False
        self.bounds: tuple[str, ...] = ()

    @contextmanager
    def lend(self) -> Iterator[Connection]:
        """A connection for a block. What it is in the middle of when it comes back is undone."""
        self._demand_owner()
        permit = self._room.take(timeout=WAIT_S)
        if permit is None:
            raise StoreBusy(f"all connections of this process to {self._address} were in use for too long")
        try:
            age, connection = self._age, self._take()
            try:
                yield connection
            except (psycopg.Error, MunimentError) as error:
                if lost(error) and self._owned():
                    connection.close()
                    self._drop_idle()
                raise
            finally:
                self._put_back(connection, age)
        finally:
            permit.give_back()

    def apart(self) -> Connection:
        """A connection that is none of the pool's, in the state of one that is lent, for whoever keeps it and closes
        it. A server that is away is not waited for."""
        self._demand_owner()
        return self._made()

    def idle(self) -> int:
        """How many connections are open and lent to nobody."""
        return len(self._free)

    def leave(self) -> None:
        """Be one user less; the last one closes it."""
        if not self._owned():
            return
        with _sharing:
            self._users -= 1
            if self._users == 0:
                _pools.pop(self._name, None)
                self._closed = True
                self._drop_idle()

    def _owned(self) -> bool:
        """Whether this is the process that made the connections. A copy of it has the same sockets: what it said on
        them, even goodbye, would be said for the other, and what it heard would be the other's answers."""
        return os.getpid() == self._owner

    def _demand_owner(self) -> None:
        if not self._owned():
            error = StoreUnavailable(f"the memory at {self._address} was opened before this process was forked")
            error.hint = "Open it in the new process, or start processes with spawn or forkserver."
            raise error

    def _take(self) -> Connection:
        """The connection used last whose server has not hung up, or a new one."""
        while True:
            with self._changing:
                if not self._free:
                    break
                _, connection = self._free.pop()
            if settled(connection) and _alive(connection):
                return connection
            connection.close()
        return self._connect()

    def _connect(self) -> Connection:
        """A new connection; a server that is away, or full, is waited for."""
        until, tries = time.monotonic() + self._address.patience_s, 0
        while True:
            if self._closed:
                raise closed(f"the pool of connections to {self._address}")
            try:
                return self._made()
            except OperationalError:
                pause = _PAUSES_S[min(tries, len(_PAUSES_S) - 1)]
                if time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
            tries += 1

    def _made(self) -> Connection:
        with ExitStack() as unfinished, translated("connection"):
            connection = unfinished.enter_context(closing(reach(self._address)))
            connection.adapters.register_dumper(int, Int8Dumper)
            connection.prepare_threshold = None  # the channel prepares what it says by itself
            for setting in self._settings:
                connection.execute(setting.encode())
            self.bounds = tuple(
                bound
                for name, bound in _BOUNDS.items()
                if connection.execute(b"SELECT current_setting($1)", (name,)).fetchone() == ("0",)
            )
            unfinished.pop_all()
        return connection

    def _put_back(self, connection: Connection, age: int) -> None:
        """Keep a connection for the next one, if it is as it was; those that nobody has needed for long are closed."""
        if not self._owned():
            return
        _idle_again(connection)
        now, left = time.monotonic(), list[Connection]()
        with self._changing:
            while self._free and self._free[0][0] < now - IDLE_S:
                left.append(self._free.pop(0)[1])
            if self._closed or age != self._age:
                left.append(connection)
            elif not connection.closed:
                self._free.append((now, connection))
        for one in left:
            _end(one)

    def _drop_idle(self) -> None:
        """Close what is lent to nobody, and let nothing that is lent come back: it leads where a server was lost."""
        with self._changing:
            left, self._free = self._free, []
            self._age += 1
        for _, connection in left:
            _end(connection)


_pools: dict[tuple[DatabaseAddress, tuple[str, ...]], Pool] = {}
_sharing = threading.Lock()


_left_alone: list[Pool] = []
"""In a process that was forked: the pools of the one it came from, kept so that nobody closes them."""


def _forked() -> None:
    """Begin anew in a process that was forked; the lock may have been held by a thread that is not there any more."""
    global _sharing
    _sharing = threading.Lock()
    _left_alone.extend(_pools.values())
    _pools.clear()


os.register_at_fork(after_in_child=_forked)


def shared(address: DatabaseAddress, settings: tuple[str, ...]) -> Pool:
    """The pool of this process for a schema of a database: one for all who open it, until the last has left."""
    with _sharing:
        pool = _pools.get((address, settings))
        if pool is None:
            pool = _pools[address, settings] = Pool(address, settings=settings)
        pool._users += 1
        return pool


def _end(connection: Connection) -> None:
    """Close a connection. One that hangs up with an answer unheard is taken by the server for one that was cut off."""
    settled(connection, within_ms=_PARTING_MS)
    connection.close()


def _idle_again(connection: Connection) -> None:
    """Undo what a connection is in the middle of; one that is in no state for it is closed. One whose undoing was said
    already, and not heard of yet, is left to that."""
    if parted(connection) and not connection.closed:
        return
    if connection.pgconn.pipeline_status != psycopg.pq.PipelineStatus.OFF:
        connection.close()  # who spoke on it was interrupted
    if connection.closed or connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
        return
    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()


def _alive(connection: Connection) -> bool:
    """Whether a connection lives. One that says something without being asked says mostly goodbye."""
    looking = select.poll()
    looking.register(connection.fileno(), select.POLLIN)
    if not looking.poll(0):
        return True
    try:
        connection.execute(b"SELECT 1")
    except psycopg.Error:
        return False
    return True
