"""A mask says of each row what `matches` says of its card, from scratch and brought up to date."""

from __future__ import annotations

import math
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.vectors.world import (
    INSTANTS,
    LATE,
    PLAIN,
    RANKS,
    READERS,
    SHARES,
    SPACES,
    WORDS,
    cards,
    filters,
    since,
    standings,
    tenants,
)

from muniment.backends.vectors.columns import CardColumns
from muniment.backends.vectors.masks import Masks, loosened, steady
from muniment.model.card import Card
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
    NumberField,
    OneOf,
    Sourced,
    Under,
    ValidAt,
    WordField,
    matches,
)
from muniment.model.times import Instant


def columns_of(tenant: list[Card]) -> CardColumns:
    columns = CardColumns()
    columns.sync(max((card.since for card in tenant), default=0), since(tenant))
    return columns


@given(tenant=tenants(least=4), condition=filters)
def test_a_mask_passes_the_cards_that_match_and_no_other(tenant: list[Card], condition: Filter) -> None:
    mask = Masks(columns_of(tenant)).of(condition)

    assert mask.tolist() == [matches(condition, card) for card in tenant]


def one_card_for_every_value() -> list[Card]:
    given: dict[str, tuple[str | int | float | bool | None, ...]] = {
        **WORDS,
        "session_id": (None, *WORDS["session_id"]),
        "readers": READERS,
        "provenance": (False, True),
        **dict.fromkeys(("sensitivity", "trust", "label"), RANKS),
        **dict.fromkeys(("confidence", "effective"), SHARES),
        **dict.fromkeys(("created_at", "valid_from", "valid_until", "expires_at"), INSTANTS),
    }
    cards = [msgspec.structs.replace(PLAIN, **{field: value}) for field, values in given.items() for value in values]
    return [msgspec.structs.replace(card, rid=1 + at, seq=1 + at, since=1 + at) for at, card in enumerate(cards)]


def one_filter_for_every_bound() -> list[Filter]:
    ranks: tuple[NumberField, ...] = ("sensitivity", "trust", "label")
    shares: tuple[NumberField, ...] = ("confidence", "effective")
    bounds = [(field, value) for field in ranks for value in (-1, 0, 0.5, 1, 2, 300.0)]
    bounds += [(field, value) for field in shares for value in (*SHARES, 0.39999999999999997)]
    bounds += [
        ("created_at", value) for value in (*INSTANTS, float(LATE), LATE + 4.0, 1e300, -1e300, math.inf, math.nan)
    ]
    bounds += [("seq", value) for value in (0, 4, 4.5, 1_000)]
    fields: tuple[WordField, ...] = get_args(WordField)
    return [
        *(OneOf(field=field, words=(word,)) for field in fields for word in (*WORDS[field], "unheard")),
        *(OneOf(field=field, words=WORDS[field] * 2) for field in fields),
        *(OneOf(field=field, words=()) for field in fields),
        *(AtLeast(field=field, value=value) for field, value in bounds),
        *(AtMost(field=field, value=value) for field, value in bounds),
        *(Under(namespaces=(space,)) for space in SPACES),
        *(Believed(least=0.4, namespaces=((space, least),)) for space in SPACES for least in SHARES),
        *(Believed(least=least) for least in SHARES),
        *(ValidAt(instant=instant) for instant in (*INSTANTS, 8, 2**70)),
        *(LiveAt(instant=instant) for instant in (*INSTANTS, 8, -(2**70))),
        *(Chartered(names=names) for names in ((), ("ana",), ("bot",), ("nobody", "bot"))),
        Sourced(),
    ]


def test_every_leaf_agrees_on_every_value() -> None:
    tenant = one_card_for_every_value()
    columns = columns_of(tenant)

    found = [
        str(condition)
        for condition in one_filter_for_every_bound()
        if Masks(columns).of(condition).tolist() != [matches(condition, card) for card in tenant]
    ]
    assert found == []


@given(tenant=tenants(least=3, most=8), conditions=st.lists(filters, min_size=1, max_size=4), choose=st.data())
def test_a_mask_stays_right_while_cards_are_born_and_change(
    tenant: list[Card], conditions: list[Filter], choose: st.DataObject
) -> None:
    """After each small step every mask, whether kept or new, equals the one made from nothing."""
    columns, known = CardColumns(), dict[int, Card]()
    masks = Masks(columns, kept=3)
    for position, born in enumerate(tenant, 1):
        known[born.rid] = msgspec.structs.replace(born, seq=position, since=position)
        for rid in choose.draw(st.lists(st.sampled_from(sorted(known)), max_size=2, unique=True)):
            known[rid] = msgspec.structs.replace(known[rid], since=position, **choose.draw(standings))
        columns.sync(position, since(list(known.values())))
        for condition in choose.draw(st.permutations(conditions)):
            assert masks.of(condition).tolist() == [matches(condition, card) for card in known.values()]


@given(condition=filters, card=cards(), other=standings)
def test_a_loosened_filter_passes_a_card_whatever_its_standing_was(
    condition: Filter, card: Card, other: dict[str, str | int | float]
) -> None:
    then = msgspec.structs.replace(card, **other)

    assert matches(loosened(condition), card) or not matches(condition, then)


@each(
    ("condition", "loose"),
    [
        (OneOf(field="status", words=("active",)), EVERYTHING),
        (OneOf(field="support", words=()), EVERYTHING),
        (AtLeast(field="label", value=2), EVERYTHING),
        (AtMost(field="effective", value=0.1), EVERYTHING),
        (Believed(least=0.5), EVERYTHING),
        (OneOf(field="kind", words=("fact",)), OneOf(field="kind", words=("fact",))),
        (AtLeast(field="confidence", value=0.5), AtLeast(field="confidence", value=0.5)),
        (Either(parts=(Believed(least=0.5), NOTHING)), Either(parts=(EVERYTHING, NOTHING))),
        (Both(parts=(Under(namespaces=("/hr",)),)), Both(parts=(Under(namespaces=("/hr",)),))),
    ],
)
def test_loosening_drops_what_moves_after_birth_and_keeps_the_rest(condition: Filter, loose: Filter) -> None:
    assert loosened(condition) == loose


def test_late_instants_are_compared_as_whole_numbers() -> None:
    """As 64-bit fractions 2^53 and 2^53 + 1 are the same number."""
    late = [msgspec.structs.replace(PLAIN, rid=1 + past, created_at=Instant(LATE + past)) for past in (0, 1, 3)]
    masks = Masks(columns_of(late))

    assert masks.of(AtLeast(field="created_at", value=LATE + 1)).tolist() == [False, True, True]
    assert masks.of(AtLeast(field="created_at", value=float(LATE + 4))).tolist() == [False, False, False]
    assert masks.of(AtMost(field="created_at", value=float(LATE))).tolist() == [True, False, False]


@pytest.mark.parametrize("half", ["id_high", "id_low"])
def test_a_record_is_told_apart_by_all_of_its_mark(half: str) -> None:
    columns = columns_of([PLAIN])
    assert Masks(columns).of(OneOf(field="id", words=("a",))).tolist() == [True]

    columns.longs(half)[0] ^= 1

    assert Masks(columns).of(OneOf(field="id", words=("a",))).tolist() == [False]


def test_few_masks_are_kept_and_none_that_moves_with_the_clock() -> None:
    masks = Masks(columns_of([PLAIN]), kept=4)
    still = OneOf(field="kind", words=("fact",))

    for now in range(100):
        asked = Both(parts=(still, ValidAt(instant=now), Either(parts=(LiveAt(instant=now), still))))
        assert masks.of(asked).tolist() == [True]
    assert set(masks.kept()) == {Both(parts=(still,)), Either(parts=(still,))}

    for number in range(100):
        masks.of(AtLeast(field="trust", value=number))
    assert [condition.value for condition in masks.kept() if isinstance(condition, AtLeast)] == [96, 97, 98, 99]


def test_a_filter_on_a_moving_bound_is_not_steady() -> None:
    assert not steady(AtLeast(field="created_at", value=5))
    assert not steady(Either(parts=(EVERYTHING, AtMost(field="seq", value=5))))
    assert steady(AtLeast(field="trust", value=1))


def test_a_kept_mask_that_was_handed_out_does_not_change_afterwards() -> None:
    columns = columns_of([PLAIN])
    masks = Masks(columns)
    active = OneOf(field="status", words=("active",))
    before = masks.of(active)

    columns.sync(2, since([msgspec.structs.replace(PLAIN, status="retracted", since=2)]))

    assert masks.of(active).tolist() == [False]
    assert before.tolist() == [True]


def test_a_mask_too_old_to_be_brought_up_to_date_is_made_anew() -> None:
    columns = columns_of([PLAIN])
    masks = Masks(columns)
    active = OneOf(field="status", words=("active",))
    masks.of(active)

    for position in range(2, 402):
        status = "retracted" if position % 2 else "active"
        columns.sync(position, since([msgspec.structs.replace(PLAIN, status=status, since=position)]))

    assert masks.of(active).tolist() == [False]
