"""The queue in which the writers of one process wait: whoever is first leads, and all who wait share one commit.

One caller pays one commit, a hundred callers pay one between them. A job that fails undoes itself and nobody else; a
commit that fails fails every job in it, and none was acknowledged.

A leader may be interrupted (Ctrl-C) at any instruction. A ticket stays in the queue until its fate is known, so what a
leader did not finish is taken over by the next one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from muniment.model.errors import MunimentError
from muniment.ports.store import Unit

T = TypeVar("T")
GROUP_MAX = 256


class PendingWrite(Generic[T]):
    """A job in the queue and, later, what came of it. `turn` is released when that is known, or when it is to lead."""

    __slots__ = ("error", "job", "kept", "left", "result", "turn")

    def __init__(self, job: Callable[[Unit], T]) -> None:
        self.job = job
        self.turn = threading.Lock()
        self.turn.acquire()
        self.kept = False
        self.left = False
        self.result: T | None = None
        self.error: BaseException | None = None

    @property
    def decided(self) -> bool:
        """Whether the job was kept or has failed."""
        return self.kept or self.error is not None


Group = list[PendingWrite[object]]
Carry = Callable[[Group, Callable[[], None]], None]
"""What runs a group: it is handed the group and a way to take in those who came to wait meanwhile. Afterwards a ticket
is `kept` or has an `error`; or, if it was interrupted, nothing is known to be kept and the job may run again."""


class WriteQueue:
    """The queue of one store."""

    def __init__(self, carry: Carry) -> None:
        self._carry = carry
        self._queue: Group = []
        self._gate = threading.Lock()
        self._leader: PendingWrite[object] | None = None

    def run(self, job: Callable[[Unit], T]) -> T:
        """Have a job run, in the turn of this caller or of another, and return once it is kept."""
        ticket = PendingWrite(job)
        one = cast(PendingWrite[object], ticket)
        try:
            try:
                with self._gate:
                    self._queue.append(one)
                    if self._leader is None:
                        self._leader = one
                if self._leader is not one:
                    ticket.turn.acquire()
                if not one.decided:
                    self._lead(one)
            finally:
                self._leave(one)
        finally:  # twice, because an interrupt may come before the first has begun
            self._leave(one)
        if ticket.error is not None:
            raise ticket.error
        assert ticket.kept, "a job that was led has been kept or has failed"
        return cast(T, ticket.result)

    def _lead(self, leader: PendingWrite[object]) -> None:
        """Run what waits and commit once."""
        group: Group = []
        try:
            self._carry(group, lambda: self._gather(group))
        except MunimentError as error:
            for ticket in group or [leader]:
                if not ticket.kept:
                    ticket.error = error

    def _gather(self, group: Group) -> None:
        """Take in those who wait. Done before standing in line with other processes and again after: the longer that
        took, the more share a commit."""
        with self._gate:
            taken = set(map(id, group))
            waiting = [ticket for ticket in self._queue if not ticket.decided and id(ticket) not in taken]
            group += waiting[: GROUP_MAX - len(group)]

    def _leave(self, ticket: PendingWrite[object]) -> None:
        """Go out of the queue; as its leader, wake those whose fate is known and pass the lead on. An interrupt that
        comes meanwhile is raised when that is done: nobody else would do it."""
        interrupted: KeyboardInterrupt | None = None
        while not ticket.left:
            try:
                with self._gate:
                    if self._leader is ticket:
                        self._pass_on(ticket)
                    if ticket in self._queue:
                        self._queue.remove(ticket)
                    ticket.left = True
            except KeyboardInterrupt as late:
                interrupted = late
        if interrupted is not None:
            raise interrupted

    def _pass_on(self, leader: PendingWrite[object]) -> None:
        """May be done again when it was interrupted: nothing is taken from the queue before it was woken."""
        for ticket in self._queue:
            if ticket.decided:
                _wake(ticket)
        self._queue[:] = [ticket for ticket in self._queue if ticket is not leader and not ticket.decided]
        following = self._queue[0] if self._queue else None
        if following is not None:
            _wake(following)
        self._leader = following  # last: while this is not said, the leader that goes does all of it again


def _wake(ticket: PendingWrite[object]) -> None:
    """Let a ticket go on, once."""
    if ticket.turn.locked():
        ticket.turn.release()


class WriteUndone(Exception):
    """A job of a group failed, so none of the group was kept yet. Never leaves a store."""


def run_alone(ticket: PendingWrite[object], unit: Unit) -> None:
    ticket.result = ticket.job(unit)


def run_along(ticket: PendingWrite[object], unit: Unit) -> None:
    """Run a job of a group without a savepoint: almost always none of them fails."""
    try:
        ticket.result = ticket.job(unit)
    except Exception as error:
        raise WriteUndone from error
