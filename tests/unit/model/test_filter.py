"""What a condition on cards means, one by one and joined. No store: the store is held to this meaning elsewhere."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from tests.unit import strategies as make

from muniment.model.card import Card
from muniment.model.filter import (
    EVERYTHING,
    NOTHING,
    AtLeast,
    AtMost,
    Both,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Sourced,
    Under,
    ValidAt,
    covers,
    matches,
)
from muniment.model.times import Instant

CARD = Card(
    rid=1,
    id="rec_1",
    revision=1,
    seq=3,
    kind="fact",
    memory_class="long_term",
    scope="project",
    scope_id="apollo",
    namespace="/hr/pay",
    session_id=None,
    sensitivity=1,
    trust=1,
    label=3,
    confidence=0.75,
    provenance=True,
    actor="ana",
    created_at=Instant(100),
    valid_from=Instant(10),
    valid_until=Instant(20),
    expires_at=Instant(30),
    fingerprint=b"x" * 16,
    slot=None,
    born="active",
    status="active",
    since=3,
    successor=None,
)


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (OneOf(field="kind", words=("fact", "risk")), True),
        (OneOf(field="kind", words=("risk",)), False),
        (OneOf(field="kind", words=()), False),
        (OneOf(field="kind", words=("FACT",)), False),
        (OneOf(field="session_id", words=("s1",)), False),
        (OneOf(field="session_id", words=("",)), False),
        (AtLeast(field="trust", value=1), True),
        (AtLeast(field="trust", value=2), False),
        (AtLeast(field="confidence", value=0.75), True),
        (AtMost(field="confidence", value=0.75), True),
        (AtMost(field="sensitivity", value=0), False),
        (AtLeast(field="created_at", value=100), True),
        (AtLeast(field="created_at", value=101), False),
        (Under(namespaces=("/hr",)), True),
        (Under(namespaces=("/hr/pay",)), True),
        (Under(namespaces=("/hr/pa",)), False),
        (Under(namespaces=("/hr/pay/ana",)), False),
        (Under(namespaces=("/",)), True),
        (Under(namespaces=()), False),
        (Sourced(), True),
        (ValidAt(instant=9), False),
        (ValidAt(instant=10), True),
        (ValidAt(instant=20), True),
        (ValidAt(instant=21), False),
        (LiveAt(instant=30), True),
        (LiveAt(instant=31), False),
        (EVERYTHING, True),
        (NOTHING, False),
        (Both(parts=(Sourced(), OneOf(field="kind", words=("risk",)))), False),
        (Either(parts=(Sourced(), OneOf(field="kind", words=("risk",)))), True),
    ],
    ids=repr,
)
def test_a_condition_means_what_it_says(condition: Filter, passes: bool) -> None:
    assert matches(condition, CARD) is passes


def test_an_open_end_reaches_for_ever() -> None:
    open_ended = msgspec.structs.replace(CARD, valid_from=None, valid_until=None, expires_at=None)
    assert all(matches(ValidAt(instant=when), open_ended) for when in (-(2**60), 0, 2**60))
    assert matches(LiveAt(instant=2**60), open_ended)


@pytest.mark.parametrize(
    ("above", "below", "answer"),
    [
        ("/", "/", True),
        ("/", "/a/b", True),
        ("/a", "/", False),
        ("/a", "/a", True),
        ("/a", "/a/b", True),
        ("/a/b", "/a", False),
        ("/hr/pay", "/hr/payroll", False),
        ("/a", "/A", False),
        ("/%", "/x", False),
        ("/_", "/x", False),
    ],
)
def test_namespaces_are_compared_by_whole_parts(above: str, below: str, answer: bool) -> None:
    assert covers(above, below) is answer


@given(make.filters, make.filters, make.cards)
def test_both_is_and_either_is_or(one: Filter, other: Filter, card: Card) -> None:
    first, second = matches(one, card), matches(other, card)
    assert matches(Both(parts=(one, other)), card) is (first and second)
    assert matches(Either(parts=(one, other)), card) is (first or second)


@given(make.namespaces, make.namespaces)
def test_covering_agrees_with_the_lists_of_parts(above: str, below: str) -> None:
    over = [part for part in above.split("/") if part]
    under = [part for part in below.split("/") if part]
    assert covers(above, below) is (under[: len(over)] == over)
