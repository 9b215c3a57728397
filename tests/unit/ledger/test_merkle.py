"""The growing tree against the definition in RFC 6962, written down again here by recursion."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.ledger import merkle

LEAVES = st.lists(st.binary(min_size=1, max_size=40), max_size=70)


def tree_hash(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962 section 2.1: split at the largest power of two below the length."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()


@given(LEAVES)
def test_the_root_is_the_tree_hash_of_the_standard(leaves: list[bytes]) -> None:
    count, peaks = merkle.grow(0, (), leaves)
    assert count == len(leaves)
    assert merkle.root(peaks) == tree_hash(leaves)


@each("count", range(34))
def test_every_small_tree_is_the_standard_one(count: int) -> None:
    leaves = [bytes([number]) for number in range(count)]
    assert merkle.root(merkle.grow(0, (), leaves)[1]) == tree_hash(leaves)


@given(LEAVES, st.data())
def test_growing_in_steps_is_growing_at_once(leaves: list[bytes], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(leaves)))
    count, peaks = merkle.grow(0, (), leaves[:cut])
    assert merkle.grow(count, peaks, leaves[cut:]) == merkle.grow(0, (), leaves)


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=40, unique=True), st.data())
def test_changing_removing_or_swapping_a_leaf_changes_the_root(leaves: list[bytes], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(leaves) - 1))
    altered = [*leaves[:place], bytes(32), *leaves[place + 1 :]]
    removed = leaves[:place] + leaves[place + 1 :]
    rotated = leaves[1:] + leaves[:1]
    for other in (altered, removed, rotated):
        same = merkle.root(merkle.grow(0, (), other)[1]) == merkle.root(merkle.grow(0, (), leaves)[1])
        assert same is (other == leaves)


def test_a_leaf_cannot_be_passed_off_as_a_node() -> None:
    left, right = b"l" * 32, b"r" * 32
    inner = merkle.leaf(left) + merkle.leaf(right)
    assert merkle.leaf(inner) != merkle.node(merkle.leaf(left), merkle.leaf(right))
