"""The line in which the writers of one process wait: whoever is first leads, and all who wait share one commit.

One caller pays one commit, a hundred callers pay one between them. A job that fails undoes itself and nobody else; a
commit that fails fails every job in it, and none was acknowledged.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from muniment.model.errors import MunimentError, StoreUnavailable
from muniment.ports.store import Unit

T = TypeVar("T")
GROUP_MAX = 256


class Ticket(Generic[T]):
    """A job in the line and, later, what came of it. `turn` is released when it is done or is to lead a group."""

    __slots__ = ("done", "error", "job", "kept", "result", "turn")

    def __init__(self, job: Callable[[Unit], T]) -> None:
        self.job = job
        self.turn = threading.Lock()
        self.turn.acquire()
        self.done = False
        self.kept = False
        self.result: T | None = None
        self.error: BaseException | None = None


Group = list[Ticket[object]]
Carry = Callable[[Group, Callable[[], None]], None]
"""What runs a group: it is handed the group and a way to take in those who came to wait meanwhile."""


class Line:
    """The line for one store, known to callers by `name`."""

    def __init__(self, name: str, carry: Carry) -> None:
        self._name = name
        self._carry = carry
        self._queue: deque[Ticket[object]] = deque()
        self._gate = threading.Lock()
        self._leader: Ticket[object] | None = None
        self._closed = False

    def run(self, job: Callable[[Unit], T]) -> T:
        """Have a job run, in the turn of this caller or of another, and return once it is kept."""
        ticket = Ticket(job)
        one = cast(Ticket[object], ticket)
        try:
            with self._gate:
                self._queue.append(one)
                if self._leader is None:
                    self._leader = one
            if self._leader is not one:
                ticket.turn.acquire()
            if not ticket.done:
                self._lead(one)
        except BaseException:
            self._leave(one)
            raise
        if ticket.error is not None:
            raise ticket.error
        if not ticket.kept:
            raise StoreUnavailable(f"{self._name}: the write was interrupted before it was known to be kept")
        return cast(T, ticket.result)

    def close(self) -> None:
        """Take no more jobs. Those who wait are told when their turn comes."""
        self._closed = True

    def _leave(self, ticket: Ticket[object]) -> None:
        """Go away before the turn came, or with the lead that fell to one who was interrupted: another has it then."""
        while True:
            try:
                with self._gate:
                    if ticket in self._queue:
                        self._queue.remove(ticket)
                if self._leader is ticket:
                    self._hand_over(ticket, [])
                return
            except KeyboardInterrupt:  # again: nobody else would do it
                continue

    def _lead(self, leader: Ticket[object]) -> None:
        """Run what waits, commit once, wake those it was done for, and pass the lead on. Each waiter wakes once."""
        group: Group = []
        try:
            self._carry(group, lambda: self._gather(group))
        except MunimentError as error:
            for ticket in group:
                ticket.error = error
        finally:
            self._surely_hand_over(leader, group)

    def _surely_hand_over(self, leader: Ticket[object], group: Group) -> None:
        """Nobody else would do it: who is interrupted meanwhile does it again, and is interrupted then."""
        interrupted: KeyboardInterrupt | None = None
        while True:
            try:
                self._hand_over(leader, group)
                break
            except KeyboardInterrupt as late:
                interrupted = late
        if interrupted is not None:
            raise interrupted

    def _gather(self, group: Group) -> None:
        """Take in those who wait. Done before standing in line with other processes and again after: the longer that
        took, the more share a commit."""
        with self._gate:
            group += (self._queue.popleft() for _ in range(min(GROUP_MAX - len(group), len(self._queue))))

    def _hand_over(self, leader: Ticket[object], group: Group) -> None:
        """Wake those it was done for and pass the lead on. May be done twice: who has the lead by then keeps it."""
        with self._gate:
            if self._closed:
                for ticket in self._queue:
                    ticket.error = StoreUnavailable(f"{self._name} is closed")
                group += self._queue
                self._queue.clear()
            for ticket in group:
                ticket.done = True
                _wake(ticket)
            if self._leader is leader:
                self._leader = self._queue[0] if self._queue else None
            if self._leader is not None:
                _wake(self._leader)


def _wake(ticket: Ticket[object]) -> None:
    """Let a ticket go on, once."""
    if ticket.turn.locked():
        ticket.turn.release()


class Undone(Exception):
    """A job of a group failed, so none of the group was kept yet. Never leaves a store."""


def run_alone(ticket: Ticket[object], unit: Unit) -> None:
    ticket.result = ticket.job(unit)


def run_along(ticket: Ticket[object], unit: Unit) -> None:
    """Run a job of a group without a savepoint: almost always none of them fails."""
    try:
        ticket.result = ticket.job(unit)
    except Exception as error:
        raise Undone from error
