"""Whoever burns the processor slows itself."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial

import pytest

from muniment.surfaces.reception.fair_threads import CALLER, FairThreads

WAIT_S = 30


class Meter:
    """A clock of each thread that moves as far as its calls say."""

    def __init__(self) -> None:
        self._of = threading.local()

    def __call__(self) -> float:
        return getattr(self._of, "now", 0.0)

    def burn(self, seconds: float) -> None:
        self._of.now = self() + seconds


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def turns(meter: Meter) -> Iterator[FairThreads]:
    made = FairThreads(2, clock=meter)
    yield made
    made.close()


def ask(turns: FairThreads, actor: str, call: Callable[[], object], tenant: str = "acme") -> Future[object]:
    context = contextvars.copy_context()
    context.run(CALLER.set, (tenant, actor))
    return context.run(turns.submit, call)


def test_a_flood_of_one_caller_does_not_hold_up_the_calls_of_another(turns: FairThreads, meter: Meter) -> None:
    gate, done = threading.Event(), list[str]()

    def costly() -> None:
        assert gate.wait(WAIT_S)
        meter.burn(1.0)
        done.append("mallory")

    flood = [ask(turns, "mallory", costly) for _ in range(50)]
    small = [ask(turns, "ana", lambda: done.append("ana")) for _ in range(10)]
    for one in small:
        one.result(WAIT_S)  # while the flood stands still: half of the threads are never the flood's
    assert done == ["ana"] * 10
    gate.set()
    for one in flood:
        one.result(WAIT_S)


def test_of_those_who_wait_the_tenant_and_then_the_caller_that_used_least_is_next(meter: Meter) -> None:
    turns, gate, order = FairThreads(1, clock=meter), threading.Event(), list[str]()

    def call(name: str, cost: float) -> None:
        order.append(name)
        meter.burn(cost)

    first = ask(turns, "mallory", partial(gate.wait, WAIT_S))
    for _ in range(3):
        ask(turns, "mallory", partial(call, "mallory", 5.0))
    for _ in range(3):
        ask(turns, "ana", partial(call, "ana", 0.1))
    for _ in range(2):
        ask(turns, "eve", partial(call, "eve", 1.0), tenant="other")
    gate.set()
    first.result(WAIT_S)
    turns.close()
    assert order == ["ana", "eve", "mallory", "eve", "ana", "ana", "mallory", "mallory"]


def test_what_a_call_raises_reaches_whoever_asked_and_frees_the_thread(turns: FairThreads) -> None:
    def fail() -> None:
        raise ValueError("no")

    for _ in range(5):
        with pytest.raises(ValueError, match="no"):
            ask(turns, "ana", fail).result(WAIT_S)
    assert ask(turns, "ana", lambda: 7).result(WAIT_S) == 7


def test_a_call_that_is_given_up_before_its_turn_is_not_made(turns: FairThreads) -> None:
    gate, made = threading.Event(), list[int]()
    first = ask(turns, "ana", partial(gate.wait, WAIT_S))
    second = ask(turns, "ana", lambda: made.append(1))
    assert second.cancel()
    gate.set()
    assert first.result(WAIT_S)
    assert ask(turns, "ana", lambda: 3).result(WAIT_S) == 3
    assert made == []
