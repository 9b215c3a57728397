"""The small parts of push: tickets, why a stream ends, how long anybody waits for a reader."""

from __future__ import annotations

import asyncio

import pytest
from tests.cases import each

from muniment.model.actor import Actor
from muniment.model.errors import LedgerBroken, MunimentError, NotFound, StoreBusy, Unauthenticated
from muniment.surfaces.http.push_delivery import Stalled, either, within
from muniment.surfaces.http.push_websocket import reason_of
from muniment.surfaces.http.streams_tickets import Tickets
from muniment.surfaces.reception.principal import Principal

BEN = Principal(actor=Actor(id="ben"), tenant="default")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_is_taken_once() -> None:
    tickets = Tickets(30.0)
    name = tickets.issue(BEN, "scout")
    assert tickets.take(name).visitor == BEN
    with pytest.raises(Unauthenticated):
        tickets.take(name)


def test_a_ticket_ends() -> None:
    clock = Clock()
    tickets = Tickets(30.0, clock)
    name, other = tickets.issue(BEN, "scout"), tickets.issue(BEN, "scout")
    clock.now = 29.9
    assert tickets.take(name).agent == "scout"
    clock.now = 30.0
    with pytest.raises(Unauthenticated):
        tickets.take(other)


def test_tickets_do_not_pile_up() -> None:
    clock = Clock()
    tickets = Tickets(30.0, clock)
    first = tickets.issue(BEN, "scout")
    names = [tickets.issue(BEN, "scout") for _ in range(10_000)]
    with pytest.raises(Unauthenticated):
        tickets.take(first)
    assert tickets.take(names[0]).agent == "scout"
    clock.now = 31.0
    tickets.issue(BEN, "scout")
    clock.now = 0.0
    with pytest.raises(Unauthenticated):
        tickets.take(names[1])


@each(
    ("error", "expected"),
    [
        (StoreBusy("held"), (1013, "UNAVAILABLE")),
        (Unauthenticated(), (1008, "UNAUTHENTICATED")),
        (NotFound("agent", "ben"), (1008, "AGENT_NOT_REGISTERED")),
        (LedgerBroken("torn"), (1011, "INTERNAL_ERROR")),
    ],
)
def test_a_stream_that_cannot_go_on_says_whether_to_come_again(error: MunimentError, expected: tuple[int, str]) -> None:
    assert reason_of(error) == expected


def test_a_send_that_nobody_takes_is_given_up() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stalled):
        asyncio.run(within(0.01, for_ever()))


def test_of_two_that_run_the_one_that_ends_calls_off_the_other() -> None:
    called_off: list[str] = []

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            called_off.append("second")
            raise

    async def fails() -> None:
        await asyncio.sleep(0)
        raise StoreBusy("held")

    with pytest.raises(StoreBusy):
        asyncio.run(either(fails(), for_ever()))
    assert called_off == ["second"]
