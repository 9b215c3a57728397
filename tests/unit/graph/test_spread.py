"""Spreading activation: small graphs worked out by hand, and what must hold of any graph."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.cases import each

from muniment.graph.activation import Link, Node, ranks, salience, spread

nodes: st.SearchStrategy[Node] = st.one_of(st.sampled_from(["a", "b", "c", "d"]), st.integers(1, 6))
weights = st.floats(0.01, 100)
links: st.SearchStrategy[list[Link]] = st.lists(st.tuples(nodes, nodes, weights), max_size=20)
seeds: st.SearchStrategy[dict[Node, float]] = st.dictionaries(nodes, weights, min_size=1, max_size=4)


def test_one_entity_with_two_records_shares_its_activation_by_weight() -> None:
    """a = 1/2 + 1/2 (r1 + r2), r1 = 1/2 · 3/4 a, r2 = 1/2 · 1/4 a: so a = 2/3, r1 = 1/4, r2 = 1/12."""
    found = ranks([("a", 1, 3.0), ("a", 2, 1.0)], {"a": 1.0})
    assert found == pytest.approx({"a": 2 / 3, 1: 1 / 4, 2: 1 / 12}, abs=1e-6)
    assert spread([("a", 1, 3.0), ("a", 2, 1.0)], {"a": 1.0}) == pytest.approx({1: 1.0, 2: 1 / 3}, abs=1e-6)


def test_a_chain_carries_activation_through_a_shared_record() -> None:
    """a - 1 - b - 2: with a + r1 + b + r2 = 1, r2 = b/4, b = r1/4 + r2/2, r1 = a/2 + b/4, a = 1/2 + r1/4."""
    found = ranks([("a", 1, 1.0), (1, "b", 1.0), ("b", 2, 1.0)], {"a": 1.0})
    b_per_r1 = (1 / 4) / (1 - 1 / 8)
    r1 = (1 / 4) / (1 - 1 / 8 - b_per_r1 / 4)
    expected = {"a": 1 / 2 + r1 / 4, 1: r1, "b": b_per_r1 * r1, 2: b_per_r1 * r1 / 4}
    assert found == pytest.approx(expected, abs=1e-6)
    assert list(spread([("a", 1, 1.0), (1, "b", 1.0), ("b", 2, 1.0)], {"a": 1.0})) == [1, 2]


def test_a_record_that_two_seeds_share_comes_before_one_of_a_single_seed() -> None:
    graph: list[Link] = [("a", 1, 1.0), ("a", 2, 1.0), ("b", 2, 1.0), ("b", 3, 1.0)]
    assert spread(graph, {"a": 1.0, "b": 1.0}) == pytest.approx({2: 1.0, 1: 0.5, 3: 0.5}, abs=1e-6)


def test_records_as_activated_as_each_other_come_in_the_order_of_their_numbers() -> None:
    assert list(spread([("a", 10, 1.0), ("a", 2, 1.0), ("a", 30, 1.0)], {"a": 1.0})) == [2, 10, 30]


def test_a_record_can_be_a_seed() -> None:
    found = spread([("a", 1, 1.0), ("a", 2, 1.0)], {1: 1.0})
    assert found[1] == 1.0
    assert 0 < found[2] < 0.2


def test_a_seed_without_links_keeps_its_share() -> None:
    assert ranks([("a", 1, 1.0)], {"b": 1.0, "a": 1.0})["b"] == pytest.approx(0.5)
    assert spread([], {7: 2.0}) == {7: 1.0}


def test_what_no_seed_leads_to_is_not_activated() -> None:
    assert spread([("a", 1, 1.0), ("b", 2, 1.0)], {"a": 1.0}) == {1: 1.0}


@each("seed", [{}, {"a": 0.0}, {"nowhere": 1.0}])
def test_no_seed_that_counts_activates_nothing(seed: dict[Node, float]) -> None:
    assert spread([("a", 1, 1.0)], seed) == {}


def test_links_between_the_same_two_add_up() -> None:
    assert spread([("a", 1, 1.0), (1, "a", 1.0), ("a", 2, 2.0)], {"a": 1.0}) == {1: 1.0, 2: 1.0}


def test_without_damping_the_walker_never_leaves_its_seed() -> None:
    assert ranks([("a", 1, 1.0)], {"a": 1.0}, damping=0.0) == {"a": 1.0, 1: 0.0}


def test_of_a_graph_that_is_too_large_the_nearest_and_heaviest_are_walked() -> None:
    graph: list[Link] = [("a", number, float(number)) for number in range(1, 50)]
    assert list(spread(graph, {"a": 1.0}, nodes_max=4)) == [49, 48, 47]


def test_of_links_that_weigh_the_same_the_lower_numbers_are_walked_whatever_their_order() -> None:
    graph: list[Link] = [("a", number, 1.0) for number in range(50, 0, -1)]
    assert list(spread(graph, {"a": 1.0}, nodes_max=4)) == [1, 2, 3]


@given(links, seeds)
def test_the_shares_sum_to_one(graph: list[Link], start: dict[Node, float]) -> None:
    assert math.fsum(ranks(graph, start).values()) == pytest.approx(1.0, abs=1e-9)


@given(links, seeds)
def test_the_order_of_links_and_seeds_says_nothing(graph: list[Link], start: dict[Node, float]) -> None:
    mixed = sorted(graph, key=repr, reverse=True)
    turned: list[Link] = [(other, one, weight) for one, other, weight in mixed]
    backwards = dict(reversed(start.items()))
    assert spread(turned, backwards) == spread(graph, start)
    assert list(spread(turned, backwards)) == list(spread(graph, start))


@given(links, seeds, nodes, st.floats(1.5, 10))
def test_a_seed_that_weighs_more_is_activated_no_less(
    graph: list[Link], start: dict[Node, float], seed: Node, times: float
) -> None:
    assume(seed in start)
    heavier = {**start, seed: start[seed] * times}
    assert ranks(graph, heavier)[seed] >= ranks(graph, start)[seed] - 1e-6


@given(links, seeds)
def test_activation_lies_between_nothing_and_one(graph: list[Link], start: dict[Node, float]) -> None:
    found = spread(graph, start)
    assert all(0.0 <= share <= 1.0 for share in found.values())
    assert not found or max(found.values()) == 1.0


def test_salience_falls_from_a_single_mention_to_one_in_every_record() -> None:
    assert [salience(mentions, 10_000) for mentions in (1, 100, 10_000)] == pytest.approx([1.0, 0.5, 0.0])


@each(("mentions", "records"), [(0, 10), (1, 1), (5, 5), (6, 5), (0, 0)])
def test_an_entity_of_all_or_none_says_nothing(mentions: int, records: int) -> None:
    assert salience(mentions, records) == 0.0


@given(st.integers(2, 10**6), st.integers(1, 10**6))
def test_salience_never_rises_with_mentions(records: int, mentions: int) -> None:
    assert 0.0 <= salience(mentions + 1, records) <= salience(mentions, records) <= 1.0
