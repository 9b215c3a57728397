"""A mask says of each row what `matches` says of its card, from scratch and brought up to date."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.world import LATE, PLAIN, cards, filters, since, standings, tenants

from muniment.backends.vectors.columns import Columns
from muniment.backends.vectors.masks import Masks, loosened, steady
from muniment.model.card import Card
from muniment.model.filter import (
    EVERYTHING,
    NOTHING,
    AtLeast,
    AtMost,
    Believed,
    Both,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Under,
    ValidAt,
    matches,
)
from muniment.model.times import Instant


def columns_of(tenant: list[Card]) -> Columns:
    columns = Columns()
    columns.sync(max((card.since for card in tenant), default=0), since(tenant))
    return columns


@given(tenant=tenants(), condition=filters)
def test_a_mask_passes_the_cards_that_match_and_no_other(tenant: list[Card], condition: Filter) -> None:
    mask = Masks(columns_of(tenant)).of(condition)

    assert mask.tolist() == [matches(condition, card) for card in tenant]


@given(tenant=tenants(most=8), conditions=st.lists(filters, min_size=1, max_size=4), choose=st.data())
def test_a_mask_stays_right_while_cards_are_born_and_change(
    tenant: list[Card], conditions: list[Filter], choose: st.DataObject
) -> None:
    """After each small step every mask, whether kept or new, equals the one made from nothing."""
    columns, known = Columns(), dict[int, Card]()
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


@pytest.mark.parametrize(
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
    first = msgspec.structs.replace(PLAIN, rid=1, created_at=Instant(LATE))
    second = msgspec.structs.replace(PLAIN, rid=2, created_at=Instant(LATE + 1))
    masks = Masks(columns_of([first, second]))

    assert masks.of(AtLeast(field="created_at", value=LATE + 1)).tolist() == [False, True]
    assert masks.of(AtMost(field="created_at", value=LATE)).tolist() == [True, False]


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
