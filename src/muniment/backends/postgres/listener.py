"""The connection on which a process listens: one for a schema, beside the pool, made anew whenever it is lost.

While there is none, everybody who watches is woken every second, and so looks for itself.
"""

from __future__ import annotations

import re
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing

import psycopg

from muniment.backends.postgres.pool import Connection, Pool
from muniment.model.errors import MunimentError
from muniment.model.value import Value

SETTLE_S = 0.2
"""Who watches for less than that does not need a connection for it."""
LOOK_S = 1.0
"""While nothing can be heard, those who watch are woken so often."""
SWEEP_S = 10.0
"""And so often when all seems well: whoever wrote may have died before it told."""
_PAUSES_S = (0.1, 0.5, 1.0, 2.0, 5.0)
_PARTING_S = 2.0
_NEWS = re.compile(rb"(\d{1,19}) (\d{1,19}) ([0-9a-f]{16})")


class LedgerMoved(Value):
    """A ledger has moved: whose, how far, and who says so.

    >>> str(LedgerMoved(tenant=7, seq=12, sender="00c0ffee00c0ffee"))
    '7 12 00c0ffee00c0ffee'
    >>> LedgerMoved.read(b"7 12 00c0ffee00c0ffee")
    LedgerMoved(tenant=7, seq=12, sender='00c0ffee00c0ffee')
    >>> LedgerMoved.read(b"anybody may say anything here") is None
    True
    """

    tenant: int
    seq: int
    sender: str

    def __str__(self) -> str:
        return f"{self.tenant} {self.seq} {self.sender}"

    @classmethod
    def read(cls, said: bytes) -> LedgerMoved | None:
        """What was said, if it is news. Whoever may connect to the database may say anything on a channel."""
        found = _NEWS.fullmatch(said)
        return None if found is None else cls(tenant=int(found[1]), seq=int(found[2]), sender=found[3].decode())


class Listener:
    """A thread that listens, from its making to `close`."""

    def __init__(self, pool: Pool, heard: Callable[[LedgerMoved], None], look: Callable[[], None]) -> None:
        self.up = False
        self.trouble: Exception | None = None
        self._pool = pool
        self._heard = heard
        self._look = look
        self._over = threading.Event()
        self._bell, self._rope = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="muniment-hearing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, soon: one that is just connecting ends by itself when that is over."""
        self._rope.send(b".")  # before it may end, and put both ends away
        self._over.set()
        self._thread.join(_PARTING_S)

    def _run(self) -> None:
        try:
            self._over.wait(SETTLE_S)
            failures = 0
            while not self._over.is_set():
                failures = 0 if self._listened() else min(failures + 1, len(_PAUSES_S))
                self._pause(_PAUSES_S[max(failures, 1) - 1])
        finally:
            self._bell.close()
            self._rope.close()

    def _listened(self) -> bool:
        """Listen until that is over; whether it came to listening at all."""
        begun = False
        try:
            with closing(self._pool.apart()) as connection:
                _listen(connection)
                begun = self.up = True
                self.trouble = None
                self._look()  # what was said before was not heard
                self._attend(connection)
        except (psycopg.Error, MunimentError) as error:
            self.trouble = error
        finally:
            self.up = False
        return begun

    def _attend(self, connection: Connection) -> None:
        """Hear what comes, until it is time to stop or the connection is lost."""
        server, waiting = connection.pgconn, select.poll()
        waiting.register(connection.fileno(), select.POLLIN)
        waiting.register(self._bell.fileno(), select.POLLIN)
        sweep_at = time.monotonic() + SWEEP_S
        while not self._over.is_set():
            waiting.poll(max(0.0, sweep_at - time.monotonic()) * 1000)
            server.consume_input()
            while (said := server.notifies()) is not None:
                if (news := LedgerMoved.read(said.extra)) is not None:
                    self._heard(news)
            if server.status != psycopg.pq.ConnStatus.OK:
                raise psycopg.OperationalError("the connection was lost")
            if time.monotonic() >= sweep_at:
                self._look()
                sweep_at = time.monotonic() + SWEEP_S

    def _pause(self, seconds: float) -> None:
        """Nothing can be heard for so long; those who watch look for themselves."""
        until = time.monotonic() + seconds
        while not self._over.is_set() and (left := until - time.monotonic()) > 0:
            self._look()
            self._over.wait(min(left, LOOK_S))


def _listen(connection: Connection) -> None:
    """Listen where those who use the same schema tell."""
    row = connection.execute(b"SELECT current_schema()").fetchone()
    assert row is not None, "a connection of ours is in a schema"
    schema = str(row[0]).replace('"', '""')
    connection.execute(f'LISTEN "muniment:{schema}"'.encode())
