"""What a condition on cards means, one by one and joined. No store: the store is held to this meaning elsewhere."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.card import Card, readers_of
from muniment.model.claim import Charter, Claim, Place
from muniment.model.filter import (
    EVERYTHING,
    NOTHING,
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
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
from muniment.model.vocabulary import Scope

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
    importance=0.5,
    half_life=None,
    anchored=False,
    review_at=None,
    readers="",
    status="active",
    since=3,
    successor=None,
    own=0.75,
    effective=0.5,
    support="standing",
    helpful=0.0,
    misleading=0.0,
    tier="working",
    accesses=0,
    last_access=None,
    event_time=None,
)


@each(
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
        (OneOf(field="support", words=("standing", "flagged")), True),
        (OneOf(field="support", words=("fallen",)), False),
        (AtLeast(field="effective", value=0.5), True),
        (AtLeast(field="effective", value=0.51), False),
        (Believed(least=0.5), True),
        (Believed(least=0.51), False),
        (Believed(least=0.9, namespaces=(("/hr", 0.5),)), True),
        (Believed(least=0.1, namespaces=(("/hr", 0.6),)), False),
        (Believed(least=0.1, namespaces=(("/hr", 0.9), ("/hr/pay", 0.5))), True),
        (Believed(least=0.1, namespaces=(("/hr/pay", 0.9), ("/hr", 0.5), ("/", 0.2))), False),
        (Believed(least=0.1, namespaces=(("/hr/payroll", 0.9),)), True),
        (Believed(least=0.9, namespaces=(("/", 0.5),)), True),
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
        (Chartered(names=()), True),
        (Chartered(names=("ana",)), True),
        (EVERYTHING, True),
        (NOTHING, False),
        (Both(parts=(Sourced(), OneOf(field="kind", words=("risk",)))), False),
        (Either(parts=(Sourced(), OneOf(field="kind", words=("risk",)))), True),
    ],
    ids=repr,
)
def test_a_condition_means_what_it_says(condition: Filter, passes: bool) -> None:
    assert matches(condition, CARD) is passes


@each(
    ("names", "passes"),
    [((), False), (("ana",), True), (("bob", "worker"), True), (("an",), False), (("ana2",), False), (("",), False)],
)
def test_what_is_kept_under_a_charter_passes_for_whole_names_it_knows(names: tuple[str, ...], passes: bool) -> None:
    place = Place(scope=Scope.X_USER_IDENTITY, scope_id="eve")
    claim = Claim(content="x", place=place, charter=Charter(access=("worker", "ana")))
    personal = msgspec.structs.replace(CARD, readers=readers_of(claim))
    assert matches(Chartered(names=names), personal) is passes


def test_what_should_have_a_charter_and_has_none_passes_for_nobody() -> None:
    bare = Claim(content="x", place=Place(scope=Scope.X_ORGANIZATION, scope_id="acme"))
    assert not matches(Chartered(names=("ana",)), msgspec.structs.replace(CARD, readers=readers_of(bare)))
    assert readers_of(Claim(content="x", charter=Charter(access=("ana",)))) == "", "elsewhere a charter bars nobody"


def test_an_open_end_reaches_for_ever() -> None:
    open_ended = msgspec.structs.replace(CARD, valid_from=None, valid_until=None, expires_at=None)
    assert all(matches(ValidAt(instant=when), open_ended) for when in (-(2**60), 0, 2**60))
    assert matches(LiveAt(instant=2**60), open_ended)


@each(
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


@given(make.cards, make.shares, st.lists(st.tuples(make.namespaces, make.shares), unique_by=lambda rule: rule[0]))
def test_the_nearest_namespace_above_says_what_is_believed(
    card: Card, least: float, spaces: list[tuple[str, float]]
) -> None:
    above = [card.namespace]
    while above[-1] != "/":
        above.append(above[-1].rpartition("/")[0] or "/")
    rules = dict(spaces)
    asked = next((rules[space] for space in above if space in rules), least)
    assert matches(Believed(least=least, namespaces=tuple(spaces)), card) is (card.effective >= asked)


@given(make.namespaces, make.namespaces)
def test_covering_agrees_with_the_lists_of_parts(above: str, below: str) -> None:
    over = [part for part in above.split("/") if part]
    under = [part for part in below.split("/") if part]
    assert covers(above, below) is (under[: len(over)] == over)
