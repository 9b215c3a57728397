"""A search finds exactly what a slow look at every card and every number finds; the other questions likewise."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each
from tests.patience import WAIT_S
from tests.vectors.world import (
    DIMENSIONS,
    MODEL,
    born,
    cosine,
    filled,
    filters,
    mild,
    nearest,
    packed,
    passages,
    since,
    tenants,
    vectors,
)

from muniment.backends.vectors.index import VectorIndex
from muniment.model.card import Card
from muniment.model.errors import Malformed
from muniment.model.filter import EVERYTHING, NOTHING, Filter, OneOf
from muniment.model.rows import NearbyText, VectorCoverage, VectorRow

UP = packed(*[0.25] * DIMENSIONS)
DOWN = packed(*[-0.25] * DIMENSIONS)
HALF = packed(*[0.25] * 8, *[-0.25] * 8)
HEAD = 1_000
HASH = bytes(32)


def row(rid: int, vector: bytes, start: int = 0) -> VectorRow:
    return VectorRow(rid=rid, start=start, end=start + 9, vector=vector)


@given(
    tenant=tenants(), condition=filters, asked=vectors, by=st.integers(0, 30), keep=st.integers(0, 15), draw=st.data()
)
def test_a_search_equals_brute_force(
    tenant: list[Card], condition: Filter, asked: bytes, by: int, keep: int, draw: st.DataObject
) -> None:
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None), tenant, rows)

    found = index.search(condition, asked, as_of=by, upto=HEAD, keep=keep)

    assert found == nearest(tenant, rows, condition, asked, by)[:keep]
    assert found == index.search(condition, asked, as_of=HEAD, upto=by, keep=keep)


@settings(max_examples=80)
@given(tenant=tenants(least=4), condition=mild, asked=vectors, keep=st.integers(1, 15), draw=st.data())
def test_a_search_by_signs_first_finds_the_same(
    tenant: list[Card], condition: Filter, asked: bytes, keep: int, draw: st.DataObject
) -> None:
    """As soon as the rows that are compared exactly include the allowed ones, nothing is lost."""
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None, exact_max=0, rescored=100), tenant, rows)

    found = index.search(condition, asked, as_of=HEAD, upto=HEAD, keep=keep)

    assert found == nearest(tenant, rows, condition, asked, HEAD)[:keep]


@given(tenant=tenants(), condition=filters, asked=vectors, draw=st.data())
def test_a_loose_search_passes_at_least_what_a_strict_one_does(
    tenant: list[Card], condition: Filter, asked: bytes, draw: st.DataObject
) -> None:
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None), tenant, rows)

    strict = index.search(condition, asked, as_of=HEAD, upto=HEAD, keep=HEAD)
    loose = index.search(condition, asked, as_of=HEAD, upto=HEAD, keep=HEAD, loosely=True)

    assert {near.rid for near in strict} <= {near.rid for near in loose}


def test_a_question_about_the_past_reaches_what_has_been_retracted_since() -> None:
    index = filled(VectorIndex(None), born(1, status="retracted"), [row(1, UP)])
    active = OneOf(field="status", words=("active",))

    assert index.search(active, UP, as_of=1, upto=1, keep=5) == []
    assert [near.rid for near in index.search(active, UP, as_of=1, upto=1, keep=5, loosely=True)] == [1]


def test_a_search_at_a_position_is_answered_only_while_the_columns_are_there() -> None:
    index = filled(VectorIndex(None), born(1, 2), [row(1, UP), row(2, HALF)])

    assert index.search_at(2, EVERYTHING, UP, upto=HEAD, keep=1) == [NearbyText(rid=1, cosine=1.0, start=0, end=9)]
    assert index.search_at(2, EVERYTHING, HALF, upto=1, keep=5) == [NearbyText(rid=1, cosine=0.0, start=0, end=9)]
    index.sync(3, since(born(3)))
    assert index.search_at(2, EVERYTHING, UP, upto=HEAD, keep=1) is None


@given(tenant=tenants(least=2), asked=vectors, draw=st.data())
def test_given_revisions_are_measured_by_their_nearest_passage(
    tenant: list[Card], asked: bytes, draw: st.DataObject
) -> None:
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None), tenant, rows)
    chosen = draw.draw(st.lists(st.integers(0, 40), max_size=8))

    expected = {near.rid: near for near in nearest(tenant, rows, EVERYTHING, asked, HEAD) if near.rid in chosen}
    assert index.measure(chosen, asked) == expected


@given(tenant=tenants(least=2), draw=st.data())
def test_revisions_are_compared_by_their_first_passages(tenant: list[Card], draw: st.DataObject) -> None:
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None), tenant, rows)
    chosen = draw.draw(st.lists(st.integers(0, 40), max_size=6))

    first = {row.rid: row.vector for row in reversed(rows)}
    assert index.alike(chosen) == tuple(
        tuple(cosine(first[one], first[other]) if one in first and other in first else 0.0 for other in chosen)
        for one in chosen
    )


@given(tenant=tenants(least=2), upto=st.integers(0, 30), draw=st.data())
def test_every_vector_can_be_read_back(tenant: list[Card], upto: int, draw: st.DataObject) -> None:
    rows = draw.draw(passages(tenant))
    index = filled(VectorIndex(None), tenant, rows)

    early = {card.rid for card in tenant if card.seq <= upto}
    assert list(index.rows(upto)) == [row for row in rows if row.rid in early]


def test_a_search_finds_what_was_born_by_then_and_has_its_vectors_by_then() -> None:
    index = filled(VectorIndex(None), born(1, 2, 3, 4), [row(rid, UP) for rid in (1, 2, 3, 4)])

    def found(as_of: int, upto: int) -> list[int]:
        return [near.rid for near in index.search(EVERYTHING, UP, as_of=as_of, upto=upto, keep=9)]

    assert (found(4, 4), found(2, 4), found(4, 3), found(0, 4)) == ([4, 3, 2, 1], [2, 1], [3, 2, 1], [])


def test_a_filter_that_allows_nothing_finds_nothing() -> None:
    index = filled(VectorIndex(None), born(1, 2), [row(1, UP), row(2, UP)])

    assert index.search(NOTHING, UP, as_of=HEAD, upto=HEAD, keep=5) == []


def test_of_two_alike_the_later_comes_first() -> None:
    index = filled(VectorIndex(None), born(1, 2, 3), [row(1, UP), row(2, HALF), row(3, UP)])

    assert index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=2) == [
        NearbyText(rid=3, cosine=1.0, start=0, end=9),
        NearbyText(rid=1, cosine=1.0, start=0, end=9),
    ]


def test_vectors_of_revisions_the_columns_do_not_know_yet_are_not_found() -> None:
    index = filled(VectorIndex(None), born(1), [row(1, UP), row(2, UP)])
    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5)] == [1]

    index.sync(2, since(born(2)))
    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5)] == [2, 1]


def test_a_vector_whose_card_is_gone_is_not_found() -> None:
    index = filled(VectorIndex(None), born(1, 3, 5), [row(1, UP), row(2, UP), row(3, UP), row(4, UP), row(5, UP)])

    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5)] == [5, 3, 1]


def test_an_index_says_how_far_it_reaches() -> None:
    index = VectorIndex(None)
    assert (index.reach(), index.count) == (VectorCoverage(), 0)
    assert index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5) == []
    assert index.measure([1], UP) == {}
    assert index.alike([1, 2]) == ((0.0, 0.0), (0.0, 0.0))

    filled(index, born(1, 4), [row(1, UP)])
    assert (index.reach(), index.count) == (VectorCoverage(model=MODEL, upto=4), 1)

    index.add([], upto=7, hash=HASH)
    assert (index.reach(), index.count) == (VectorCoverage(model=MODEL, upto=7), 1)

    index.begin("another@2", 4)
    assert (index.reach(), index.count) == (VectorCoverage(model="another@2", upto=0), 0)


@each("vector", [b"", UP[:-4], UP[:-1], UP + UP[:4], packed(*[float("nan")] * DIMENSIONS)])
def test_a_vector_of_another_shape_is_refused(vector: bytes) -> None:
    index = filled(VectorIndex(None), born(1), [row(1, UP)])

    with pytest.raises(Malformed):
        index.search(EVERYTHING, vector, as_of=HEAD, upto=HEAD, keep=5)
    with pytest.raises(Malformed):
        index.add([row(2, vector)], upto=2, hash=HASH)
    assert index.count == 1


def test_forgotten_vectors_are_not_found_measured_or_compared() -> None:
    index = filled(VectorIndex(None, exact_max=0), born(1, 2), [row(1, UP), row(1, HALF, start=10), row(2, HALF)])
    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5)] == [1, 2]

    assert index.forget([1, 1, 7]) == 2
    assert index.forget([1]) == 0

    assert [near.rid for near in index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=5)] == [2]
    assert index.measure([1, 2], HALF) == {2: NearbyText(rid=2, cosine=1.0, start=0, end=9)}
    assert index.alike([1, 2]) == ((0.0, 0.0), (0.0, 1.0))
    assert [row.rid for row in index.rows(HEAD)] == [2]
    assert index.forget([]) == 0


def test_tenants_in_folders_of_their_own_do_not_mix(tmp_path: Path) -> None:
    one = filled(VectorIndex(tmp_path / "one"), born(1), [row(1, UP)])
    other = filled(VectorIndex(tmp_path / "other"), born(1, 2), [row(1, DOWN), row(2, DOWN)])

    assert [near.cosine for near in one.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=9)] == [1.0]
    assert [near.cosine for near in other.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=9)] == [-1.0, -1.0]
    one.begin(MODEL, DIMENSIONS)
    assert other.count == 2


def test_saved_columns_are_taken_over_only_with_the_ledger_they_were_saved_with(tmp_path: Path) -> None:
    index = filled(VectorIndex(tmp_path), born(1, 2), [row(1, UP), row(2, HALF)])
    index.save(b"h" * 32)
    index.close()

    again = VectorIndex(tmp_path)
    assert not again.load(lambda position: None)
    assert not again.load(lambda position: b"x" * 32)
    assert again.position == 0
    assert again.load(lambda position: b"h" * 32 if position == 2 else None)
    assert again.position == 2
    assert [near.rid for near in again.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=9)] == [1, 2]
    assert not VectorIndex(tmp_path / "elsewhere").load(lambda position: b"h" * 32)


def test_columns_that_are_further_on_are_not_replaced_by_saved_ones(tmp_path: Path) -> None:
    index = filled(VectorIndex(tmp_path), born(1), [])
    index.save(HASH)
    index.sync(2, since(born(2)))

    assert index.load(lambda position: HASH)
    assert index.position == 2


def test_vectors_agree_only_with_a_ledger_that_has_their_entry() -> None:
    index = VectorIndex(None)
    assert index.agrees(lambda position: None)
    filled(index, born(1), [row(1, UP)])
    index.add([], upto=5, hash=b"h" * 32)

    assert index.agrees(lambda position: b"h" * 32 if position == 5 else None)
    assert not index.agrees(lambda position: b"x" * 32)
    assert not index.agrees(lambda position: None)


def test_the_wide_copy_in_memory_answers_as_the_file_does(tmp_path: Path) -> None:
    """Past a few thousand rows vectors are held in full width; a cosine is the same to the last bit."""
    random = np.random.default_rng(7)
    found = random.standard_normal((2_500, DIMENSIONS)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    rows = [row(1 + place, vector.tobytes()) for place, vector in enumerate(found)]
    index = filled(VectorIndex(tmp_path), born(*range(1, 2_501)), rows)
    asked = found[3].tobytes()

    near = index.search(EVERYTHING, asked, as_of=HEAD, upto=HEAD, keep=20)
    early = index.search(EVERYTHING, asked, as_of=400, upto=HEAD, keep=20)

    assert near[0].rid == 4
    assert near == sorted(index.measure(range(1, HEAD + 1), asked).values(), key=lambda one: -one.cosine)[:20]
    assert early == sorted(index.measure(range(1, 401), asked).values(), key=lambda one: -one.cosine)[:20]
    exact = found.astype(np.float16).astype(np.float64)[:HEAD] @ found[3].astype(np.float64)
    assert [one.rid for one in near] == (np.argsort(-exact)[:20] + 1).tolist()
    assert all(one.cosine >= other.cosine for one, other in pairwise(near))

    index.forget([4])
    assert index.search(EVERYTHING, asked, as_of=HEAD, upto=HEAD, keep=19) == near[1:]


def test_searches_beside_an_appender_see_whole_batches() -> None:
    """Each batch is three revisions that lie exactly where is asked for; a search sees none or all of a batch."""
    index = filled(VectorIndex(None), born(*range(1, 301)), [])
    seen: list[int] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            seen.append(len(index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=HEAD)))

    searchers = [threading.Thread(target=search) for _ in range(3)]
    for searcher in searchers:
        searcher.start()
    for first in range(1, 300, 3):
        index.add([row(rid, UP) for rid in range(first, first + 3)], upto=first + 2, hash=HASH)
    done.set()
    for searcher in searchers:
        searcher.join(timeout=WAIT_S)

    assert not any(searcher.is_alive() for searcher in searchers)
    assert {count % 3 for count in seen} <= {0}
    assert len(index.search(EVERYTHING, UP, as_of=HEAD, upto=HEAD, keep=HEAD)) == 300
