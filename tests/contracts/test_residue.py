"""What is left over between two values: it leads from one to the other, and gives way where the ground has moved."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.contracts.json_diff import Rest, differ, lay_on, spell, unspell
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.claim import Extension

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
VALUES = st.recursive(
    LEAVES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from("abc~/"), part, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abc~/"), VALUES, max_size=4)


@given(OBJECTS, OBJECTS)
def test_what_is_left_over_leads_from_one_value_to_the_other(before: JsonObject, after: JsonObject) -> None:
    assert same(lay_on(before, differ(before, after)), after)


@given(OBJECTS)
def test_nothing_is_left_over_between_a_value_and_itself(value: JsonObject) -> None:
    assert differ(value, json.loads(json.dumps(value))) == ()


@given(OBJECTS, OBJECTS)
def test_what_is_left_over_can_be_written_down_and_read_back(before: JsonObject, after: JsonObject) -> None:
    rests = differ(before, after)
    again = unspell(json.loads(spell(rests)))
    assert sorted(repr(one) for one in again) == sorted(repr(one) for one in rests)
    assert same(lay_on(before, again), after)


@given(OBJECTS, OBJECTS)
def test_an_extension_takes_whatever_is_left_over(before: JsonObject, after: JsonObject) -> None:
    Extension(name="x", body=spell(differ(before, after)))


def test_a_delete_character_is_written_as_an_escape() -> None:
    body = spell(differ({}, {"a\x7f": "b\x7f"}))
    assert "\x7f" not in body
    assert unspell(json.loads(body)) == (Rest(path=("a\x7f",), now=("b\x7f",)),)


@each(
    ("ground", "result"),
    [
        ({"a": 1, "b": {"c": 2}}, {"a": 5, "b": {"d": 3}}),
        ({"a": 7, "b": {"c": 2}}, {"a": 7, "b": {"d": 3}}),
        ({"a": 1, "b": {"c": 9}}, {"a": 5, "b": {"c": 9, "d": 3}}),
        ({"a": 1, "b": {"c": 2, "d": 4}}, {"a": 5, "b": {"d": 4}}),
        ({"a": 1, "b": 8}, {"a": 5, "b": 8}),
        ({"a": 1.0, "b": {"c": 2}}, {"a": 1.0, "b": {"d": 3}}),
        ({}, {}),
    ],
    ids=["as it was", "one moved", "one below moved", "one already there", "no object now", "other type", "gone"],
)
def test_a_rest_is_laid_on_only_where_the_ground_has_not_moved(ground: JsonObject, result: JsonObject) -> None:
    rests = differ({"a": 1, "b": {"c": 2}}, {"a": 5, "b": {"d": 3}})
    assert same(lay_on(ground, rests), result)


def test_laying_on_leaves_the_value_itself_alone() -> None:
    value: JsonObject = {"a": {"b": 1}}
    lay_on(value, differ({"a": {"b": 1}}, {"a": {"b": 2}}))
    assert value == {"a": {"b": 1}}


@each("value", [None, 1, "x", [], [[], []], {"a": 1}, {"a": [1, 2]}, {"a": [[1, 2], []]}, {"a": [[]]}])
def test_what_is_no_rest_of_ours_is_none(value: Json) -> None:
    assert unspell(value) == ()


def test_a_place_is_told_as_a_pointer() -> None:
    (rest,) = differ({"a/b": {"c~": 1}}, {"a/b": {"c~": 2}})
    assert rest.pointer == "/a~1b/c~0"
