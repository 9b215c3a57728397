"""What every store promises about vectors: exact under any filter, at any position, as far as they reach. Knows the
ports and no store."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import msgspec

from muniment.model.card import Card, moved
from muniment.model.filter import EVERYTHING, Filter, OneOf, matches
from muniment.model.record import TrustState
from muniment.model.rows import NearbyText, StandingRow, VectorCoverage, VectorRow
from muniment.model.status import Status
from muniment.model.vocabulary import Label, Support
from muniment.ports.store import TenantStore, Unit
from muniment_store_conformance.makers import (
    TENANT,
    Job,
    Made,
    append_next,
    make_card,
    make_plan,
    make_standing,
    project,
)
from muniment_store_conformance.search import random_card, random_filter

MODEL = "quarters@1"
DIMENSIONS = 16
EAST, NEAR_EAST, NORTH, WEST = 0xFFFF, 0xFFFE, 0xFF00, 0x0000
"""Patterns of signs: from EAST the cosines are 1, 7/8, 0 and -1."""


def make_vector(pattern: int) -> bytes:
    """Sixteen quarters with the signs of a pattern: of length one, and every cosine an eighth of a whole number."""
    return struct.pack("<16f", *(0.25 if pattern >> bit & 1 else -0.25 for bit in range(DIMENSIONS)))


def cosine(one: int, other: int) -> float:
    """Of the vectors of two patterns, by how many signs they differ in."""
    return 1 - (one ^ other).bit_count() / 8


class MeaningConformance(Made):
    """Vectors: kept, found under a filter, measured, forgotten, begun anew."""

    def test_before_any_vector_nothing_reaches_and_nothing_is_near(self) -> None:
        with self.make(TENANT) as store:
            store.write(_born(make_card(1)))
            assert store.vectors.reach() == VectorCoverage()
            with store.read() as snapshot:
                assert snapshot.meanings.reach() == VectorCoverage()
                assert snapshot.meanings.search(make_plan(), make_vector(EAST), keep=9) == ()
                assert snapshot.meanings.measure([1], make_vector(EAST)) == {}
                assert snapshot.meanings.alike([1, 1]) == ((0.0, 0.0), (0.0, 0.0))
            assert list(store.vectors.rows(9)) == []

    def test_vectors_reach_as_far_as_was_said_and_anew_from_nothing(self) -> None:
        with self.make(TENANT) as store:
            store.write(_born(make_card(1), make_card(2)))
            assert store.vectors.claim()
            store.vectors.begin(MODEL, DIMENSIONS)
            assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=0)
            store.vectors.add([_row(1, EAST)], upto=1)
            assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=1)
            store.vectors.add([], upto=2)
            assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=2)
            store.vectors.begin("other@1", DIMENSIONS)
            assert store.vectors.reach() == VectorCoverage(model="other@1", upto=0)
            assert _near(store) == []

    def test_the_nearest_comes_first_and_of_two_as_near_the_newer(self) -> None:
        patterns = {1: NORTH, 2: EAST, 3: NEAR_EAST, 4: WEST, 5: EAST}
        with self.make(TENANT) as store:
            _fill(
                store, [make_card(rid) for rid in patterns], [_row(rid, pattern) for rid, pattern in patterns.items()]
            )
            assert [(one.rid, one.cosine) for one in _near(store)] == [
                (5, 1.0),
                (2, 1.0),
                (3, 0.875),
                (1, 0.0),
                (4, -1.0),
            ]
            assert [one.rid for one in _near(store, keep=2)] == [5, 2]
            assert _near(store, keep=0) == []

    def test_a_revision_of_several_passages_counts_once_by_its_nearest(self) -> None:
        rows = [_row(1, WEST, 0, 9), _row(1, NEAR_EAST, 9, 20), _row(1, NORTH, 20, 31), _row(2, NORTH, 0, 5)]
        rows += [_row(3, NEAR_EAST, 0, 7), _row(3, NEAR_EAST, 7, 8)]
        with self.make(TENANT) as store:
            _fill(store, [make_card(1), make_card(2), make_card(3)], rows)
            expected = [
                NearbyText(rid=3, cosine=0.875, start=0, end=7),
                NearbyText(rid=1, cosine=0.875, start=9, end=20),
                NearbyText(rid=2, cosine=0.0, start=0, end=5),
            ]
            assert _near(store) == expected
            with store.read() as snapshot:
                found = snapshot.meanings.measure([2, 1, 1, 77], make_vector(EAST))
        assert found == {1: expected[1], 2: expected[2]}

    def test_a_search_finds_exactly_the_nearest_of_what_the_filter_lets_through(self) -> None:
        rng = random.Random(20260202)
        cards = [msgspec.structs.replace(random_card(rng, rid), seq=rid, since=rid) for rid in range(1, 61)]
        patterns = {card.rid: rng.getrandbits(16) for card in cards if card.rid % 7}
        with self.make(TENANT) as store:
            _fill(store, cards, [_row(rid, pattern) for rid, pattern in patterns.items()])
            for _ in range(150):
                visible, bound = random_filter(rng), random_filter(rng, 1)
                asked, keep, upto = rng.getrandbits(16), rng.choice((1, 5, 99)), rng.choice((20, 45, 60))
                allowed = [
                    card
                    for card in cards
                    if card.seq <= upto and matches(visible, card) and matches(bound, card) and card.rid in patterns
                ]
                expected = sorted((-cosine(patterns[card.rid], asked), -card.rid) for card in allowed)[:keep]
                plan = make_plan(
                    visible=visible, wanted=(("bound", bound),), reach=VectorCoverage(model=MODEL, upto=upto)
                )
                with store.read() as snapshot:
                    found = snapshot.meanings.search(plan, make_vector(asked), keep=keep)
                assert [(-one.cosine, -one.rid) for one in found] == expected, (visible, bound)

    def test_a_search_of_the_past_judges_each_by_what_it_counted_for_then(self) -> None:
        rng = random.Random(20260303)
        born = [msgspec.structs.replace(random_card(rng, rid), seq=rid, since=rid) for rid in range(1, 31)]
        moves = [_random_move(rng, card.rid, since) for card in born for since in sorted(rng.sample(range(31, 60), 2))]
        patterns = {card.rid: rng.getrandbits(16) for card in born}
        with self.make(TENANT) as store:
            _fill(store, born, [_row(rid, pattern) for rid, pattern in patterns.items()])
            store.write(lambda unit: [append_next(unit) for _ in range(30)])
            store.write(project(*moves))
            store.write(append_next)
            for _ in range(100):
                as_of, condition, asked = rng.choice((10, 25, 40, 50, 60)), random_filter(rng), rng.getrandbits(16)
                then = [_at(card, moves, as_of) for card in born if card.seq <= as_of]
                allowed = [card for card in then if matches(condition, card)]
                expected = sorted((-cosine(patterns[card.rid], asked), -card.rid) for card in allowed)[:7]
                plan = make_plan(
                    visible=condition, as_of=as_of, at_head=False, reach=VectorCoverage(model=MODEL, upto=born[-1].seq)
                )
                with store.read() as snapshot:
                    found = snapshot.meanings.search(plan, make_vector(asked), keep=7)
                assert [(-one.cosine, -one.rid) for one in found] == expected, (as_of, condition)

    def test_what_changes_after_it_has_its_vector_is_judged_by_what_it_is_now(self) -> None:
        active = OneOf(field="status", words=("active",))
        with self.make(TENANT) as store:
            _fill(store, [make_card(1), make_card(2)], [_row(1, EAST), _row(2, NORTH)])
            assert [one.rid for one in _near(store, visible=active)] == [1, 2]
            store.write(_moved(make_standing(1, 3, Status.RETRACTED)))
            assert [one.rid for one in _near(store, visible=active)] == [2]
            store.write(_moved(make_standing(1, 4, Status.ACTIVE)))
            assert [one.rid for one in _near(store, visible=active)] == [1, 2]

    def test_what_is_born_after_the_vectors_has_none_and_is_missed_by_nobody_else(self) -> None:
        with self.make(TENANT) as store:
            _fill(store, [make_card(1)], [_row(1, NORTH)])
            store.write(_born(make_card(2)))
            assert [one.rid for one in _near(store)] == [1]
            store.vectors.add([_row(2, EAST)], upto=2)
            assert [one.rid for one in _near(store)] == [2, 1]
            assert [one.rid for one in _near(store, upto=1)] == [1], "a plan sees as far as vectors reached for it"

    def test_likeness_is_between_first_passages_and_nought_without_a_vector(self) -> None:
        rows = [_row(1, EAST, 0, 3), _row(1, WEST, 3, 6), _row(3, NEAR_EAST, 0, 3)]
        with self.make(TENANT) as store:
            _fill(store, [make_card(1), make_card(2), make_card(3)], rows)
            with store.read() as snapshot:
                assert snapshot.meanings.alike([3, 2, 1]) == ((1.0, 0.0, 0.875), (0.0, 0.0, 0.0), (0.875, 0.0, 1.0))
                assert snapshot.meanings.alike([]) == ()

    def test_what_is_forgotten_is_near_to_nothing_and_the_rest_stays(self) -> None:
        with self.make(TENANT) as store:
            _fill(store, [make_card(1), make_card(2)], [_row(1, EAST, 0, 3), _row(1, NORTH, 3, 6), _row(2, NORTH)])
            store.vectors.forget([1, 99])
            assert [one.rid for one in _near(store)] == [2]
            with store.read() as snapshot:
                assert list(snapshot.meanings.measure([1, 2], make_vector(EAST))) == [2]
            assert [row.rid for row in store.vectors.rows(9)] == [2]
            assert store.vectors.reach() == VectorCoverage(model=MODEL, upto=2)

    def test_rows_are_given_back_as_they_were_kept_up_to_a_position(self) -> None:
        rows = [_row(1, EAST, 0, 3), _row(1, NORTH, 3, 6), _row(2, WEST, 0, 4), _row(4, NEAR_EAST, 0, 4)]
        with self.make(TENANT) as store:
            _fill(store, [make_card(1), make_card(2), make_card(4)], rows)
            assert list(store.vectors.rows(9)) == rows
            assert list(store.vectors.rows(2)) == rows[:3]
            assert list(store.vectors.rows(0)) == []

    def test_vectors_are_no_part_of_a_rebuilding(self) -> None:
        with self.make(TENANT) as store:
            _fill(store, [make_card(1)], [_row(1, EAST)])
            store.write(lambda unit: unit.clear_projections())
            store.write(project(make_card(1), texts={1: "again"}))
            assert [one.rid for one in _near(store)] == [1]


def _row(rid: int, pattern: int, start: int = 0, end: int = 9) -> VectorRow:
    return VectorRow(rid=rid, start=start, end=end, vector=make_vector(pattern))


def _born(*cards: Card) -> Job:
    """A job that has each card be born in the entry it says."""

    def job(unit: Unit) -> None:
        for card in cards:
            _go_on(unit, card.seq)
            unit.project((card,), {card.rid: "the build is green"})

    return job


def _moved(row: StandingRow) -> Job:
    """A job that changes what a revision counts for in the entry it says."""

    def job(unit: Unit) -> None:
        _go_on(unit, row.standing.since)
        unit.project((row,), {})

    return job


def _go_on(unit: Unit, seq: int) -> None:
    """Append entries until there are so many."""
    head = unit.ledger.head()
    for _ in range(seq - (head.seq if head is not None else 0)):
        append_next(unit)


def _fill(store: TenantStore, cards: Sequence[Card], rows: Sequence[VectorRow]) -> None:
    store.write(_born(*cards))
    assert store.vectors.claim()
    store.vectors.begin(MODEL, DIMENSIONS)
    store.vectors.add(rows, upto=cards[-1].seq)


def _near(
    store: TenantStore, pattern: int = EAST, *, visible: Filter = EVERYTHING, upto: int = 2**62, keep: int = 99
) -> list[NearbyText]:
    plan = make_plan(visible=visible, reach=VectorCoverage(model=MODEL, upto=upto))
    with store.read() as snapshot:
        return list(snapshot.meanings.search(plan, make_vector(pattern), keep=keep))


def _random_move(rng: random.Random, rid: int, since: int) -> StandingRow:
    footing = TrustState(
        own=0.5,
        effective=rng.choice((0.0, 0.3, 0.7, 1.0)),
        label=rng.choice(list(Label)),
        support=rng.choice(list(Support)),
    )
    return make_standing(rid, since, rng.choice((Status.SUPERSEDED, Status.RETRACTED)), footing=footing)


def _at(card: Card, moves: Sequence[StandingRow], as_of: int) -> Card:
    """A card as it was after an entry."""
    past = [row.standing for row in moves if row.rid == card.rid and row.standing.since <= as_of]
    return moved(card, past[-1]) if past else card
