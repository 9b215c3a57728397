"""Limits: each caller has its own share, and gets it back."""

from __future__ import annotations

import pytest

from muniment.config import ServerSettings
from muniment.model.actor import Actor
from muniment.model.errors import TooManyRequests
from muniment.surfaces.reception.limits import NAMES_MAX, ConcurrencyLimit, RateLimit, ServerLimits
from muniment.surfaces.reception.principal import Principal

ANA = Principal(actor=Actor(id="ana"), tenant="default", credential="key:a")
BEN = Principal(actor=Actor(id="ben"), tenant="default", credential="key:b")


class Hand:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_bucket_fills_again_at_its_rate_and_never_over_its_brim() -> None:
    clock = Hand()
    rate = RateLimit(2.0, 3, clock=clock)
    assert [rate.take("ana") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    clock.at = 0.5
    assert [rate.take("ana") for _ in range(2)] == [0.0, 0.5]
    clock.at = 1_000.0
    assert [rate.take("ana") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_a_rate_of_nothing_limits_nothing() -> None:
    rate = RateLimit(0.0, 1)
    assert {rate.take("ana") for _ in range(1_000)} == {0.0}


def test_a_rate_remembers_a_bounded_number_of_names() -> None:
    rate = RateLimit(1.0, 1, clock=Hand())
    for number in range(NAMES_MAX + 5):
        rate.take(f"name-{number}")
    assert len(rate._levels) == NAMES_MAX


def test_one_actor_cannot_use_up_anothers_requests() -> None:
    limits = ServerLimits(ServerSettings(rate_per_second=1.0, rate_burst=1), clock=Hand())
    limits.ask(ANA)
    with pytest.raises(TooManyRequests) as refused:
        limits.ask(ANA)
    assert refused.value.retry_after == 1.0
    limits.ask(BEN)


def test_whoever_is_alone_on_the_machine_is_held_to_no_rate() -> None:
    limits = ServerLimits(ServerSettings(rate_per_second=1.0, rate_burst=1), clock=Hand())
    alone = Principal(actor=Actor(id="owner"), tenant="default")
    for _ in range(10):
        limits.ask(alone)


def test_failures_are_counted_by_address_and_for_ipv6_by_block() -> None:
    limits = ServerLimits(ServerSettings(failures_per_minute=1), clock=Hand())
    limits.failed("192.0.2.1")
    limits.failed("192.0.2.2")
    limits.failed("2001:db8:0:1::1")
    with pytest.raises(TooManyRequests):
        limits.failed("2001:db8:0:1::2")
    limits.failed("2001:db8:0:2::1")


def test_a_place_is_given_back_once() -> None:
    places = ConcurrencyLimit("requests", 1)
    leave = places.enter("ana")
    with pytest.raises(TooManyRequests):
        places.enter("ana")
    leave()
    leave()
    places.enter("ana")
    with pytest.raises(TooManyRequests):
        places.enter("ana")


def test_a_stream_gives_its_place_back_however_it_ends() -> None:
    limits = ServerLimits(ServerSettings(streams_per_actor=1))

    def broken() -> None:
        with limits.stream(ANA):
            raise ZeroDivisionError

    def second() -> None:
        with limits.stream(ANA), limits.stream(ANA):
            raise AssertionError("a second stream was let in")

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            broken()
        with pytest.raises(TooManyRequests):
            second()
