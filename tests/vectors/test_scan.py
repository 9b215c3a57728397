"""Vectors in 16 bits and as signs: widened exactly, compared exactly, found by their signs in every block."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import each

from muniment.backends.vectors.arrays import Bools, Halves, signs, widen
from muniment.backends.vectors.blocks import BLOCK, ROW, Blocks, IndexView
from muniment.backends.vectors.scan import cosines, likely, nearest

DIMENSIONS = 70
ROWS = BLOCK + 5_000
HASH = bytes(32)


def unit(count: int, dimensions: int, seed: int) -> Halves:
    found = np.random.default_rng(seed).standard_normal((count, dimensions))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float16)


def filled(vectors: Halves, *, step: int) -> IndexView:
    """Blocks in memory with these vectors, one to a revision, added a few thousand at a time."""
    blocks = Blocks(None, planes_from=10)
    blocks.begin("m@1", vectors.shape[1])
    for first in range(0, len(vectors), step):
        part = vectors[first : first + step]
        rows = np.zeros(len(part), ROW)
        rows["rid"] = np.arange(first, first + len(part)) + 1
        blocks.add(rows, part, upto=first + len(part), hash=HASH)
    sight = blocks.look()
    assert sight is not None
    return sight


@pytest.fixture(scope="module")
def sight() -> IndexView:
    return filled(unit(ROWS, DIMENSIONS, 1), step=30_000)


def apart(sight: IndexView, asked: Halves) -> list[int]:
    """In how many signs each vector differs from the one asked for, counted one number at a time."""
    counted: list[int] = np.not_equal(sight.halves > 0, asked > 0).sum(axis=1).tolist()
    return counted


def test_every_16_bit_number_is_widened_to_itself() -> None:
    finite = np.arange(0x7C00, dtype=np.uint16)
    halves = np.concatenate([finite, finite | 0x8000]).view(np.float16).reshape(-1, 2)

    wide = widen(halves, np.empty(halves.shape, np.float32))

    assert np.array_equal(wide.view(np.uint32), halves.astype(np.float32).view(np.uint32))


def test_signs_are_one_bit_a_number_in_words_of_64() -> None:
    vector = np.full((1, 65), -1.0, np.float16)
    vector[0, [0, 3, 64]] = 1.0

    assert signs(vector).tolist() == [[0b1001, 1]]


@each("share", [1.0, 0.5, 0.01])
def test_the_likely_rows_are_those_whose_signs_differ_least(sight: IndexView, share: float) -> None:
    """Whether most rows are allowed or few, and in every block. What ties with the last one is taken along."""
    allowed: Bools = np.random.default_rng(2).random(ROWS) < share
    asked = unit(1, DIMENSIONS, 3)[0]
    distances = apart(sight, asked)
    counted = sorted((distances[place], place) for place in np.flatnonzero(allowed).tolist())
    assert sight.planes is not None

    found = likely(sight.planes, allowed, asked.astype(np.float32), 50)

    floor = counted[49][0]
    expected = [place for distance, place in counted if distance <= floor]
    ties = [place for distance, place in counted if distance == floor]
    if len(expected) > 100:
        expected = [place for distance, place in counted if distance < floor]
        expected += ties[-(100 - len(expected)) :]
    assert found.tolist() == sorted(expected)


def test_fewer_allowed_rows_than_asked_for_are_all_likely(sight: IndexView) -> None:
    assert sight.planes is not None
    asked = unit(1, DIMENSIONS, 3)[0].astype(np.float32)
    some: Bools = np.zeros(ROWS, np.bool_)
    some[[4, BLOCK, ROWS - 1]] = True
    most: Bools = np.ones(ROWS, np.bool_)
    most[: ROWS // 2] = False

    assert likely(sight.planes, some, asked, 50).tolist() == [4, BLOCK, ROWS - 1]
    assert likely(sight.planes, most, asked, ROWS).tolist() == list(range(ROWS // 2, ROWS))
    assert likely(sight.planes, most, asked, ROWS - 10).tolist() == list(range(ROWS // 2, ROWS))


def test_many_equal_vectors_do_not_swell_the_work() -> None:
    """Of a hundred rows that tie, no more than twice as many as asked for are compared, the latest of them."""
    sight = filled(np.repeat(unit(1, DIMENSIONS, 5), 100, axis=0), step=100)
    assert sight.planes is not None

    found = likely(sight.planes, np.ones(100, np.bool_), sight.halves[0].astype(np.float32), 10)

    assert found.tolist() == list(range(80, 100))


def test_a_cosine_is_the_same_however_it_is_asked_for(sight: IndexView) -> None:
    asked = unit(1, DIMENSIONS, 4)[0].astype(np.float32)
    wide = sight.halves[:3_000].astype(np.float32)
    places = np.arange(0, 3_000, 7)

    whole = cosines(sight.halves[:3_000], asked)

    assert np.array_equal(whole, cosines(wide, asked))
    assert np.array_equal(whole[places], cosines(sight.halves, asked, places))
    assert np.array_equal(whole[places], cosines(wide, asked, places))
    assert all(whole[place] == cosines(sight.halves[place : place + 1], asked)[0] for place in range(0, 3_000, 111))


def test_a_forgotten_vector_is_gone_from_the_wide_copy_too() -> None:
    blocks = Blocks(None)
    blocks.begin("m@1", DIMENSIONS)
    rows = np.zeros(3_000, ROW)
    rows["rid"] = np.arange(1, 3_001)
    vectors = unit(3_000, DIMENSIONS, 8)
    blocks.add(rows, vectors, upto=1, hash=HASH)
    before = blocks.look()
    assert before is not None
    wide = blocks.floats(before)
    assert wide is not None
    assert np.array_equal(wide, vectors.astype(np.float32))

    assert blocks.forget([5]) == 1

    after = blocks.look()
    assert after is not None
    wide = blocks.floats(after)
    assert wide is not None
    assert not wide[4].any()
    assert np.array_equal(np.delete(wide, 4, axis=0), np.delete(vectors, 4, axis=0).astype(np.float32))


def test_the_nearest_by_signs_and_the_nearest_of_all_agree_on_clustered_vectors() -> None:
    """Sentences cluster. With the vectors compared exactly that a large tenant uses, no neighbour is lost."""
    random = np.random.default_rng(6)
    centres = random.standard_normal((200, 384))
    found = centres[random.integers(0, 200, 30_000)] + 0.9 * random.standard_normal((30_000, 384))
    sight = filled((found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16), step=30_000)
    assert sight.planes is not None
    everything: Bools = np.ones(30_000, np.bool_)

    hits = 0
    for place in range(0, 30_000, 1_000):
        asked = sight.halves[place].astype(np.float32)
        exact = {near.rid for near in nearest(sight, None, np.arange(30_000), asked, 10)}
        rough = nearest(sight, None, likely(sight.planes, everything, asked, 2_000), asked, 10)
        hits += len(exact & {near.rid for near in rough})
    assert hits >= 0.99 * 300
